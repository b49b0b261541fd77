// The steps between real and quantised values, whether the quantisation is of the value or comes from operands.
#pragma once

#include "backends/c/operators.hpp"

namespace byoc::c {

// The node's input 0 (f32, or i32 in ONNX) to its output (i8, u8, i16, u16) in quantisation `q`.
[[nodiscard]] codegen::Verdict accepts_quantise(const codegen::Region&, const codegen::Node&, const Quantisation& q);
bool lower_quantise(Emitter&, const codegen::Node&, const Quantisation& q);

// The node's input 0 (i8, u8, i16, u16, i32) in quantisation `q` to its f32 output.
[[nodiscard]] codegen::Verdict accepts_dequantise(const codegen::Region&, const codegen::Node&, const Quantisation& q);
bool lower_dequantise(Emitter&, const codegen::Node&, const Quantisation& q);

}  // namespace byoc::c
