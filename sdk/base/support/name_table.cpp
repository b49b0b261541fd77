#include "sdk/base/support/name_table.hpp"

#include <algorithm>
#include <initializer_list>

namespace byoc {
namespace {

bool is_identifier_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Words of C and C++ (C23, C++20), and names that headers of the C library define for many programs.
constexpr std::string_view kKeywords[] = {"alignas",
                                          "alignof",
                                          "and",
                                          "and_eq",
                                          "asm",
                                          "auto",
                                          "bitand",
                                          "bitor",
                                          "bool",
                                          "break",
                                          "case",
                                          "catch",
                                          "char",
                                          "char16_t",
                                          "char32_t",
                                          "char8_t",
                                          "class",
                                          "co_await",
                                          "co_return",
                                          "co_yield",
                                          "compl",
                                          "concept",
                                          "const",
                                          "const_cast",
                                          "consteval",
                                          "constexpr",
                                          "constinit",
                                          "continue",
                                          "decltype",
                                          "default",
                                          "delete",
                                          "do",
                                          "double",
                                          "dynamic_cast",
                                          "else",
                                          "enum",
                                          "explicit",
                                          "export",
                                          "extern",
                                          "false",
                                          "float",
                                          "for",
                                          "friend",
                                          "goto",
                                          "if",
                                          "inline",
                                          "int",
                                          "long",
                                          "mutable",
                                          "namespace",
                                          "new",
                                          "noexcept",
                                          "not",
                                          "not_eq",
                                          "nullptr",
                                          "operator",
                                          "or",
                                          "or_eq",
                                          "private",
                                          "protected",
                                          "public",
                                          "register",
                                          "reinterpret_cast",
                                          "requires",
                                          "restrict",
                                          "return",
                                          "short",
                                          "signed",
                                          "sizeof",
                                          "static",
                                          "static_assert",
                                          "static_cast",
                                          "struct",
                                          "switch",
                                          "template",
                                          "this",
                                          "thread_local",
                                          "throw",
                                          "true",
                                          "try",
                                          "typedef",
                                          "typeid",
                                          "typename",
                                          "typeof",
                                          "typeof_unqual",
                                          "union",
                                          "unsigned",
                                          "using",
                                          "virtual",
                                          "void",
                                          "volatile",
                                          "wchar_t",
                                          "while",
                                          "xor",
                                          "xor_eq",
                                          "main",
                                          "errno",
                                          "NULL",
                                          "unix",
                                          "linux",
                                          "i386",
                                          "assert",
                                          "stdin",
                                          "stdout",
                                          "stderr",
                                          "offsetof",
                                          "EOF",
                                          "NAN",
                                          "INFINITY",
                                          "size_t",
                                          "ssize_t",
                                          "ptrdiff_t",
                                          "intptr_t",
                                          "uintptr_t",
                                          "intmax_t",
                                          "uintmax_t",
                                          "max_align_t",
                                          "nullptr_t",
                                          "wint_t"};

bool takes(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

bool ends_as(std::string_view text, std::initializer_list<std::string_view> ends) {
  return std::any_of(ends.begin(), ends.end(), [&](std::string_view end) { return text.ends_with(end); });
}

bool is_limit(std::string_view name) {
  static constexpr std::string_view kTypes[] = {"BOOL",       "CHAR",    "DBL",   "FLT",   "LDBL", "LLONG",
                                                "LONG",       "PTRDIFF", "RAND",  "SCHAR", "SHRT", "SIZE",
                                                "SIG_ATOMIC", "SSIZE",   "WCHAR", "WINT"};
  const std::size_t end = name.rfind('_');
  if (end == std::string_view::npos || !ends_as(name, {"_MAX", "_MIN", "_WIDTH", "_C"})) return false;
  std::string_view type = name.substr(0, end);
  (void)takes(type, "U");
  return type.starts_with("INT") || std::find(std::begin(kTypes), std::end(kTypes), type) != std::end(kTypes);
}

// Types and macros of <stdint.h> and <limits.h>: int_least8_t, UINT32_MAX, INT64_C, SIZE_MAX, LONG_MIN.
bool is_of_integers(std::string_view name) {
  const bool is_upper = std::none_of(name.begin(), name.end(), [](char c) { return c >= 'a' && c <= 'z'; });
  if (is_upper) return is_limit(name);
  std::string_view rest = name;
  (void)takes(rest, "u");
  if (!takes(rest, "int")) return false;
  (void)(takes(rest, "_least") || takes(rest, "_fast"));
  return rest == "8_t" || rest == "16_t" || rest == "32_t" || rest == "64_t";
}

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
  for (const std::string_view k : kKeywords) taken_.emplace(k);
}

std::string NameTable::claim(std::string_view stem) {
  const std::string base = to_identifier(stem);
  std::string name = base;
  if (is_of_integers(base)) taken_.insert(base);
  if (taken_.insert(name).second) return name;
  unsigned& next = next_.try_emplace(base, 2).first->second;
  do name = base + "_" + std::to_string(next++);
  while (!taken_.insert(name).second);
  return name;
}

}  // namespace byoc
