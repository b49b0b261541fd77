#include "sdk/codegen/partition/islands.hpp"

#include <algorithm>
#include <set>

#include "sdk/codegen/partition/borders.hpp"

namespace byoc {
namespace {

struct Island {
  std::size_t owner = 0;
  std::vector<ir::NodeId> nodes;
  double cost = 0;  // what its owner takes for them, without borders
};

// The destination of an island, and its cost before and after with borders.
struct Move {
  std::size_t to = 0;
  double before = 0, after = kUnknown;
};

class Islands {
 public:
  Islands(const IslandRequest& request, const Placement& placement, const Offers& all)
      : graph_(request.graph),
        request_(request),
        placement_(placement),
        all_(all),
        owner_(placement.owner),
        maker_(ir::producers(request.graph)),
        readers_(ir::consumers(request.graph)) {
    find();
  }

  // Moves islands whose neighbourhood did not change before them, in the order of the graph; tells each by `moved`.
  template <class Moved>
  bool move(const Moved& moved) {
    std::set<ir::NodeId> settled;  // nodes at which an island moved already: they are weighed in the next round
    bool any = false;
    for (const Island& island : islands_) {
      const std::set<ir::NodeId> beside = neighbours(island);
      if (std::ranges::any_of(beside, [&](ir::NodeId n) { return settled.contains(n); })) continue;
      const Move best = best_of(island, beside);
      if (!(best.after < best.before)) continue;
      moved(island, best);
      settled.insert(island.nodes.begin(), island.nodes.end());
      any = true;
    }
    return any;
  }

 private:
  bool is_placed(ir::NodeId n) const { return owner_[n] < request_.codegens.size(); }

  template <class Visit>
  void for_each_value(ir::NodeId n, const Visit& visit) const {
    for (const auto* values : {&graph_.nodes[n].inputs, &graph_.nodes[n].outputs})
      for (const ir::ValueId v : *values)
        if (v != ir::kNoValue) visit(v);
  }

  // Visits the nodes that make the operands or read the results of `n`. Two nodes that only read the same value are not
  // neighbours.
  template <class Visit>
  void for_each_neighbour(ir::NodeId n, const Visit& visit) const {
    for (const ir::ValueId v : graph_.nodes[n].inputs)
      if (v != ir::kNoValue && maker_[v] != ir::kNoNode) visit(maker_[v]);
    for (const ir::ValueId v : graph_.nodes[n].outputs)
      if (v != ir::kNoValue) std::ranges::for_each(readers_[v], visit);
  }

  void find() {
    std::vector<const codegen::Group*> group_of(graph_.nodes.size(), nullptr);
    for (const auto& [c, granted] : placement_.groups)
      for (const codegen::Group& g : all_.groups[c])
        if (std::ranges::equal(g.nodes, granted.nodes))
          for (const ir::NodeId n : g.nodes) group_of[n] = &g;
    std::vector<bool> seen(graph_.nodes.size(), false);
    for (ir::NodeId first = 0; first < graph_.nodes.size(); ++first) {
      if (seen[first] || !is_placed(first)) continue;
      Island island{owner_[first], {first}, 0};
      seen[first] = true;
      const auto reach = [&](ir::NodeId n) {
        if (seen[n] || owner_[n] != island.owner) return;
        seen[n] = true;
        island.nodes.push_back(n);
      };
      for (std::size_t i = 0; i < island.nodes.size(); ++i) {
        const ir::NodeId n = island.nodes[i];
        const codegen::Group* group = group_of[n];
        if (group == nullptr)
          island.cost += cost_of(all_.verdicts[island.owner][n]);
        else if (group->nodes.front() == n)
          island.cost += cost_of(group->verdict);
        for_each_neighbour(n, reach);
        if (group != nullptr) std::ranges::for_each(group->nodes, reach);
      }
      islands_.push_back(std::move(island));
    }
  }

  std::set<ir::NodeId> neighbours(const Island& island) const {
    std::set<ir::NodeId> out;
    for (const ir::NodeId n : island.nodes)
      for_each_neighbour(n, [&](ir::NodeId other) {
        if (owner_[other] != island.owner && is_placed(other)) out.insert(other);
      });
    return out;
  }

  // The cost of handing these values over, each once to every codegen that reads it and did not make it.
  double borders(const std::set<ir::ValueId>& values) const {
    double sum = 0;
    for (const ir::ValueId v : values) {
      if (maker_[v] == ir::kNoNode || !is_placed(maker_[v]) || !graph_.values[v].type.is_static()) continue;
      std::set<std::size_t> to;
      for (const ir::NodeId n : readers_[v])
        if (is_placed(n) && owner_[n] != owner_[maker_[v]]) to.insert(owner_[n]);
      const auto each = cycles_to_hand_over(graph_.values[v].type.bytes(), request_.target);
      sum += static_cast<double>(to.size() * each.value_or(0));
    }
    return sum;
  }

  Move best_of(const Island& island, const std::set<ir::NodeId>& beside) {
    Move best;
    if (island.cost == kUnknown ||
        std::ranges::any_of(island.nodes, [&](ir::NodeId n) { return request_.is_fixed(island.owner, n); }))
      return best;
    std::set<ir::ValueId> values;
    for (const ir::NodeId n : island.nodes) for_each_value(n, [&](ir::ValueId v) { values.insert(v); });
    best.before = island.cost + borders(values);
    std::set<std::size_t> codegens;
    for (const ir::NodeId n : beside) codegens.insert(owner_[n]);
    for (const std::size_t to : codegens) {
      double after = 0;
      for (const ir::NodeId n : island.nodes) after += cost_of(all_.verdicts[to][n]);
      if (!(after < best.before)) continue;
      give(island, to);
      after += borders(values);
      give(island, island.owner);
      if (after < best.after) {
        best.after = after;
        best.to = to;
      }
    }
    return best;
  }

  void give(const Island& island, std::size_t codegen) {
    for (const ir::NodeId n : island.nodes) owner_[n] = codegen;
  }

  const ir::Graph& graph_;
  const IslandRequest& request_;
  const Placement& placement_;
  const Offers& all_;
  std::vector<std::size_t> owner_;
  std::vector<ir::NodeId> maker_;                 // [value]
  std::vector<std::vector<ir::NodeId>> readers_;  // [value]
  std::vector<Island> islands_;
};

}  // namespace

void join_islands(const IslandRequest& request, const Offers& all, Offers& offers) {
  Offers left = all;  // without what was taken back: that is not offered again, so this ends
  for (;;) {
    Quotient quotient(request.graph);
    Diagnostics unheard;  // place() is asked again when this is done
    const auto placement = place(request.graph, request.codegens, offers, request.options, quotient, unheard);
    if (!placement) return;
    const bool moved = Islands(request, *placement, left).move([&](const Island& island, const Move& move) {
      const std::string text = "its " + std::to_string(island.nodes.size()) + " nodes here take " +
                               whole_cycles(move.before) + " cycles with their borders, and '" +
                               std::string(request.codegens[move.to]->id()) + "' " + whole_cycles(move.after);
      for (const ir::NodeId n : island.nodes) {
        offers.verdicts[move.to][n] = left.verdicts[move.to][n];
        offers.verdicts[island.owner][n] = {false, codegen::Reason::cost, text};
        left.verdicts[island.owner][n] = offers.verdicts[island.owner][n];
        std::erase_if(offers.groups[island.owner],
                      [&](const codegen::Group& g) { return std::ranges::find(g.nodes, n) != g.nodes.end(); });
      }
    });
    if (!moved) return;
  }
}

}  // namespace byoc
