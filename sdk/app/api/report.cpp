#include "sdk/app/api/report.hpp"

#include "sdk/codegen/partition/report.hpp"

namespace byoc::api {
namespace {

NodeReport describe(const ir::Node& node, const NodePlacement& placed, std::span<codegen::Codegen* const> codegens) {
  NodeReport out;
  out.name = node.describe();
  out.codegen = placed.codegen == kExecutor ? "executor" : codegens[placed.codegen]->id();
  out.decision = std::string(to_string(placed.decision));
  out.region = placed.region;
  out.exactness = placed.closeness.exactness;
  out.tolerance = placed.closeness.tolerance;
  for (std::size_t c = 0; c < placed.verdicts.size(); ++c) {
    const codegen::Verdict& v = placed.verdicts[c];
    out.verdicts.push_back({std::string(codegens[c]->id()), v.claimed, v.text, v.exactness, v.tolerance});
  }
  return out;
}

}  // namespace

PartitionReport make_report(const ir::Graph& given, std::span<codegen::Codegen* const> codegens,
                            const TargetSpec& target, const Partition& partition,
                            const std::vector<RewriteSummary>& rewrites, const ModelInterface* model,
                            std::span<const FunctionCode> code) {
  const ir::Graph& graph = graph_of(partition, given);
  PartitionReport out;
  for (std::size_t n = 0; n < graph.nodes.size(); ++n)
    out.nodes.push_back(describe(graph.nodes[n], partition.nodes[n], codegens));
  const std::vector<Coverage> covered = coverage_of(graph, partition, codegens.size());
  for (std::size_t c = 0; c < codegens.size(); ++c)
    out.coverage.push_back({std::string(codegens[c]->id()), covered[c].regions, covered[c].nodes, covered[c].macs,
                            covered[c].all_macs, covered[c].node_share(), covered[c].mac_share()});
  out.rewrites = rewrites;
  out.json = partition_json(graph, codegens, target, partition, rewrites, model);
  out.html = partition_html(graph, codegens, target, partition, rewrites, model, code);
  out.svg = partition_svg(graph, codegens, partition, model);
  return out;
}

}  // namespace byoc::api
