// The record that turns sums into results, as kernels take it, and which form of a kernel takes which.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "backends/c/emitter.hpp"
#include "backends/c/operators.hpp"
#include "byoc/nodes/activation.hpp"
#include "byoc/nodes/quantised_layer.hpp"

namespace byoc::c {

// Emits bias, scales and shifts and returns the byoc_requant_t initialiser. `sums`: of each channel's weights.
std::string emit_requant(Emitter&, Scaling, std::string_view stem, const codegen::Value& in,
                         const codegen::Value& weights, const codegen::Value* bias, const codegen::Value& out, Clamp,
                         std::span<const std::int64_t> sums);

// As above, without a bias and without the input's zero point: for kernels that subtract it themselves.
std::string emit_scales(Emitter&, Scaling, std::string_view stem, const codegen::Value& in,
                        const codegen::Value& weights, const codegen::Value* bias, const codegen::Value& out, Clamp,
                        std::int64_t channels);

// The kernel of an operator that the target runs. All give the same bits; their layouts of weights differ.
enum class Path { portable, dsp, mve };
[[nodiscard]] Path kernel_path(Scaling, const TargetSpec&);
// True if vector kernels without another way for single channels can scale every sum: exact scales are below 1/4, and
// no sum is half way between two results.
[[nodiscard]] bool fits_vectors(Scaling, const codegen::Value& in, const codegen::Value& weights,
                                const codegen::Value* bias, const codegen::Value& out, std::int64_t channels);
// "conv_s8" and the path: "conv_s8", "conv_s8_dsp", "conv_s8_mve".
[[nodiscard]] std::string path_stem(std::string_view stem, Path);

// "", "_onnx", "_exact" or "_wide": kernels that requantise exist in these forms; those of a region's float arithmetic
// in two.
[[nodiscard]] std::string_view requant_suffix(Scaling);
[[nodiscard]] std::string_view requant_suffix(const codegen::Region&);
// The kernel <stem><suffix> from <stem>.c.
[[nodiscard]] Kernel requant_kernel(Scaling, const std::string& stem);
[[nodiscard]] Kernel requant_kernel(const codegen::Region&, const std::string& stem);

}  // namespace byoc::c
