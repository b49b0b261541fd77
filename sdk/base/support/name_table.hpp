// Names that came from a model or a vendor are claimed here before they reach generated text.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

namespace byoc {

// Letters, digits and '_', not starting with a digit; every other run of bytes becomes one '_'. Never empty.
[[nodiscard]] std::string to_identifier(std::string_view text);

class NameTable {
 public:
  // C and C++ keywords are taken from the start.
  NameTable();
  // `stem` made an identifier and, if somebody has it, given the first free suffix _2, _3 ...
  std::string claim(std::string_view stem);

 private:
  std::set<std::string, std::less<>> taken_;
  std::map<std::string, unsigned, std::less<>> next_;  // suffix to try: those before it are taken
};

}  // namespace byoc
