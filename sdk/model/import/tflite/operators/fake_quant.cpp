#include <cmath>

#include "sdk/model/import/tflite/elementwise.hpp"
#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

// Clamps to a range that is moved so that 0 is one of its 2^num_bits steps, and rounds to them.
Result<void> import_fake_quant(OperatorImport& op) {
  const auto options = op.options<schema::FakeQuantOptions>();
  if (!options) return failure;
  const schema::FakeQuantOptions& o = **options;
  const ir::ValueId x = op.input(0), y = op.output();
  if (!expect_element(op, x, {DType::f32}) || !expect_element(op, y, {DType::f32}) || !op.expect_dims(y, op.dims(x)))
    return failure;
  if (o.narrow_range()) return op.refuse("narrow_range is not supported", "true", "false");
  if (o.num_bits() < 2 || o.num_bits() > 16)
    return op.refuse("unsupported num_bits", std::to_string(o.num_bits()), "2 to 16");
  if (!std::isfinite(o.min()) || !std::isfinite(o.max()) || o.min() > 0 || o.max() < 0 || !(o.min() < o.max()))
    return op.refuse("unsupported range", std::to_string(o.min()) + " to " + std::to_string(o.max()),
                     "one that has 0 in it");
  const auto steps = static_cast<float>((1 << o.num_bits()) - 1);
  const float scale = (o.max() - o.min()) / steps;
  if (!(scale > 0) || !std::isfinite(scale))
    return op.refuse("unsupported range", std::to_string(o.min()) + " to " + std::to_string(o.max()),
                     "one whose steps are numbers");
  const float zero = std::fmin(std::round(std::fmax(-o.min() / scale, 0.0F)), steps);
  const float low = -zero * scale, high = (steps - zero) * scale;
  const ir::ValueId clamped = op.add_tensor(x, op.dims(x));
  op.node("Clip", {x, op.add_scalar(low), op.add_scalar(high)}, {clamped});
  ir::Node& node = op.byoc_node("FakeQuantize", {clamped});
  node.attributes["scale"] = scale;
  node.attributes["offset"] = low;
  return {};
}

}  // namespace byoc::tflite
