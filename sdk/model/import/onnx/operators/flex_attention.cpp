// FlexAttention (preview 1): attention whose scores and probabilities the model's own graphs may change.
#include "sdk/model/import/onnx/operators/attention_parts.hpp"

namespace byoc::onnx_import {
namespace {

// The result of applying a graph attribute of the node to `x`. Its captures are the operands behind Q, K and V, the
// same for both graphs.
ir::ValueId changed(Composition& c, const ir::Node& node, std::string_view by, ir::ValueId x) {
  const auto* graph = node.find<std::shared_ptr<ir::Graph>>(by);
  if (graph == nullptr) return x;
  Composition::Values operands{x};
  operands.insert(operands.end(), node.inputs.begin() + 3, node.inputs.end());
  return c.inlined(**graph, operands)[0];
}

}  // namespace

Result<void> normalise_flex_attention(Normaliser& e, ir::Node node) {
  using Value = Composition::Value;
  Composition c(e, node);
  for (const char* by : {"score_mod", "prob_mod"}) {
    const auto* graph = node.find<std::shared_ptr<ir::Graph>>(by);
    const std::size_t captures = node.inputs.size() - 3;
    if (graph == nullptr || ((*graph)->inputs.size() == captures + 1 && (*graph)->outputs.size() == 1)) continue;
    return c.refuse(std::string(by) + " has the wrong number of inputs or outputs", {}, "one of each");
  }
  const Value q = c.in(0), k = c.in(1), v = c.in(2);
  // Softmax and what the graphs do take place in float32 at least.
  const DType dtype = c.dtype(q);
  std::int64_t precision = node.integer("softmax_precision", 0);
  if (precision == 0 && dtype == DType::undefined)
    return c.refuse("the element type of Q is not stated", {}, "a value_info for it, or softmax_precision");
  if (precision == 0) precision = dtype == DType::f64 ? 11 : 1;
  const auto precise = [&](Value x) { return c.op("Cast", {x}, {{"to", precision}}); };
  const Value scores = changed(c, node, "score_mod", precise(scaled_products(c, q, k, node.find<float>("scale"))));
  const Value probabilities = c.op("Softmax", {scores}, {{"axis", std::int64_t{-1}}});
  const Value y = grouped_product(c, changed(c, node, "prob_mod", probabilities), precise(v));
  c.give(0, "CastLike", {y, q});
  return {};
}

}  // namespace byoc::onnx_import
