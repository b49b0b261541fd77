#include "sdk/program/bytecode/open_types.hpp"

#include <algorithm>
#include <map>

#include "sdk/model/evaluate/value.hpp"
#include "sdk/model/shapes/rules.hpp"
#include "sdk/program/bytecode/module.hpp"

namespace byoc::bytecode {
namespace {

// Operands that say what a shape is are short; the values of others no rule asks for.
constexpr std::size_t kMostBytesOfShapes = 1024;

bool may_say_shape(const evaluate::Tensor& t) {
  return (t.type.dtype == DType::i64 || t.type.dtype == DType::i32) && t.bytes.size() <= kMostBytesOfShapes;
}

}  // namespace

OpenTypes::OpenTypes(const ir::Graph& graph, const ir::Node& node) : stated_(graph), node_(node) {
  graph_.name = graph.name;
  graph_.file = graph.file;
  graph_.requant = graph.requant;
  ir::Node copy = node;
  for (auto* list : {&copy.inputs, &copy.outputs})
    for (ir::ValueId& v : *list)
      if (v != ir::kNoValue) v = graph_.add_value(graph.values[v]);
  graph_.nodes.push_back(std::move(copy));
}

Result<void> OpenTypes::check(std::span<const evaluate::Tensor* const> inputs, Diagnostics& diags) const {
  std::map<ir::Dim, std::int64_t> lengths;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] == nullptr) continue;
    const ir::TensorType& stated = stated_.values[node_.inputs[i]].type;
    const evaluate::Tensor& given = *inputs[i];
    const auto refuse = [&](const std::string& what) {
      return diags.error(stated_.file, node_.describe(), "input " + std::to_string(i) + what,
                         to_string(given.type, stated_), to_string(stated, stated_));
    };
    if (!evaluate::is_whole(given) || !evaluate::fits(stated, given)) return refuse(" does not have its stated type");
    if (!stated.dims) continue;
    for (std::size_t d = 0; d < stated.dims->size(); ++d) {
      const ir::Dim symbol = (*stated.dims)[d];
      if (ir::is_open(symbol) &&
          lengths.try_emplace(symbol, (*given.type.dims)[d]).first->second != (*given.type.dims)[d])
        return refuse(" has another length than what is named alike");
    }
  }
  return {};
}

Result<std::vector<ir::TensorType>> OpenTypes::infer(std::span<const evaluate::Tensor* const> inputs,
                                                     Diagnostics& diags) {
  if (!check(inputs, diags)) return failure;
  ir::Node& node = graph_.nodes[0];
  node.attributes = node_.attributes;  // a rule may replace some by what they mean for these operands
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] == nullptr) continue;
    ir::Value& value = graph_.values[node.inputs[i]];
    value.type = inputs[i]->type;
    value.constant.reset();
    if (may_say_shape(*inputs[i])) value.constant.emplace().bytes = inputs[i]->bytes;
  }
  // The stated types of results hold in this run, too; the names of lengths do not.
  for (std::size_t o = 0; o < node.outputs.size(); ++o) {
    if (node.outputs[o] == ir::kNoValue) continue;
    ir::TensorType& type = graph_.values[node.outputs[o]].type;
    type = stated_.values[node_.outputs[o]].type;
    if (!type.is_static()) type.dims.reset();
  }
  const ir::Operator* op = ir::find_operator(node.domain, node.op);
  if (op == nullptr || !shapes::rule_of(*op)(shapes::Inference(graph_, node, diags))) return failure;
  std::vector<ir::TensorType> out;
  for (std::size_t o = 0; o < node.outputs.size(); ++o) {
    if (node.outputs[o] == ir::kNoValue) {
      out.emplace_back();
      continue;
    }
    const ir::TensorType& type = graph_.values[node.outputs[o]].type;
    const ir::TensorType& stated = stated_.values[node_.outputs[o]].type;
    if (!type.is_static() || !evaluate::fits(stated, {type}))
      return diags.error(stated_.file, node_.describe(),
                         "output " + std::to_string(o) + " does not have its stated type", to_string(type, graph_),
                         to_string(stated, stated_));
    out.push_back(type);
  }
  return out;
}

bool Module::opens() const {
  return std::any_of(primitives.begin(), primitives.end(), [](const Primitive& p) { return p.open.has_value(); });
}

}  // namespace byoc::bytecode
