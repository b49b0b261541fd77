// Every operator whose types we infer.
#pragma once

#include <span>

#include "sdk/prepare/shapes/inference.hpp"

namespace byoc::shapes {

[[nodiscard]] std::span<const Rule> rules();
// Null for an operator that is not in the table.
[[nodiscard]] const Rule* find_rule(std::string_view domain, std::string_view op);

Result<void> batch_normalization(const Inference&);
Result<void> byoc_dequantize(const Inference&);
Result<void> byoc_quantize(const Inference&);
Result<void> cast(const Inference&);
Result<void> clip(const Inference&);
Result<void> concat(const Inference&);
Result<void> constant(const Inference&);
Result<void> constant_of_shape(const Inference&);
Result<void> conv(const Inference&);
Result<void> dequantize_linear(const Inference&);
Result<void> dropout(const Inference&);
Result<void> elementwise_binary(const Inference&);
Result<void> elementwise_variadic(const Inference&);
Result<void> expand(const Inference&);
Result<void> flatten(const Inference&);
Result<void> fully_connected(const Inference&);
Result<void> gather(const Inference&);
Result<void> gemm(const Inference&);
Result<void> global_pool(const Inference&);
Result<void> like_input(const Inference&);
Result<void> matmul(const Inference&);
Result<void> pad(const Inference&);
Result<void> pool(const Inference&);
Result<void> power(const Inference&);
Result<void> qlinear_conv(const Inference&);
Result<void> qlinear_matmul(const Inference&);
Result<void> quantize_linear(const Inference&);
Result<void> reduce(const Inference&);
Result<void> reshape(const Inference&);
Result<void> shape(const Inference&);
Result<void> slice(const Inference&);
Result<void> softmax(const Inference&);
Result<void> split(const Inference&);
Result<void> squeeze(const Inference&);
Result<void> transpose(const Inference&);
Result<void> unsqueeze(const Inference&);

}  // namespace byoc::shapes
