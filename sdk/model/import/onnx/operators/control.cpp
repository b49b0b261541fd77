// If, Loop and Scan. The importer has made what a body captures explicit by the time this runs.
#include "sdk/model/import/onnx/operators.hpp"

namespace byoc::onnx_import {
namespace {

using Kind = AttributeKind;

// Scan before opset 9 has a batch in front of everything: that is a Scan over the batch, with the Scan over the
// sequence as its body.
Result<void> normalise_scan_8(Normaliser& e, ir::Node node) {
  if (node.inputs[0] != ir::kNoValue)
    return e.refuse(node,
                    "sequence_lens is not supported: how much of the output counts would be known only at run time");
  node.inputs.erase(node.inputs.begin());
  const auto captures = static_cast<std::size_t>(node.integer("captures", 0));
  if (captures > node.inputs.size()) return e.refuse(node, "has fewer inputs than its body takes");
  ir::Node inner = node;
  inner.version = 9;
  if (const auto directions = node.attributes.find("directions"); directions != node.attributes.end()) {
    inner.attributes["scan_input_directions"] = directions->second;
    inner.attributes.erase("directions");
    node.attributes.erase("directions");
  }
  auto body = std::make_shared<ir::Graph>();
  body->name = node.describe();
  body->file = e.graph.file;
  body->requant = e.graph.requant;
  inner.inputs.clear();
  inner.outputs.clear();
  for (std::size_t i = 0; i < node.inputs.size(); ++i) inner.inputs.push_back(body->add_value({}));
  for (std::size_t i = 0; i < node.outputs.size(); ++i) inner.outputs.push_back(body->add_value({}));
  body->inputs = inner.inputs;
  body->outputs = inner.outputs;
  body->add_node(std::move(inner));
  node.version = 9;
  node.attributes["num_scan_inputs"] = static_cast<std::int64_t>(node.inputs.size() - captures);
  node.attributes["body"] = std::move(body);
  e.emit(std::move(node));
  return {};
}

}  // namespace

void add_control(std::vector<OperatorRule>& rules) {
  const AttributeRule body{"body", Kind::graph, 1, kLast, true};
  const AttributeRule scanned{"num_scan_inputs", Kind::integer, 1, kLast, true};
  OperatorRule branch{
      "",         "If",
      7,          kLast,
      1,          1,
      kAnyNumber, {{"then_branch", Kind::graph, 1, kLast, true}, {"else_branch", Kind::graph, 1, kLast, true}}};
  OperatorRule loop{"", "Loop", 7, kLast, 0, kAnyNumber, kAnyNumber, {body}, nullptr, {0, 1}};
  OperatorRule batch{
      "", "Scan", 8, 8, 2, kAnyNumber, kAnyNumber, {body, scanned, {"directions", Kind::integers}}, normalise_scan_8,
      {0}};
  OperatorRule scan{"",
                    "Scan",
                    9,
                    kLast,
                    1,
                    kAnyNumber,
                    kAnyNumber,
                    {body,
                     scanned,
                     {"scan_input_axes", Kind::integers},
                     {"scan_input_directions", Kind::integers},
                     {"scan_output_axes", Kind::integers},
                     {"scan_output_directions", Kind::integers}}};
  for (OperatorRule* rule : {&branch, &loop, &batch, &scan}) {
    rule->first_output_optional = true;
    rules.push_back(std::move(*rule));
  }
}

}  // namespace byoc::onnx_import
