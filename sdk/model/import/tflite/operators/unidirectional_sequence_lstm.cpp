#include <cmath>

#include "sdk/model/import/tflite/lstm.hpp"
#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {
namespace {

constexpr LstmLayer kLstmLayer{.input_weights = 1,
                               .recurrent_weights = 5,
                               .peepholes = 9,
                               .biases = 12,
                               .projection = 16,
                               .hidden = 18,
                               .cell = 19};
constexpr std::size_t kLayerNorm = 20;

// Refuses options that upstream's kernel does not implement.
template <class Options>
Result<void> expect_plain_options(OperatorImport& op, const Options& o) {
  if (o.proj_clip() != 0) return op.refuse("unsupported proj_clip", std::to_string(o.proj_clip()), "0");
  if (!std::isfinite(o.cell_clip()))
    return op.refuse("unsupported cell_clip", std::to_string(o.cell_clip()), "a number");
  return {};
}

}  // namespace

// x [batch, steps, depth] (time_major: [steps, batch, depth]) -> y with the units as last dimension
Result<void> import_unidirectional_sequence_lstm(OperatorImport& op) {
  const auto options = op.options<schema::UnidirectionalSequenceLSTMOptions>();
  if (!options) return failure;
  const schema::UnidirectionalSequenceLSTMOptions& o = **options;
  if (op.input_count() != 20 && op.input_count() != 24)
    return op.refuse("wrong number of inputs", std::to_string(op.input_count()), "20 or 24");
  const auto form = read_lstm_form(op, kLstmLayer, o.fused_activation_function());
  if (!form) return failure;
  for (std::size_t i = kLayerNorm; i < op.input_count(); ++i)
    if (op.input(i) != ir::kNoValue)
      return op.refuse("layer normalisation is not supported", "input " + std::to_string(i));
  if (!expect_plain_options(op, o)) return failure;
  if (o.diagonal_recurrent_tensors()) return op.refuse("diagonal recurrent weights are not supported");
  return add_lstm(op, kLstmLayer, *form, op.input(0), ir::kNoValue, op.output(), o.time_major(), o.cell_clip());
}

// Runs a layer from each end. A second operand is what the backward layer reads instead of x; or, if both layers have
// weights for it, both read it beside x. The results are outputs 0 and 1, or are concatenated.
Result<void> import_bidirectional_sequence_lstm(OperatorImport& op) {
  const auto options = op.options<schema::BidirectionalSequenceLSTMOptions>();
  // The kernel has no integers.
  if (!options || !op.expect_dtype(op.input(0), {DType::f32})) return failure;
  const schema::BidirectionalSequenceLSTMOptions& o = **options;
  constexpr std::size_t kAux = 39, kForwardAux = 40, kBackwardAux = 44;
  LstmLayer forward = kLstmLayer, backward{.input_weights = 18,
                                           .recurrent_weights = 22,
                                           .peepholes = 26,
                                           .biases = 29,
                                           .projection = 33,
                                           .hidden = 37,
                                           .cell = 38,
                                           .reverse = true};
  forward.hidden = 35, forward.cell = 36;
  const bool weighs = op.input(kForwardAux) != ir::kNoValue;
  for (std::size_t i = kForwardAux; !weighs && i < kBackwardAux + 4; ++i)
    if (op.input(i) != ir::kNoValue)
      return op.refuse("input " + std::to_string(kForwardAux) + " is not given", "input " + std::to_string(i));
  if (weighs) forward.aux_weights = kForwardAux, backward.aux_weights = kBackwardAux;
  const auto forward_form = read_lstm_form(op, forward, o.fused_activation_function());
  const auto backward_form = read_lstm_form(op, backward, o.fused_activation_function());
  if (!forward_form || !backward_form || !expect_plain_options(op, o)) return failure;
  const ir::ValueId x = op.input(0), aux = op.input(kAux);
  if (weighs && aux == ir::kNoValue) return op.refuse("weights of a second operand that is not given");
  const std::size_t expected = o.merge_outputs() ? 1 : 2;
  if (op.output_count() != expected)
    return op.refuse("wrong number of outputs", std::to_string(op.output_count()), std::to_string(expected));
  if (!op.expect_rank(x, 3) || !op.expect_rank(op.input(forward.recurrent_weights + 1), 2) ||
      !op.expect_rank(op.input(backward.recurrent_weights + 1), 2))
    return failure;
  const bool replaces = !weighs && aux != ir::kNoValue;
  if (replaces && (!op.expect_rank(aux, 3) || !op.expect_dims(aux, {op.dims(x)[0], op.dims(x)[1], op.dims(aux)[2]})))
    return failure;
  std::vector<ir::ValueId> results;
  std::vector<ir::Dim> dims = op.dims(x);
  ir::Dim both = 0;
  for (const LstmLayer* layer : {&forward, &backward}) {
    const LstmForm& form = layer->reverse ? *backward_form : *forward_form;
    dims[2] = op.dims(op.input(layer->recurrent_weights + 1))[form.projection ? 1 : 0];
    both += dims[2];
    results.push_back(o.merge_outputs() ? op.add_tensor(DType::f32, dims) : op.output(results.size()));
    if (!add_lstm(op, *layer, form, replaces && layer->reverse ? aux : x, aux, results.back(), o.time_major(),
                  o.cell_clip()))
      return failure;
  }
  if (!o.merge_outputs()) return {};
  dims[2] = both;
  if (!op.expect_dtype(op.output(), {DType::f32}) || !op.expect_dims(op.output(), dims)) return failure;
  op.node("Concat", results).attributes["axis"] = std::int64_t{2};
  return {};
}

}  // namespace byoc::tflite
