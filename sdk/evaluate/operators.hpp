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

Outcome adagrad(const Call&);
Outcome adam(const Call&);
Outcome add(const Call&);
Outcome affine_grid(const Call&);
Outcome arg_max(const Call&);
Outcome arg_min(const Call&);
Outcome add_n(const Call&);
Outcome average_pool(const Call&);
Outcome batch_matmul(const Call&);
Outcome batch_normalization(const Call&);
Outcome bit_shift(const Call&);
Outcome bits(const Call&);
Outcome bitwise_not(const Call&);
Outcome blackman_window(const Call&);
Outcome byoc_dequantize(const Call&);
Outcome byoc_quantize(const Call&);
Outcome cast(const Call&);
Outcome center_crop_pad(const Call&);
Outcome clip(const Call&);
Outcome col2im(const Call&);
Outcome compare(const Call&);
Outcome compress(const Call&);
Outcome concat(const Call&);
Outcome constant(const Call&);
Outcome constant_of_shape(const Call&);
Outcome conv(const Call&);
Outcome conv_integer(const Call&);
Outcome conv_transpose(const Call&);
Outcome cum_sum(const Call&);
Outcome deform_conv(const Call&);
Outcome depth_to_space(const Call&);
Outcome dequantize_linear(const Call&);
Outcome det(const Call&);
Outcome dft(const Call&);
Outcome div(const Call&);
Outcome dropout(const Call&);
Outcome dynamic_quantize_linear(const Call&);
Outcome dynamic_update_slice(const Call&);
Outcome einsum(const Call&);
Outcome expand(const Call&);
Outcome eye_like(const Call&);
Outcome flatten(const Call&);
Outcome floor_div(const Call&);
Outcome floor_mod(const Call&);
Outcome fully_connected(const Call&);
Outcome gather(const Call&);
Outcome gather_elements(const Call&);
Outcome gather_nd(const Call&);
Outcome gelu(const Call&);
Outcome gemm(const Call&);
Outcome global_average_pool(const Call&);
Outcome global_lp_pool(const Call&);
Outcome global_max_pool(const Call&);
Outcome grid_sample(const Call&);
Outcome group_normalization(const Call&);
Outcome gru(const Call&);
Outcome hamming_window(const Call&);
Outcome hann_window(const Call&);
Outcome hardmax(const Call&);
Outcome identity(const Call&);
Outcome if_else(const Call&);
Outcome instance_normalization(const Call&);
Outcome is_inf(const Call&);
Outcome is_nan(const Call&);
Outcome l2_normalization(const Call&);
Outcome layer_normalization(const Call&);
Outcome l2_pool(const Call&);
Outcome leaky_relu(const Call&);
Outcome log_softmax(const Call&);
Outcome logical_not(const Call&);
Outcome lp_normalization(const Call&);
Outcome lp_pool(const Call&);
Outcome lrn(const Call&);
Outcome lstm(const Call&);
Outcome loop(const Call&);
Outcome matmul(const Call&);
Outcome matmul_integer(const Call&);
Outcome max(const Call&);
Outcome max_pool(const Call&);
Outcome max_roi_pool(const Call&);
Outcome max_unpool(const Call&);
Outcome mean(const Call&);
Outcome mean_variance_normalization(const Call&);
Outcome mel_weight_matrix(const Call&);
Outcome min(const Call&);
Outcome mod(const Call&);
Outcome momentum(const Call&);
Outcome mul(const Call&);
Outcome negative_log_likelihood_loss(const Call&);
Outcome non_max_suppression(const Call&);
Outcome non_zero(const Call&);
Outcome one_hot(const Call&);
Outcome not_equal(const Call&);
Outcome pad(const Call&);
Outcome pow(const Call&);
Outcome prelu(const Call&);
Outcome qlinear_conv(const Call&);
Outcome qlinear_matmul(const Call&);
Outcome quantize_linear(const Call&);
Outcome range(const Call&);
Outcome reduce(const Call&);
Outcome reduce_max(const Call&);
Outcome reduce_min(const Call&);
Outcome reduce_mean(const Call&);
Outcome reduce_sum(const Call&);
Outcome relu(const Call&);
Outcome reshape(const Call&);
Outcome resize(const Call&);
Outcome reverse_sequence(const Call&);
Outcome rnn(const Call&);
Outcome roi_align(const Call&);
Outcome scan(const Call&);
Outcome scatter_elements(const Call&);
Outcome scatter_nd(const Call&);
Outcome rsqrt(const Call&);
Outcome shape(const Call&);
Outcome sigmoid(const Call&);
Outcome size(const Call&);
Outcome slice(const Call&);
Outcome softmax(const Call&);
Outcome softmax_cross_entropy_loss(const Call&);
Outcome space_to_depth(const Call&);
Outcome split(const Call&);
Outcome squared_difference(const Call&);
Outcome squeeze(const Call&);
Outcome stft(const Call&);
Outcome sub(const Call&);
Outcome sum(const Call&);
Outcome tanh(const Call&);
Outcome tfidf_vectorizer(const Call&);
Outcome tile(const Call&);
Outcome top_k(const Call&);
Outcome transpose(const Call&);
Outcome trilu(const Call&);
Outcome unary(const Call&);
Outcome unique(const Call&);
Outcome unsqueeze(const Call&);
Outcome where(const Call&);

}  // namespace byoc::evaluate
