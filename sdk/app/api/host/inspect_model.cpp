// A model's graph for programs and for people.
#include <map>
#include <nlohmann/json.hpp>

#include "byoc/inspect.hpp"
#include "sdk/app/api/handles.hpp"
#include "sdk/base/page/json_page.hpp"
#include "sdk/base/page/text.hpp"
#include "sdk/base/support/json.hpp"
#include "sdk/codegen/partition/report_drawing.hpp"
#include "sdk/model/import/import.hpp"
#include "sdk/model/ir/kind.hpp"
#include "sdk/model/ir/operators.hpp"
#include "sdk/model/ir/text.hpp"

namespace byoc {
namespace {

constexpr std::size_t kLongestConstant = 16;  // elements

std::string operator_name(const ir::Node& node) { return node.domain.empty() ? node.op : node.domain + "." + node.op; }

std::string value_name(const ir::Graph& graph, ir::ValueId v) {
  if (v == ir::kNoValue) return "";
  const std::string& name = graph.values[v].name;
  return name.empty() ? "%" + std::to_string(v) : utf8(name);
}

Json value_names(const ir::Graph& graph, const std::vector<ir::ValueId>& values) {
  Json out = Json::array();
  for (const ir::ValueId v : values) out.push_back(value_name(graph, v));
  return out;
}

Json tensor(const ir::Graph& graph, ir::ValueId v) {
  const ir::TensorType& type = graph.values[v].type;
  Json out = {{"name", value_name(graph, v)}, {"type", to_string(type, graph)}};
  if (type.is_static()) out["bytes"] = type.bytes();
  if (!type.quantisation || type.quantisation->scales.empty()) return out;
  const Quantisation& q = *type.quantisation;
  if (q.per_axis())
    out["quantisation_axis"] = q.axis;
  else
    out.update({{"scale", q.scales.front()}, {"zero_point", q.zero_points.empty() ? 0 : q.zero_points.front()}});
  return out;
}

Json tensors(const ir::Graph& graph, const std::vector<ir::ValueId>& values) {
  Json out = Json::array();
  for (const ir::ValueId v : values) out.push_back(tensor(graph, v));
  return out;
}

Json node(const ir::Graph& graph, std::size_t n) {
  const ir::Node& node = graph.nodes[n];
  Json types = Json::array();
  for (const ir::ValueId v : node.outputs)
    types.push_back(v == ir::kNoValue ? "" : to_string(graph.values[v].type, graph));
  return {{"index", n},
          {"operator", operator_name(node)},
          {"name", utf8(node.name)},
          {"macs", ir::macs_of(graph, node)},
          {"inputs", value_names(graph, node.inputs)},
          {"outputs", value_names(graph, node.outputs)},
          {"types", types}};
}

Json operator_counts(const ir::Graph& graph) {
  std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> counts;
  for (const ir::Node& n : graph.nodes) {
    auto& [count, macs] = counts[operator_name(n)];
    ++count;
    macs += ir::macs_of(graph, n);
  }
  Json out = Json::array();
  for (const auto& [name, c] : counts) out.push_back({{"operator", name}, {"count", c.first}, {"macs", c.second}});
  return out;
}

Json describe_graph(const ir::Graph& graph) {
  std::uint64_t macs = 0, bytes = 0;
  for (const ir::Node& n : graph.nodes) macs += ir::macs_of(graph, n);
  Json constants = Json::array(), states = Json::array(), nodes = Json::array(), bodies = Json::array();
  for (ir::ValueId v = 0; v < graph.values.size(); ++v) {
    if (!graph.is_constant(v)) continue;
    constants.push_back(tensor(graph, v));
    bytes += graph.values[v].constant->bytes.size();
  }
  for (const ir::State& s : graph.states) states.push_back(tensor(graph, s.value));
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    nodes.push_back(node(graph, n));
    for (const auto& body : ir::bodies(graph.nodes[n])) {
      bodies.push_back(describe_graph(*body));
      bodies.back()["node"] = n;
    }
  }
  return {{"name", utf8(graph.name)},
          {"macs", macs},
          {"constant_bytes", bytes},
          {"inputs", tensors(graph, graph.inputs)},
          {"outputs", tensors(graph, graph.outputs)},
          {"states", states},
          {"operators", operator_counts(graph)},
          {"nodes", nodes},
          {"constants", constants},
          {"bodies", bodies}};
}

std::vector<page::Detail> node_details(const ir::Graph& graph) {
  std::vector<page::Detail> out;
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const ir::Node& node = graph.nodes[n];
    page::Detail detail{"n" + std::to_string(n), ir::describe_kind(graph, node), {}};
    const auto add = [&](const std::string& what, ir::ValueId v) {
      if (v == ir::kNoValue) return;
      detail.lines.emplace_back(what + " " + value_name(graph, v),
                                to_string(graph.values[v].type, graph) + (graph.is_constant(v) ? ", constant" : ""));
    };
    for (const ir::ValueId v : node.inputs) add("reads", v);
    for (const ir::ValueId v : node.outputs) add("gives", v);
    if (const std::uint64_t macs = ir::macs_of(graph, node)) detail.lines.emplace_back("MACs", page::spaced(macs));
    out.push_back(std::move(detail));
  }
  return out;
}

std::string as_page(const ir::Graph& graph) {
  page::Page page(graph.name.empty() ? graph.file : graph.name,
                  "model " + graph.file.substr(graph.file.rfind('/') + 1));
  const std::vector<NodePlacement> nobody(graph.nodes.size());
  const std::string svg = draw_placement({graph, {}, {}, nullptr}, graph, nobody, 0);
  if (svg.empty())
    page.remark("graph", "It has too many nodes for a drawing; the table of nodes has all.");
  else
    page.drawing("graph", svg, node_details(graph));
  page::add_json(describe_graph(graph), page);
  return page.html();
}

std::string model_in_form(const ir::Graph& graph, InspectForm form) {
  if (form == InspectForm::html) return as_page(graph);
  if (form == InspectForm::text) return ir::print(graph, {.longest_constant = kLongestConstant});
  Json out = {{"format", 1}};
  out.update(describe_graph(graph));
  return ascii_json_text(out, 2) + "\n";
}

}  // namespace

Result<std::string> inspect_model(const std::string& path, InspectForm form, Diagnostics& diags,
                                  const std::string& signature) {
  return api::guarded(diags, [&]() -> Result<std::string> {
    const auto graph = import_model(path, diags, signature);
    if (!graph) return failure;
    std::string text = model_in_form(*graph, form);
    if (!check_unchanged(graph->files, diags)) return failure;
    return text;
  });
}

std::string inspect_model(const Model& model, InspectForm form) { return model_in_form(model.impl().graph, form); }

}  // namespace byoc
