#include "sdk/model/import/tflite/cast_type.hpp"
#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

// The k largest elements of the last dimension, and where they are; of equal ones the first.
Result<void> import_topk_v2(OperatorImport& op) {
  if (!op.optional_options<schema::TopKV2Options>()) return failure;
  const ir::ValueId x = op.input(0), y = op.output(0);
  if (!op.expect_moved(x, y)) return failure;
  if (op.output_count() != 2) return op.refuse("wrong number of outputs", std::to_string(op.output_count()), "2");
  const ir::ValueId at = op.output(1);
  if (!op.expect_dtype(x, {DType::f32, DType::i8, DType::i16, DType::i32, DType::i64}) ||
      !op.expect_dtype(at, {DType::i32, DType::i16}))
    return failure;
  auto k = op.integers(op.input(1), "k");
  if (!k) return failure;
  if (op.rank(x) == 0) return op.refuse("there is no dimension to sort", "a scalar", "1 dimension or more");
  std::vector<ir::Dim> dims = op.dims(x);
  if (k->size() != 1 || (*k)[0] < 0 || (*k)[0] > dims.back())
    return op.refuse("k is out of range", k->size() == 1 ? std::to_string((*k)[0]) : "not one integer",
                     "0 to " + std::to_string(dims.back()));
  dims.back() = (*k)[0];
  if (!op.expect_dims(y, dims) || !op.expect_dims(at, dims)) return failure;
  const ir::ValueId wide = op.add_tensor(DType::i64, dims);
  op.node("TopK", {x, op.add_integers({(*k)[0]})}, {y, wide}).attributes["axis"] = std::int64_t{-1};
  op.node("Cast", {wide}, {at}).attributes["to"] = onnx_number(op.type(at).dtype);
  return {};
}

}  // namespace byoc::tflite
