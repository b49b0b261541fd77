#include "sdk/base/support/name_table.hpp"

namespace byoc {
namespace {

bool is_identifier_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

constexpr const char* kKeywords[] = {
    "alignas",  "alignof",   "and",       "and_eq",   "asm",      "auto",     "bitand",   "bitor",     "bool",
    "break",    "case",      "catch",     "char",     "class",    "compl",    "const",    "constexpr", "continue",
    "default",  "delete",    "do",        "double",   "else",     "enum",     "explicit", "export",    "extern",
    "false",    "float",     "for",       "friend",   "goto",     "if",       "inline",   "int",       "long",
    "mutable",  "namespace", "new",       "noexcept", "not",      "not_eq",   "nullptr",  "operator",  "or",
    "or_eq",    "private",   "protected", "public",   "register", "restrict", "return",   "short",     "signed",
    "sizeof",   "static",    "struct",    "switch",   "template", "this",     "throw",    "true",      "try",
    "typedef",  "typeid",    "typename",  "typeof",   "union",    "unsigned", "using",    "virtual",   "void",
    "volatile", "wchar_t",   "while",     "xor",      "xor_eq",   "main",     "errno",    "NULL",      "unix",
    "linux",    "i386",      "assert",    "stdin",    "stdout",   "stderr",   "int8_t",   "int16_t",   "int32_t",
    "int64_t",  "uint8_t",   "uint16_t",  "uint32_t", "uint64_t", "size_t"};

}  // namespace

std::string to_identifier(std::string_view text) {
  std::string out;
  bool gap = false;
  for (char c : text) {
    if (!is_identifier_char(c)) {
      gap = true;
      continue;
    }
    if (gap && !out.empty() && out.back() != '_') out += '_';
    gap = false;
    if (out.empty() && c >= '0' && c <= '9') out += '_';
    out += c;
  }
  if (out.empty()) out = "_";
  // Leading underscores are reserved at file scope in C.
  if (out[0] == '_') out.insert(0, 1, 'x');
  constexpr std::size_t kLongest = 96;
  if (out.size() > kLongest) out.resize(kLongest);
  return out;
}

NameTable::NameTable() {
  for (const char* k : kKeywords) taken_.insert(k);
}

std::string NameTable::claim(std::string_view stem) {
  const std::string base = to_identifier(stem);
  std::string name = base;
  for (unsigned n = 2; !taken_.insert(name).second; ++n) name = base + "_" + std::to_string(n);
  return name;
}

}  // namespace byoc
