#include "sdk/codegen/codegen/region.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace byoc::plugin {
namespace {

codegen::Value view(const ir::Value& v) {
  assert(v.type.dims && v.type.dtype != DType::undefined);
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

// An open dim of that name, among the symbols of a region.
std::int64_t symbol_of(const std::string& name, std::vector<std::string>& symbols) {
  const auto at = std::find(symbols.begin(), symbols.end(), name);
  const std::int64_t out = ir::symbol_dim(static_cast<std::size_t>(at - symbols.begin()));
  if (at == symbols.end()) symbols.push_back(name);
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

}  // namespace

RegionMaker::RegionMaker(const ir::Graph& graph)
    : graph_(graph),
      producer_(ir::producers(graph)),
      readers_(ir::consumers(graph)),
      leaves_(graph.values.size(), false),
      ids_(graph.values.size(), codegen::kNoValue),
      inside_(graph.nodes.size(), false) {
  for (ir::ValueId v : graph.outputs) leaves_[v] = true;
  for (const ir::State& s : graph.states) leaves_[s.next] = true;
}

codegen::ValueId RegionMaker::id_of(ir::ValueId v, BoundRegion& out) {
  if (v == ir::kNoValue) return codegen::kNoValue;
  if (ids_[v] == codegen::kNoValue) {
    ids_[v] = static_cast<codegen::ValueId>(out.values.size());
    out.values.push_back(v);
    out.region.values.push_back(view(graph_.values[v]));
    for (std::int64_t& d : out.region.values.back().dims)
      if (ir::is_open(d)) d = symbol_of(graph_.symbols[static_cast<std::size_t>(-1 - d)], out.region.symbols);
  }
  return ids_[v];
}

void RegionMaker::add(ir::NodeId id, BoundRegion& out) {
  const ir::Node& node = graph_.nodes[id];
  codegen::Node n;
  n.name = node.name;
  n.domain = node.domain;
  n.op = node.op;
  n.version = node.version;
  n.position = node.position;
  for (ir::ValueId v : node.inputs) n.inputs.push_back(id_of(v, out));
  for (ir::ValueId v : node.outputs) n.outputs.push_back(id_of(v, out));
  for (const auto& [key, attribute] : node.attributes)
    if (auto a = view(attribute)) n.attributes.emplace(key, std::move(*a));
  out.region.nodes.push_back(std::move(n));
  out.nodes.push_back(id);
}

BoundRegion RegionMaker::make(std::span<const ir::NodeId> nodes, std::string name) {
  BoundRegion out;
  out.region.name = std::move(name);
  out.region.requant = graph_.requant;
  out.region.source = graph_.source;
  out.graph = &graph_;
  for (ir::NodeId n : nodes) {
    inside_[n] = true;
    add(n, out);
  }
  const auto is_outside = [&](ir::NodeId n) { return !inside_[n]; };
  for (codegen::ValueId v = 0; v < out.values.size(); ++v) {
    const ir::ValueId source = out.values[v];
    if (graph_.is_constant(source)) continue;
    if (producer_[source] == ir::kNoNode || is_outside(producer_[source]))
      out.region.inputs.push_back(v);
    else if (leaves_[source] || std::any_of(readers_[source].begin(), readers_[source].end(), is_outside))
      out.region.outputs.push_back(v);
  }
  for (ir::NodeId n : nodes) inside_[n] = false;
  for (ir::ValueId v : out.values) ids_[v] = codegen::kNoValue;
  return out;
}

BoundRegion make_region(const ir::Graph& graph, std::span<const ir::NodeId> nodes, std::string name) {
  return RegionMaker(graph).make(nodes, std::move(name));
}

BoundRegion make_region(const ir::Graph& graph) {
  std::vector<ir::NodeId> all(graph.nodes.size());
  std::iota(all.begin(), all.end(), 0u);
  return make_region(graph, all, graph.name);
}

}  // namespace byoc::plugin
