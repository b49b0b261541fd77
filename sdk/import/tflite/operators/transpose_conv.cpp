#include <algorithm>

#include "sdk/import/tflite/elementwise.hpp"
#include "sdk/import/tflite/operators/operators.hpp"
#include "sdk/import/tflite/weights.hpp"
#include "sdk/import/tflite/window.hpp"

namespace byoc::tflite {
namespace {

constexpr std::size_t kShape = 0, kWeights = 1, kInput = 2, kBias = 3;

Result<void> expect_shapes(OperatorImport& op) {
  const ir::ValueId x = op.input(kInput), filter = op.input(kWeights), y = op.output();
  if (!expect_shape_input(op, op.input(kShape))) return failure;
  if (!op.expect_dims(y, {op.dims(x)[0], op.dims(y)[1], op.dims(y)[2], op.dims(filter)[0]})) return failure;
  if (op.dims(filter)[3] == op.dims(x)[3]) return {};
  return op.refuse("the filter does not fit the input's channels", std::to_string(op.dims(filter)[3]),
                   std::to_string(op.dims(x)[3]));
}

// The input; where the output's shape is computed, a run checks that it is the one that the model states. What cannot
// be a shape of the output at all is not looked at, as the reference does not look at any.
ir::ValueId checked_input(OperatorImport& op) {
  const ir::ValueId x = op.input(kInput), shape = op.input(kShape);
  if (op.value(shape).constant) return x;
  const ir::ValueId checked = op.add_tensor(x, op.dims(x));
  ir::Node& node = op.byoc_node("Expect", {x, shape}, {checked});
  node.attributes["expected"] = op.dims(op.output());
  node.attributes["open"] = std::vector<std::int64_t>{1, 2};  // batch and channels follow from the operands
  return checked;
}

}  // namespace

// The output's shape, filter [O, KH, KW, C], x [N, H, W, C], bias [O] -> y [N, OH, OW, O]. Any OH and OW will do: what
// the filter spreads beyond them is lost, and what it does not reach is the bias.
Result<void> import_transpose_conv(OperatorImport& op) {
  auto options = op.options<schema::TransposeConvOptions>();
  if (!options) return failure;
  const schema::TransposeConvOptions& o = **options;
  for (const ir::ValueId v : {op.input(kInput), op.input(kWeights), op.output()})
    if (!op.expect_rank(v, 4)) return failure;
  const WeightRules rules{.channel_axis = 0,
                          .x = kInput,
                          .weights = kWeights,
                          .bias = kBias,
                          .few_bits = false,
                          .int16_takes_int32_bias = true};
  if (!expect_weights(op, rules, o.quantized_bias_type()) || !expect_shapes(op)) return failure;
  const auto& f = op.dims(op.input(kWeights));
  const Window window{{f[1], f[2]}, {o.stride_h(), o.stride_w()}};
  auto spread = place_spread(op, op.input(kInput), window, o.padding());
  if (!spread) return failure;
  ir::Node& node = op.node("ConvTranspose", {checked_input(op), op.input(kWeights), op.input(kBias)});
  describe_spread(node, window, *spread);
  return op.fuse(node, o.fused_activation_function());
}

}  // namespace byoc::tflite
