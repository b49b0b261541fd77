// Functions of two broadcast operands.
#pragma once

#include <string>
#include <vector>

#include "backends/c/emitter.hpp"
#include "backends/c/operators.hpp"

namespace byoc::c {

// A function as C expressions of u and v; "" where it is not defined. See byoc_element.h.
struct BinaryFunction {
  std::string_view stem;          // of the kernel's symbol: "add" makes byoc_add_f32
  std::string_view real = {};     // of floats
  std::string_view whole = {};    // of signed integers
  std::string_view natural = {};  // of unsigned integers
  std::string_view logical = {};  // of bool
  bool clamps = false;            // has the `activation` attribute
  std::string_view vector = {};   // of two vectors of four f32, by byoc_functions_f32_mve.h
};

// Refuses element types that the function does not have, and operands that do not broadcast to the output.
[[nodiscard]] codegen::Verdict accepts_binary_function(const codegen::Region&, const codegen::Node&,
                                                       const BinaryFunction&);

// One function after the other into the output: y = f1(f0(first, right0), right1) ..., in the end divided by `divisor`.
struct BinaryCall {
  const BinaryFunction* function;
  codegen::ValueId right;
};
bool lower_binary_calls(Emitter&, const codegen::Node&, codegen::ValueId first, const std::vector<BinaryCall>&,
                        std::int64_t divisor = 1);

}  // namespace byoc::c
