#include "sdk/codegen/partition/asked.hpp"

#include <algorithm>

#include "sdk/model/ir/control.hpp"
#include "sdk/model/prepare/prepare.hpp"

namespace byoc {
namespace {

// Codegens are asked about tensors of numbers whose types are known, and about nothing else.
bool check_values(const ir::Graph& graph, Diagnostics& diags) {
  for (const ir::Node& node : graph.nodes)
    for (const auto* list : {&node.inputs, &node.outputs})
      for (const ir::ValueId v : *list) {
        if (v == ir::kNoValue || graph.values[v].type.is_static()) continue;
        diags.error(graph.file, node.describe(), "no codegen can be asked about a value like this",
                    to_string(graph.values[v].type, graph), "a tensor of numbers of a known type");
        return false;
      }
  return true;
}

bool ask_all(const ir::Graph& graph, std::span<codegen::Codegen* const> codegens, const TargetSpec& target,
             const PartitionOptions& options, AllOffers& out, Diagnostics& diags) {
  if (!check_values(graph, diags)) return false;
  auto offers = ask(graph, plugin::make_region(graph).region, codegens, target, options, diags);
  bool ok = bool(offers);
  if (offers) out.emplace(&graph, std::move(*offers));
  for (const ir::Node& node : graph.nodes)
    for (const auto& body : ir::bodies(node)) ok = ask_all(*body, codegens, target, options, out, diags) && ok;
  return ok;
}

// True for each node that some codegen offers to take.
std::vector<bool> offered(const ir::Graph& graph, const Offers& offers) {
  std::vector<bool> out(graph.nodes.size(), false);
  for (const std::vector<codegen::Verdict>& verdicts : offers.verdicts)
    for (ir::NodeId n = 0; n < out.size(); ++n) out[n] = out[n] || verdicts[n].claimed;
  for (const std::vector<codegen::Group>& groups : offers.groups)
    for (const codegen::Group& group : groups)
      for (codegen::NodeId n : group.nodes) out[n] = true;
  return out;
}

bool is_on_quantised_tensors(const ir::Graph& graph, const ir::Node& node) {
  const auto is_quantised = [&](ir::ValueId v) { return v != ir::kNoValue && graph.values[v].type.quantisation; };
  return std::any_of(node.inputs.begin(), node.inputs.end(), is_quantised) ||
         std::any_of(node.outputs.begin(), node.outputs.end(), is_quantised);
}

// Adds the nodes on quantised tensors that nobody takes, and what everybody says of them.
void find_unclaimed(const ir::Graph& graph, const AllOffers& all, SourceNodes& nodes, std::vector<LeftLiteral>& out) {
  const Offers& offers = all.at(&graph);
  const std::vector<bool> is_offered = offered(graph, offers);
  for (ir::NodeId n = 0; n < graph.nodes.size(); ++n) {
    const ir::Node& node = graph.nodes[n];
    for (const auto& body : ir::bodies(node)) find_unclaimed(*body, all, nodes, out);
    if (ir::is_control(node) || is_offered[n] || !is_on_quantised_tensors(graph, node)) continue;
    if (!nodes.insert(source_of(node)).second) continue;
    out.push_back({node.describe(), {}});
    for (const auto& verdicts : offers.verdicts) out.back().refusals.push_back(verdicts[n].text);
  }
}

}  // namespace

Result<Asked> ask_codegens(const ir::Graph& graph, std::span<codegen::Codegen* const> codegens,
                           const TargetSpec& target, const PartitionOptions& options, Diagnostics& diags) {
  Asked out;
  SourceNodes stay;
  // Each round leaves more operators as they are, so this ends.
  for (;;) {
    const ir::Graph& now = out.graph ? *out.graph : graph;
    if (!ask_all(now, codegens, target, options, out.offers, diags)) return failure;
    const std::size_t known = stay.size();
    if (now.literal) find_unclaimed(now, out.offers, stay, out.literal);
    if (stay.size() == known) return out;
    auto again = lift_again(graph, stay, diags);
    if (!again) return failure;
    out.offers.clear();
    out.graph = std::make_shared<const ir::Graph>(std::move(*again));
  }
}

Offers offers_for(const Offers& all, std::span<const ir::NodeId> nodes) {
  std::map<ir::NodeId, ir::NodeId> position;
  for (ir::NodeId n = 0; n < nodes.size(); ++n) position.emplace(nodes[n], n);
  Offers out;
  for (const std::vector<codegen::Verdict>& verdicts : all.verdicts)
    for (auto& own = out.verdicts.emplace_back(); const ir::NodeId n : nodes) own.push_back(verdicts[n]);
  for (const std::vector<codegen::Group>& groups : all.groups) {
    auto& own = out.groups.emplace_back();
    for (codegen::Group group : groups) {
      if (!std::ranges::all_of(group.nodes, [&](codegen::NodeId n) { return position.contains(n); })) continue;
      for (codegen::NodeId& n : group.nodes) n = position.at(n);
      std::ranges::sort(group.nodes);
      own.push_back(std::move(group));
    }
  }
  return out;
}

}  // namespace byoc
