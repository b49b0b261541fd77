#include "sdk/codegen/partition/match.hpp"

#include <algorithm>
#include <functional>
#include <optional>

namespace byoc {
namespace {

using codegen::kNoNode;
using codegen::kNoValue;
using codegen::NodeId;
using codegen::PatternNode;
using codegen::ValueId;
using Assignment = std::vector<NodeId>;

class Matcher {
 public:
  explicit Matcher(const codegen::Region& region)
      : region_(region), producer_(region.values.size(), kNoNode), readers_(region.values.size()) {
    for (NodeId n = 0; n < region.nodes.size(); ++n) {
      for (ValueId v : region.nodes[n].outputs)
        if (v != kNoValue) producer_[v] = n;
      for (ValueId v : region.nodes[n].inputs)
        if (v != kNoValue) readers_[v].push_back(n);
    }
    leaves_.assign(region.values.size(), false);
    for (ValueId v : region.outputs) leaves_[v] = true;
  }

  // The match of the pattern whose root is `root`, or of what stands for a root that is optional and missing.
  std::optional<Assignment> match(const codegen::Pattern& pattern, NodeId root) const {
    const ValueId result = region_.nodes[root].outputs.empty() ? kNoValue : region_.nodes[root].outputs[0];
    if (result == kNoValue) return std::nullopt;
    std::optional<Assignment> found;
    value(pattern, pattern.nodes.size() - 1, result, Assignment(pattern.nodes.size(), kNoNode),
          [&](const Assignment& nodes) {
            // Somebody has to stand for the root: the node itself.
            if (std::find(nodes.begin(), nodes.end(), root) == nodes.end() || !is_closed(nodes, root)) return false;
            found = nodes;
            return true;
          });
    return found;
  }

 private:
  // A predicate on an assignment; false makes the search continue with the next one.
  using Accept = std::function<bool(const Assignment&)>;

  // Tries the ways in which pattern node `p` makes value `v`.
  bool value(const codegen::Pattern& pattern, std::size_t p, ValueId v, const Assignment& so_far,
             const Accept& accept) const {
    const PatternNode& node = pattern.nodes[p];
    const NodeId n = v == kNoValue ? kNoNode : producer_[v];
    if (so_far[p] != kNoNode) return so_far[p] == n && accept(so_far);
    if (n != kNoNode && region_.nodes[n].op == node.op && region_.nodes[n].domain == node.domain &&
        region_.nodes[n].outputs[0] == v && std::find(so_far.begin(), so_far.end(), n) == so_far.end()) {
      Assignment with = so_far;
      with[p] = n;
      if (inputs(pattern, p, n, with, accept)) return true;
    }
    if (!node.optional) return false;
    const auto stand_in = std::find_if(node.inputs.begin(), node.inputs.end(), [](std::int32_t i) { return i >= 0; });
    if (stand_in == node.inputs.end()) return accept(so_far);
    return value(pattern, static_cast<std::size_t>(*stand_in), v, so_far, accept);
  }

  bool inputs(const codegen::Pattern& pattern, std::size_t p, NodeId n, const Assignment& so_far,
              const Accept& accept) const {
    std::vector<std::int32_t> wanted = pattern.nodes[p].inputs;
    if (inputs(pattern, wanted, n, 0, so_far, accept)) return true;
    if (!pattern.nodes[p].commutative || wanted.size() < 2) return false;
    std::swap(wanted[0], wanted[1]);
    return inputs(pattern, wanted, n, 0, so_far, accept);
  }

  bool inputs(const codegen::Pattern& pattern, const std::vector<std::int32_t>& wanted, NodeId n, std::size_t i,
              const Assignment& so_far, const Accept& accept) const {
    if (i == wanted.size()) return accept(so_far);
    const std::vector<ValueId>& given = region_.nodes[n].inputs;
    const ValueId v = i < given.size() ? given[i] : kNoValue;
    const Accept next = [&](const Assignment& found) { return inputs(pattern, wanted, n, i + 1, found, accept); };
    switch (wanted[i]) {
      case PatternNode::kAny: return next(so_far);
      case PatternNode::kConstant: return v != kNoValue && region_.values[v].is_constant && next(so_far);
      case PatternNode::kAbsent: return v == kNoValue && next(so_far);
      default: return value(pattern, static_cast<std::size_t>(wanted[i]), v, so_far, next);
    }
  }

  bool is_closed(const Assignment& nodes, NodeId root) const {
    const auto inside = [&](NodeId n) { return std::find(nodes.begin(), nodes.end(), n) != nodes.end(); };
    for (NodeId n : nodes) {
      if (n == kNoNode || n == root) continue;
      for (ValueId v : region_.nodes[n].outputs)
        if (v != kNoValue && (leaves_[v] || !std::all_of(readers_[v].begin(), readers_[v].end(), inside))) return false;
    }
    return true;
  }

  const codegen::Region& region_;
  std::vector<NodeId> producer_;
  std::vector<std::vector<NodeId>> readers_;
  std::vector<bool> leaves_;
};

}  // namespace

std::vector<codegen::Match> find_matches(const codegen::Region& region, std::span<const codegen::Pattern> patterns) {
  std::vector<codegen::Match> out;
  if (patterns.empty()) return out;
  const Matcher matcher(region);
  const auto missing = [](const codegen::Match& m) { return std::count(m.nodes.begin(), m.nodes.end(), kNoNode); };
  for (std::uint32_t p = 0; p < patterns.size(); ++p) {
    const auto first = static_cast<std::ptrdiff_t>(out.size());
    for (NodeId root = 0; root < region.nodes.size(); ++root)
      if (auto nodes = matcher.match(patterns[p], root)) out.push_back({p, std::move(*nodes)});
    std::stable_sort(out.begin() + first, out.end(),
                     [&](const codegen::Match& a, const codegen::Match& b) { return missing(a) < missing(b); });
  }
  return out;
}

}  // namespace byoc
