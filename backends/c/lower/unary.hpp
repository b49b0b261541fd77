// Float functions of one element: y[i] = f(x[i]).
#pragma once

#include <string>

#include "backends/c/emitter.hpp"
#include "backends/c/operators.hpp"

namespace byoc::c {

// `function` is a C expression of v, and of the parameters a and b.
struct UnaryFunction {
  std::string_view symbol;  // "byoc_relu_f32"
  std::string_view function;
  float a = 0.0f, b = 0.0f;
};

[[nodiscard]] codegen::Verdict accepts_unary_float(const codegen::Region&, const codegen::Node&, const TargetSpec&);
bool lower_unary_float(Emitter&, const codegen::Node&, const UnaryFunction&);

}  // namespace byoc::c
