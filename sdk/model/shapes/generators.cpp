// Range, EyeLike, the windows and MelWeightMatrix: results whose shape is in the values of their operands.
#include <cmath>

#include "sdk/model/ir/onnx_types.hpp"
#include "sdk/model/shapes/rules.hpp"

namespace byoc::shapes {
namespace {

Result<DType> type_attribute(const Inference& call, const char* attribute, DType otherwise) {
  const std::int64_t number = call.node.integer(attribute, 0);
  const DType dtype = number == 0 ? otherwise : ir::onnx_type(number);
  if (dtype == DType::undefined)
    return call.error("attribute " + std::string(attribute) + " is not an element type that is supported",
                      ir::onnx_type_name(number));
  return dtype;
}

}  // namespace

// The length comes with the values, when they are folded.
Result<void> range(const Inference& call) {
  if (!call.one_of(0, {DType::f32, DType::f64, DType::f16, DType::bf16, DType::i16, DType::i32, DType::i64}) ||
      !call.same_dtype(0, 1) || !call.same_dtype(0, 2))
    return failure;
  for (std::size_t i = 0; i < 3; ++i)
    if (!call.want_rank(i, 0, 1)) return failure;
  return call.set_dtype(0, call.in(0).dtype);
}

Result<void> eye_like(const Inference& call) {
  const Result<DType> dtype = type_attribute(call, "dtype", call.in(0).dtype);
  if (!dtype || !call.want_rank(0, 2, 2)) return failure;
  return call.set(0, *dtype, call.dims(0));
}

Result<void> window_function(const Inference& call) {
  const Result<DType> dtype = type_attribute(call, "output_datatype", DType::f32);
  if (!dtype || !call.one_of(0, {DType::i32, DType::i64}) || !call.want_rank(0, 0, 1)) return failure;
  const auto size = call.constant(0);
  if (!size) return call.set_dtype(0, *dtype);
  if (size->size() != 1 || (*size)[0] < 0) return call.error("the size must be one number of 0 or more", call.text(0));
  return call.set(0, *dtype, {(*size)[0]});
}

Result<void> mel_weight_matrix(const Inference& call) {
  const Result<DType> dtype = type_attribute(call, "output_datatype", DType::f32);
  if (!dtype) return failure;
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}, std::size_t{2}})
    if (!call.one_of(i, {DType::i32, DType::i64}) || !call.want_rank(i, 0, 1)) return failure;
  const auto bins = call.constant(0), length = call.constant(1);
  if (!bins || !length) return call.set_dtype(0, *dtype);
  if (bins->size() != 1 || length->size() != 1 || (*bins)[0] < 0 || (*length)[0] < 0)
    return call.error("the sizes must be single numbers of 0 or more", call.text(0) + " and " + call.text(1));
  return call.set(0, *dtype, {(*length)[0] / 2 + 1, (*bins)[0]});
}

}  // namespace byoc::shapes
