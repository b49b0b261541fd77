#include "sdk/codegen/partition/report.hpp"

#include <nlohmann/json.hpp>

#include "sdk/base/page/text.hpp"
#include "sdk/base/support/json.hpp"
#include "sdk/codegen/partition/borders.hpp"
#include "sdk/codegen/partition/report_parts.hpp"
#include "sdk/model/ir/kind.hpp"
#include "sdk/model/ir/operators.hpp"

namespace byoc {
namespace {

constexpr const char* kReasons[] = {"none",     "operator", "dtype",  "attribute", "shape", "quantisation",
                                    "constant", "target",   "option", "memory",    "cost",  "group"};
constexpr const char* kExactness[] = {"exact", "lsb", "ulp", "relative"};

std::string reason_name(codegen::Reason reason) {
  const auto r = static_cast<std::size_t>(reason);
  return r < std::size(kReasons) ? kReasons[r]
                                 : "vendor " + std::to_string(r - static_cast<std::size_t>(codegen::Reason::vendor));
}

void add_closeness(evaluate::Closeness c, Json& out) {
  out["exactness"] = kExactness[static_cast<std::size_t>(c.exactness) % 4];
  if (c.exactness != codegen::Exactness::exact) out["tolerance"] = c.tolerance;
}

Json verdict_json(const codegen::Codegen& codegen, const codegen::Verdict& v) {
  Json out = {{"codegen", codegen.id()}, {"claimed", v.claimed}};
  if (!v.claimed) {
    out["reason"] = reason_name(v.reason);
    out["text"] = utf8(v.text);
    return out;
  }
  add_closeness(evaluate::closeness(v), out);
  if (v.cost != 0) out["cost"] = v.cost;
  if (v.priority != 0) out["priority"] = v.priority;
  return out;
}

}  // namespace

std::vector<Coverage> coverage_of(const ir::Graph& graph, const Partition& partition, std::size_t codegens) {
  std::vector<Coverage> out(codegens);
  std::uint64_t all = 0;
  std::size_t all_nodes = 0;
  for_each_placed(graph, partition.nodes, partition, [&](const ir::Graph& g, const std::vector<NodePlacement>& nodes) {
    for (std::size_t n = 0; n < g.nodes.size(); ++n) {
      if (nodes[n].codegen == kExecutor) continue;
      const std::uint64_t macs = ir::macs_of(g, g.nodes[n]);
      all += macs;
      ++all_nodes;
      out[nodes[n].codegen].macs += macs;
      ++out[nodes[n].codegen].nodes;
    }
  });
  for (const PlacedRegion& r : partition.regions) ++out[r.codegen].regions;
  for (Coverage& c : out) {
    c.all_nodes = all_nodes;
    c.all_macs = all;
  }
  return out;
}

std::map<std::string, SharedKernel> shared_kernels(const ModelInterface& model) {
  std::map<std::string, SharedKernel> out;
  for (const StepInfo& s : model.steps) {
    if (s.kernel_bytes == 0) continue;
    out[s.kernel].bytes = s.kernel_bytes;
    ++out[s.kernel].steps;
  }
  return out;
}

namespace {

Json known(std::uint64_t estimate) { return estimate == 0 ? Json() : Json(estimate); }

void add_steps(const ModelInterface& model, Json& out) {
  out["steps"] = Json::array();
  for (const StepInfo& s : model.steps) {
    Json nodes = Json::array();
    for (const std::string& n : s.nodes) nodes.push_back(utf8(n));
    out["steps"].push_back({{"symbol", s.symbol},
                            {"codegen", s.codegen},
                            {"kernel", s.kernel},
                            {"nodes", nodes},
                            {"macs", s.macs},
                            {"estimated_instructions", known(s.estimated_instructions)},
                            {"constant_bytes", s.constant_bytes},
                            {"workspace_bytes", s.workspace_bytes},
                            {"live_bytes", s.live_bytes},
                            {"remark", utf8(s.remark)}});
  }
  out["kernels"] = Json::array();
  for (const auto& [name, k] : shared_kernels(model))
    out["kernels"].push_back({{"kernel", name}, {"estimated_bytes", k.bytes}, {"steps", k.steps}});
}

void add_borders(const ir::Graph& graph, std::span<codegen::Codegen* const> codegens, const TargetSpec& target,
                 const Partition& partition, Json& out) {
  out["borders"] = Json::array();
  for (const Border& b : borders_of(graph, partition, target))
    out["borders"].push_back({{"from", codegens[b.from]->id()},
                              {"to", codegens[b.to]->id()},
                              {"values", b.values},
                              {"bytes", b.bytes},
                              {"cache_lines", b.cache_lines},
                              {"estimated_cycles", b.cycles ? Json(*b.cycles) : Json()}});
}

void add_region_totals(const ir::Graph& graph, const Partition& partition, const ModelInterface& model, Json& out) {
  const std::vector<RegionTotals> totals = region_totals(graph, partition, model);
  for (std::size_t r = 0; r < totals.size(); ++r) {
    Json& region = out["regions"][r];
    region["steps"] = totals[r].steps;
    region["constant_bytes"] = totals[r].constant_bytes;
    region["estimated_kernel_bytes"] = known(totals[r].kernel_bytes);
    region["flash_bytes"] = totals[r].constant_bytes + totals[r].kernel_bytes;
    region["ram_bytes"] = totals[r].ram_bytes;
    region["workspace_bytes"] = totals[r].workspace_bytes;
  }
}

}  // namespace

std::string partition_json(const ir::Graph& graph, std::span<codegen::Codegen* const> codegens,
                           const TargetSpec& target, const Partition& partition,
                           std::span<const RewriteSummary> rewrites, const ModelInterface* model) {
  Json out;
  out["format"] = 1;
  out["model"] = utf8(graph.name);
  out["target"] = target.name;
  out["codegens"] = Json::array();
  const std::vector<Coverage> coverage = coverage_of(graph, partition, codegens.size());
  for (std::size_t c = 0; c < codegens.size(); ++c)
    out["codegens"].push_back({{"id", codegens[c]->id()},
                               {"version", codegens[c]->version()},
                               {"regions", coverage[c].regions},
                               {"nodes", coverage[c].nodes},
                               {"node_share", coverage[c].node_share()},
                               {"macs", coverage[c].macs},
                               {"mac_share", coverage[c].mac_share()}});
  const auto numbers = number_graphs(graph, partition);
  out["regions"] = Json::array();
  for (const PlacedRegion& r : partition.regions) {
    Json groups = Json::array();
    for (const codegen::GrantedGroup& g : r.bound.region.groups) {
      Json nodes = Json::array();
      for (codegen::NodeId n : g.nodes) nodes.push_back(r.bound.nodes[n]);
      const auto patterns = codegens[r.codegen]->patterns();
      groups.push_back(
          {{"pattern", g.pattern < patterns.size() ? Json(patterns[g.pattern].name) : Json()}, {"nodes", nodes}});
    }
    out["regions"].push_back({{"name", utf8(r.bound.region.name)},
                              {"codegen", codegens[r.codegen]->id()},
                              {"nodes", r.bound.nodes},
                              {"groups", groups}});
    if (r.bound.graph == &graph) continue;
    out["regions"].back()["body"] = utf8(r.bound.graph->name);
    out["regions"].back()["body_number"] = numbers.at(r.bound.graph);
  }
  add_borders(graph, codegens, target, partition, out);
  if (model != nullptr) add_region_totals(graph, partition, *model, out);
  out["nodes"] = Json::array();
  for_each_placed(graph, partition.nodes, partition, [&](const ir::Graph& g, const std::vector<NodePlacement>& nodes) {
    for (std::size_t n = 0; n < g.nodes.size(); ++n) {
      const ir::Node& node = g.nodes[n];
      const NodePlacement& p = nodes[n];
      const bool placed = p.codegen != kExecutor;
      Json verdicts = Json::array();
      for (std::size_t c = 0; c < codegens.size(); ++c) verdicts.push_back(verdict_json(*codegens[c], p.verdicts[c]));
      Json line = {{"index", n},
                   {"name", utf8(node.name)},
                   {"op", node.domain.empty() ? node.op : node.domain + "." + node.op},
                   {"kind", ir::kind_of(g, node)},
                   {"position", node.position},
                   {"macs", ir::macs_of(g, node)},
                   {"codegen", placed ? Json(codegens[p.codegen]->id()) : Json()},
                   {"region", placed ? Json(p.region) : Json()},
                   {"decided_by", to_string(p.decision)}};
      if (p.against != SIZE_MAX) line["against"] = codegens[p.against]->id();
      if (placed) add_closeness(p.closeness, line);
      line["verdicts"] = verdicts;
      if (&g != &graph) {
        line["body"] = utf8(g.name);
        line["body_number"] = numbers.at(&g);
      }
      out["nodes"].push_back(std::move(line));
    }
  });
  for (const LeftLiteral& left : partition.literal) {
    Json refusals = Json::array();
    for (std::size_t c = 0; c < codegens.size(); ++c)
      refusals.push_back({{"codegen", codegens[c]->id()}, {"text", utf8(left.refusals[c])}});
    out["left_literal"].push_back({{"node", utf8(left.node)}, {"refusals", refusals}});
  }
  for (const InterpretedNode& n : partition.interpreted)
    out["interpreted"].push_back({{"node", utf8(n.node)}, {"why", utf8(n.why)}});
  for (const OpenNode& n : partition.open) out["open"].push_back({{"node", utf8(n.node)}, {"codegen", n.codegen}});
  for (const RewriteSummary& r : rewrites)
    out["rewrites"].push_back({{"name", r.name},
                               {"count", r.count},
                               {"macs", r.macs},
                               {"constant_bytes", r.constant_bytes},
                               {"tensor_bytes", r.tensor_bytes}});
  if (model != nullptr) add_steps(*model, out);
  return json_text(out, 2) + "\n";
}

}  // namespace byoc
