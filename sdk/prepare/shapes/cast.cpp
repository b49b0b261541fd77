// Operators whose result has an element type of its own: Cast, the quantising ones.
#include "sdk/evaluate/operators/cast_type.hpp"
#include "sdk/prepare/shapes/rules.hpp"

namespace byoc::shapes {
namespace {

// A scale of one element is per tensor; more are one for each index of `axis`.
Result<void> check_scale(const Inference& call) {
  if (!call.one_of(1, {DType::f32}) || !call.want_rank(1, 0, 1)) return failure;
  if (call.find(2) != nullptr) {
    const auto known_elements = [](const Dims& d) { return d.empty() ? ir::Dim{1} : d[0]; };
    const ir::Dim scales = known_elements(call.dims(1));
    if (!call.want_rank(2, 0, 1)) return failure;
    const ir::Dim zeros = known_elements(call.dims(2));
    if (is_known(scales) && is_known(zeros) && scales != zeros)
      return call.error("scale and zero point must have one shape", call.text(2), call.text(1));
  }
  if (call.rank(1) == 0 || call.dims(1)[0] == 1) return {};
  const Result<std::size_t> axis = call.axis(call.node.integer("axis", 1), call.rank(0));
  if (!axis) return failure;
  const ir::Dim length = call.dims(0)[*axis];
  if (is_known(length) && is_known(call.dims(1)[0]) && length != call.dims(1)[0])
    return call.error("the scale must have one element for each index of its axis", call.text(1),
                      std::to_string(length));
  return {};
}

}  // namespace

Result<void> cast(const Inference& call) {
  const DType to = evaluate::onnx_type(call.node.integer("to", 0));
  if (to == DType::undefined)
    return call.error("attribute to is not an element type that we know", std::to_string(call.node.integer("to", 0)));
  return call.set(0, to, call.dims(0));
}

Result<void> quantize_linear(const Inference& call) {
  if (!call.one_of(0, {DType::f32, DType::i32}) || !check_scale(call)) return failure;
  if (call.find(2) != nullptr && !call.one_of(2, {DType::i8, DType::u8, DType::i16, DType::u16})) return failure;
  return call.set(0, call.find(2) != nullptr ? call.in(2).dtype : DType::u8, call.dims(0));
}

Result<void> dequantize_linear(const Inference& call) {
  if (!call.one_of(0, {DType::i8, DType::u8, DType::i16, DType::u16, DType::i32}) || !check_scale(call)) return failure;
  if (call.find(2) != nullptr && !call.same_dtype(0, 2)) return failure;
  return call.set(0, DType::f32, call.dims(0));
}

Result<void> byoc_quantize(const Inference& call) {
  const ir::TensorType* stated = call.stated(0);
  if (stated == nullptr || !stated->quantisation || stated->dtype == DType::undefined)
    return call.error("the output must be stated with its element type and quantisation");
  if (!call.in(0).quantisation && !call.one_of(0, {DType::f32})) return failure;
  return call.set(0, stated->dtype, call.dims(0));
}

Result<void> byoc_dequantize(const Inference& call) {
  if (!call.in(0).quantisation) return call.error("input 0 is not quantised", call.text(0));
  return call.set(0, DType::f32, call.dims(0));
}

}  // namespace byoc::shapes
