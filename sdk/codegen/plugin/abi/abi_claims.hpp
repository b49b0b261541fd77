// A plug-in's answers to a request for its claims: a verdict on every node, and groups of nodes.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "byoc/codegen.hpp"
#include "sdk/codegen/codegen/artifact_rules.hpp"
#include "sdk/codegen/plugin/abi/negotiate.hpp"

namespace byoc::plugin {

// The table that the plug-in answers through. It is held by its address, so it never moves; `plugin` must outlive it.
class ClaimsTable {
 public:
  using Refuse = std::function<void(const std::string& message, const std::string& found, const std::string& expected)>;
  // `refuse` is told what is wrong with an answer.
  ClaimsTable(const Plugin& plugin, std::size_t patterns, Refuse refuse);
  ClaimsTable(const ClaimsTable&) = delete;
  ClaimsTable& operator=(const ClaimsTable&) = delete;

  // Begins to accept answers on `nodes` nodes, until end(). Earlier answers are forgotten.
  void begin(std::size_t nodes);
  void end() { asking_ = false; }

  // Removes claims for features that are newer than the plug-in.
  void drop_newer(const codegen::Region& model);
  // Every node has a verdict, or that is refused.
  void expect_all(const codegen::Region& model);
  void clear();

  [[nodiscard]] std::vector<codegen::Verdict> take_verdicts() { return std::move(verdicts_); }
  [[nodiscard]] std::vector<codegen::Group> take_groups() { return std::move(groups_); }

  byoc_claims_t table;

 private:
  static ClaimsTable& of(const byoc_claims_t* c) { return *static_cast<ClaimsTable*>(c->context); }
  byoc_status_t add(const byoc_verdict_t* from);
  byoc_status_t add_group(const std::uint32_t* nodes, std::uint32_t count, std::uint32_t pattern,
                          const byoc_verdict_t* from);
  byoc_status_t refuse(const std::string& message, const std::string& found = {}, const std::string& expected = {});
  byoc_status_t refuse(const BrokenRule& rule);

  const Plugin& plugin_;
  const std::size_t patterns_;
  const Refuse refuse_;
  bool asking_ = false;
  std::vector<codegen::Verdict> verdicts_;
  std::vector<bool> answered_;
  std::vector<codegen::Group> groups_;
};

}  // namespace byoc::plugin
