// Checks of the answers to the first question.
#include <algorithm>
#include <cmath>

#include "sdk/app/check/context.hpp"
#include "sdk/target/target/target.hpp"

namespace byoc::check {
namespace {

// Nodes that no importer makes, or that a later byoc may.
codegen::Region strange_region() {
  codegen::Region r;
  r.name = "strange \"nodes\" */ \n";
  const auto value = [&](DType dtype, std::vector<std::int64_t> dims) {
    codegen::Value v;
    v.name = r.values.size() % 2 == 0 ? "" : std::string("\xff %s \0 x", 9);
    v.dtype = dtype;
    v.dims = std::move(dims);
    r.values.push_back(std::move(v));
    return static_cast<codegen::ValueId>(r.values.size() - 1);
  };
  const codegen::ValueId x = value(DType::f32, {2, 3}), scalar = value(DType::f32, {}), none = value(DType::i64, {0});
  r.inputs = {x, scalar, none};
  const auto node = [&](std::string domain, std::string op, std::vector<codegen::ValueId> inputs, bool wanted = true) {
    codegen::Node n;
    n.domain = std::move(domain);
    n.op = std::move(op);
    n.inputs = std::move(inputs);
    n.outputs = {wanted ? value(DType::f32, {2, 3}) : codegen::kNoValue};
    r.nodes.push_back(std::move(n));
  };
  node("com.future", "Fold", {x, scalar, none});
  node("byoc", "NotYetInvented", {x});
  node("", "NotAnOperatorOfOnnx", {x, codegen::kNoValue, x});
  node("", "", {});
  node("ai.onnx.ml", "TreeEnsemble", {}, false);
  r.nodes[0].attributes["unheard_of"] = std::vector<std::string>{"a", ""};
  for (const codegen::Node& n : r.nodes)
    if (n.outputs[0] != codegen::kNoValue) r.outputs.push_back(n.outputs[0]);
  return r;
}

class VerdictCheck {
 public:
  VerdictCheck(Context& c, const plugin::Plugin& plugin, const codegen::Region& region, const std::string& name)
      : c_(c), plugin_(plugin), region_(region), name_(name) {}

  void check(const Probe& p, bool strange) {
    std::vector<std::size_t> count(region_.nodes.size(), 0);
    for (const ToldVerdict& t : p.told) {
      if (t.verdict.node >= count.size()) {
        add("V1", "a verdict on a node that does not exist", std::to_string(t.verdict.node));
        continue;
      }
      ++count[t.verdict.node];
      one(t, "node " + std::to_string(t.verdict.node) + " (" + region_.nodes[t.verdict.node].op + ")");
      if (strange && t.verdict.claimed == 1)
        add("V2", "it claims an operator that does not exist", region_.nodes[t.verdict.node].op, "a refusal");
    }
    for (std::size_t n = 0; n < count.size(); ++n)
      if (count[n] != 1)
        add("V1", "node " + std::to_string(n) + " (" + region_.nodes[n].op + ") has no verdict of its own",
            std::to_string(count[n]) + " verdicts", "1");
    for (const ToldGroup& g : p.groups) group(g);
  }

  // Checks the verdicts of a plug-in that was given these matches of its own patterns.
  void check_matches(const Probe& p, std::span<const codegen::Match> matches) {
    for (const codegen::Match& m : matches) {
      const auto in_match = [&](codegen::NodeId n) {
        return std::find(m.nodes.begin(), m.nodes.end(), n) != m.nodes.end();
      };
      const bool offered = std::any_of(p.groups.begin(), p.groups.end(), [&](const ToldGroup& g) {
        return std::any_of(g.nodes.begin(), g.nodes.end(), in_match);
      });
      for (const ToldVerdict& t : p.told)
        if (!offered && in_match(t.verdict.node) && t.verdict.claimed == 0 && t.verdict.reason == BYOC_REASON_OP)
          add("V9",
              region_.nodes[t.verdict.node].op + " is refused as an operator that it does not have, and pattern " +
                  std::to_string(m.pattern) + " of its own has it",
              "'" + t.text + "'", "a group, a claim, or the reason why this match is none for it");
    }
  }

 private:
  void add(const std::string& requirement, const std::string& message, const std::string& found = {},
           const std::string& expected = {}) {
    c_.add(requirement, name_ + ": " + message, found, expected);
  }

  void one(const ToldVerdict& t, const std::string& what) {
    const byoc_verdict_t& v = t.verdict;
    if (v.struct_size == 0) return add("E5", what + ": the verdict is no struct");
    if (v.claimed > 1) add("V1", what + " is neither claimed nor refused", std::to_string(v.claimed), "0 or 1");
    if (v.claimed == 0) {
      if (t.text.empty()) add("V2", what + " is refused without a text");
      if (v.reason == BYOC_REASON_NONE) add("V2", what + " is refused without a reason", t.text);
    } else if (v.reason != BYOC_REASON_NONE) {
      add("V2", what + " is claimed, with a reason to refuse it", std::to_string(v.reason), "BYOC_REASON_NONE");
    }
    if (v.reason > BYOC_REASON_GROUP && v.reason < BYOC_REASON_VENDOR)
      add("V2", what + " has an unknown reason", std::to_string(v.reason));
    if (v.exactness > BYOC_RELATIVE) add("V4", what + " has an unknown exactness", std::to_string(v.exactness));
    if (!(v.tolerance >= 0) || !std::isfinite(v.tolerance))
      add("V4", what + " has a tolerance that is none", std::to_string(v.tolerance));
    if (v.exactness == BYOC_EXACT && v.tolerance > 0)
      add("V4", what + " is exact, with a tolerance", std::to_string(v.tolerance), "0");
    if (!(v.cost >= 0) || !std::isfinite(v.cost)) add("V4", what + " has a cost that is none", std::to_string(v.cost));
  }

  void group(const ToldGroup& g) {
    if (g.nodes.empty()) return add("V6", "a group without nodes");
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
      if (g.nodes[i] >= region_.nodes.size())
        return add("V6", "a group has a node that does not exist", std::to_string(g.nodes[i]));
      if (i > 0 && g.nodes[i] <= g.nodes[i - 1])
        return add("V6", "the nodes of a group do not ascend",
                   std::to_string(g.nodes[i - 1]) + ", " + std::to_string(g.nodes[i]));
    }
    if (g.pattern != BYOC_NONE && g.pattern >= plugin_.table.pattern_count)
      add("V6", "a group is of a pattern that is not declared", std::to_string(g.pattern));
    if (g.verdict.verdict.claimed != 1) add("V6", "a group is offered and not claimed");
    one(g.verdict, "a group from node " + std::to_string(g.nodes[0]) + " on");
  }

  Context& c_;
  const plugin::Plugin& plugin_;
  const codegen::Region& region_;
  const std::string& name_;
};

void check_verdicts(Context& c) {
  const auto plugin = c.load();
  if (!plugin) return;
  Probe probe(*plugin, c.options.target, c.option_values(*plugin), {}, c.stage, c.findings, c.check);
  if (probe.create() != BYOC_OK) return c.add("O2", "it creates no codegen");
  std::size_t nodes = 0, claimed = 0;
  const auto ask = [&](const codegen::Region& region, std::span<const codegen::Match> matches, const std::string& name,
                       bool strange) {
    probe.doing = name;
    for (int round = 0; round < (matches.empty() ? 1 : 2); ++round) {
      const byoc_status_t status = probe.verdicts(region, round == 0 ? std::span<const codegen::Match>() : matches);
      if (status != BYOC_OK)
        return c.add("V1", name + ": it gives no verdicts",
                     probe.errors.empty() ? "status " + std::to_string(status) : probe.errors[0]);
      VerdictCheck check(c, *plugin, region, name);
      check.check(probe, strange);
      if (round != 0) check.check_matches(probe, matches);
    }
    nodes += region.nodes.size();
    for (const ToldVerdict& t : probe.told) claimed += t.verdict.claimed == 1 ? 1 : 0;
  };
  for (const auto* list : {&c.corpus.any, &c.corpus.claimed})
    for (const Case& one : *list) ask(plugin::make_region(one.graph).region, one.matches, one.name, false);
  const codegen::Region strange = strange_region();
  ask(strange, {}, "nodes that do not exist", true);
  codegen::Region empty;
  ask(empty, {}, "a graph without nodes", false);
  c.findings.note(c.check, std::to_string(nodes) + " nodes, " + std::to_string(claimed) + " claimed");
}

void check_targets(Context& c) {
  const auto plugin = c.load();
  if (!plugin) return;
  constexpr std::size_t kGraphs = 10;
  for (const TargetSpec& target : known_targets()) {
    Probe probe(*plugin, target, c.option_values(*plugin), {}, c.stage, c.findings, c.check);
    probe.doing = "a codegen for " + target.name;
    // It may refuse a target; failing without a reason is told by the probe.
    if (probe.create() != BYOC_OK) continue;
    const auto& graphs = c.corpus.claimed.empty() ? c.corpus.any : c.corpus.claimed;
    for (std::size_t i = 0; i < std::min(kGraphs, graphs.size()); ++i) {
      const codegen::Region region = plugin::make_region(graphs[i].graph).region;
      probe.doing = graphs[i].name + " for " + target.name;
      if (probe.verdicts(region) != BYOC_OK)
        c.add("V5", probe.doing + ": it gives no verdicts", probe.errors.empty() ? "no reason" : probe.errors[0]);
    }
  }
  c.findings.note(c.check, std::to_string(known_targets().size()) + " targets");
}

}  // namespace

std::vector<Unit> verdict_units() {
  using Gate = Unit::Gate;
  return {
      {{{"verdicts", "verdicts", "V1 V2 V4 V6 V9", "every node has one verdict, with reason and text"}},
       Gate::lives,
       true,
       check_verdicts},
      {{{"targets", "verdicts", "V5", "it has verdicts for every known target"}},
       Gate::none,
       true,
       check_targets,
       "V5"},
  };
}

}  // namespace byoc::check
