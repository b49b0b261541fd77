#include "sdk/codegen/optimise/optimise.hpp"

#include <algorithm>
#include <array>

#include "sdk/base/support/nearest.hpp"
#include "sdk/codegen/optimise/channel_wise.hpp"
#include "sdk/codegen/optimise/rewrites.hpp"
#include "sdk/model/ir/control.hpp"

namespace byoc::optimise {
namespace {

struct Rewrite {
  std::string_view name;
  void (*make)(Editable&, RewriteSummary&);
};

// Channels last: what stands between two layers is gone by then.
constexpr std::array kRewrites = {Rewrite{"pads", fold_pads}, Rewrite{"activations", fold_activations},
                                  Rewrite{"quantise", join_quantise}, Rewrite{"reshapes", skip_reshapes},
                                  Rewrite{"channels", drop_channels}};

constexpr auto kNames = [] {
  std::array<std::string_view, kRewrites.size()> out;
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = kRewrites[i].name;
  return out;
}();

Result<void> check_names(const Options& options, Diagnostics& diags) {
  for (const std::string& name : options.off) {
    if (name == "all" || std::find(kNames.begin(), kNames.end(), name) != kNames.end()) continue;
    std::string known;
    for (const std::string_view n : kNames) known += (known.empty() ? "" : ", ") + std::string(n);
    const std::vector<std::string> names(kNames.begin(), kNames.end());
    return diags.error({}, "no-optimise", "there is no such rewrite" + did_you_mean(name, names), "'" + name + "'",
                       known + " or all");
  }
  return {};
}

class Stage {
 public:
  Stage(const Partition& partition, std::span<codegen::Codegen* const> codegens, const TargetSpec& target,
        const Options& options, Optimised& out, Diagnostics& diags)
      : placed_(partition), codegens_(codegens), target_(target), out_(out), diags_(diags) {
    for (const Rewrite& r : kRewrites) {
      out_.summary.push_back({.name = std::string(r.name)});
      enabled_.push_back(std::none_of(options.off.begin(), options.off.end(),
                                      [&](const std::string& name) { return name == "all" || name == r.name; }));
    }
  }

  // `graph` is the copy of `original`, whose nodes are placed so.
  bool run(const ir::Graph& original, ir::Graph& graph, const std::vector<NodePlacement>& nodes) {
    if (!rewrite_graph(original, graph, nodes)) return false;
    for (ir::NodeId n = 0; n < original.nodes.size(); ++n) {
      const auto before = ir::bodies(original.nodes[n]), now = ir::bodies(graph.nodes[n]);
      for (std::size_t b = 0; b < now.size(); ++b) {
        out_.partition.bodies[now[b].get()] = placed_.bodies.at(before[b].get());
        if (!run(*before[b], *now[b], placed_.bodies.at(before[b].get()))) return false;
      }
    }
    return true;
  }

 private:
  // Nodes that are placed with a codegen that accepts rewrites, on their own.
  std::vector<std::size_t> changeable(const std::vector<NodePlacement>& nodes) const {
    std::vector<std::size_t> out(nodes.size(), kFixed);
    for (std::size_t n = 0; n < nodes.size(); ++n)
      if (nodes[n].codegen != kExecutor && codegens_[nodes[n].codegen]->accepts_rewrites()) out[n] = nodes[n].region;
    for (const PlacedRegion& r : placed_.regions)
      for (const codegen::GrantedGroup& g : r.bound.region.groups)
        for (const codegen::NodeId n : g.nodes)
          if (const ir::NodeId id = r.bound.nodes[n]; id < out.size() && out[id] == region_index(r)) out[id] = kFixed;
    return out;
  }
  std::size_t region_index(const PlacedRegion& r) const {
    return static_cast<std::size_t>(&r - placed_.regions.data());
  }

  // Until nobody refuses what became of its nodes; a node that was refused keeps its form from then on.
  bool rewrite_graph(const ir::Graph& original, ir::Graph& graph, const std::vector<NodePlacement>& nodes) {
    std::vector<std::size_t> region = changeable(nodes);
    for (;;) {
      Editable edit(graph, region);
      std::vector<RewriteSummary> told(kRewrites.size());
      for (std::size_t i = 0; i < kRewrites.size(); ++i)
        if (enabled_[i]) kRewrites[i].make(edit, told[i]);
      const auto refused = ask_again(edit, nodes);
      if (!refused) return false;
      if (refused->empty()) {
        commit(std::move(edit), told, original, graph);
        return true;
      }
      for (const ir::NodeId n : *refused) region[n] = kFixed;
    }
  }

  // The changed nodes that their codegens do not claim as they did.
  Result<std::vector<ir::NodeId>> ask_again(const Editable& edit, const std::vector<NodePlacement>& nodes) {
    std::vector<ir::NodeId> refused;
    std::vector<ir::NodeId> live;
    for (ir::NodeId n = 0; n < nodes.size(); ++n)
      if (!edit.moved.absorbed.contains(n)) live.push_back(n);
    for (std::size_t c = 0; c < codegens_.size(); ++c) {
      const auto is_own = [&](ir::NodeId n) { return nodes[n].codegen == c; };
      if (std::none_of(edit.changed.begin(), edit.changed.end(), is_own)) continue;
      const plugin::BoundRegion whole = plugin::make_region(edit.graph(), live, edit.graph().name);
      const std::vector<codegen::Verdict> verdicts = codegens_[c]->verdicts(whole.region, target_);
      if (verdicts.size() != live.size())
        return diags_.error(edit.graph().file, std::string(codegens_[c]->id()),
                            "the codegen does not give one verdict for each node", std::to_string(verdicts.size()),
                            std::to_string(live.size()));
      for (std::size_t i = 0; i < live.size(); ++i) {
        if (!is_own(live[i]) || !edit.changed.contains(live[i])) continue;
        const codegen::Verdict& before = nodes[live[i]].verdicts[c];
        const codegen::Verdict& now = verdicts[i];
        const bool same = now.claimed && (now.exactness == codegen::Exactness::exact ||
                                          (now.exactness == before.exactness && now.tolerance <= before.tolerance));
        if (!same) refused.push_back(live[i]);
      }
    }
    return refused;
  }

  // The graph as it is now, its regions bound to it.
  void commit(Editable edit, const std::vector<RewriteSummary>& told, const ir::Graph& original, ir::Graph& graph) {
    for (std::size_t i = 0; i < told.size(); ++i) {
      out_.summary[i].count += told[i].count;
      out_.summary[i].macs += told[i].macs;
      out_.summary[i].constant_bytes += told[i].constant_bytes;
      out_.summary[i].tensor_bytes += told[i].tensor_bytes;
    }
    follow_channels(original, edit);
    const Moved& moved = out_.moved[&graph] = std::move(edit.moved);
    graph = std::move(edit).take();
    plugin::RegionMaker regions(graph);
    for (PlacedRegion& r : out_.partition.regions) {
      if (r.bound.graph != &original) continue;
      std::vector<ir::NodeId> nodes = r.bound.nodes;
      std::erase_if(nodes, [&](ir::NodeId n) { return moved.absorbed.contains(n); });
      plugin::BoundRegion now = regions.make(nodes, r.bound.region.name);
      now.order = r.bound.order;
      now.region.groups = r.bound.region.groups;
      for (codegen::GrantedGroup& g : now.region.groups)
        for (codegen::NodeId& n : g.nodes)
          n = static_cast<codegen::NodeId>(std::lower_bound(nodes.begin(), nodes.end(), r.bound.nodes[n]) -
                                           nodes.begin());
      r.bound = std::move(now);
    }
  }

  // A value that lost channels holds no longer what its aliases were: they have lost them, too.
  static void follow_channels(const ir::Graph& original, Editable& edit) {
    Moved& moved = edit.moved;
    for (auto& [alias, of] : moved.aliases) {
      for (auto next = moved.aliases.find(of); next != moved.aliases.end(); next = moved.aliases.find(of))
        of = next->second;
      const auto lost = moved.channels.find(of);
      if (lost == moved.channels.end()) continue;
      const ChannelMap& map = lost->second;
      const auto along = reshape_channels(*original.values[of].type.dims, map.axis, *original.values[alias].type.dims);
      if (!along) {
        moved.fused[alias] = of;
        continue;
      }
      ChannelMap own{static_cast<std::uint32_t>(along->axis), {}, {}};
      std::int64_t next = 0;
      for (const std::int64_t c : along->channels) {
        const auto channel = static_cast<std::size_t>(c);
        own.stored.push_back(map.stored[channel] < 0 ? -1 : next++);
        own.constant.push_back(map.constant[channel]);
      }
      ir::TensorType type = edit.type(alias);
      (*type.dims)[along->axis] = next;
      edit.set_type(alias, std::move(type));
      moved.channels[alias] = std::move(own);
    }
    std::erase_if(moved.aliases, [&](const auto& alias) { return moved.fused.contains(alias.first); });
  }

  const Partition& placed_;
  std::span<codegen::Codegen* const> codegens_;
  const TargetSpec& target_;
  Optimised& out_;
  Diagnostics& diags_;
  std::vector<bool> enabled_;
};

}  // namespace

std::span<const std::string_view> rewrite_names() { return kNames; }

Result<Optimised> rewrite(const ir::Graph& graph, const Partition& partition,
                          std::span<codegen::Codegen* const> codegens, const TargetSpec& target, const Options& options,
                          Diagnostics& diags) {
  if (!check_names(options, diags)) return failure;
  const auto copy = std::make_shared<ir::Graph>(graph);
  ir::own_bodies(*copy);
  Optimised out{copy, partition, {}, {}};
  out.partition.bodies.clear();
  if (!Stage(partition, codegens, target, options, out, diags).run(graph, *copy, partition.nodes)) return failure;
  std::erase_if(out.summary, [](const RewriteSummary& s) { return s.count == 0; });
  return out;
}

}  // namespace byoc::optimise
