// A parameter struct of a kernel as C text: positional, so that it is C99 and C++ alike, each field with its name.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace byoc::c {

class ParameterText {
 public:
  ParameterText& add(std::string_view field, std::string_view text) {
    text_ +=
        (text_.empty() ? "" : ",") + std::string("\n    ") + std::string(text) + " /* " + std::string(field) + " */";
    return *this;
  }
  ParameterText& add(std::string_view field, std::int64_t value) { return add(field, std::to_string(value)); }
  ParameterText& add(std::string_view field, std::initializer_list<std::int64_t> values) {
    return add(field, std::span<const std::int64_t>(values.begin(), values.size()));
  }
  ParameterText& add(std::string_view field, std::span<const std::int64_t> values) {
    std::string text;
    for (const std::int64_t v : values) text += (text.empty() ? "{" : ", ") + std::to_string(v);
    return add(field, text + "}");
  }

  // The fields as the initialiser of a struct inside another one.
  [[nodiscard]] std::string nested() const { return "{" + text_ + "}"; }
  // static const <type> <name> = {...};
  [[nodiscard]] std::string definition(std::string_view type, std::string_view name) const {
    return "static const " + std::string(type) + " " + std::string(name) + " = {" + text_ + "};\n";
  }

 private:
  std::string text_;
};

}  // namespace byoc::c
