#include "sdk/export/executors/islands.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sdk/codegen/codegen/region.hpp"
#include "sdk/codegen/partition/cheapest.hpp"
#include "sdk/codegen/partition/place.hpp"
#include "sdk/model/ir/control.hpp"
#include "sdk/model/prepare/prepare.hpp"

namespace byoc {
namespace {

using bytecode::NodeOf;

// The reasons of all codegens that do not take the node.
std::string refusals(const Offers& offers, const Job& job, ir::NodeId n) {
  std::string out;
  for (std::size_t c = 0; c < offers.verdicts.size(); ++c)
    out += (out.empty() ? "" : "; ") + std::string(job.codegens[c]->id()) + ": " + offers.verdicts[c][n].text;
  return out;
}

// Why nobody takes each node; "" where somebody does. An If, Loop or Scan is taken where all nodes of its bodies are.
Result<std::vector<std::string>> reasons(const ir::Graph& graph, const Job& job, Diagnostics& diags) {
  const auto offers =
      ask(graph, plugin::make_region(graph).region, job.codegens, job.target, job.request.partition, diags);
  if (!offers) return failure;
  std::vector<std::string> out;
  for (ir::NodeId n = 0; n < graph.nodes.size(); ++n) out.push_back(refusals(*offers, job, n));
  for (const auto& verdicts : offers->verdicts)
    for (ir::NodeId n = 0; n < out.size(); ++n)
      if (verdicts[n].claimed) out[n].clear();
  for (const auto& groups : offers->groups)
    for (const codegen::Group& group : groups)
      for (const codegen::NodeId n : group.nodes) out[n].clear();
  for (ir::NodeId n = 0; n < out.size(); ++n) {
    if (!ir::is_control(graph.nodes[n])) continue;
    out[n].clear();
    for (const auto& body : ir::bodies(graph.nodes[n])) {
      const auto inside = reasons(*body, job, diags);
      if (!inside) return failure;
      for (const std::string& why : *inside)
        if (out[n].empty()) out[n] = why;
    }
  }
  return out;
}

// The codegen that compiles a node with open dims; if there is none, the reason.
struct OpenOffer {
  std::optional<std::size_t> codegen = {};
  std::string why = {};
};

// The offers for each node of a graph of open nodes.
Result<std::vector<OpenOffer>> ask_open(const ir::Graph& graph, const Job& job, Diagnostics& diags) {
  std::vector<OpenOffer> out(graph.nodes.size());
  if (graph.nodes.empty()) return out;
  const codegen::Region region = plugin::make_region(graph).region;
  Offers offers;
  offers.groups.resize(job.codegens.size());  // each node is a region of its own
  for (std::size_t c = 0; c < job.codegens.size(); ++c) {
    if (!job.codegens[c]->takes_open_dims()) {
      offers.verdicts.emplace_back(out.size(), codegen::Verdict{.text = "takes no dims that only a run knows"});
      continue;
    }
    auto own = ask(graph, region, job.codegens.subspan(c, 1), job.target, job.request.partition, diags);
    if (!own) return failure;
    offers.verdicts.push_back(std::move(own->verdicts[0]));
  }
  PartitionOptions wanted = job.request.partition;
  std::erase_if(wanted.pins, [&](const Pin& pin) { return !fits(pin, graph); });
  keep_cheapest(graph, job.codegens, {}, wanted, offers);  // what borders cost only a run knows
  const auto owners = choose(graph, job.codegens, offers, wanted, diags);
  if (!owners) return failure;
  for (ir::NodeId n = 0; n < out.size(); ++n) out[n] = {(*owners)[n], refusals(offers, job, n)};
  return out;
}

// Nodes that are evaluated: those of the graph that are not compiled, and of their bodies. Errors: those that the user
// sends to a codegen.
void add_interpreted(const ir::Graph& graph, const std::map<NodeOf, std::string>& asked, const std::vector<Pin>& pins,
                     std::vector<InterpretedNode>& out, Diagnostics& diags) {
  for (ir::NodeId n = 0; n < graph.nodes.size(); ++n) {
    const ir::Node& node = graph.nodes[n];
    const auto known = asked.find({&graph, n});
    if (known != asked.end() && known->second.empty()) continue;
    out.push_back({node.describe(), known == asked.end() ? "its types are known only when it runs" : known->second});
    const auto names_it = [&](const Pin& pin) { return !ir::is_control(node) && names_node(pin, node); };
    if (std::any_of(pins.begin(), pins.end(), names_it))
      diags.error(graph.file, node.describe(), "is pinned to a codegen, and none takes it: " + out.back().why);
    for (const auto& body : ir::bodies(node)) add_interpreted(*body, asked, pins, out, diags);
  }
}

// The partition of a model that is compiled as a whole; nullopt for any other.
std::optional<Partition> partition_as_one(const ir::Graph& graph, const Job& job, Diagnostics& diags) {
  for (const ir::Value& v : graph.values)
    if (!v.type.is_static()) return std::nullopt;
  for (const ir::Node& node : graph.nodes)
    if (!bytecode::is_static(graph, node)) return std::nullopt;
  Diagnostics own;
  auto placed = make_partition(graph, job.codegens, job.target, job.request.partition, own);
  if (!placed) return std::nullopt;
  for (const Diagnostic& d : own.all()) diags.add(d);
  return std::move(*placed);
}

}  // namespace

Result<Islands> make_islands(const ir::Graph& graph, const Job& job, Diagnostics& diags) {
  if (auto whole = partition_as_one(graph, job, diags))
    return Islands{bytecode::lower_whole(graph), {}, {}, std::move(whole)};
  const ir::Graph& literal = graph.literal ? *graph.literal : graph;
  const auto every = [](const NodeOf&) { return true; };
  const bytecode::Lowered all = bytecode::lower(literal, every, every);
  const auto why = reasons(all.compiled, job, diags);
  const auto offers = ask_open(all.open, job, diags);
  if (!why || !offers) return failure;
  std::map<NodeOf, std::string> asked;
  std::map<NodeOf, std::size_t> owners;
  for (std::size_t n = 0; n < all.origins.size(); ++n) asked[all.origins[n]] = (*why)[n];
  for (std::size_t n = 0; n < all.open_origins.size(); ++n) {
    const OpenOffer& offer = (*offers)[n];
    asked[all.open_origins[n]] = offer.codegen ? "" : "its dims are known only when it runs: " + offer.why;
    if (offer.codegen) owners[all.open_origins[n]] = *offer.codegen;
  }
  const auto is_taken = [&](const NodeOf& n) { return asked.at(n).empty(); };
  Islands out{bytecode::lower(literal, is_taken, is_taken), {}, {}, {}};
  for (const NodeOf& n : out.lowered.open_origins) {
    const std::size_t owner = owners.at(n);
    out.lowered.open_codegens.push_back(owner);
    out.open.push_back({n.graph->nodes[n.node].describe(), std::string(job.codegens[owner]->id())});
  }
  const std::size_t before = diags.errors();
  add_interpreted(literal, asked, job.request.partition.pins, out.interpreted, diags);
  if (diags.errors() != before) return failure;
  PrepareOptions prepared;
  prepared.fold_limit = literal.fold_limit;
  if (!prepare(out.lowered.compiled, prepared, diags)) return failure;
  return out;
}

}  // namespace byoc
