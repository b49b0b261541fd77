#include "sdk/model/import/tflite/hybrid.hpp"
#include "sdk/model/import/tflite/operators/operators.hpp"
#include "sdk/model/import/tflite/weights.hpp"

namespace byoc::tflite {

// x seen as [rows, depth], w [units, depth], bias [units] -> y [rows, units], or x's leading dims with units behind
Result<void> import_fully_connected(OperatorImport& op) {
  auto options = op.optional_options<schema::FullyConnectedOptions>();
  if (!options) return failure;
  const schema::FullyConnectedOptions* o = *options;
  if (o != nullptr && o->weights_format() != schema::WeightsFormat::DEFAULT)
    return op.refuse("unsupported weights format", "SHUFFLED4x16INT8", "DEFAULT");
  const ir::ValueId x = op.input(0), w = op.input(1);
  if (!op.expect_rank(w, 2)) return failure;
  const auto bias_type = o == nullptr ? schema::TensorType::FLOAT32 : o->quantized_bias_type();
  const WeightRules rules{
      .channel_axis = 0, .weights_zero_point = true, .int16_takes_int32_bias = true, .hybrid = true};
  if (!expect_weights(op, rules, bias_type)) return failure;

  const ir::Dim units = op.dims(w)[0], depth = op.dims(w)[1];
  const std::int64_t elements = op.type(x).elements();
  if (units < 1 || depth < 1 || elements % depth != 0)
    return op.refuse("input elements are no multiple of the weights' depth",
                     std::to_string(elements) + " and " + std::to_string(depth));
  const bool keep = o != nullptr && o->keep_num_dims();
  std::vector<ir::Dim> expected = {elements / depth, units};
  if (keep) {
    expected = op.dims(x);
    if (expected.empty() || expected.back() != depth)
      return op.refuse("keep_num_dims needs the weights' depth as last dimension of " + op.describe(x),
                       expected.empty() ? "a scalar" : std::to_string(expected.back()), std::to_string(depth));
    expected.back() = units;
  }
  if (!op.expect_dims(op.output(), expected)) return failure;

  if (is_hybrid(op))
    return import_hybrid_product(op, o == nullptr || !o->asymmetric_quantize_inputs(),
                                 o == nullptr ? schema::ActivationFunctionType::NONE : o->fused_activation_function());
  ir::Node& node = op.byoc_node("FullyConnected", {x, w, bias_of(op, units, bias_type)});
  node.attributes["keep_num_dims"] = std::int64_t{keep};
  describe_product(op, node);
  return o == nullptr ? Result<void>() : op.fuse(node, o->fused_activation_function());
}

}  // namespace byoc::tflite
