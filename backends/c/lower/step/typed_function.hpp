// The common part of UnaryFunction and BinaryFunction: C expressions by the kind of their elements.
#pragma once

#include <string>
#include <string_view>

#include "backends/c/lower/step/element_type.hpp"

namespace byoc::c {

// The expression for elements of `t`; "" where the function is not defined.
template <class Function>
[[nodiscard]] std::string_view expression(const Function& f, DType t) {
  if (is_float_type(t)) return f.real;
  if (t == DType::boolean) return f.logical;
  if (!is_integer_type(t)) return {};
  return element_type(t)->is_signed() ? f.whole : f.natural;
}

// The element types that it is defined for, for refusals.
template <class Function>
[[nodiscard]] std::string expected_types(const Function& f) {
  std::string out;
  const auto add = [&](std::string_view expression, std::string_view types) {
    if (!expression.empty()) out += (out.empty() ? "" : ", ") + std::string(types);
  };
  add(f.real, "f16, bf16, f32, f64");
  add(f.whole, "i8, i16, i32, i64");
  add(f.natural, "u8, u16, u32, u64");
  add(f.logical, "bool");
  return out;
}

}  // namespace byoc::c
