#include <cmath>

#include "sdk/import/tflite/operators/operators.hpp"

namespace byoc::tflite {
namespace {

constexpr std::size_t kX = 0, kInputWeights = 1, kRecurrentWeights = 5, kPeepholes = 9, kBiases = 12;
constexpr std::size_t kProjection = 16, kHidden = 18, kCell = 19, kLayerNorm = 20;

// What upstream's kernel has no code for.
Result<void> expect_plain(OperatorImport& op, const schema::UnidirectionalSequenceLSTMOptions& o) {
  if (op.input_count() != 20 && op.input_count() != 24)
    return op.refuse("wrong number of inputs", std::to_string(op.input_count()), "20 or 24");
  if (op.input(kInputWeights) == ir::kNoValue)
    return op.refuse("an LSTM with coupled input and forget gates is not supported", "no input gate", "weights of one");
  for (std::size_t i = kPeepholes; i < kBiases; ++i)
    if (op.input(i) != ir::kNoValue) return op.refuse("peepholes are not supported", "input " + std::to_string(i));
  for (std::size_t i = kProjection; i < kHidden; ++i)
    if (op.input(i) != ir::kNoValue) return op.refuse("a projection is not supported", "input " + std::to_string(i));
  for (std::size_t i = kLayerNorm; i < op.input_count(); ++i)
    if (op.input(i) != ir::kNoValue)
      return op.refuse("layer normalisation is not supported", "input " + std::to_string(i));
  for (std::size_t k = 0; k < 4; ++k)
    for (const std::size_t i : {kInputWeights + k, kRecurrentWeights + k, kBiases + k})
      if (op.input(i) == ir::kNoValue) return op.refuse("input " + std::to_string(i) + " is not given");
  if (o.fused_activation_function() != schema::ActivationFunctionType::TANH)
    return op.refuse("unsupported fused activation",
                     "number " + std::to_string(static_cast<int>(o.fused_activation_function())), "TANH");
  if (o.proj_clip() != 0) return op.refuse("unsupported proj_clip", std::to_string(o.proj_clip()), "0");
  if (!std::isfinite(o.cell_clip()))
    return op.refuse("unsupported cell_clip", std::to_string(o.cell_clip()), "a number");
  if (o.diagonal_recurrent_tensors()) return op.refuse("diagonal recurrent weights are not supported");
  return {};
}

Result<void> expect_cell(OperatorImport& op) {
  const ir::ValueId cell = op.input(kCell);
  if (!op.expect_quantised(cell, {DType::i16})) return failure;
  const Quantisation& q = *op.type(cell).quantisation;
  if (q.zero_points[0] != 0)
    return op.refuse("unsupported zero point of " + op.describe(cell), std::to_string(q.zero_points[0]), "0");
  const float log = std::log(q.scales[0]) * (1.0F / std::log(2.0F));
  if (std::fabs(log - std::round(log)) < 1e-3F && log < 0.5F && log > -30.5F) return {};
  return op.refuse("the scale of " + op.describe(cell) + " is no power of two", std::to_string(q.scales[0]),
                   "2^-30 to 1");
}

Result<void> expect_lstm_types(OperatorImport& op) {
  const ir::ValueId x = op.input(kX), hidden = op.input(kHidden);
  if (!op.expect_activations(x, op.output()) || !op.expect_activations(x, hidden)) return failure;
  const DType type = op.type(x).dtype;
  const bool is_float = type == DType::f32;
  if (const DType w = op.type(op.input(kInputWeights)).dtype; is_float && (w == DType::i8 || w == DType::u8))
    return op.refuse("hybrid kernels are not supported: float activations with quantised weights",
                     std::string(to_string(w)) + " weights", "f32");
  for (std::size_t k = 0; k < 4; ++k) {
    for (const ir::ValueId w : {op.input(kInputWeights + k), op.input(kRecurrentWeights + k)}) {
      if (is_float ? !op.expect_dtype(w, {DType::f32}) : !op.expect_quantised(w, {DType::i8})) return failure;
      if (!is_float && op.type(w).quantisation->zero_points[0] != 0)
        return op.refuse("unsupported zero point of " + op.describe(w),
                         std::to_string(op.type(w).quantisation->zero_points[0]), "0");
    }
    if (!op.expect_dtype(op.input(kBiases + k), {is_float ? DType::f32 : type == DType::i8 ? DType::i32 : DType::i64}))
      return failure;
  }
  return is_float ? op.expect_dtype(op.input(kCell), {DType::f32}) : expect_cell(op);
}

}  // namespace

// x [batch, steps, depth] (time_major: [steps, batch, depth]) -> y with the units as last dimension
Result<void> import_unidirectional_sequence_lstm(OperatorImport& op) {
  auto options = op.options<schema::UnidirectionalSequenceLSTMOptions>();
  if (!options) return failure;
  const schema::UnidirectionalSequenceLSTMOptions& o = **options;
  if (!expect_plain(op, o)) return failure;
  const auto hidden = op.state(kHidden), cell = op.state(kCell);
  if (!hidden || !cell || !expect_lstm_types(op)) return failure;
  const ir::ValueId x = op.input(kX);
  if (!op.expect_rank(x, 3) || !op.expect_rank(op.input(kRecurrentWeights), 2)) return failure;
  const ir::Dim batch = op.dims(x)[o.time_major() ? 1 : 0], depth = op.dims(x)[2];
  const ir::Dim units = op.dims(op.input(kRecurrentWeights))[0];
  std::vector<ir::ValueId> inputs = {x};
  for (std::size_t k = 0; k < 4; ++k) {
    if (!op.expect_dims(op.input(kInputWeights + k), {units, depth}) ||
        !op.expect_dims(op.input(kRecurrentWeights + k), {units, units}) ||
        !op.expect_dims(op.input(kBiases + k), {units}))
      return failure;
  }
  for (const std::size_t i : {kHidden, kCell})
    if (op.type(op.input(i)).elements() != batch * units)
      return op.refuse("unsupported size of " + op.describe(op.input(i)),
                       std::to_string(op.type(op.input(i)).elements()) + " elements", std::to_string(batch * units));
  std::vector<ir::Dim> expected = op.dims(x);
  expected[2] = units;
  if (!op.expect_dims(op.output(), expected)) return failure;

  for (const std::size_t first : {kInputWeights, kRecurrentWeights, kBiases})
    for (std::size_t k = 0; k < 4; ++k) inputs.push_back(op.input(first + k));
  inputs.push_back(*hidden);
  inputs.push_back(*cell);
  const ir::ValueId next_hidden = op.next_state(kHidden), next_cell = op.next_state(kCell);
  ir::Node& node = op.byoc_node("UnidirectionalSequenceLstm", std::move(inputs), {op.output(), next_hidden, next_cell});
  node.attributes["time_major"] = std::int64_t{o.time_major()};
  node.attributes["cell_clip"] = o.cell_clip();
  return {};
}

}  // namespace byoc::tflite
