// A parameter struct of a kernel as C text: positional, so that it is C99 and C++ alike, each field with its name.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backends/c/emitter.hpp"
#include "backends/c/lower/step/extent.hpp"

namespace byoc::c {

// The members given by one add(): one member, or several in sequence, as "in_h, in_w" or, with a common start, as
// "kernel" for kernel_h and kernel_w.
struct GivenMembers {
  std::string names;
  std::size_t values = 1;
};

// The first member that is out of order in the initialisers of the struct `type` of kernels/: "byoc_pool_t: found in
// where batch is". "" if there is none.
[[nodiscard]] std::string misplaced_member(std::string_view type, std::span<const GivenMembers> given);

class ParameterText {
 public:
  ParameterText& add(std::string_view field, std::string_view text);
  ParameterText& add(std::string_view field, std::int64_t value) { return add(field, std::to_string(value)); }
  ParameterText& add(std::string_view field, const Extent& value) { return add(field, value.text()); }
  template <std::same_as<Extents> List>  // other lists of numbers are spans
  ParameterText& add(std::string_view field, const List& values) {
    std::string text;
    for (const Extent& v : values) text += (text.empty() ? "{" : ", ") + v.text();
    return add(field, text + "}");
  }
  ParameterText& add(std::string_view field, std::initializer_list<std::int64_t> values) {
    return add(field, std::span<const std::int64_t>(values.begin(), values.size()));
  }
  ParameterText& add(std::string_view field, std::span<const std::int64_t> values) {
    std::string text;
    for (const std::int64_t v : values) text += (text.empty() ? "{" : ", ") + std::to_string(v);
    return add(field, text + "}");
  }

  // The fields as the initialiser of a struct of this type inside another one.
  [[nodiscard]] std::string nested(std::string_view type) const;
  // static const <type> <name> = {...};
  [[nodiscard]] Definition definition(std::string_view type, std::string_view name) const;

 private:
  std::string text_;
  std::vector<GivenMembers> given_;
};

}  // namespace byoc::c
