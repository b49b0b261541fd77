// Cost questions to lowerings with several kernels, asked before any layer is lowered.
#pragma once

#include <string_view>
#include <vector>

#include "backends/c/lower/dense/dense_quantised.hpp"
#include "backends/c/operators.hpp"
#include "backends/layers/kernel_option.hpp"

namespace byoc::c {

[[nodiscard]] inline double rounded_up(std::int64_t n, std::int64_t block) {
  return static_cast<double>((n + block - 1) / block * block);
}

// The options of a node; empty if there is one kernel for it, and no estimate.
[[nodiscard]] std::vector<KernelOption> conv_options(const LayerQuestion&, const codegen::Node&);
[[nodiscard]] std::vector<KernelOption> qlinear_conv_options(const LayerQuestion&, const codegen::Node&);
[[nodiscard]] std::vector<KernelOption> fully_connected_options(const LayerQuestion&, const codegen::Node&);
[[nodiscard]] std::vector<KernelOption> gemm_options(const LayerQuestion&, const codegen::Node&);
[[nodiscard]] std::vector<KernelOption> matmul_options(const LayerQuestion&, const codegen::Node&);
[[nodiscard]] std::vector<KernelOption> qlinear_matmul_options(const LayerQuestion&, const codegen::Node&);
[[nodiscard]] std::vector<KernelOption> batch_matmul_options(const LayerQuestion&, const codegen::Node&);
[[nodiscard]] std::vector<KernelOption> add_options(const LayerQuestion&, const codegen::Node&);
[[nodiscard]] std::vector<KernelOption> sub_options(const LayerQuestion&, const codegen::Node&);
[[nodiscard]] std::vector<KernelOption> mul_options(const LayerQuestion&, const codegen::Node&);
[[nodiscard]] std::vector<KernelOption> average_pool_options(const LayerQuestion&, const codegen::Node&);
[[nodiscard]] std::vector<KernelOption> softmax_options(const LayerQuestion&, const codegen::Node&);
[[nodiscard]] std::vector<KernelOption> tree_ensemble_options(const LayerQuestion&, const codegen::Node&);

// Parts of these, by layer.
[[nodiscard]] std::vector<KernelOption> dense_options(const LayerQuestion&, const QuantisedLayer&, const RowsByMatrix&);
[[nodiscard]] std::vector<KernelOption> conv_layer_options(const LayerQuestion&, const codegen::Node&,
                                                           const QuantisedLayer&);

}  // namespace byoc::c
