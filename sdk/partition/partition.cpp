#include "sdk/partition/partition.hpp"

namespace byoc {
namespace {

constexpr std::size_t kNobody = SIZE_MAX;

std::vector<std::size_t> place(const ir::Graph& graph, std::span<codegen::Codegen* const> codegens,
                               const TargetSpec& target, Diagnostics& diags) {
  const plugin::BoundRegion whole = plugin::make_region(graph);
  std::vector<std::size_t> owner(graph.nodes.size(), kNobody);
  std::vector<std::string> reasons(graph.nodes.size());
  for (std::size_t c = 0; c < codegens.size(); ++c) {
    const std::vector<codegen::Verdict> verdicts = codegens[c]->verdicts(whole.region, target);
    const std::string id(codegens[c]->id());
    if (verdicts.size() != graph.nodes.size()) {
      diags.error(graph.file, {}, "codegen '" + id + "' did not give a verdict on every node",
                  std::to_string(verdicts.size()), std::to_string(graph.nodes.size()));
      continue;
    }
    for (std::size_t n = 0; n < owner.size(); ++n) {
      if (owner[n] != kNobody) continue;
      if (verdicts[n].claimed)
        owner[n] = c;
      else
        reasons[n] += (reasons[n].empty() ? "" : "; ") + id + ": " + verdicts[n].text;
    }
  }
  for (std::size_t n = 0; n < owner.size(); ++n)
    if (owner[n] == kNobody) diags.error(graph.file, graph.nodes[n].describe(), "no codegen takes it: " + reasons[n]);
  return owner;
}

}  // namespace

Result<std::vector<PlacedRegion>> partition(const ir::Graph& graph, std::span<codegen::Codegen* const> codegens,
                                            const TargetSpec& target, Diagnostics& diags) {
  Diagnostics own;
  const std::vector<std::size_t> owner = place(graph, codegens, target, own);
  for (const Diagnostic& d : own.all()) diags.add(d);
  if (own.has_errors()) return failure;

  std::vector<PlacedRegion> regions;
  for (ir::NodeId first = 0; first < owner.size();) {
    std::vector<ir::NodeId> run;
    ir::NodeId n = first;
    for (; n < owner.size() && owner[n] == owner[first]; ++n) run.push_back(n);
    const std::string name = graph.name + "_" + std::to_string(regions.size());
    regions.push_back({owner[first], plugin::make_region(graph, run, name)});
    first = n;
  }
  return regions;
}

}  // namespace byoc
