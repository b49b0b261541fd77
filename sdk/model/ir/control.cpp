#include "sdk/model/ir/control.hpp"

#include "sdk/model/ir/operators.hpp"

namespace byoc::ir {
namespace {

constexpr std::size_t kLoopFirst = 2;  // trip count and condition; iteration and condition

std::size_t attribute_count(const Node& node, std::string_view name) {
  const std::int64_t n = node.integer(name, 0);
  return n < 0 ? SIZE_MAX : static_cast<std::size_t>(n);
}

}  // namespace

bool is_control(const Node& node) { return has_trait(node, kControl); }

std::shared_ptr<Graph> body_of(const Node& node, std::string_view attribute) {
  const auto* body = node.find<std::shared_ptr<Graph>>(attribute);
  return body == nullptr ? nullptr : *body;
}

LoopForm loop_form(const Node& node) {
  LoopForm f;
  f.body = body_of(node, "body");
  f.is_scan = node.op == "Scan";
  f.captures = attribute_count(node, "captures");
  f.scanned = f.is_scan ? attribute_count(node, "num_scan_inputs") : 0;
  f.first_input = f.is_scan ? 0 : kLoopFirst;
  f.first_output = f.is_scan ? 0 : 1;
  f.carried = node.inputs.size() - f.first_input - f.scanned - f.captures;
  f.stacked = node.outputs.size() - f.carried;
  return f;
}

bool check_control(const Graph& graph, const Node& node, Diagnostics& diags) {
  auto error = [&](const std::string& message, std::size_t found, std::size_t expected) {
    diags.error(graph.file, node.describe(), message, std::to_string(found), std::to_string(expected));
    return false;
  };
  auto missing = [&](const char* body) {
    diags.error(graph.file, node.describe(), "has no graph '" + std::string(body) + "'");
    return false;
  };
  if (node.op == "If") {
    if (node.inputs.empty() || node.inputs[0] == kNoValue) {
      diags.error(graph.file, node.describe(), "has no condition");
      return false;
    }
    for (const char* name : {"then_branch", "else_branch"}) {
      const auto body = body_of(node, name);
      if (!body) return missing(name);
      if (body->inputs.size() + 1 != node.inputs.size())
        return error(std::string(name) + " takes another number of values than the node captures", body->inputs.size(),
                     node.inputs.size() - 1);
      if (body->outputs.size() != node.outputs.size())
        return error(std::string(name) + " gives another number of values than the node", body->outputs.size(),
                     node.outputs.size());
    }
    return true;
  }
  const auto body = body_of(node, "body");
  if (!body) return missing("body");
  const bool is_scan = node.op == "Scan";
  const std::size_t first = is_scan ? 0 : kLoopFirst;
  const std::size_t scanned = is_scan ? attribute_count(node, "num_scan_inputs") : 0;
  const std::size_t captures = attribute_count(node, "captures");
  const std::size_t all = node.inputs.size();
  if (all < first || captures > all - first || scanned > all - first - captures)
    return error("has fewer inputs than its attributes say", all, first + scanned + captures);
  const LoopForm form = loop_form(node);
  if (body->inputs.size() != all) return error("its body takes another number of values", body->inputs.size(), all);
  if (node.outputs.size() < form.carried || body->outputs.size() != node.outputs.size() + form.first_output)
    return error("its body gives another number of values", body->outputs.size(),
                 node.outputs.size() + form.first_output);
  if (is_scan && form.scanned == 0) return error("a Scan needs an input that it scans", 0, 1);
  for (std::size_t i = first; i < all; ++i)
    if (node.inputs[i] == kNoValue) {
      diags.error(graph.file, node.describe(), "input " + std::to_string(i) + " is not given");
      return false;
    }
  if (!is_scan && node.inputs[0] == kNoValue && node.inputs[1] == kNoValue) {
    const ValueId again = body->outputs[0];
    if (again == body->inputs[1]) {
      diags.error(graph.file, node.describe(),
                  "the loop never ends: it has no trip count and nothing computes a condition");
      return false;
    }
  }
  return true;
}

void own_bodies(Graph& graph) {
  for (Node& node : graph.nodes)
    for (auto& [name, attribute] : node.attributes)
      if (auto* body = std::get_if<std::shared_ptr<Graph>>(&attribute); body != nullptr && *body) {
        *body = std::make_shared<Graph>(**body);
        own_bodies(**body);
      }
}

std::vector<ValueId> inline_body(Graph& graph, std::vector<Node>& nodes, const Graph& body,
                                 const std::vector<ValueId>& arguments) {
  std::vector<ValueId> id(body.values.size(), kNoValue);
  for (std::size_t i = 0; i < body.inputs.size(); ++i) id[body.inputs[i]] = arguments[i];
  auto moved = [&](ValueId v) {
    if (v == kNoValue) return v;
    if (id[v] == kNoValue) {
      Value value = body.values[v];
      value.source_index = -1;  // that numbers the tensors of another table
      // Open dims name the symbols of the other graph; inference finds them anew.
      if (!value.type.is_static() && !value.constant) value.type.dims.reset();
      id[v] = graph.add_value(std::move(value));
    }
    return id[v];
  };
  for (const Node& from : body.nodes) {
    Node node = from;
    for (ValueId& v : node.inputs) v = moved(v);
    for (ValueId& v : node.outputs) v = moved(v);
    nodes.push_back(std::move(node));
  }
  std::vector<ValueId> out;
  for (ValueId v : body.outputs) out.push_back(moved(v));
  return out;
}

}  // namespace byoc::ir
