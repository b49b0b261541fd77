// Operators that work element by element, with and without broadcasting.
#include "sdk/prepare/shapes/rules.hpp"

namespace byoc::shapes {
namespace {

// A quantised operator may change the element type: the stated one is taken where it is quantised.
DType result_dtype(const Inference& call) {
  const ir::TensorType* stated = call.stated(0);
  const bool requantises = stated != nullptr && stated->quantisation && stated->dtype != DType::undefined &&
                           call.in(0).quantisation.has_value();
  return requantises ? stated->dtype : call.in(0).dtype;
}

}  // namespace

Result<void> like_input(const Inference& call) { return call.set(0, result_dtype(call), call.dims(0)); }

Result<void> softmax(const Inference& call) {
  const std::int64_t otherwise = call.node.version < 13 ? 1 : -1;
  if (call.rank(0) != 0 && !call.axis(call.node.integer("axis", otherwise), call.rank(0))) return failure;
  return like_input(call);
}

Result<void> dropout(const Inference& call) {
  if (!like_input(call)) return failure;
  return call.set(1, DType::boolean, call.dims(0));
}

Result<void> clip(const Inference& call) {
  for (const std::size_t i : {std::size_t{1}, std::size_t{2}}) {
    if (call.find(i) == nullptr) continue;
    if (!call.in(0).quantisation && !call.same_dtype(0, i)) return failure;
    if (!call.want_rank(i, 0, 1)) return failure;
  }
  return like_input(call);
}

Result<void> batch_normalization(const Inference& call) {
  if (!call.want_rank(0, 1, kAny)) return failure;
  const ir::Dim channels = call.rank(0) > 1 ? call.dims(0)[1] : 1;
  for (std::size_t i = 1; i < 5; ++i) {
    if (!call.want_rank(i, 1, 1)) return failure;
    const ir::Dim length = call.dims(i)[0];
    if (is_known(channels) && is_known(length) && channels != length)
      return call.error("input " + std::to_string(i) + " must have one element for each channel", call.text(i),
                        std::to_string(channels));
  }
  return like_input(call);
}

Result<void> elementwise_binary(const Inference& call) {
  if (!call.same_dtype(0, 1)) return failure;
  const Result<Dims> dims = call.broadcast(call.dims(0), call.dims(1));
  if (!dims) return failure;
  return call.set(0, result_dtype(call), *dims);
}

Result<void> power(const Inference& call) {
  const Result<Dims> dims = call.broadcast(call.dims(0), call.dims(1));
  if (!dims) return failure;
  return call.set(0, call.in(0).dtype, *dims);
}

Result<void> elementwise_variadic(const Inference& call) {
  Dims dims = call.dims(0);
  for (std::size_t i = 1; i < call.node.inputs.size(); ++i) {
    if (call.find(i) == nullptr) return call.error("input " + std::to_string(i) + " is missing");
    if (!call.same_dtype(0, i)) return failure;
    const Result<Dims> both = call.broadcast(dims, call.dims(i));
    if (!both) return failure;
    dims = *both;
  }
  return call.set(0, call.in(0).dtype, dims);
}

}  // namespace byoc::shapes
