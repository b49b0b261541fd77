# Run by byoc_embed: writes OUT, which has the assembler put FILES into the object, each with a 0 behind it.
cmake_minimum_required(VERSION 3.25)
list(SORT FILES COMPARE FILE_BASENAME)
set(bytes "")
set(declarations "")
set(entries "")
set(i 0)
foreach(file ${FILES})
  get_filename_component(name ${file} NAME)
  if(BASE)
    file(RELATIVE_PATH name ${BASE} ${file})
  endif()
  set(symbol ${FUNCTION}_${i})
  string(APPEND bytes "    \"${symbol}: .incbin \\\"${file}\\\"\\n${symbol}_end: .byte 0\\n\"\n")
  string(APPEND declarations "extern const char ${symbol}[], ${symbol}_end[];\n")
  string(APPEND entries "    {\"${name}\", text(${symbol}, ${symbol}_end)},\n")
  math(EXPR i "${i} + 1")
endforeach()
file(WRITE ${OUT}.tmp "// Written by cmake/embed_files.cmake.
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

asm(\"    .section .rodata\\n\"
${bytes}    \"    .text\\n\");

extern \"C\" {
${declarations}}

namespace ${NAMESPACE} {
namespace {
std::string_view text(const char* begin, const char* end) { return {begin, static_cast<std::size_t>(end - begin)}; }
}  // namespace
std::span<const std::pair<std::string_view, std::string_view>> ${FUNCTION}();
std::span<const std::pair<std::string_view, std::string_view>> ${FUNCTION}() {
  static const std::pair<std::string_view, std::string_view> files[] = {
${entries}  };
  return files;
}
}  // namespace ${NAMESPACE}
")
file(COPY_FILE ${OUT}.tmp ${OUT} ONLY_IF_DIFFERENT)
file(TOUCH ${OUT})
