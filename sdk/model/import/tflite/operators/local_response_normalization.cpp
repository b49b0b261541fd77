#include <cmath>

#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

// x / (bias + alpha * sum of the squares of `radius` channels on either side)^beta. ONNX has the channels second and
// alpha of the mean.
Result<void> import_local_response_normalization(OperatorImport& op) {
  auto options = op.options<schema::LocalResponseNormalizationOptions>();
  if (!options) return failure;
  const schema::LocalResponseNormalizationOptions& o = **options;
  const ir::ValueId x = op.input(0), y = op.output();
  if (!op.expect_dtype(x, {DType::f32}) || !op.expect_dtype(y, {DType::f32}) || !op.expect_rank(x, 4) ||
      !op.expect_dims(y, op.dims(x)))
    return failure;
  constexpr std::int32_t kLargest = 1 << 24;  // so that a float counts the channels
  if (o.radius() < 0 || o.radius() > kLargest)
    return op.refuse("radius out of range", std::to_string(o.radius()), "0 to " + std::to_string(kLargest));
  for (const float f : {o.bias(), o.alpha(), o.beta()})
    if (!std::isfinite(f)) return op.refuse("an option is no number", std::to_string(f), "a number");
  const std::vector<ir::Dim> d = op.dims(x);
  const ir::ValueId in = op.add_tensor(x, {d[0], d[3], d[1], d[2]}), out = op.add_tensor(x, {d[0], d[3], d[1], d[2]});
  op.transpose(x, in, {0, 3, 1, 2});
  ir::Node& node = op.node("LRN", {in}, {out});
  const std::int64_t size = 2 * std::int64_t{o.radius()} + 1;
  node.attributes["size"] = size;
  node.attributes["alpha"] = o.alpha() * static_cast<float>(size);
  node.attributes["beta"] = o.beta();
  node.attributes["bias"] = o.bias();
  op.transpose(out, y, {0, 2, 3, 1});
  return {};
}

}  // namespace byoc::tflite
