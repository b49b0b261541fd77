#include "sdk/program/graphjson/graph_json.hpp"

#include "sdk/base/support/json.hpp"

namespace byoc {
namespace {

std::string compact(const Json& json) { return ascii_json_text(json); }

Json refs(const std::vector<GraphJsonRef>& all) {
  Json out = Json::array();
  for (const GraphJsonRef& r : all) out.push_back({r.node, r.output, r.version});
  return out;
}

Json node_json(const GraphJsonNode& node) {
  Json out = {{"op", node.is_null() ? "null" : "tvm_op"}, {"name", node.name}};
  if (!node.is_null()) {
    Json attrs = {{"func_name", node.function},
                  {"num_inputs", std::to_string(node.inputs.size())},
                  {"num_outputs", std::to_string(node.outputs)},
                  {"flatten_data", node.flatten ? "1" : "0"}};
    for (const auto& [key, value] : node.attrs) attrs[key] = value;
    out["attrs"] = std::move(attrs);
  }
  out["inputs"] = refs(node.inputs);
  if (!node.control_deps.empty()) out["control_deps"] = node.control_deps;
  return out;
}

Json table(const char* type, Json values) { return Json::array({type, std::move(values)}); }

Json attrs_json(const GraphJson& graph) {
  Json shapes = Json::array(), types = Json::array(), storage = Json::array();
  for (const GraphJsonEntry& e : graph.entries) {
    shapes.push_back(e.shape);
    types.push_back(to_string(e.type));
    storage.push_back(e.storage);
  }
  Json out = {{"shape", table("list_shape", std::move(shapes))},
              {"storage_id", table("list_int", std::move(storage))},
              {"dltype", table("list_str", std::move(types))}};
  if (!graph.devices.empty()) out["device_index"] = table("list_int", graph.devices);
  if (!graph.scopes.empty()) out["storage_scope"] = table("list_str", graph.scopes);
  for (const auto& [key, value] : graph.attrs) out[key] = parse_ordered_json(json_text(value));
  return out;
}

}  // namespace

std::string write_graph_json(const GraphJson& graph) {
  std::string out = "{\n  \"nodes\": [";
  for (std::size_t n = 0; n < graph.nodes.size(); ++n)
    out += (n ? ",\n    " : "\n    ") + compact(node_json(graph.nodes[n]));
  out += "\n  ],\n  \"arg_nodes\": " + compact(graph.arguments) + ",\n  \"heads\": " + compact(refs(graph.heads)) +
         ",\n  \"attrs\": {";
  const Json attrs = attrs_json(graph);
  bool first = true;
  for (const auto& [key, value] : attrs.items()) {
    out += (first ? "\n    " : ",\n    ") + compact(Json(key)) + ": " + compact(value);
    first = false;
  }
  out += "\n  },\n  \"node_row_ptr\": " + compact(graph.first_entry);
  // Last, because readers stop here.
  if (!graph.metadata.is_null()) out += ",\n  \"metadata\": " + compact(graph.metadata);
  return out + "\n}\n";
}

}  // namespace byoc
