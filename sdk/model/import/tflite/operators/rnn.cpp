#include "sdk/model/import/tflite/operators/operators.hpp"
#include "sdk/model/import/tflite/recurrent.hpp"

namespace byoc::tflite {
namespace {

constexpr RnnLayer kRnnLayer{.weights = 1, .recurrent = 2, .bias = 3, .hidden = 4};

}  // namespace

// x [batch, depth] -> y [batch, units]: one step.
Result<void> import_rnn(OperatorImport& op) {
  const auto options = op.options<schema::RNNOptions>();
  if (!options || !op.expect_dtype(op.input(0), {DType::f32}) || !op.expect_rank(op.input(0), 2) ||
      !op.expect_dtype(op.output(), {DType::f32}))
    return failure;
  const ir::Dim batch = op.dims(op.input(0))[0], depth = op.dims(op.input(0))[1];
  const ir::ValueId x = op.add_tensor(op.input(0), {batch, 1, depth});
  op.reshape(op.input(0), x);
  const auto y = add_rnn(op, kRnnLayer, x, ir::kNoValue, false, (*options)->fused_activation_function());
  if (!y || !op.expect_dims(op.output(), {batch, op.dims(*y)[2]})) return failure;
  op.reshape(*y, op.output());
  return {};
}

// x [batch, steps, depth] (time_major: [steps, batch, depth]) -> y with the units as last dimension
Result<void> import_unidirectional_sequence_rnn(OperatorImport& op) {
  const auto options = op.options<schema::SequenceRNNOptions>();
  if (!options || !op.expect_dtype(op.input(0), {DType::f32}) || !op.expect_rank(op.input(0), 3) ||
      !op.expect_dtype(op.output(), {DType::f32}))
    return failure;
  const auto y = add_rnn(op, kRnnLayer, op.input(0), ir::kNoValue, (*options)->time_major(),
                         (*options)->fused_activation_function());
  if (!y || !op.expect_dims(op.output(), op.dims(*y))) return failure;
  op.reshape(*y, op.output());
  return {};
}

// Runs a layer from each end. A second operand is what the backward layer reads instead of x; or, if both layers have
// weights for it, both read it beside x. The results are outputs 0 and 1, or are concatenated.
Result<void> import_bidirectional_sequence_rnn(OperatorImport& op) {
  const auto options = op.options<schema::BidirectionalSequenceRNNOptions>();
  if (!options || !op.expect_dtype(op.input(0), {DType::f32})) return failure;
  const schema::BidirectionalSequenceRNNOptions& o = **options;
  constexpr std::size_t kAux = 9, kForwardAux = 10, kBackwardAux = 11;
  RnnLayer forward = kRnnLayer, backward{.weights = 5, .recurrent = 6, .bias = 7, .hidden = 8, .reverse = true};
  const bool weighs = op.input(kForwardAux) != ir::kNoValue;
  if (weighs != (op.input(kBackwardAux) != ir::kNoValue))
    return op.refuse("weights of a second operand for one direction alone");
  if (weighs) forward.aux_weights = kForwardAux, backward.aux_weights = kBackwardAux;
  const std::size_t expected = o.merge_outputs() ? 1 : 2;
  if (op.output_count() != expected)
    return op.refuse("wrong number of outputs", std::to_string(op.output_count()), std::to_string(expected));
  const ir::ValueId x = op.input(0), aux = op.input(kAux);
  if (!op.expect_rank(x, 3)) return failure;
  for (std::size_t i = 0; i < expected; ++i)
    if (!op.expect_dtype(op.output(i), {DType::f32})) return failure;
  const bool replaces = !weighs && aux != ir::kNoValue;
  const ir::ValueId beside = weighs ? aux : ir::kNoValue;
  const auto activation = o.fused_activation_function();
  const auto a = add_rnn(op, forward, x, beside, o.time_major(), activation);
  if (!a) return failure;
  if (replaces && (!op.expect_rank(aux, 3) || !op.expect_dims(aux, {op.dims(x)[0], op.dims(x)[1], op.dims(aux)[2]})))
    return failure;
  const auto b = add_rnn(op, backward, replaces ? aux : x, beside, o.time_major(), activation);
  if (!b) return failure;
  if (!o.merge_outputs()) {
    if (!op.expect_dims(op.output(0), op.dims(*a)) || !op.expect_dims(op.output(1), op.dims(*b))) return failure;
    op.reshape(*a, op.output(0));
    op.reshape(*b, op.output(1));
    return {};
  }
  std::vector<ir::Dim> both = op.dims(*a);
  both[2] += op.dims(*b)[2];
  if (!op.expect_dims(op.output(), both)) return failure;
  op.node("Concat", {*a, *b}).attributes["axis"] = std::int64_t{2};
  return {};
}

}  // namespace byoc::tflite
