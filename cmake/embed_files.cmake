# Run by byoc_embed: writes OUT with the text of FILES as arrays of bytes.
list(SORT FILES COMPARE FILE_BASENAME)
set(arrays "")
set(entries "")
set(i 0)
foreach(file ${FILES})
  get_filename_component(name ${file} NAME)
  if(BASE)
    file(RELATIVE_PATH name ${BASE} ${file})
  endif()
  file(READ ${file} hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(APPEND arrays "constexpr unsigned char kFile${i}[] = {${bytes}0};\n")
  string(APPEND entries "    {\"${name}\", text(kFile${i})},\n")
  math(EXPR i "${i} + 1")
endforeach()
file(WRITE ${OUT}.tmp "#include <cstddef>\n#include <span>\n#include <string_view>\n#include <utility>\n
namespace ${NAMESPACE} {
namespace {
${arrays}
template <std::size_t N>
std::string_view text(const unsigned char (&a)[N]) {
  return {reinterpret_cast<const char*>(a), N - 1};
}
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
