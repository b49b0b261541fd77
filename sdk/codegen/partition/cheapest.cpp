#include "sdk/codegen/partition/cheapest.hpp"

#include <algorithm>
#include <map>

#include "sdk/codegen/partition/borders.hpp"
#include "sdk/codegen/partition/islands.hpp"
#include "sdk/model/ir/control.hpp"

namespace byoc {
namespace {

// The least that a codegen other than `but` estimates for a node, alone.
struct Least {
  double cost = kUnknown;
  std::size_t codegen = SIZE_MAX;
};
template <class Counts>
Least least_of(const Offers& offers, ir::NodeId n, const Counts& counts) {
  Least out;
  for (std::size_t c = 0; c < offers.verdicts.size(); ++c)
    if (const double cost = cost_of(offers.verdicts[c][n]); counts(c) && cost < out.cost) out = {cost, c};
  return out;
}

// The sum of the other codegens' least costs of these nodes; unknown if a node has no estimate.
template <class Nodes, class Counts>
double others_for(const Offers& offers, const Nodes& nodes, const Counts& counts) {
  double sum = 0;
  for (const ir::NodeId n : nodes) sum += least_of(offers, n, counts).cost;
  return sum;
}

bool is_reference(const codegen::Codegen& c) { return c.role() == codegen::Role::reference; }

// For one codegen: its nodes for which reference codegens have a lower cost, and the sums.
struct Dearer {
  std::size_t nodes = 0;
  double cost = 0, other = 0;
  double largest = 0;
  std::string worst;
};

}  // namespace

void keep_cheapest(const ir::Graph& graph, std::span<codegen::Codegen* const> codegens, const TargetSpec& target,
                   const PartitionOptions& options, Offers& offers) {
  const auto named = std::find(options.prefer.begin(), options.prefer.end(), kCheapest);
  if (named == options.prefer.end()) return;
  const auto is_fixed = [&](std::size_t c, ir::NodeId n) {
    if (std::find(options.prefer.begin(), named, codegens[c]->id()) != named) return true;
    return std::any_of(options.pins.begin(), options.pins.end(), [&](const Pin& pin) {
      return pin.codegen == codegens[c]->id() && names_node(pin, graph.nodes[n]);
    });
  };
  const Offers all = offers;
  for (std::size_t c = 0; c < codegens.size(); ++c) {
    const auto others = [&](std::size_t o) { return o != c; };
    for (ir::NodeId n = 0; n < graph.nodes.size(); ++n) {
      const Least least = least_of(all, n, others);
      codegen::Verdict& v = offers.verdicts[c][n];
      const double own = cost_of(v);
      if (own == kUnknown || own <= least.cost || is_fixed(c, n)) continue;
      v = {false, codegen::Reason::cost,
           "it estimates " + whole_cycles(own) + " cycles and '" + std::string(codegens[least.codegen]->id()) + "' " +
               whole_cycles(least.cost)};
    }
    std::erase_if(offers.groups[c], [&](const codegen::Group& g) {
      const double own = cost_of(g.verdict);
      return own != kUnknown && own > others_for(all, g.nodes, others) &&
             std::none_of(g.nodes.begin(), g.nodes.end(), [&](ir::NodeId n) { return is_fixed(c, n); });
    });
  }
  if (cycles_to_hand_over(1, target)) join_islands({graph, codegens, target, options, is_fixed}, all, offers);
}

void tell_dearer(const ir::Graph& graph, std::span<codegen::Codegen* const> codegens, const Offers& offers,
                 const Placement& placement, const PartitionOptions& options, Diagnostics& diags) {
  if (std::find(options.prefer.begin(), options.prefer.end(), kCheapest) != options.prefer.end()) return;
  std::map<std::size_t, Dearer> found;
  const auto references = [&](std::size_t c) { return is_reference(*codegens[c]); };
  const auto add = [&](std::size_t c, const auto& nodes, double own) {
    const double other = others_for(offers, nodes, references);
    if (own == kUnknown || !(other < own)) return;
    Dearer& d = found[c];
    d.nodes += nodes.size();
    d.cost += own;
    d.other += other;
    if (own - other <= d.largest) return;
    d.largest = own - other;
    d.worst = graph.nodes[nodes.front()].describe();
  };
  std::vector<bool> grouped(graph.nodes.size(), false);
  for (const auto& [c, granted] : placement.groups) {
    for (const ir::NodeId n : granted.nodes) grouped[n] = true;
    for (const codegen::Group& g : offers.groups[c])
      if (std::ranges::equal(g.nodes, granted.nodes) && !references(c)) add(c, g.nodes, cost_of(g.verdict));
  }
  for (ir::NodeId n = 0; n < graph.nodes.size(); ++n) {
    const std::size_t c = placement.owner[n];
    if (c >= codegens.size() || grouped[n] || references(c)) continue;
    add(c, std::vector<ir::NodeId>{n}, cost_of(offers.verdicts[c][n]));
  }
  for (const auto& [c, d] : found)
    diags.add({Level::note,
               graph.file,
               {},
               "codegen '" + std::string(codegens[c]->id()) + "' takes " + std::to_string(d.nodes) +
                   " nodes that the reference estimates fewer cycles for, most for " + d.worst +
                   "; --prefer cheapest gives them to who estimates least",
               whole_cycles(d.cost) + " cycles",
               whole_cycles(d.other)});
}

void tell_idle(const ir::Graph& graph, std::span<codegen::Codegen* const> codegens, const Partition& partition,
               std::span<const std::size_t> elsewhere, const PartitionOptions& options, Diagnostics& diags) {
  for (std::size_t c = 0; c < codegens.size(); ++c) {
    const bool preferred =
        std::find(options.prefer.begin(), options.prefer.end(), codegens[c]->id()) != options.prefer.end();
    const bool idle = std::none_of(partition.regions.begin(), partition.regions.end(),
                                   [&](const PlacedRegion& r) { return r.codegen == c; }) &&
                      std::find(elsewhere.begin(), elsewhere.end(), c) == elsewhere.end();
    if (!idle || graph.nodes.empty() || (is_reference(*codegens[c]) && !preferred)) continue;
    std::map<std::string, std::size_t> texts;
    for (ir::NodeId n = 0; n < graph.nodes.size(); ++n)
      if (const codegen::Verdict& v = partition.nodes[n].verdicts[c]; !v.claimed && !ir::is_control(graph.nodes[n]))
        ++texts[v.text];
    const auto most =
        std::max_element(texts.begin(), texts.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    diags.add({Level::note,
               graph.file,
               {},
               "codegen '" + std::string(codegens[c]->id()) + "' takes nothing of this model" +
                   (most == texts.end() ? std::string("; others come first")
                                        : "; of " + std::to_string(most->second) + " of " +
                                              std::to_string(graph.nodes.size()) + " nodes it says: " + most->first),
               {},
               {}});
  }
}

}  // namespace byoc
