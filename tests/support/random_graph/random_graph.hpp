// Random graphs that are right by construction: shape inference agrees, the evaluator computes them, the backend claims
// every node. Residuals, several inputs and outputs, values that are output and read on, shared and aliased constants,
// views, nodes nobody needs, quantised, real and integer types, odd shapes.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "byoc/codegen.hpp"
#include "sdk/evaluate/evaluate.hpp"

namespace byoc::test {

struct RandomGraph {
  ir::Graph graph;  // not prepared
  std::vector<evaluate::Tensor> inputs;
};

// What became of the nodes that were tried, by operator ("Conv", "byoc.Quantize").
struct GraphCoverage {
  std::map<std::string, std::size_t> used;
  std::map<std::string, std::set<std::string>> refused;  // by shape inference or the backend, in their words
  void add(const GraphCoverage& other);
};

// The same seed gives the same graph as long as what is refused stays the same.
[[nodiscard]] RandomGraph random_graph(std::uint64_t seed, codegen::Codegen& codegen, const TargetSpec& target,
                                       GraphCoverage* coverage = nullptr);

// The operators that the generator has an entry for.
[[nodiscard]] std::set<std::string> generated_operators();

}  // namespace byoc::test
