#include "sdk/model/import/onnx/operators/attention_parts.hpp"

namespace byoc::onnx_import {

Composition::Value grouped_product(Composition& c, Composition::Value a, Composition::Value b) {
  using Value = Composition::Value;
  // -1 is the number of heads that share one, which Reshape refuses where it is no whole number.
  const Value groups = c.join({c.dims(b, 0, 2), c.integers({-1}), c.dims(a, 2, 4)});
  const Value rows =
      c.op("Reshape", {c.op("Reshape", {a, groups}), c.join({c.dims(b, 0, 2), c.integers({-1}), c.dims(a, 3, 4)})});
  return c.op("Reshape", {c.op("MatMul", {rows, b}), c.join({c.dims(a, 0, 3), c.integers({-1})})});
}

Composition::Value scaled_products(Composition& c, Composition::Value q, Composition::Value k, const float* scale) {
  using Value = Composition::Value;
  Value factor = ir::kNoValue;
  if (scale != nullptr) {
    factor = c.real(*scale);
  } else {
    const Value size = c.cast(c.dims(q, 3, 4), DType::f32);
    factor = c.op("Reciprocal", {c.op("Sqrt", {size})});
  }
  const Value root = c.op("CastLike", {c.op("Sqrt", {factor}), q});
  const Value turned = c.op("Transpose", {k}, {{"perm", std::vector<std::int64_t>{0, 1, 3, 2}}});
  return grouped_product(c, c.op("Mul", {q, root}), c.op("Mul", {turned, root}));
}

Composition::Value count_to(Composition& c, Composition::Value length) {
  return c.op("Range", {c.integer(0), c.op("Squeeze", {length, c.integers({0})}), c.integer(1)});
}

}  // namespace byoc::onnx_import
