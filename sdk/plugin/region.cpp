#include "sdk/plugin/region.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace byoc::plugin {
namespace {

codegen::Value view(const ir::Value& v) {
  assert(v.type.is_static());
  codegen::Value out;
  out.name = v.name;
  out.dtype = v.type.dtype;
  out.dims = *v.type.dims;
  if (v.type.quantisation) out.quantisation = *v.type.quantisation;
  out.is_constant = v.constant.has_value();
  if (v.constant) out.data = v.constant->bytes.bytes();
  out.is_state = v.is_state;
  out.source_index = v.source_index;
  return out;
}

// Attributes that hold tensors or graphs do not reach a codegen: prepare has turned them into values.
std::optional<codegen::Attribute> view(const ir::Attribute& attribute) {
  return std::visit(
      [](const auto& a) -> std::optional<codegen::Attribute> {
        using T = std::decay_t<decltype(a)>;
        if constexpr (std::is_same_v<T, ir::Tensor> || std::is_same_v<T, std::shared_ptr<ir::Graph>>)
          return std::nullopt;
        else
          return codegen::Attribute(a);
      },
      attribute);
}

class RegionBuilder {
 public:
  RegionBuilder(const ir::Graph& graph, BoundRegion& out) : graph_(graph), out_(out), ids_(graph.values.size()) {
    std::fill(ids_.begin(), ids_.end(), codegen::kNoValue);
  }

  codegen::ValueId id_of(ir::ValueId v) {
    if (v == ir::kNoValue) return codegen::kNoValue;
    if (ids_[v] == codegen::kNoValue) {
      ids_[v] = static_cast<codegen::ValueId>(out_.values.size());
      out_.values.push_back(v);
      out_.region.values.push_back(view(graph_.values[v]));
    }
    return ids_[v];
  }

  void add(ir::NodeId id) {
    const ir::Node& node = graph_.nodes[id];
    codegen::Node n;
    n.name = node.name;
    n.domain = node.domain;
    n.op = node.op;
    n.version = node.version;
    n.position = node.position;
    for (ir::ValueId v : node.inputs) n.inputs.push_back(id_of(v));
    for (ir::ValueId v : node.outputs) n.outputs.push_back(id_of(v));
    for (const auto& [key, attribute] : node.attributes)
      if (auto a = view(attribute)) n.attributes.emplace(key, std::move(*a));
    out_.region.nodes.push_back(std::move(n));
    out_.nodes.push_back(id);
  }

 private:
  const ir::Graph& graph_;
  BoundRegion& out_;
  std::vector<codegen::ValueId> ids_;
};

}  // namespace

BoundRegion make_region(const ir::Graph& graph, std::span<const ir::NodeId> nodes, std::string name) {
  BoundRegion out;
  out.region.name = std::move(name);
  out.region.requant = graph.requant;
  out.graph = &graph;
  RegionBuilder builder(graph, out);
  std::vector<bool> inside(graph.nodes.size(), false);
  for (ir::NodeId n : nodes) {
    inside[n] = true;
    builder.add(n);
  }

  const std::vector<ir::NodeId> producer = ir::producers(graph);
  const std::vector<std::vector<ir::NodeId>> readers = ir::consumers(graph);
  for (codegen::ValueId v = 0; v < out.values.size(); ++v) {
    const ir::ValueId source = out.values[v];
    if (graph.is_constant(source)) continue;
    if (producer[source] == ir::kNoNode || !inside[producer[source]]) {
      out.region.inputs.push_back(v);
      continue;
    }
    const bool leaves = std::any_of(readers[source].begin(), readers[source].end(),
                                    [&](ir::NodeId reader) { return !inside[reader]; }) ||
                        ir::leaves(graph, source);
    if (leaves) out.region.outputs.push_back(v);
  }
  return out;
}

BoundRegion make_region(const ir::Graph& graph) {
  std::vector<ir::NodeId> all(graph.nodes.size());
  std::iota(all.begin(), all.end(), 0u);
  return make_region(graph, all, graph.name);
}

}  // namespace byoc::plugin
