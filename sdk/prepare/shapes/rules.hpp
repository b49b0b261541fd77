// Every operator whose types we infer.
#pragma once

#include <span>

#include "sdk/prepare/shapes/inference.hpp"

namespace byoc::shapes {

[[nodiscard]] std::span<const Rule> rules();
// Null for an operator that is not in the table.
[[nodiscard]] const Rule* find_rule(std::string_view domain, std::string_view op);

Result<void> adagrad(const Inference&);
Result<void> adam(const Inference&);
Result<void> affine_grid(const Inference&);
Result<void> arg(const Inference&);
Result<void> batch_matmul(const Inference&);
Result<void> batch_normalization(const Inference&);
Result<void> bitwise(const Inference&);
Result<void> byoc_dequantize(const Inference&);
Result<void> byoc_quantize(const Inference&);
Result<void> cast(const Inference&);
Result<void> cast_like(const Inference&);
Result<void> center_crop_pad(const Inference&);
Result<void> clip(const Inference&);
Result<void> col2im(const Inference&);
Result<void> compare(const Inference&);
Result<void> compress(const Inference&);
Result<void> concat(const Inference&);
Result<void> constant(const Inference&);
Result<void> constant_of_shape(const Inference&);
Result<void> conv(const Inference&);
Result<void> conv_integer(const Inference&);
Result<void> conv_transpose(const Inference&);
Result<void> cum_sum(const Inference&);
Result<void> deform_conv(const Inference&);
Result<void> depth_to_space(const Inference&);
Result<void> dequantize_linear(const Inference&);
Result<void> det(const Inference&);
Result<void> dft(const Inference&);
Result<void> dropout(const Inference&);
Result<void> dynamic_quantize_linear(const Inference&);
Result<void> dynamic_update_slice(const Inference&);
Result<void> einsum(const Inference&);
Result<void> elementwise_binary(const Inference&);
Result<void> elementwise_variadic(const Inference&);
Result<void> expand(const Inference&);
Result<void> eye_like(const Inference&);
Result<void> flatten(const Inference&);
Result<void> float_function(const Inference&);
Result<void> float_predicate(const Inference&);
Result<void> fully_connected(const Inference&);
Result<void> gather(const Inference&);
Result<void> gather_elements(const Inference&);
Result<void> gather_nd(const Inference&);
Result<void> gemm(const Inference&);
Result<void> global_pool(const Inference&);
Result<void> grid_sample(const Inference&);
Result<void> group_normalization(const Inference&);
Result<void> gru(const Inference&);
Result<void> instance_normalization(const Inference&);
Result<void> layer_normalization(const Inference&);
Result<void> if_else(const Inference&);
Result<void> like_input(const Inference&);
Result<void> loop(const Inference&);
Result<void> like_real(const Inference&);
Result<void> logical(const Inference&);
Result<void> lp_normalization(const Inference&);
Result<void> lrn(const Inference&);
Result<void> lstm(const Inference&);
Result<void> matmul(const Inference&);
Result<void> matmul_integer(const Inference&);
Result<void> max_roi_pool(const Inference&);
Result<void> max_unpool(const Inference&);
Result<void> mean_variance_normalization(const Inference&);
Result<void> mel_weight_matrix(const Inference&);
Result<void> momentum(const Inference&);
Result<void> negative_log_likelihood_loss(const Inference&);
Result<void> non_max_suppression(const Inference&);
Result<void> non_zero(const Inference&);
Result<void> one_hot(const Inference&);
Result<void> pad(const Inference&);
Result<void> pool(const Inference&);
Result<void> power(const Inference&);
Result<void> prelu(const Inference&);
Result<void> qlinear_conv(const Inference&);
Result<void> qlinear_matmul(const Inference&);
Result<void> quantize_linear(const Inference&);
Result<void> range(const Inference&);
Result<void> reduce(const Inference&);
Result<void> reshape(const Inference&);
Result<void> resize(const Inference&);
Result<void> reverse_sequence(const Inference&);
Result<void> rnn(const Inference&);
Result<void> roi_align(const Inference&);
Result<void> scan(const Inference&);
Result<void> scatter_elements(const Inference&);
Result<void> scatter_nd(const Inference&);
Result<void> shape(const Inference&);
Result<void> size(const Inference&);
Result<void> slice(const Inference&);
Result<void> softmax(const Inference&);
Result<void> softmax_cross_entropy_loss(const Inference&);
Result<void> space_to_depth(const Inference&);
Result<void> split(const Inference&);
Result<void> squeeze(const Inference&);
Result<void> stft(const Inference&);
Result<void> tfidf_vectorizer(const Inference&);
Result<void> tile(const Inference&);
Result<void> top_k(const Inference&);
Result<void> transpose(const Inference&);
Result<void> trilu(const Inference&);
Result<void> unique(const Inference&);
Result<void> unsqueeze(const Inference&);
Result<void> where(const Inference&);
Result<void> window_function(const Inference&);

}  // namespace byoc::shapes
