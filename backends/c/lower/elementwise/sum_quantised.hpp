// Sums, differences and products of two 8-bit tensors: one kernel over two tables of 256 entries.
#pragma once

#include "backends/c/lower/kernel_options.hpp"
#include "backends/c/lower/quantise/requantise.hpp"

namespace byoc::c {

constexpr int kSumLeftShift = 20;  // headroom of the scale of TFLite's sums, as in the reference

enum class PairOperator { add, subtract, multiply };

// How both operands are brought to one scale and from there to the output's. Of a product, only `out`.
struct PairScales {
  Multiplier in0, in1, out;
};

// Reference: tensorflow/lite/micro/kernels/add_common.cc and sub_common.cc; Real is double there for ADD, float for
// SUB.
template <class Real>
PairScales sum_scales(const codegen::Value& a, const codegen::Value& b, const codegen::Value& y) {
  const auto s0 = static_cast<Real>(affine(a).scale), s1 = static_cast<Real>(affine(b).scale);
  const Real twice = 2 * (s0 > s1 ? s0 : s1);
  return {quantise_multiplier(static_cast<double>(s0 / twice)), quantise_multiplier(static_cast<double>(s1 / twice)),
          quantise_multiplier(static_cast<double>(
              twice / (static_cast<Real>(1 << kSumLeftShift) * static_cast<Real>(affine(y).scale))))};
}

// Refuses what the kernels cannot compute; `read` is called for operands that have scales. `largest_shift`: of the
// output multiplier, beyond which TFLite is undefined.
[[nodiscard]] codegen::Verdict accepts_pair(const codegen::Region&, const codegen::Node&,
                                            PairScales (*read)(const codegen::Region&, const codegen::Node&),
                                            std::int32_t largest_shift);
// The kernels for it, of a node that is accepted.
[[nodiscard]] std::vector<KernelOption> pair_options(const LayerQuestion&, const codegen::Node&, const PairScales&,
                                                     PairOperator);
bool lower_pair(Emitter&, const codegen::Node&, const PairScales&, PairOperator);

}  // namespace byoc::c
