// LSTM layers of floats with peepholes, a projection or another activation, as ONNX's LSTM.
#include <array>

#include "sdk/model/import/tflite/lstm.hpp"

namespace byoc::tflite {
namespace {

// ONNX has the gates in the order input, output, forget, cell.
constexpr std::array<std::size_t, 4> kGateOrder = {0, 3, 1, 2};

ir::ValueId in_shape(OperatorImport& op, ir::ValueId v, std::vector<ir::Dim> dims) {
  const ir::ValueId out = op.add_tensor(v, std::move(dims));
  op.reshape(v, out);
  return out;
}

ir::ValueId by_matrix(OperatorImport& op, ir::ValueId rows, ir::ValueId matrix) {
  std::vector<ir::Dim> dims = op.dims(rows);
  dims.back() = op.dims(matrix)[1];
  const ir::ValueId out = op.add_tensor(rows, std::move(dims));
  op.node("MatMul", {rows, matrix}, {out});
  return out;
}

// Upstream's kernel leaves what NONE multiplies the output gate by uninitialised.
Result<void> set_functions(OperatorImport& op, ir::Node& node, schema::ActivationFunctionType activation) {
  using enum schema::ActivationFunctionType;
  const std::string function = activation == RELU ? "Relu" : "Tanh";
  node.attributes["activations"] = std::vector<std::string>{"Sigmoid", function, function};
  if (activation == TANH || activation == RELU) return {};
  return op.refuse("unsupported fused activation", "number " + std::to_string(static_cast<int>(activation)),
                   "RELU or TANH");
}

}  // namespace

// A projection P makes results P * m of the units' m. Steps go on from P * m: recurrent weights R act as R * P on m,
// which is the state that is kept.
Result<void> add_lstm_variant(OperatorImport& op, const LstmLayer& layer, const LstmForm& form, ir::ValueId x,
                              const std::vector<ir::ValueId>& weights, ir::ValueId y, bool time_major) {
  const ir::Dim units = op.dims(weights[1])[0], batch = op.dims(x)[time_major ? 1 : 0];
  const ir::Dim steps = op.dims(x)[time_major ? 0 : 1], depth = op.dims(x)[2];
  const ir::ValueId projection = op.input(layer.projection);
  if (form.projection && (!op.expect_dtype(projection, {DType::f32}) ||
                          !op.expect_dims(projection, {op.dims(op.input(layer.recurrent_weights + 1))[1], units})))
    return failure;
  std::vector<ir::ValueId> w, r, b, p;
  for (const std::size_t k : kGateOrder) {
    w.push_back(weights[k]);
    r.push_back(lstm_gate(op, form, layer.recurrent_weights, k));
    b.push_back(lstm_gate(op, form, layer.biases, k));
    if (form.peepholes && k != 2) p.push_back(lstm_gate(op, form, layer.peepholes, k == 3 ? 2 : k));
  }
  for (const ir::ValueId v : p)
    if (!op.expect_dtype(v, {DType::f32}) || !op.expect_dims(v, {units})) return failure;
  b.push_back(op.add_reals(std::vector<float>(static_cast<std::size_t>(4 * units))));
  const ir::ValueId recurrent = form.projection ? by_matrix(op, op.joined(r, 0), projection) : op.joined(r, 0);
  const std::vector<ir::Dim> state =
      time_major ? std::vector<ir::Dim>{1, batch, units} : std::vector<ir::Dim>{batch, 1, units};
  const auto cell = op.state(layer.cell);
  const auto kept = form.projection ? op.add_state({DType::f32, std::vector<ir::Dim>{batch, units}, std::nullopt})
                                    : op.state(layer.hidden);
  if (!cell || !kept) return failure;
  const std::vector<ir::ValueId> inputs = {
      x,
      in_shape(op, op.joined(w, 0), {1, 4 * units, depth}),
      in_shape(op, recurrent, {1, 4 * units, units}),
      in_shape(op, op.joined(b, 0), {1, 8 * units}),
      ir::kNoValue,
      in_shape(op, *kept, state),
      in_shape(op, *cell, state),
      form.peepholes ? in_shape(op, op.joined(p, 0), {1, 3 * units}) : ir::kNoValue};
  const ir::ValueId rows = op.add_tensor(x, time_major ? std::vector<ir::Dim>{steps, 1, batch, units}
                                                       : std::vector<ir::Dim>{batch, steps, 1, units}),
                    last = op.add_tensor(x, state), last_cell = op.add_tensor(x, state);
  ir::Node& node = op.node("LSTM", inputs, {rows, last, last_cell});
  node.attributes["hidden_size"] = units;
  node.attributes["layout"] = std::int64_t{time_major ? 0 : 1};
  node.attributes["direction"] = std::string(layer.reverse ? "reverse" : "forward");
  if (!set_functions(op, node, form.activation)) return failure;
  op.reshape(last_cell, op.next_state(layer.cell));
  if (!form.projection) {
    op.reshape(last, op.next_state(layer.hidden));
    op.reshape(rows, y);
    return {};
  }
  const ir::ValueId turned = op.add_tensor(projection, {units, op.dims(projection)[0]});
  op.transpose(projection, turned, {1, 0});
  const ir::ValueId next = op.add_tensor(DType::f32, {batch, units});
  op.reshape(last, next);
  op.set_next_state(*kept, next);
  op.reshape(by_matrix(op, next, turned), op.next_state(layer.hidden));
  op.reshape(by_matrix(op, in_shape(op, rows, {batch * steps, units}), turned), y);
  return {};
}

}  // namespace byoc::tflite
