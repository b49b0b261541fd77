#include "sdk/model/import/tflite/recurrent.hpp"

#include <string>

namespace byoc::tflite {
namespace {

// RELU6 and RELU_N1_TO_1 are a clamp before the function, which ONNX calls clip.
Result<void> set_activation(OperatorImport& op, ir::Node& node, schema::ActivationFunctionType activation) {
  using enum schema::ActivationFunctionType;
  std::string function = "Affine";  // x
  if (activation == TANH) function = "Tanh";
  if (activation == RELU || activation == RELU6) function = "Relu";
  if (activation == RELU6) node.attributes["clip"] = 6.0F;
  if (activation == RELU_N1_TO_1) node.attributes["clip"] = 1.0F;
  node.attributes["activations"] = std::vector<std::string>{function};
  if (function == "Affine") {
    node.attributes["activation_alpha"] = std::vector<float>{1};
    node.attributes["activation_beta"] = std::vector<float>{0};
  }
  if (activation == NONE || activation == TANH || activation == RELU || activation == RELU6 ||
      activation == RELU_N1_TO_1)
    return {};
  return op.refuse("unsupported fused activation", "number " + std::to_string(static_cast<int>(activation)),
                   "NONE, RELU, RELU_N1_TO_1, RELU6 or TANH");
}

ir::ValueId reshaped(OperatorImport& op, ir::ValueId x, std::vector<ir::Dim> dims) {
  const ir::ValueId out = op.add_tensor(x, std::move(dims));
  op.reshape(x, out);
  return out;
}

}  // namespace

Result<void> expect_rnn_types(OperatorImport& op, const RnnLayer& layer) {
  for (const std::size_t i : {layer.weights, layer.recurrent, layer.bias, layer.hidden}) {
    if (op.input(i) == ir::kNoValue) return op.refuse("input " + std::to_string(i) + " is not given");
    const DType type = op.type(op.input(i)).dtype;
    if (i != layer.hidden && (type == DType::i8 || type == DType::u8))
      return op.refuse("hybrid kernels are not supported: float activations with quantised weights",
                       std::string(to_string(type)) + " weights", "f32");
    if (!op.expect_dtype(op.input(i), {DType::f32})) return failure;
  }
  return layer.aux_weights == SIZE_MAX ? Result<void>() : op.expect_dtype(op.input(layer.aux_weights), {DType::f32});
}

Result<ir::ValueId> add_rnn(OperatorImport& op, const RnnLayer& layer, ir::ValueId x, ir::ValueId aux, bool time_major,
                            schema::ActivationFunctionType activation) {
  const auto hidden = op.state(layer.hidden);
  if (!hidden || !expect_rnn_types(op, layer)) return failure;
  for (const ir::ValueId v : {x, aux})
    if (v != ir::kNoValue && (!op.expect_dtype(v, {DType::f32}) || !op.expect_rank(v, 3))) return failure;
  ir::ValueId weights = op.input(layer.weights);
  if (!op.expect_rank(weights, 2)) return failure;
  const ir::Dim units = op.dims(weights)[0], batch = op.dims(x)[time_major ? 1 : 0];
  if (!op.expect_dims(weights, {units, op.dims(x)[2]}) || !op.expect_dims(op.input(layer.recurrent), {units, units}) ||
      !op.expect_dims(op.input(layer.bias), {units}) || !op.expect_dims(op.input(layer.hidden), {batch, units}))
    return failure;
  if (layer.aux_weights != SIZE_MAX) {
    if (aux == ir::kNoValue) return op.refuse("weights of a second operand that is not given");
    if (!op.expect_dims(aux, {op.dims(x)[0], op.dims(x)[1], op.dims(aux)[2]}) ||
        !op.expect_dims(op.input(layer.aux_weights), {units, op.dims(aux)[2]}))
      return failure;
    x = op.joined({x, aux}, 2);
    weights = op.joined({weights, op.input(layer.aux_weights)}, 1);
  }
  // Time-major: y [steps, directions, batch, units] and h [directions, batch, units]; else batch comes first.
  const std::vector<ir::Dim> rows = op.dims(x);
  const std::vector<ir::Dim> state =
      time_major ? std::vector<ir::Dim>{1, batch, units} : std::vector<ir::Dim>{batch, 1, units};
  const ir::ValueId none = op.add_reals(std::vector<float>(static_cast<std::size_t>(units)));
  const ir::ValueId bias = reshaped(op, op.joined({op.input(layer.bias), none}, 0), {1, 2 * units});
  const ir::ValueId w = reshaped(op, weights, {1, units, rows[2]}),
                    r = reshaped(op, op.input(layer.recurrent), {1, units, units}), h = reshaped(op, *hidden, state);
  const ir::ValueId y = op.add_tensor(x, time_major ? std::vector<ir::Dim>{rows[0], 1, batch, units}
                                                    : std::vector<ir::Dim>{batch, rows[1], 1, units}),
                    last = op.add_tensor(x, state);
  ir::Node& node = op.node("RNN", {x, w, r, bias, ir::kNoValue, h}, {y, last});
  node.attributes["hidden_size"] = units;
  node.attributes["layout"] = std::int64_t{time_major ? 0 : 1};
  node.attributes["direction"] = std::string(layer.reverse ? "reverse" : "forward");
  if (!set_activation(op, node, activation)) return failure;
  op.reshape(last, op.next_state(layer.hidden));
  return reshaped(op, y, {rows[0], rows[1], units});
}

}  // namespace byoc::tflite
