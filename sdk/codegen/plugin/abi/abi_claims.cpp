#include "sdk/codegen/plugin/abi/abi_claims.hpp"

#include <algorithm>

#include "sdk/codegen/plugin/abi/abi_read.hpp"
#include "sdk/codegen/plugin/abi/abi_tables.hpp"
#include "sdk/codegen/plugin/abi/abi_values.hpp"

namespace byoc::plugin {

ClaimsTable::ClaimsTable(const Plugin& plugin, std::size_t patterns, Refuse refuse)
    : table(make_struct<byoc_claims_t>()), plugin_(plugin), patterns_(patterns), refuse_(std::move(refuse)) {
  table.context = this;
  table.node = [](const byoc_claims_t* c, const byoc_verdict_t* v) { return of(c).add(v); };
  table.group = [](const byoc_claims_t* c, const std::uint32_t* nodes, std::uint32_t count, std::uint32_t pattern,
                   const byoc_verdict_t* v) { return of(c).add_group(nodes, count, pattern, v); };
}

void ClaimsTable::begin(std::size_t nodes) {
  asking_ = true;
  verdicts_.assign(nodes, {});
  answered_.assign(nodes, false);
  groups_.clear();
}

void ClaimsTable::clear() {
  verdicts_.clear();
  groups_.clear();
}

void ClaimsTable::expect_all(const codegen::Region& model) {
  const auto missing = static_cast<std::size_t>(std::count(answered_.begin(), answered_.end(), false));
  if (missing == 0) return;
  const auto n = static_cast<std::size_t>(std::find(answered_.begin(), answered_.end(), false) - answered_.begin());
  refuse_("gave no verdict on node " + std::to_string(n) + " (" + model.nodes[n].op + " '" + model.nodes[n].name +
              "')" + (missing == 1 ? "" : " (and " + std::to_string(missing - 1) + " more)"),
          {}, {});
}

void ClaimsTable::drop_newer(const codegen::Region& model) {
  const std::uint32_t known = plugin_.table.operators_version;
  std::vector<bool> newer(model.nodes.size(), false);
  for (codegen::NodeId n = 0; n < model.nodes.size(); ++n) {
    const codegen::Node& node = model.nodes[n];
    if (node.domain != "byoc" || node.version <= std::int64_t{known}) continue;
    verdicts_[n] = {false, codegen::Reason::unsupported_op,
                    "it knows version " + std::to_string(known) + " of domain 'byoc', this is version " +
                        std::to_string(node.version)};
    newer[n] = answered_[n] = true;
  }
  std::erase_if(groups_, [&](const codegen::Group& g) {
    return std::any_of(g.nodes.begin(), g.nodes.end(), [&](codegen::NodeId n) { return newer[n]; });
  });
}

byoc_status_t ClaimsTable::refuse(const std::string& message, const std::string& found, const std::string& expected) {
  refuse_(message, found, expected);
  return BYOC_INVALID_ARGUMENT;
}

byoc_status_t ClaimsTable::refuse(const BrokenRule& rule) { return refuse(rule.what, rule.found, rule.expected); }

byoc_status_t ClaimsTable::add(const byoc_verdict_t* from) {
  if (!asking_) return BYOC_WRONG_STATE;
  NodeVerdict told;
  if (const Fault fault = read(from, told)) return refuse(*fault);
  const codegen::NodeId node = told.node;
  if (node >= verdicts_.size())
    return refuse("gave a verdict on a node that does not exist", std::to_string(node),
                  "less than " + std::to_string(verdicts_.size()));
  if (answered_[node]) return refuse("gave two verdicts on node " + std::to_string(node));
  answered_[node] = true;
  verdicts_[node] = std::move(told.verdict);
  return BYOC_OK;
}

byoc_status_t ClaimsTable::add_group(const std::uint32_t* nodes, std::uint32_t count, std::uint32_t pattern,
                                     const byoc_verdict_t* from) {
  if (!asking_) return BYOC_WRONG_STATE;
  NodeVerdict told;
  if (const Fault fault = read(from, told)) return refuse(*fault);
  codegen::Group group;
  group.verdict = std::move(told.verdict);
  if (!group.verdict.claimed) return refuse("offered a group that it does not claim");
  if (count == 0 || count > verdicts_.size() || nodes == nullptr) return refuse("offered a group of nothing");
  group.nodes.assign(nodes, nodes + count);
  for (std::size_t i = 0; i < group.nodes.size(); ++i)
    if (group.nodes[i] >= verdicts_.size() || (i != 0 && group.nodes[i] <= group.nodes[i - 1]))
      return refuse("offered a group whose nodes do not exist or do not ascend");
  if (pattern != BYOC_NONE && pattern >= patterns_)
    return refuse("offered a group of a pattern that it did not declare", std::to_string(pattern));
  group.pattern = pattern;
  groups_.push_back(std::move(group));
  return BYOC_OK;
}

}  // namespace byoc::plugin
