#include <algorithm>
#include <cmath>

#include "sdk/model/import/tflite/lookup.hpp"
#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {
namespace {

// x with the scale and zero point of the output, as the kernel of uint8 has it: in float32.
ir::ValueId rescaled(OperatorImport& op, ir::ValueId x) {
  constexpr std::int64_t kShift = 128;
  const ir::ValueId y = op.add_tensor(op.output(), op.dims(x));
  const Quantisation &in = *op.type(x).quantisation, &out = *op.type(y).quantisation;
  const float scale = in.scales[0] * (1 / out.scales[0]);
  const float bias = -static_cast<float>(in.zero_points[0] + kShift) * scale;
  look_up(op, x, y, [&](std::int64_t q) {
    const float product = static_cast<float>(q + kShift) * scale;
    return static_cast<std::int64_t>(std::clamp(std::round(product + bias), -1024.0F, 1024.0F)) + out.zero_points[0];
  });
  return y;
}

}  // namespace

Result<void> import_concatenation(OperatorImport& op) {
  auto options = op.options<schema::ConcatenationOptions>();
  if (!options) return failure;
  // Upstream's kernels know no other, whatever the option could say.
  if ((*options)->fused_activation_function() != schema::ActivationFunctionType::NONE)
    return op.refuse("unsupported fused activation",
                     schema::EnumNameActivationFunctionType((*options)->fused_activation_function()), "NONE");
  const ir::ValueId y = op.output();
  auto axis = op.axis((*options)->axis(), op.rank(y));
  if (!axis) return failure;
  std::vector<ir::ValueId> inputs;
  const bool resized = op.resizes() && op.input(0) != ir::kNoValue && op.rank(op.input(0)) == op.rank(y);
  const std::vector<ir::Dim> beside = op.dims(resized ? op.input(0) : y);
  std::vector<ir::Dim> expected = beside;
  expected[*axis] = 0;
  for (std::size_t i = 0; i < op.input_count(); ++i) {
    const ir::ValueId x = op.input(i);
    if (x == ir::kNoValue) return op.refuse("input " + std::to_string(i) + " is not given");
    if (!op.expect_moved(x, y) || !op.expect_rank(x, op.rank(y))) return failure;
    const bool rescales = op.shifted() && op.type(x).quantisation != op.type(y).quantisation;
    if (op.type(y).dtype == DType::i8 && !rescales && !op.expect_equal_quantisation(x, y)) return failure;
    std::vector<ir::Dim> like_output = beside;
    like_output[*axis] = op.dims(x)[*axis];
    if (!op.expect_dims(x, like_output)) return failure;
    expected[*axis] += like_output[*axis];
    inputs.push_back(rescales ? rescaled(op, x) : x);
  }
  if (!op.expect_dims(y, expected)) return failure;
  op.node("Concat", std::move(inputs)).attributes["axis"] = static_cast<std::int64_t>(*axis);
  return {};
}

}  // namespace byoc::tflite
