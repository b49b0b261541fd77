// Random graphs that are right by construction: shape inference agrees, the evaluator computes them, the backend claims
// every node. Residuals, several inputs and outputs, values that are output and read on, shared and aliased constants,
// views, nodes nobody needs, quantised, real and integer types, odd shapes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "byoc/codegen.hpp"
#include "sdk/model/evaluate/evaluate.hpp"

namespace byoc::check {

struct RandomGraph {
  ir::Graph graph;  // not prepared
  std::vector<evaluate::Tensor> inputs;
};

// The outcome for each node that was tried, by operator ("Conv", "byoc.Quantize").
struct GraphCoverage {
  std::map<std::string, std::size_t> used;
  std::map<std::string, std::set<std::string>> refused;  // by shape inference or the backend, in their words
  void add(const GraphCoverage& other);
};

// Equal seeds give equal graphs as long as the same nodes are refused. `only`: nodes of these operators and the entries
// that add several nodes at once; null for all. A codegen that claims a node as part of a group only (Reason::group)
// claims it here.
[[nodiscard]] RandomGraph random_graph(std::uint64_t seed, codegen::Codegen& codegen, const TargetSpec& target,
                                       GraphCoverage* coverage = nullptr, const std::set<std::string>* only = nullptr);

// A graph of what the entries of these operators add, one after the other; each takes what the one before computed
// where it happens to. Nothing if an entry added no node.
[[nodiscard]] std::optional<RandomGraph> operator_graph(std::uint64_t seed, std::span<const std::string> operators,
                                                        codegen::Codegen& codegen, const TargetSpec& target);

// The operators that the generator has an entry for.
[[nodiscard]] std::set<std::string> generated_operators();

}  // namespace byoc::check
