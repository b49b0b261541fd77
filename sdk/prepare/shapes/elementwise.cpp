// Operators that work element by element, with and without broadcasting.
#include "sdk/prepare/shapes/rules.hpp"

namespace byoc::shapes {

// A quantised operator may change the element type: the stated one is taken where it is quantised.
DType result_dtype(const Inference& call) {
  const ir::TensorType* stated = call.stated(0);
  const bool requantises = stated != nullptr && stated->quantisation && stated->dtype != DType::undefined &&
                           call.in(0).quantisation.has_value();
  return requantises ? stated->dtype : call.in(0).dtype;
}

Result<void> like_input(const Inference& call) { return call.set(0, result_dtype(call), call.dims(0)); }

Result<void> elementwise_binary(const Inference& call) {
  if (!call.same_dtype(0, 1)) return failure;
  const Result<Dims> dims = call.broadcast(call.dims(0), call.dims(1));
  if (!dims) return failure;
  return call.set(0, result_dtype(call), *dims);
}

}  // namespace byoc::shapes
