// Every operator the evaluator knows.
#pragma once

#include <span>
#include <string_view>

#include "sdk/evaluate/call.hpp"

namespace byoc::evaluate {

inline constexpr std::size_t kAny = SIZE_MAX;

struct Operator {
  std::string_view domain;
  std::string_view op;
  std::size_t least_inputs;  // these are given whenever the function runs
  std::size_t most_inputs;
  std::size_t most_outputs;
  Outcome (*function)(const Call&);
};

// Ordered by domain and name.
[[nodiscard]] std::span<const Operator> operators();
// Null for an operator that is not in the table.
[[nodiscard]] const Operator* find_operator(std::string_view domain, std::string_view op);

Outcome add(const Call&);
Outcome average_pool(const Call&);
Outcome batch_normalization(const Call&);
Outcome byoc_dequantize(const Call&);
Outcome byoc_quantize(const Call&);
Outcome cast(const Call&);
Outcome clip(const Call&);
Outcome concat(const Call&);
Outcome constant(const Call&);
Outcome constant_of_shape(const Call&);
Outcome conv(const Call&);
Outcome dequantize_linear(const Call&);
Outcome div(const Call&);
Outcome dropout(const Call&);
Outcome expand(const Call&);
Outcome flatten(const Call&);
Outcome fully_connected(const Call&);
Outcome gather(const Call&);
Outcome gemm(const Call&);
Outcome global_average_pool(const Call&);
Outcome global_max_pool(const Call&);
Outcome identity(const Call&);
Outcome leaky_relu(const Call&);
Outcome matmul(const Call&);
Outcome max(const Call&);
Outcome max_pool(const Call&);
Outcome mean(const Call&);
Outcome min(const Call&);
Outcome mul(const Call&);
Outcome pad(const Call&);
Outcome pow(const Call&);
Outcome qlinear_conv(const Call&);
Outcome qlinear_matmul(const Call&);
Outcome quantize_linear(const Call&);
Outcome reduce_max(const Call&);
Outcome reduce_mean(const Call&);
Outcome reduce_sum(const Call&);
Outcome relu(const Call&);
Outcome reshape(const Call&);
Outcome shape(const Call&);
Outcome sigmoid(const Call&);
Outcome slice(const Call&);
Outcome softmax(const Call&);
Outcome split(const Call&);
Outcome squeeze(const Call&);
Outcome sub(const Call&);
Outcome sum(const Call&);
Outcome tanh(const Call&);
Outcome transpose(const Call&);
Outcome unary(const Call&);
Outcome unsqueeze(const Call&);

}  // namespace byoc::evaluate
