// Sums and differences of two i8 tensors: one kernel over two tables of 256 entries.
#pragma once

#include "backends/c/lower/requantise.hpp"

namespace byoc::c {

// How both operands are brought to one scale and from there to the output's.
struct SumScales {
  Multiplier in0, in1, out;
};

// Reference: tensorflow/lite/micro/kernels/add_common.cc and sub_common.cc; Real is double there for ADD, float for
// SUB.
template <class Real>
SumScales sum_scales(const codegen::Value& a, const codegen::Value& b, const codegen::Value& y) {
  const auto s0 = static_cast<Real>(affine(a).scale), s1 = static_cast<Real>(affine(b).scale);
  const Real twice = 2 * (s0 > s1 ? s0 : s1);
  return {quantise_multiplier(static_cast<double>(s0 / twice)), quantise_multiplier(static_cast<double>(s1 / twice)),
          quantise_multiplier(
              static_cast<double>(twice / (static_cast<Real>(1 << 20) * static_cast<Real>(affine(y).scale))))};
}

[[nodiscard]] codegen::Verdict accepts_sum(const codegen::Region&, const codegen::Node&, const SumScales&);
// `sign` of the second operand: 1 or -1.
bool lower_sum(Emitter&, const codegen::Node&, const SumScales&, int sign);

}  // namespace byoc::c
