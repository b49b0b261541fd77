// SequenceMap: a Loop over the positions of the first sequence, whose body takes an element of each sequence, and puts
// what the model's body makes of them at the ends of the results.
#include "sdk/model/import/onnx/operators.hpp"
#include "sdk/model/ir/control.hpp"
#include "sdk/model/ir/onnx_types.hpp"

namespace byoc::onnx_import {
namespace {

// Nodes in a graph that have the name and the position of the SequenceMap.
class Builder {
 public:
  Builder(ir::Graph& graph, const ir::Node& like) : graph_(graph), like_(like) {}

  ir::ValueId op(std::string_view domain, std::string_view name, std::int64_t version,
                 std::vector<ir::ValueId> inputs) {
    ir::Node node;
    node.domain = domain;
    node.op = name;
    node.version = version;
    node.name = like_.name;
    node.position = like_.position;
    node.inputs = std::move(inputs);
    node.outputs = {graph_.add_value({})};
    const ir::ValueId out = node.outputs[0];
    graph_.add_node(std::move(node));
    return out;
  }

 private:
  ir::Graph& graph_;
  const ir::Node& like_;
};

// (iteration, condition, results so far..., operands of the SequenceMap...) -> condition, results...
std::shared_ptr<ir::Graph> loop_body(const ir::Node& node, const ir::Graph& mapped, std::size_t own) {
  auto body = std::make_shared<ir::Graph>();
  body->name = mapped.name;
  body->file = mapped.file;
  body->requant = mapped.requant;
  Builder build(*body, node);
  for (std::size_t i = 0; i < 2 + mapped.outputs.size() + node.inputs.size(); ++i)
    body->inputs.push_back(body->add_value({}));
  const std::size_t first = 2 + mapped.outputs.size();
  std::vector<ir::ValueId> arguments;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const ir::ValueId operand = body->inputs[first + i];
    if (i == 0)
      arguments.push_back(build.op("", "SequenceAt", 11, {operand, body->inputs[0]}));
    else if (i < own)
      arguments.push_back(build.op("byoc", "ElementOf", 1, {operand, body->inputs[0]}));
    else
      arguments.push_back(operand);  // what the body captures
  }
  const std::vector<ir::ValueId> made = ir::inline_body(*body, body->nodes, mapped, arguments);
  body->outputs.push_back(body->inputs[1]);
  for (std::size_t k = 0; k < made.size(); ++k)
    body->outputs.push_back(build.op("", "SequenceInsert", 11, {body->inputs[2 + k], made[k]}));
  return body;
}

}  // namespace

Result<void> normalise_sequence_map(Normaliser& e, ir::Node node) {
  const auto mapped = ir::body_of(node, "body");
  const auto captures = static_cast<std::size_t>(node.integer("captures", 0));
  if (!mapped || mapped->inputs.size() != node.inputs.size() || captures > node.inputs.size() ||
      mapped->outputs.size() < node.outputs.size())
    return e.refuse(
        node, "its body takes or gives another number of values",
        mapped ? std::to_string(mapped->inputs.size()) + " and " + std::to_string(mapped->outputs.size()) : "",
        std::to_string(node.inputs.size()) + " and " + std::to_string(node.outputs.size()));
  Builder build(e.graph, node);
  ir::Node loop;
  loop.op = "Loop";
  loop.version = node.version;
  loop.name = node.name;
  loop.position = node.position;
  loop.inputs = {build.op("", "SequenceLength", 11, {node.inputs[0]}), ir::kNoValue};
  for (const ir::ValueId v : mapped->outputs) {
    const DType dtype = mapped->values[v].type.dtype;
    if (dtype == DType::undefined) return e.refuse(node, "the element types that its body gives are not known");
    loop.inputs.push_back(build.op("", "SequenceEmpty", 11, {}));
    e.graph.nodes.back().attributes["dtype"] = ir::onnx_number(dtype);
  }
  loop.inputs.insert(loop.inputs.end(), node.inputs.begin(), node.inputs.end());
  loop.outputs = node.outputs;
  loop.outputs.resize(mapped->outputs.size(), ir::kNoValue);
  loop.attributes["captures"] = static_cast<std::int64_t>(node.inputs.size());
  loop.attributes["body"] = loop_body(node, *mapped, node.inputs.size() - captures);
  e.emit(std::move(loop));
  return {};
}

}  // namespace byoc::onnx_import
