#include "sdk/export/executors/islands.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "sdk/codegen/codegen/region.hpp"
#include "sdk/codegen/partition/asked.hpp"
#include "sdk/codegen/partition/cheapest.hpp"
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

// The reasons why no codegen takes each node; "" where one does. An If, Loop or Scan is taken where all nodes of its
// bodies are.
std::vector<std::string> reasons(const ir::Graph& graph, const AllOffers& all, const Job& job) {
  const Offers& offers = all.at(&graph);
  std::vector<std::string> out;
  for (ir::NodeId n = 0; n < graph.nodes.size(); ++n) out.push_back(refusals(offers, job, n));
  for (const auto& verdicts : offers.verdicts)
    for (ir::NodeId n = 0; n < out.size(); ++n)
      if (verdicts[n].claimed) out[n].clear();
  for (const auto& groups : offers.groups)
    for (const codegen::Group& group : groups)
      for (const codegen::NodeId n : group.nodes) out[n].clear();
  for (ir::NodeId n = 0; n < out.size(); ++n) {
    if (!ir::is_control(graph.nodes[n])) continue;
    out[n].clear();
    for (const auto& body : ir::bodies(graph.nodes[n]))
      for (const std::string& why : reasons(*body, all, job))
        if (out[n].empty()) out[n] = why;
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
      diags.error(graph.file, node.describe(), "is pinned to a codegen, and no codegen supports it: " + out.back().why);
    for (const auto& body : ir::bodies(node)) add_interpreted(*body, asked, pins, out, diags);
  }
}

// True if all types of the model are known, so that it may be compiled as a whole.
bool may_be_whole(const ir::Graph& graph) {
  return std::ranges::all_of(graph.values, [](const ir::Value& v) { return v.type.is_static(); }) &&
         std::ranges::all_of(graph.nodes, [&](const ir::Node& node) { return bytecode::is_static(graph, node); });
}

// The partition of a model that is compiled as a whole; nullopt for any other.
std::optional<Partition> partition_as_one(const ir::Graph& graph, const Asked& asked, const Job& job,
                                          Diagnostics& diags) {
  Diagnostics own;
  auto placed = place_asked(graph, asked, job.codegens, job.target, job.request.partition, own);
  if (!placed) return std::nullopt;
  for (const Diagnostic& d : own.all()) diags.add(d);
  return std::move(*placed);
}

std::vector<ir::NodeId> nodes_of(const std::vector<NodeOf>& list) {
  std::vector<ir::NodeId> out;
  for (const NodeOf& n : list) out.push_back(n.node);
  return out;
}

// The offers for everything that can be compiled: parts of `graph`, about which codegens may have been asked already.
Result<AllOffers> ask_about(const bytecode::Lowered& all, const ir::Graph& graph, std::optional<Asked> asked,
                            const Job& job, Diagnostics& diags) {
  if (asked && !graph.literal) {
    Offers own = offers_for(asked->offers.at(&graph), nodes_of(all.origins));
    asked->offers.insert_or_assign(&all.compiled, std::move(own));
  } else {
    asked.reset();
    auto anew = ask_codegens(all.compiled, job.codegens, job.target, job.request.partition, diags);
    if (!anew) return failure;
    asked = std::move(*anew);
  }
  return std::move(asked->offers);
}

bool same_bytes(const Blob& a, const Blob& b) { return a.data() == b.data() && a.size() == b.size(); }

// True if codegens are asked the same about both: equal nodes on values of equal types, and the same constants. The
// graphs share what preparing left alone; an attribute that is a tensor or a graph counts as changed.
bool ask_the_same(const ir::Graph& a, const ir::Graph& b) {
  const auto equal_values = [](const ir::Value& x, const ir::Value& y) {
    return x.type == y.type && x.constant.has_value() == y.constant.has_value() &&
           (!x.constant || same_bytes(x.constant->bytes, y.constant->bytes));
  };
  const auto equal_attributes = [](const auto& x, const auto& y) {
    return x.first == y.first && x.second.index() == y.second.index() &&
           std::visit(
               [&]<class T>(const T& value) {
                 if constexpr (std::is_same_v<T, ir::Tensor> || std::is_same_v<T, std::shared_ptr<ir::Graph>>)
                   return false;
                 else
                   return value == std::get<T>(y.second);
               },
               x.second);
  };
  const auto equal_nodes = [&](const ir::Node& x, const ir::Node& y) {
    return x.is(y.domain, y.op) && x.version == y.version && x.inputs == y.inputs && x.outputs == y.outputs &&
           std::ranges::equal(x.attributes, y.attributes, equal_attributes);
  };
  return a.inputs == b.inputs && a.outputs == b.outputs && std::ranges::equal(a.nodes, b.nodes, equal_nodes) &&
         std::ranges::equal(a.values, b.values, equal_values);
}

// Prepares the compiled graph. The offers for it are those for its nodes in `all`, if that changes nothing.
Result<void> prepare_compiled(const ir::Graph& literal, const bytecode::Lowered& all, const Offers& offers,
                              Islands& out, Diagnostics& diags) {
  const ir::Graph before = out.lowered.compiled;
  PrepareOptions prepared;
  prepared.fold_limit = literal.fold_limit;
  if (!prepare(out.lowered.compiled, prepared, diags)) return failure;
  if (!ask_the_same(before, out.lowered.compiled)) return {};
  std::map<NodeOf, ir::NodeId> position;
  for (ir::NodeId n = 0; n < all.origins.size(); ++n) position.emplace(all.origins[n], n);
  std::vector<ir::NodeId> nodes;
  for (const NodeOf& n : out.lowered.origins) nodes.push_back(position.at(n));
  out.offers = offers_for(offers, nodes);
  return {};
}

}  // namespace

Result<Islands> make_islands(const ir::Graph& graph, const Job& job, Diagnostics& diags) {
  std::optional<Asked> known;
  if (may_be_whole(graph)) {
    auto asked = ask_codegens(graph, job.codegens, job.target, job.request.partition, diags);
    if (!asked) return failure;
    if (auto whole = partition_as_one(graph, *asked, job, diags))
      return Islands{bytecode::lower_whole(graph), {}, {}, std::move(whole)};
    known = std::move(*asked);
  }
  const ir::Graph& literal = graph.literal ? *graph.literal : graph;
  const auto every = [](const NodeOf&) { return true; };
  const bytecode::Lowered all = bytecode::lower(literal, every, every);
  const auto compiled = ask_about(all, graph, std::move(known), job, diags);
  if (!compiled) return failure;
  const auto open = ask_open(all.open, job, diags);
  if (!open) return failure;
  const std::vector<std::string> why = reasons(all.compiled, *compiled, job);
  std::map<NodeOf, std::string> asked;
  std::map<NodeOf, std::size_t> owners;
  for (std::size_t n = 0; n < all.origins.size(); ++n) asked[all.origins[n]] = why[n];
  for (std::size_t n = 0; n < all.open_origins.size(); ++n) {
    const OpenOffer& offer = (*open)[n];
    asked[all.open_origins[n]] = offer.codegen ? "" : "its dims are known only when it runs: " + offer.why;
    if (offer.codegen) owners[all.open_origins[n]] = *offer.codegen;
  }
  const auto is_taken = [&](const NodeOf& n) { return asked.at(n).empty(); };
  Islands out{bytecode::lower(literal, is_taken, is_taken), {}, {}};
  for (const NodeOf& n : out.lowered.open_origins) {
    const std::size_t owner = owners.at(n);
    out.lowered.open_codegens.push_back(owner);
    out.open.push_back({n.graph->nodes[n.node].describe(), std::string(job.codegens[owner]->id())});
  }
  const std::size_t before = diags.errors();
  add_interpreted(literal, asked, job.request.partition.pins, out.interpreted, diags);
  if (diags.errors() != before) return failure;
  if (!prepare_compiled(literal, all, compiled->at(&all.compiled), out, diags)) return failure;
  return out;
}

}  // namespace byoc
