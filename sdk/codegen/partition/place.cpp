#include "sdk/codegen/partition/place.hpp"

#include <algorithm>
#include <limits>

#include "sdk/base/support/nearest.hpp"
#include "sdk/codegen/partition/cheapest.hpp"
#include "sdk/codegen/partition/match.hpp"
#include "sdk/model/evaluate/evaluate.hpp"
#include "sdk/model/ir/control.hpp"
#include "sdk/model/ir/operators.hpp"

namespace byoc {
namespace {

constexpr std::size_t kNobody = SIZE_MAX;
constexpr std::uint32_t kUnnamed = 1u << 30;   // in the user's order: after all that are named
constexpr std::uint32_t kRest = kUnnamed + 1;  // takes what is left

// '*' stands for any text, '?' for one byte.
bool matches(std::string_view pattern, std::string_view text) {
  constexpr std::size_t kNone = std::string_view::npos;
  std::size_t p = 0, t = 0, star = kNone, taken = 0;  // the last '*' stands for the text up to `taken`
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      taken = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != kNone) {
      p = star + 1;
      t = ++taken;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == kNone;
}

}  // namespace

bool names_node(const Pin& pin, const ir::Node& node) {
  if (pin.node.starts_with("#")) return pin.node.substr(1) == std::to_string(node.position);
  if (pin.node.starts_with("op:")) return matches(pin.node.substr(3), node.op);
  return matches(pin.node, node.name);
}

namespace {

// An offer to take one node, or a group.
struct Candidate {
  std::size_t codegen = 0;
  std::vector<ir::NodeId> nodes;
  std::uint32_t pattern = codegen::kNoPattern;
  bool group = false;
  std::uint32_t order = kUnnamed;
  std::int32_t priority = 0;
  double cost = 0;  // of one node; infinite where it is not known
  std::string_view id;
  evaluate::Closeness closeness;
};

// The order of two candidates, and the criterion that decided it.
Decision compare(const Candidate& a, const Candidate& b, bool& first) {
  if (a.order != b.order) {
    first = a.order < b.order;
    return Decision::order;
  }
  if (a.priority != b.priority) {
    first = a.priority > b.priority;
    return Decision::priority;
  }
  if (a.cost != b.cost) {
    first = a.cost < b.cost;
    return Decision::cost;
  }
  first = a.id < b.id;
  return Decision::id;
}

class Placer {
 public:
  // Without a quotient only single nodes are placed.
  Placer(const ir::Graph& graph, std::span<codegen::Codegen* const> codegens, const Offers& offers,
         const PartitionOptions& options, Quotient* quotient, Diagnostics& diags)
      : graph_(graph), codegens_(codegens), offers_(offers), options_(options), quotient_(quotient), diags_(diags) {
    out_.owner.assign(graph.nodes.size(), kNobody);
    out_.decision.assign(graph.nodes.size(), Decision::only);
    out_.against.assign(graph.nodes.size(), kNobody);
    out_.closeness.resize(graph.nodes.size());
    winner_.assign(graph.nodes.size(), nullptr);
    other_.assign(graph.nodes.size(), nullptr);
    out_.verdicts = offers.verdicts;
    for (auto& verdicts : out_.verdicts)
      for (ir::NodeId n = 0; n < verdicts.size(); ++n)
        if (ir::is_control(graph.nodes[n]))
          verdicts[n] = {false, codegen::Reason::unsupported_op, "control flow is the executor's"};
  }

  Result<Placement> run() {
    if (!read_order() || !read_pins()) return failure;
    collect();
    for (const Candidate& c : candidates_) take(c);
    find_others();
    for (ir::NodeId n = 0; n < graph_.nodes.size(); ++n) explain(n);
    if (!ok_) return failure;
    return std::move(out_);
  }

  Result<std::vector<std::optional<std::size_t>>> choose() {
    if (!read_order() || !read_pins()) return failure;
    collect();
    for (const Candidate& c : candidates_) take(c);
    std::vector<std::optional<std::size_t>> out(graph_.nodes.size());
    for (ir::NodeId n = 0; n < out.size(); ++n) {
      if (out_.owner[n] != kNobody)
        out[n] = out_.owner[n];
      else if (pinned_[n] != kNobody)
        refuse(n);
    }
    if (!ok_) return failure;
    return out;
  }

 private:
  std::size_t find(const std::string& id) const {
    for (std::size_t c = 0; c < codegens_.size(); ++c)
      if (codegens_[c]->id() == id) return c;
    return kNobody;
  }

  void tell_unknown(const char* option, const std::string& id) {
    std::string known;
    std::vector<std::string> ids;
    for (const codegen::Codegen* c : codegens_) {
      ids.emplace_back(c->id());
      known += (known.empty() ? "" : ", ") + ids.back();
    }
    diags_.error({}, option, "there is no such codegen" + did_you_mean(id, ids), "'" + id + "'", known);
  }

  // "; did you mean X?" of a node's name, or of op:X.
  [[nodiscard]] std::string nearest_node(const std::string& asked) const {
    std::vector<std::string> names;
    for (const ir::Node& node : graph_.nodes) {
      names.push_back(node.name);
      names.push_back("op:" + node.op);
    }
    return did_you_mean(asked, names);
  }

  bool read_order() {
    for (const codegen::Codegen* c : codegens_)
      order_.push_back(c->role() == codegen::Role::reference ? kRest : kUnnamed);
    for (std::uint32_t i = 0; i < options_.prefer.size(); ++i) {
      if (options_.prefer[i] == kCheapest) continue;  // offers that are not are gone already
      const std::size_t c = find(options_.prefer[i]);
      if (c == kNobody) {
        tell_unknown("--prefer", options_.prefer[i]);
        return false;
      }
      order_[c] = std::min(order_[c], i);
    }
    return true;
  }

  bool read_pins() {
    pinned_.assign(graph_.nodes.size(), kNobody);
    bool ok = true;
    for (const Pin& pin : options_.pins) {
      const std::size_t c = find(pin.codegen);
      bool used = false;
      for (ir::NodeId n = 0; c != kNobody && n < graph_.nodes.size(); ++n)
        if (names_node(pin, graph_.nodes[n])) {
          used = true;
          pinned_[n] = c;
        }
      if (c == kNobody)
        tell_unknown("--pin", pin.codegen);
      else if (!used)
        diags_.error(graph_.file, "--pin", "no node has this name" + nearest_node(pin.node), "'" + pin.node + "'",
                     "a name with * and ?, #POSITION, or op:OPERATOR");
      ok = ok && used;
    }
    return ok;
  }

  Candidate candidate(std::size_t c, std::vector<ir::NodeId> nodes, const codegen::Verdict& v, bool group,
                      std::uint32_t pattern) const {
    Candidate out{
        c, std::move(nodes), pattern, group, order_[c], v.priority, v.cost, codegens_[c]->id(), evaluate::closeness(v)};
    out.cost = v.cost > 0 ? v.cost / static_cast<double>(out.nodes.size()) : std::numeric_limits<double>::infinity();
    return out;
  }

  void collect() {
    for (std::size_t c = 0; c < codegens_.size(); ++c) {
      for (const codegen::Group& g : offers_.groups[c]) {
        if (options_.require_exact && g.verdict.exactness != codegen::Exactness::exact) continue;
        candidates_.push_back(candidate(c, {g.nodes.begin(), g.nodes.end()}, g.verdict, true, g.pattern));
      }
      for (ir::NodeId n = 0; n < graph_.nodes.size(); ++n)
        if (out_.verdicts[c][n].claimed)
          candidates_.push_back(candidate(c, {n}, out_.verdicts[c][n], false, codegen::kNoPattern));
    }
    // The groups of a codegen keep their order, and come before its single nodes of the same rank.
    std::stable_sort(candidates_.begin(), candidates_.end(), [](const Candidate& a, const Candidate& b) {
      if (a.codegen == b.codegen)
        return std::pair(-std::int64_t{a.priority}, !a.group) < std::pair(-std::int64_t{b.priority}, !b.group);
      if (a.order != b.order) return a.order < b.order;
      if (a.priority != b.priority) return a.priority > b.priority;
      if (a.group != b.group) return a.group;
      bool first = false;
      compare(a, b, first);
      return first;
    });
  }

  bool is_free(const Candidate& c) const {
    return std::all_of(c.nodes.begin(), c.nodes.end(), [&](ir::NodeId n) {
      return out_.owner[n] == kNobody && !ir::is_control(graph_.nodes[n]) &&
             (pinned_[n] == kNobody || pinned_[n] == c.codegen);
    });
  }

  void take(const Candidate& c) {
    if (!is_free(c) || (c.group && (quotient_ == nullptr || !quotient_->try_join(c.nodes)))) return;
    if (c.group) out_.groups.push_back({c.codegen, {c.pattern, {c.nodes.begin(), c.nodes.end()}}});
    for (ir::NodeId n : c.nodes) {
      out_.owner[n] = c.codegen;
      out_.closeness[n] = c.closeness;
      winner_[n] = &c;
    }
  }

  // The best offer for each node of a codegen that did not get it.
  void find_others() {
    for (const Candidate& c : candidates_)
      for (ir::NodeId n : c.nodes)
        if (other_[n] == nullptr && c.codegen != out_.owner[n]) other_[n] = &c;
  }

  // Notes the criterion for a node: the best offer of another codegen, or the user.
  void explain(ir::NodeId n) {
    if (ir::is_control(graph_.nodes[n])) return;
    if (out_.owner[n] == kNobody) {
      refuse(n);
      return;
    }
    const Candidate* other = other_[n];
    if (other != nullptr) out_.against[n] = other->codegen;
    if (pinned_[n] != kNobody) {
      out_.decision[n] = Decision::pin;
    } else if (other != nullptr) {
      bool first = false;
      out_.decision[n] = compare(*winner_[n], *other, first);
    }
  }

  void refuse(ir::NodeId n) {
    ok_ = false;
    std::string reasons;
    for (std::size_t c = 0; c < codegens_.size(); ++c) {
      if (pinned_[n] != kNobody && pinned_[n] != c) continue;
      reasons += (reasons.empty() ? "" : "; ") + std::string(codegens_[c]->id()) + ": " + out_.verdicts[c][n].text;
    }
    const ir::Node& node = graph_.nodes[n];
    if (const std::string before = ir::compiled_before(node); !before.empty()) reasons = before + "; " + reasons;
    diags_.error(graph_.file, node.describe(),
                 (pinned_[n] == kNobody ? "no codegen supports operator "
                                        : "the codegen that it is pinned to does not support operator ") +
                     node.op + ": " + reasons,
                 {}, advice(node, n));
  }

  // Another way for a node that nobody takes; "" where there is none, or where the error says it already.
  [[nodiscard]] std::string advice(const ir::Node& node, ir::NodeId n) const {
    if (pinned_[n] != kNobody) return {};
    if (evaluate::supports(node)) return "--executor vm, on a host";
    const bool foreign = ir::find_operator(node.domain, node.op) == nullptr && ir::compiled_before(node).empty();
    return foreign ? "a plug-in that has it: docs/writing-a-codegen.md" : "";
  }

  const ir::Graph& graph_;
  std::span<codegen::Codegen* const> codegens_;
  const Offers& offers_;
  const PartitionOptions& options_;
  Quotient* quotient_;
  Diagnostics& diags_;
  std::vector<std::uint32_t> order_;
  std::vector<std::size_t> pinned_;
  std::vector<Candidate> candidates_;
  std::vector<const Candidate*> winner_, other_;  // [node]
  Placement out_;
  bool ok_ = true;
};

}  // namespace

bool fits(const Pin& pin, const ir::Graph& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [&](const ir::Node& n) { return names_node(pin, n); });
}

Result<Offers> ask(const ir::Graph& graph, const codegen::Region& whole, std::span<codegen::Codegen* const> codegens,
                   const TargetSpec& target, const PartitionOptions& options, Diagnostics& diags) {
  Offers out;
  bool ok = true;
  for (codegen::Codegen* c : codegens) {
    const std::size_t before = diags.errors();
    out.verdicts.push_back(c->verdicts(whole, target));
    out.groups.push_back(c->groups(whole, target, find_matches(whole, c->patterns())));
    std::vector<codegen::Verdict>& verdicts = out.verdicts.back();
    if (verdicts.size() != graph.nodes.size()) {
      ok = false;
      // Whoever has said what is wrong gives no verdicts for it.
      if (diags.errors() == before)
        diags.error({Level::error,
                     graph.file,
                     {},
                     "did not give a verdict on every node",
                     std::to_string(verdicts.size()),
                     std::to_string(graph.nodes.size()),
                     std::string(c->id())});
      continue;
    }
    if (!options.require_exact) continue;
    for (codegen::Verdict& v : verdicts)
      if (v.claimed && v.exactness != codegen::Exactness::exact)
        v = {false, codegen::Reason::option,
             "its results are " + to_string(evaluate::closeness(v)) + ", and exact ones are asked for"};
  }
  if (!ok) return failure;
  return out;
}

Result<Placement> place(const ir::Graph& graph, std::span<codegen::Codegen* const> codegens, const Offers& offers,
                        const PartitionOptions& options, Quotient& quotient, Diagnostics& diags) {
  return Placer(graph, codegens, offers, options, &quotient, diags).run();
}

Result<std::vector<std::optional<std::size_t>>> choose(const ir::Graph& graph,
                                                       std::span<codegen::Codegen* const> codegens,
                                                       const Offers& offers, const PartitionOptions& options,
                                                       Diagnostics& diags) {
  return Placer(graph, codegens, offers, options, nullptr, diags).choose();
}

}  // namespace byoc
