// Functions of one element: y[i] = f(x[i]).
#pragma once

#include <optional>
#include <string>

#include "backends/c/emitter.hpp"
#include "backends/c/lower/step/extent.hpp"
#include "backends/c/operators.hpp"

namespace byoc::c {

// A function as C expressions of v, and of the parameters a and b; "" where it is not defined. See byoc_element.h.
struct UnaryFunction {
  std::string_view stem;          // of the kernel's symbol: "relu" makes byoc_relu_f32
  std::string_view real = {};     // of floats
  std::string_view whole = {};    // of signed integers
  std::string_view natural = {};  // of unsigned integers
  std::string_view logical = {};  // of bool
  bool real_parameters = false;   // a and b are floats even where v is an integer
  std::string_view vector = {};   // of four f32, by byoc_functions_f32_mve.h
};

// Refuses element types that the function does not have. A quantised value is none of its kind.
[[nodiscard]] codegen::Verdict accepts_unary_function(const codegen::Region&, const codegen::Node&,
                                                      const UnaryFunction&);
// The arguments of a kernel of unary.c, as C expressions.
struct UnaryOperands {
  Extent count;
  std::string from, to;
  std::string a = "0", b = "0";
};
// Appends the call of the function's kernel; gives its symbol.
std::string add_unary_call(Emitter&, StepText&, const UnaryFunction&, DType x, DType y, const UnaryOperands&);
// As above, for an instance of unary.c that is not made from a table: file, symbol, arithmetic and function are given.
std::string add_unary_kernel_call(Emitter&, StepText&, Kernel, DType x, DType y, std::string_view parameter,
                                  const UnaryOperands&);
// `a` and `b`: C literals of the type that the function computes in.
bool lower_unary_function(Emitter&, const codegen::Node&, const UnaryFunction&, const std::string& a = "0",
                          const std::string& b = "0");

}  // namespace byoc::c
