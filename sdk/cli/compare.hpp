// `byoc run --compare`: what the target computed against the evaluator, layer by layer.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sdk/ir/graph.hpp"
#include "sdk/simulate/simulate.hpp"
#include "sdk/support/diagnostics.hpp"

namespace byoc::cli {

// Elements as numbers, whatever their type (16-bit floats as their bits).
[[nodiscard]] std::vector<double> to_numbers(DType type, std::span<const std::byte> bytes);

struct Difference {
  std::size_t run = 0;
  std::string tensor;        // name of the first value that differs, in execution order
  std::string node;          // who computes it
  std::size_t element = 0;   // the first that differs
  std::size_t count = 0;     // how many differ
  std::size_t elements = 0;  // of how many
  double expected = 0;
  double found = 0;
};

struct Comparison {
  std::size_t compared = 0;             // tensors
  std::vector<Difference> differences;  // at most one: the first
};

// The inputs of one run after the other, on one instance.
struct Sequence {
  std::span<const Blob> inputs;
  std::size_t runs = 1;
  bool reset = false;  // before each run but the first
};

// Integers must be equal, floats within 1e-4 of the tensor's largest magnitude. `dumps` are of all runs, as many each.
Result<Comparison> compare_with_evaluator(const ir::Graph& graph, const Sequence& sequence,
                                          const std::vector<DumpedTensor>& dumps, Diagnostics&);

}  // namespace byoc::cli
