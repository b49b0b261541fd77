// Normalisation: the result has the shape of the input; what differs is where the parameters lie.
#include "sdk/model/shapes/rules.hpp"

namespace byoc::shapes {
namespace {

Result<void> want_real(const Inference& call) {
  return call.one_of(0, {DType::f32, DType::f64, DType::f16, DType::bf16});
}

// A vector of `length` of the input's element type.
Result<void> want_vector(const Inference& call, std::size_t i, ir::Dim length) {
  if (!call.want_rank(i, 1, 1) || !call.same_dtype(0, i)) return failure;
  if (is_known(length) && is_known(call.dims(i)[0]) && call.dims(i)[0] != length)
    return call.error("input " + std::to_string(i) + " has the wrong length", call.text(i), std::to_string(length));
  return {};
}

Result<void> like_real(const Inference& call) {
  if (!want_real(call)) return failure;
  return call.set(0, call.in(0).dtype, call.dims(0));
}

// Layer normalisation and its form without a mean: operands from 1 on broadcast to the input. Gives the axis.
Result<std::size_t> layer_axis(const Inference& call) {
  if (!want_real(call) || !call.want_rank(0, 1, kAny)) return failure;
  const Result<std::size_t> axis = call.axis(call.node.integer("axis", -1), call.rank(0));
  if (!axis) return failure;
  if (const std::int64_t stash = call.node.integer("stash_type", 1); stash != 1)
    return call.error("stash_type is not supported", std::to_string(stash), "1 (float32)");
  for (const std::size_t i : {std::size_t{1}, std::size_t{2}}) {
    if (call.find(i) == nullptr) continue;
    if (!call.same_dtype(0, i)) return failure;
    const Result<Dims> both = call.broadcast(call.dims(0), call.dims(i));
    if (!both) return failure;
    bool fits = both->size() == call.rank(0);
    for (std::size_t d = 0; fits && d < both->size(); ++d)
      fits = !is_known((*both)[d]) || !is_known(call.dims(0)[d]) || (*both)[d] == call.dims(0)[d];
    if (!fits) return call.error("input " + std::to_string(i) + " does not broadcast to the input", call.text(i));
  }
  return axis;
}

}  // namespace

Result<void> instance_normalization(const Inference& call) {
  if (!call.want_rank(0, 3, kAny) || !want_vector(call, 1, call.dims(0)[1]) || !want_vector(call, 2, call.dims(0)[1]))
    return failure;
  return like_real(call);
}

// Opset 18 has a scale and a bias for each group, opset 21 for each channel.
Result<void> group_normalization(const Inference& call) {
  if (!call.want_rank(0, 2, kAny)) return failure;
  const std::int64_t groups = call.node.integer("num_groups", 0);
  const ir::Dim channels = call.dims(0)[1];
  if (groups < 1 || (is_known(channels) && channels % groups != 0))
    return call.error("num_groups does not divide the channels", std::to_string(groups), call.text(0));
  const ir::Dim length = call.node.version < 21 ? groups : channels;
  if (!want_vector(call, 1, length) || !want_vector(call, 2, length)) return failure;
  return like_real(call);
}

// Mean and the inverse of the deviation are real numbers of 32 bits where the values have fewer.
Result<void> layer_normalization(const Inference& call) {
  const Result<std::size_t> axis = layer_axis(call);
  if (!axis) return failure;
  Dims outer = call.dims(0);
  for (std::size_t d = *axis; d < outer.size(); ++d) outer[d] = 1;
  const DType stash = call.in(0).dtype == DType::f64 ? DType::f64 : DType::f32;
  if (!call.set(1, stash, outer) || !call.set(2, stash, outer)) return failure;
  return call.set(0, call.in(0).dtype, call.dims(0));
}

Result<void> rms_normalization(const Inference& call) {
  if (!layer_axis(call)) return failure;
  return like_real(call);
}

Result<void> mean_variance_normalization(const Inference& call) {
  for (const std::int64_t axis : call.node.integers("axes", {0, 2, 3}))
    if (!call.axis(axis, call.rank(0))) return failure;
  return like_real(call);
}

Result<void> lp_normalization(const Inference& call) {
  if (const std::int64_t p = call.node.integer("p", 2); p != 1 && p != 2)
    return call.error("attribute p is out of range", std::to_string(p), "1 or 2");
  if (!call.axis(call.node.integer("axis", -1), call.rank(0))) return failure;
  return like_real(call);
}

Result<void> lrn(const Inference& call) {
  if (!call.want_rank(0, 2, kAny)) return failure;
  if (const std::int64_t size = call.node.integer("size", 0); size < 1 || size > (std::int64_t{1} << 31))
    return call.error("attribute size is out of range", std::to_string(size), "at least 1");
  return like_real(call);
}

}  // namespace byoc::shapes
