#include "sdk/export/stack_bound.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>

#include "sdk/library/object/math_functions.hpp"

namespace byoc {
namespace {

constexpr std::uint64_t kMemoryFunction = 64;
constexpr std::uint64_t kCompilerFunction = 128;
constexpr std::uint64_t kMathFunction = 768;

constexpr std::array<std::string_view, 6> kMemory{"memchr", "memcmp", "memcpy", "memmove", "memset", "strlen"};

// A function by its object, and its place among that one's.
struct Node {
  std::size_t object = 0, function = 0;
  auto operator<=>(const Node&) const = default;
};

struct Depth {
  std::uint64_t bytes = 0, allowance = 0;
};

class CallGraph {
 public:
  CallGraph(std::span<const std::vector<FunctionStack>> objects, const std::set<std::string>& data)
      : objects_(objects), data_(data) {
    for (std::size_t o = 0; o < objects.size(); ++o)
      for (std::size_t f = 0; f < objects[o].size(); ++f)
        if (objects[o][f].global) globals_.emplace(objects[o][f].name, Node{o, f});
  }

  // Nothing where there is no bound.
  std::optional<Depth> depth_of(Node node) {
    const FunctionStack& f = objects_[node.object][node.function];
    if (const auto known = depths_.find(node); known != depths_.end()) return known->second;
    if (!open_.insert(node).second) return refuse(f, "calls itself");
    if (!f.unknown.empty()) return refuse(f, f.unknown);
    Depth below;
    for (const StackCall& call : f.calls) {
      const auto callee = depth_of(f, node.object, call);
      if (!callee) return std::nullopt;
      if (callee->bytes > below.bytes) below = *callee;
    }
    open_.erase(node);
    return depths_[node] = Depth{f.bytes + below.bytes, below.allowance};
  }

  [[nodiscard]] const std::string& unknown() const { return unknown_; }
  [[nodiscard]] std::vector<std::string> allowed_for() const { return {allowed_for_.begin(), allowed_for_.end()}; }

 private:
  std::optional<Depth> refuse(const FunctionStack& f, const std::string& why) {
    unknown_ = f.name + " " + why;
    return std::nullopt;
  }

  std::optional<Depth> depth_of(const FunctionStack& caller, std::size_t object, const StackCall& call) {
    if (call.local) return depth_of({object, *call.local});
    if (const auto found = globals_.find(call.name); found != globals_.end()) return depth_of(found->second);
    const std::uint64_t allowance = stack_allowance(call.name);
    if (call.by_address && allowance == 0) {
      if (caller.by_pointer && !data_.contains(call.name)) return refuse(caller, "calls by a pointer");
      return Depth();  // of a constant
    }
    if (allowance == 0) return refuse(caller, "calls " + call.name + ", which is not in the library");
    allowed_for_.insert(call.name);
    return Depth{allowance, allowance};
  }

  std::span<const std::vector<FunctionStack>> objects_;
  const std::set<std::string>& data_;
  std::map<std::string, Node> globals_;
  std::map<Node, Depth> depths_;
  std::set<Node> open_;  // whose calls are being followed
  std::set<std::string> allowed_for_;
  std::string unknown_;
};

}  // namespace

std::uint64_t stack_allowance(const std::string& function) {
  if (std::ranges::find(kMemory, function) != kMemory.end()) return kMemoryFunction;
  if (is_math_function(function)) return kMathFunction;
  return function.starts_with("__") ? kCompilerFunction : 0;
}

StackBound bound_of_calls(std::span<const std::vector<FunctionStack>> objects, std::size_t root,
                          const std::string& prefix, const std::set<std::string>& data) {
  CallGraph graph(objects, data);
  StackBound out;
  for (std::size_t f = 0; f < objects[root].size(); ++f) {
    if (!objects[root][f].global || !objects[root][f].name.starts_with(prefix)) continue;
    const auto depth = graph.depth_of({root, f});
    if (!depth) return {.unknown = graph.unknown()};
    if (depth->bytes > out.bytes) out = {depth->bytes, depth->allowance};
  }
  out.allowed_for = graph.allowed_for();
  return out;
}

Result<StackBound> stack_bound(const Package& package, Diagnostics& diags) {
  const auto reader = StackReader::create(package.target);
  if (reader == nullptr || package.root() == nullptr) return StackBound();
  std::vector<std::vector<FunctionStack>> objects;
  std::set<std::string> data;
  std::size_t root = 0;
  for (const LibraryMember& m : package.members) {
    for (const ConstantArtifact& c : m.constants) data.insert(c.symbol);
    if (m.facts)
      for (const ObjectSymbol& s : m.facts->defined)
        if (!s.function) data.insert(s.name);
    if (m.object.empty() || package.tree.modules[m.module].for_loaders) continue;
    auto functions = reader->read(m.object, m.name, diags);
    if (!functions) return failure;
    if (&m == package.root()) root = objects.size();
    objects.push_back(std::move(*functions));
  }
  return bound_of_calls(objects, root, package.prefix + "_", data);
}

}  // namespace byoc
