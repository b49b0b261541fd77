// IF, WHILE and STABLEHLO_COMPOSITE. TFLite's subgraphs capture nothing: what they read is passed to them.
//   IF     If over the two subgraphs.
//   WHILE  Loop without a trip count; the condition is computed before it, and at the end of its body for the next
//   round.
//   STABLEHLO_COMPOSITE  the nodes of the subgraph that says what it is made of.
#include "sdk/model/ir/control.hpp"
#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {
namespace {

// Values that a subgraph takes or gives have the type of the tensor outside.
Result<void> expect_same(OperatorImport& l, const ir::Graph& body, const std::vector<ir::ValueId>& inside,
                         std::size_t i, ir::ValueId outside, const char* what) {
  const ir::TensorType& t = body.values[inside[i]].type;
  if (t == l.type(outside)) return {};
  const bool scales = t.dtype == l.type(outside).dtype && t.dims == l.type(outside).dims;
  return l.refuse(std::string(what) + " " + std::to_string(i) + " of subgraph '" + body.name +
                      "' is not of the type of " + l.describe(outside),
                  to_string(t, body) + (scales ? " with another quantisation" : ""),
                  to_string(l.type(outside), l.graph()));
}

Result<void> expect_count(OperatorImport& l, const ir::Graph& body, std::size_t found, std::size_t expected,
                          const char* what) {
  if (found == expected) return {};
  return l.refuse("subgraph '" + body.name + "' has another number of " + what, std::to_string(found),
                  std::to_string(expected));
}

// Inputs of the operator from `first` on go in, and where `gives`, its outputs come out.
Result<ir::Graph> read_body(OperatorImport& l, std::int32_t index, std::size_t first, bool gives) {
  auto body = l.subgraph(index);
  if (!body || !expect_count(l, *body, body->inputs.size(), l.input_count() - first, "inputs")) return failure;
  for (std::size_t i = 0; i < body->inputs.size(); ++i)
    if (!expect_same(l, *body, body->inputs, i, l.input(first + i), "input")) return failure;
  if (!gives) return body;
  if (!expect_count(l, *body, body->outputs.size(), l.output_count(), "outputs")) return failure;
  for (std::size_t i = 0; i < body->outputs.size(); ++i)
    if (!expect_same(l, *body, body->outputs, i, l.output(i), "output")) return failure;
  return body;
}

Result<void> expect_truth(OperatorImport& l, const ir::TensorType& t, const ir::Graph& in) {
  if (t.dtype == DType::boolean && t.is_static() && t.elements() == 1) return {};
  return l.refuse("the condition is not one truth value", to_string(t, in), "bool[]");
}

std::vector<ir::ValueId> inputs_from(const OperatorImport& l, std::size_t first) {
  std::vector<ir::ValueId> out;
  for (std::size_t i = first; i < l.input_count(); ++i) out.push_back(l.input(i));
  return out;
}

std::vector<ir::ValueId> outputs_of(const OperatorImport& l) {
  std::vector<ir::ValueId> out;
  for (std::size_t i = 0; i < l.output_count(); ++i) out.push_back(l.output(i));
  return out;
}

Result<void> expect_all_given(OperatorImport& l) {
  for (std::size_t i = 0; i < l.input_count(); ++i)
    if (l.input(i) == ir::kNoValue) return l.refuse("input " + std::to_string(i) + " is not given");
  return {};
}

ir::ValueId add_input(ir::Graph& graph, const char* name, DType dtype) {
  ir::Value value;
  value.name = name;
  value.type.dtype = dtype;
  value.type.dims.emplace();
  return graph.add_value(std::move(value));
}

}  // namespace

Result<void> import_if(OperatorImport& l) {
  auto options = l.options<schema::IfOptions>();
  if (!options || !expect_all_given(l) || !expect_truth(l, l.type(l.input(0)), l.graph())) return failure;
  auto then_branch = read_body(l, (*options)->then_subgraph_index(), 1, true);
  if (!then_branch) return failure;
  auto else_branch = read_body(l, (*options)->else_subgraph_index(), 1, true);
  if (!else_branch) return failure;
  ir::Node& node = l.node("If", inputs_from(l, 0), outputs_of(l));
  node.attributes["then_branch"] = std::make_shared<ir::Graph>(std::move(*then_branch));
  node.attributes["else_branch"] = std::make_shared<ir::Graph>(std::move(*else_branch));
  return {};
}

Result<void> import_while(OperatorImport& l) {
  auto options = l.options<schema::WhileOptions>();
  if (!options || !expect_all_given(l)) return failure;
  auto condition = read_body(l, (*options)->cond_subgraph_index(), 0, false);
  if (!condition || !expect_count(l, *condition, condition->outputs.size(), 1, "outputs") ||
      !expect_truth(l, condition->values[condition->outputs[0]].type, *condition))
    return failure;
  auto body = read_body(l, (*options)->body_subgraph_index(), 0, true);
  if (!body) return failure;
  if (l.output_count() != l.input_count())
    return l.refuse("has another number of outputs than of inputs", std::to_string(l.output_count()),
                    std::to_string(l.input_count()));

  const std::vector<ir::ValueId> again = ir::inline_body(*body, body->nodes, *condition, body->outputs);
  body->outputs.insert(body->outputs.begin(), again[0]);
  const ir::ValueId iteration = add_input(*body, "iteration", DType::i64);
  const ir::ValueId last = add_input(*body, "condition", DType::boolean);
  body->inputs.insert(body->inputs.begin(), {iteration, last});

  std::vector<ir::ValueId> inputs = inputs_from(l, 0);
  const std::vector<ir::ValueId> first = ir::inline_body(l.graph(), l.graph().nodes, *condition, inputs);
  inputs.insert(inputs.begin(), {ir::kNoValue, first[0]});
  ir::Node& node = l.node("Loop", std::move(inputs), outputs_of(l));
  node.attributes["body"] = std::make_shared<ir::Graph>(std::move(*body));
  node.attributes["captures"] = std::int64_t{0};
  return {};
}

// A name for what a subgraph computes, for runtimes that know the name.
Result<void> import_stablehlo_composite(OperatorImport& l) {
  auto options = l.newer_options<schema::StableHLOCompositeOptions>();
  if (!options || !expect_all_given(l)) return failure;
  auto body = read_body(l, (*options)->decomposition_subgraph_index(), 0, true);
  if (!body) return failure;
  const std::vector<ir::ValueId> made = ir::inline_body(l.graph(), l.graph().nodes, *body, inputs_from(l, 0));
  for (std::size_t i = 0; i < made.size(); ++i) l.node("Identity", {made[i]}, {l.output(i)});
  return {};
}

}  // namespace byoc::tflite
