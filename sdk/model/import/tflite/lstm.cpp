#include "sdk/model/import/tflite/lstm.hpp"

#include <cmath>

namespace byoc::tflite {
namespace {

Result<void> expect_cell(OperatorImport& op, ir::ValueId cell) {
  if (!op.expect_quantised(cell, {DType::i16})) return failure;
  const Quantisation& q = *op.type(cell).quantisation;
  if (q.zero_points[0] != 0)
    return op.refuse("unsupported zero point of " + op.describe(cell), std::to_string(q.zero_points[0]), "0");
  const float log = std::log(q.scales[0]) * (1.0F / std::log(2.0F));
  if (std::fabs(log - std::round(log)) < 1e-3F && log < 0.5F && log > -30.5F) return {};
  return op.refuse("the scale of " + op.describe(cell) + " is no power of two", std::to_string(q.scales[0]),
                   "2^-30 to 1");
}

Result<void> expect_weights(OperatorImport& op, ir::ValueId w, bool is_float) {
  if (is_float) return op.expect_dtype(w, {DType::f32});
  if (!op.expect_quantised(w, {DType::i8})) return failure;
  const std::int64_t zero = op.type(w).quantisation->zero_points[0];
  if (zero != 0) return op.refuse("unsupported zero point of " + op.describe(w), std::to_string(zero), "0");
  return {};
}

Result<void> expect_lstm_types(OperatorImport& op, const LstmLayer& layer, const LstmForm& form, ir::ValueId x,
                               ir::ValueId y) {
  if (!op.expect_activations(x, y) || !op.expect_activations(x, op.input(layer.hidden))) return failure;
  const DType type = op.type(x).dtype;
  const bool is_float = type == DType::f32;
  if (const DType w = op.type(op.input(layer.input_weights + 1)).dtype; is_float && (w == DType::i8 || w == DType::u8))
    return op.refuse("hybrid kernels are not supported: float activations with quantised weights",
                     std::string(to_string(w)) + " weights", "f32");
  for (std::size_t k = form.coupled ? 1 : 0; k < 4; ++k) {
    if (!expect_weights(op, op.input(layer.input_weights + k), is_float) ||
        !expect_weights(op, op.input(layer.recurrent_weights + k), is_float) ||
        (layer.aux_weights != SIZE_MAX && !expect_weights(op, op.input(layer.aux_weights + k), is_float)))
      return failure;
    if (!op.expect_dtype(op.input(layer.biases + k), {is_float            ? DType::f32
                                                      : type == DType::i8 ? DType::i32
                                                                          : DType::i64}))
      return failure;
  }
  return is_float ? op.expect_dtype(op.input(layer.cell), {DType::f32}) : expect_cell(op, op.input(layer.cell));
}

Result<void> expect_lstm_dims(OperatorImport& op, const LstmLayer& layer, const LstmForm& form, ir::ValueId x,
                              ir::ValueId aux, bool time_major) {
  if (!op.expect_rank(x, 3) || !op.expect_rank(op.input(layer.recurrent_weights + 1), 2)) return failure;
  const ir::Dim batch = op.dims(x)[time_major ? 1 : 0], depth = op.dims(x)[2];
  const ir::Dim units = op.dims(op.input(layer.recurrent_weights + 1))[0];
  const ir::Dim results = form.projection ? op.dims(op.input(layer.recurrent_weights + 1))[1] : units;
  if (layer.aux_weights != SIZE_MAX &&
      (!op.expect_rank(aux, 3) || !op.expect_dims(aux, {op.dims(x)[0], op.dims(x)[1], op.dims(aux)[2]})))
    return failure;
  for (std::size_t k = form.coupled ? 1 : 0; k < 4; ++k) {
    if (!op.expect_dims(op.input(layer.input_weights + k), {units, depth}) ||
        !op.expect_dims(op.input(layer.recurrent_weights + k), {units, results}) ||
        !op.expect_dims(op.input(layer.biases + k), {units}))
      return failure;
    if (layer.aux_weights != SIZE_MAX && !op.expect_dims(op.input(layer.aux_weights + k), {units, op.dims(aux)[2]}))
      return failure;
  }
  for (const auto& [i, width] : {std::pair{layer.hidden, results}, std::pair{layer.cell, units}})
    if (op.type(op.input(i)).elements() != batch * width)
      return op.refuse("unsupported size of " + op.describe(op.input(i)),
                       std::to_string(op.type(op.input(i)).elements()) + " elements", std::to_string(batch * width));
  return {};
}

}  // namespace

Result<LstmForm> read_lstm_form(OperatorImport& op, const LstmLayer& layer, schema::ActivationFunctionType activation) {
  const auto given = [&](std::size_t i) { return op.input(i) != ir::kNoValue; };
  LstmForm form{.coupled = !given(layer.input_weights), .activation = activation};
  for (std::size_t i = layer.peepholes; i < layer.peepholes + 3; ++i) form.peepholes = form.peepholes || given(i);
  form.projection = given(layer.projection);
  if (given(layer.projection + 1))
    return op.refuse("a bias of the projection is not supported", "input " + std::to_string(layer.projection + 1));
  const bool of_floats = op.type(op.input(0)).dtype == DType::f32;
  if (!of_floats && (form.coupled || !form.is_plain()))
    return op.refuse(
        "an LSTM of integers with coupled gates, peepholes, a projection or another activation is not supported",
        std::string(to_string(op.type(op.input(0)).dtype)), "f32");
  const std::size_t first = form.coupled ? 1 : 0;
  for (std::size_t k = 0; k < 4; ++k) {
    for (const std::size_t i : {layer.input_weights + k, layer.recurrent_weights + k, layer.biases + k})
      if (given(i) != (k >= first))
        return op.refuse("input " + std::to_string(i) +
                         (k >= first ? " is not given" : " is of a gate that is not there"));
    if (layer.aux_weights != SIZE_MAX && k >= first && !given(layer.aux_weights + k))
      return op.refuse("input " + std::to_string(layer.aux_weights + k) + " is not given");
    if (form.peepholes && k >= first && k < 3 && !given(layer.peepholes + k))
      return op.refuse("input " + std::to_string(layer.peepholes + k) + " is not given");
  }
  return form;
}

// The input gate lets in 1 - sigmoid(z) = sigmoid(-z) with what the forget gate sums up.
ir::ValueId lstm_gate(OperatorImport& op, const LstmForm& form, std::size_t first, std::size_t k) {
  if (k != 0 || !form.coupled) return op.input(first + k);
  const ir::ValueId forget = op.input(first + 1), out = op.add_tensor(forget, op.dims(forget));
  op.node("Neg", {forget}, {out});
  return out;
}

Result<void> add_lstm(OperatorImport& op, const LstmLayer& layer, const LstmForm& form, ir::ValueId x, ir::ValueId aux,
                      ir::ValueId y, bool time_major, float cell_clip) {
  const auto hidden = op.state(layer.hidden), cell = op.state(layer.cell);
  if (!hidden || !cell || !expect_lstm_types(op, layer, form, x, y) ||
      !expect_lstm_dims(op, layer, form, x, aux, time_major))
    return failure;
  std::vector<ir::Dim> expected = op.dims(x);
  expected[2] = op.dims(op.input(layer.recurrent_weights + 1))[form.projection ? 1 : 0];
  if (!op.expect_dims(y, expected)) return failure;
  const bool weighs = layer.aux_weights != SIZE_MAX;
  std::vector<ir::ValueId> inputs = {weighs ? op.joined({x, aux}, 2) : x};
  for (std::size_t k = 0; k < 4; ++k) {
    const ir::ValueId w = lstm_gate(op, form, layer.input_weights, k);
    inputs.push_back(weighs ? op.joined({w, lstm_gate(op, form, layer.aux_weights, k)}, 1) : w);
  }
  if (!form.is_plain()) {
    if (cell_clip != 0) return op.refuse("unsupported cell_clip", std::to_string(cell_clip), "0 in this form of LSTM");
    return add_lstm_variant(op, layer, form, inputs[0], {inputs.begin() + 1, inputs.end()}, y, time_major);
  }
  for (const std::size_t first : {layer.recurrent_weights, layer.biases})
    for (std::size_t k = 0; k < 4; ++k) inputs.push_back(lstm_gate(op, form, first, k));
  inputs.push_back(*hidden);
  inputs.push_back(*cell);
  const ir::ValueId next_hidden = op.next_state(layer.hidden), next_cell = op.next_state(layer.cell);
  ir::Node& node = op.byoc_node("UnidirectionalSequenceLstm", std::move(inputs), {y, next_hidden, next_cell});
  node.attributes["time_major"] = std::int64_t{time_major};
  node.attributes["cell_clip"] = cell_clip;
  if (layer.reverse) node.attributes["reverse"] = std::int64_t{1};
  return {};
}

}  // namespace byoc::tflite
