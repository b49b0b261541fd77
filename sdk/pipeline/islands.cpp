#include "sdk/pipeline/islands.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "sdk/ir/control.hpp"
#include "sdk/partition/place.hpp"
#include "sdk/plugin/region.hpp"
#include "sdk/prepare/prepare.hpp"

namespace byoc {
namespace {

using vm::NodeOf;

// Whether somebody takes each node; an If, Loop or Scan where all nodes of its bodies are taken.
Result<std::vector<bool>> taken(const ir::Graph& graph, const ExportOptions& options, Diagnostics& diags) {
  const auto offers =
      ask(graph, plugin::make_region(graph).region, options.codegens, options.target, options.partition, diags);
  if (!offers) return failure;
  std::vector<bool> out(graph.nodes.size(), false);
  for (const auto& verdicts : offers->verdicts)
    for (ir::NodeId n = 0; n < out.size(); ++n) out[n] = out[n] || verdicts[n].claimed;
  for (const auto& groups : offers->groups)
    for (const codegen::Group& group : groups)
      for (const codegen::NodeId n : group.nodes) out[n] = true;
  for (ir::NodeId n = 0; n < out.size(); ++n) {
    if (!ir::is_control(graph.nodes[n])) continue;
    out[n] = true;
    for (const auto& body : ir::bodies(graph.nodes[n])) {
      const auto inside = taken(*body, options, diags);
      if (!inside) return failure;
      out[n] = out[n] && std::count(inside->begin(), inside->end(), false) == 0;
    }
  }
  return out;
}

bool is_one_island(const ir::Graph& graph, const ExportOptions& options) {
  for (const ir::Value& v : graph.values)
    if (!v.type.is_static()) return false;
  for (const ir::Node& node : graph.nodes)
    if (!vm::is_static(graph, node)) return false;
  Diagnostics refused;
  return bool(make_partition(graph, options.codegens, options.target, options.partition, refused));
}

}  // namespace

Result<vm::Lowered> make_islands(const ir::Graph& graph, const ExportOptions& options, Diagnostics& diags) {
  if (is_one_island(graph, options)) return vm::lower_whole(graph);
  const ir::Graph& literal = graph.literal ? *graph.literal : graph;
  vm::Lowered all = vm::lower(literal, [](const NodeOf&) { return true; });
  const auto is_taken = taken(all.compiled, options, diags);
  if (!is_taken) return failure;
  std::set<NodeOf> compiled;
  for (std::size_t n = 0; n < all.origins.size(); ++n)
    if ((*is_taken)[n]) compiled.insert(all.origins[n]);
  vm::Lowered out = vm::lower(literal, [&](const NodeOf& n) { return compiled.contains(n); });
  PrepareOptions prepared;
  prepared.fold_limit = literal.fold_limit;
  if (!prepare(out.compiled, prepared, diags)) return failure;
  return out;
}

}  // namespace byoc
