#include "sdk/codegen/partition/partition.hpp"

#include <algorithm>
#include <numeric>

#include "sdk/codegen/partition/asked.hpp"
#include "sdk/codegen/partition/cheapest.hpp"
#include "sdk/model/ir/control.hpp"

namespace byoc {
namespace {

// The limits of the user's are for others: somebody has to take what is left.
bool is_bounded(std::span<codegen::Codegen* const> codegens, std::size_t c) {
  return c != kExecutor && codegens[c]->role() != codegen::Role::reference;
}

// Merges parts of one codegen along the edges of the graph, first edges first, as long as nothing waits in a circle.
void merge_neighbours(const ir::Graph& graph, std::span<codegen::Codegen* const> codegens,
                      const std::vector<std::size_t>& owner, const PartitionOptions& options, Quotient& quotient) {
  if (std::all_of(owner.begin(), owner.end(), [&](std::size_t o) { return o == owner[0]; }) && !owner.empty() &&
      owner[0] != kExecutor && !is_bounded(codegens, owner[0])) {
    std::vector<ir::NodeId> all(owner.size());
    std::iota(all.begin(), all.end(), 0u);
    quotient.try_join(all);
    return;
  }
  for (ir::NodeId n = 0; n < graph.nodes.size(); ++n)
    for (ir::NodeId reader : quotient.readers(n)) {
      const std::uint32_t from = quotient.part_of(n);
      const std::uint32_t to = quotient.part_of(reader);
      if (from == to || owner[n] != owner[reader] || owner[n] == kExecutor) continue;
      if (is_bounded(codegens, owner[n]) && options.max_region_nodes != 0 &&
          quotient.size(from) + quotient.size(to) > options.max_region_nodes)
        continue;
      quotient.try_merge(from, to);
    }
}

struct GivenUp {
  std::size_t codegen;
  std::vector<ir::NodeId> nodes;
  std::string why;
};

// Regions that the user's limits exclude.
std::vector<GivenUp> beyond_limits(const Placement& placement, const Quotient& quotient,
                                   std::span<codegen::Codegen* const> codegens, const PartitionOptions& options) {
  std::vector<GivenUp> out;
  std::vector<std::vector<std::uint32_t>> parts(codegens.size());
  for (std::uint32_t part : quotient.order()) {
    const std::vector<ir::NodeId>& nodes = quotient.members(part);
    const std::size_t c = placement.owner[nodes.front()];
    if (!is_bounded(codegens, c)) continue;
    if (nodes.size() < options.min_region_nodes)
      out.push_back({c, nodes,
                     "its region has " + std::to_string(nodes.size()) + " nodes, and at least " +
                         std::to_string(options.min_region_nodes) + " are asked for"});
    else
      parts[c].push_back(part);
  }
  if (!out.empty() || options.max_regions == 0) return out;
  for (std::size_t c = 0; c < parts.size(); ++c) {
    std::stable_sort(parts[c].begin(), parts[c].end(), [&](std::uint32_t a, std::uint32_t b) {
      return quotient.members(a).size() > quotient.members(b).size();
    });
    for (std::size_t i = options.max_regions; i < parts[c].size(); ++i)
      out.push_back({c, quotient.members(parts[c][i]),
                     "its codegen may have " + std::to_string(options.max_regions) + " regions and has larger ones"});
  }
  return out;
}

// Takes the offers back.
void give_up(const std::vector<GivenUp>& list, Offers& offers) {
  std::vector<std::vector<bool>> given(offers.verdicts.size());
  for (const GivenUp& g : list) {
    given[g.codegen].resize(offers.verdicts[g.codegen].size());
    for (ir::NodeId n : g.nodes) {
      offers.verdicts[g.codegen][n] = {false, codegen::Reason::option, g.why};
      given[g.codegen][n] = true;
    }
  }
  for (std::size_t c = 0; c < given.size(); ++c)
    std::erase_if(offers.groups[c], [&](const codegen::Group& group) {
      return std::any_of(group.nodes.begin(), group.nodes.end(),
                         [&](codegen::NodeId n) { return !given[c].empty() && given[c][n]; });
    });
}

// Puts granted groups into their regions, with nodes named as the region does.
void add_groups(const Placement& placement, const Quotient& quotient, Partition& out) {
  for (const auto& [codegen, group] : placement.groups) {
    const std::vector<ir::NodeId>& nodes = quotient.members(quotient.part_of(group.nodes.front()));
    codegen::GrantedGroup own{group.pattern, {}};
    for (ir::NodeId n : group.nodes)
      own.nodes.push_back(
          static_cast<codegen::NodeId>(std::lower_bound(nodes.begin(), nodes.end(), n) - nodes.begin()));
    out.regions[out.nodes[nodes.front()].region].bound.region.groups.push_back(std::move(own));
  }
}

Partition assemble(const ir::Graph& graph, const Placement& placement, const Quotient& quotient) {
  Partition out;
  out.nodes.resize(graph.nodes.size());
  std::uint32_t order = 0;
  plugin::RegionMaker regions(graph);
  for (std::uint32_t part : quotient.order()) {
    const std::vector<ir::NodeId>& nodes = quotient.members(part);
    const std::size_t index = out.regions.size();
    for (ir::NodeId n : nodes) out.nodes[n].order = order;
    ++order;
    if (placement.owner[nodes.front()] == kExecutor) continue;
    PlacedRegion region{placement.owner[nodes.front()], regions.make(nodes, graph.name + "_" + std::to_string(index))};
    region.bound.order = out.nodes[nodes.front()].order;
    for (ir::NodeId n : nodes) out.nodes[n].region = index;
    out.regions.push_back(std::move(region));
  }
  add_groups(placement, quotient, out);
  for (ir::NodeId n = 0; n < graph.nodes.size(); ++n) {
    NodePlacement& p = out.nodes[n];
    p.codegen = placement.owner[n];
    p.decision = placement.decision[n];
    p.against = placement.against[n];
    for (const auto& verdicts : placement.verdicts) p.verdicts.push_back(verdicts[n]);
    p.closeness = placement.closeness[n];
  }
  return out;
}

}  // namespace

std::string_view to_string(Decision d) {
  switch (d) {
    case Decision::only: return "only";
    case Decision::pin: return "pin";
    case Decision::order: return "order";
    case Decision::priority: return "priority";
    case Decision::cost: return "cost";
    case Decision::id: return "id";
  }
  return "";
}

namespace {

// If constants are to leave the library, reference codegens that would keep theirs in it come after the others.
void keep_movable(std::span<codegen::Codegen* const> codegens, Offers& offers) {
  const auto moves = [](const codegen::Codegen* c) { return c->moves_constants(); };
  for (std::size_t c = 0; c < codegens.size(); ++c)
    if (codegens[c]->role() == codegen::Role::reference && !moves(codegens[c]))
      for (codegen::Verdict& v : offers.verdicts[c]) v.priority = -1;
}

Result<Partition> partition_one(const ir::Graph& graph, std::span<codegen::Codegen* const> codegens, AllOffers& all,
                                const TargetSpec& target, const PartitionOptions& options, Diagnostics& diags) {
  Offers* offers = &all.at(&graph);
  keep_cheapest(graph, codegens, target, options, *offers);
  // Each round takes offers back that will not be made again, so this ends.
  for (;;) {
    Quotient quotient(graph);
    auto placement = place(graph, codegens, *offers, options, quotient, diags);
    if (!placement) return failure;
    merge_neighbours(graph, codegens, placement->owner, options, quotient);
    const std::vector<GivenUp> excluded = beyond_limits(*placement, quotient, codegens, options);
    if (excluded.empty()) {
      tell_dearer(graph, codegens, *offers, *placement, options, diags);
      return assemble(graph, *placement, quotient);
    }
    give_up(excluded, *offers);
  }
}

// The bodies of control nodes are placed like the graph around them; pins that name none of their nodes are not for
// them.
bool add_bodies(const ir::Graph& graph, std::span<codegen::Codegen* const> codegens, AllOffers& offers,
                const TargetSpec& target, const PartitionOptions& options, Partition& out, Diagnostics& diags) {
  bool ok = true;
  for (const ir::Node& node : graph.nodes)
    for (const auto& body : ir::bodies(node)) {
      PartitionOptions own = options;
      std::erase_if(own.pins, [&](const Pin& pin) { return !fits(pin, *body); });
      auto inner = partition_one(*body, codegens, offers, target, own, diags);
      if (!inner) {
        ok = false;
        continue;
      }
      for (NodePlacement& p : inner->nodes) p.region += out.regions.size();
      std::move(inner->regions.begin(), inner->regions.end(), std::back_inserter(out.regions));
      out.bodies[body.get()] = std::move(inner->nodes);
      ok = add_bodies(*body, codegens, offers, target, options, out, diags) && ok;
    }
  return ok;
}

}  // namespace

namespace {

evaluate::Allowance stated_of(const ir::Node& node, const NodePlacement& placement, const Partition& partition) {
  evaluate::Allowance out;
  out.add(placement.closeness);
  for (const auto& body : ir::bodies(node)) {
    const std::vector<NodePlacement>& nodes = partition.bodies.at(body.get());
    for (std::size_t n = 0; n < nodes.size(); ++n) out.add(stated_of(body->nodes[n], nodes[n], partition));
  }
  return out;
}

}  // namespace

std::vector<evaluate::Allowance> stated(const ir::Graph& graph, const Partition& partition) {
  std::vector<evaluate::Allowance> out;
  for (ir::NodeId n = 0; n < graph.nodes.size(); ++n)
    out.push_back(stated_of(graph.nodes[n], partition.nodes[n], partition));
  return out;
}

Result<Partition> place_asked(const ir::Graph& graph, Asked asked, std::span<codegen::Codegen* const> codegens,
                              const TargetSpec& target, const PartitionOptions& options, Diagnostics& diags,
                              bool constants_move, std::span<const std::size_t> elsewhere) {
  if (constants_move)
    for (auto& [of, made] : asked.offers) keep_movable(codegens, made);
  const ir::Graph& placed = asked.graph ? *asked.graph : graph;
  auto out = partition_one(placed, codegens, asked.offers, target, options, diags);
  if (!out || !add_bodies(placed, codegens, asked.offers, target, options, *out, diags)) return failure;
  tell_idle(placed, codegens, *out, elsewhere, options, diags);
  out->graph = std::move(asked.graph);
  out->literal = std::move(asked.literal);
  return out;
}

Result<Partition> make_partition(const ir::Graph& graph, std::span<codegen::Codegen* const> codegens,
                                 const TargetSpec& target, const PartitionOptions& options, Diagnostics& diags,
                                 bool constants_move, std::span<const std::size_t> elsewhere) {
  auto asked = ask_codegens(graph, codegens, target, options, diags);
  if (!asked) return failure;
  return place_asked(graph, std::move(*asked), codegens, target, options, diags, constants_move, elsewhere);
}

}  // namespace byoc
