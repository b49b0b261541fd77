// Constant and ConstantOfShape.
#include "sdk/model/shapes/rules.hpp"

namespace byoc::shapes {

Result<void> constant(const Inference& call) {
  const auto* value = call.node.find<ir::Tensor>("value");
  if (value == nullptr || !value->type.is_static()) return call.error("attribute value is missing");
  return call.set(0, value->type.dtype, *value->type.dims);
}

Result<void> constant_of_shape(const Inference& call) {
  if (!call.one_of(0, {DType::i64}) || !call.want_rank(0, 1, 1)) return failure;
  const auto* value = call.node.find<ir::Tensor>("value");
  const DType dtype = value == nullptr ? DType::f32 : value->type.dtype;
  const auto dims = call.constant(0);
  if (!dims) return call.set_dtype(0, dtype);
  for (const std::int64_t d : *dims)
    if (d < 0) return call.error("the shape has a negative dim", std::to_string(d), "0 or more");
  return call.set(0, dtype, *dims);
}

}  // namespace byoc::shapes
