// The plain evaluator: every operator computed in the most obvious way, sharing no code with any backend.
// It folds constants and is the oracle of every differential test.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sdk/base/support/diagnostics.hpp"
#include "sdk/model/ir/graph.hpp"

namespace byoc::evaluate {

// A value at run time. A tensor of numbers has its type (static) and its row-major bytes. A tensor of strings has its
// type (all dims known) and its row-major elements. A sequence or optional has its type, whose dims are ignored, and
// its items, each with a type of its own.
struct Tensor {
  ir::TensorType type;
  Blob bytes = {};
  std::shared_ptr<const std::vector<std::string>> texts = {};  // of strings, never null then
  std::shared_ptr<const std::vector<Tensor>> items = {};       // of a sequence; of an optional none or one; never null
};

// No single result may be larger than this, so that a hostile shape is an error instead of an exhausted machine.
inline constexpr std::uint64_t kLargestResult = std::uint64_t{2} << 30;

// True if the evaluator computes this operator at all (dtypes and attributes may still be refused).
[[nodiscard]] bool supports(const ir::Node& node);

// Computes one node. `inputs` has one entry for each of node.inputs, null where none is given. The results have the
// types of node.outputs' values where those are known (their quantisation is the one that is rounded to), inferred
// from the inputs otherwise. `largest_result`: in bytes. Errors name the node.
Result<std::vector<Tensor>> evaluate_node(const ir::Graph& graph, const ir::Node& node,
                                          std::span<const Tensor* const> inputs, Diagnostics&,
                                          std::uint64_t largest_result = kLargestResult);

// The values of graph.states, in order, which a model keeps between runs.
class Instance {
 public:
  explicit Instance(const ir::Graph& graph) : graph_(graph) { reset(); }
  // Resets the states to the start of a new sequence.
  void reset();

  std::vector<Tensor> states;

 private:
  const ir::Graph& graph_;
};

// Runs the whole graph; of types that are not static a run finds what they are. `inputs` in the order of graph.inputs;
// a tensor or sequence may be given where an optional is asked for; results in the order of graph.outputs. `observe`,
// if given, sees every computed value once, in execution order. `instance`, made of this graph, holds the states before
// and, where there was no error, after; without one the run starts and ends a sequence.
using Observer = std::function<void(ir::ValueId, const Tensor&)>;
Result<std::vector<Tensor>> run(const ir::Graph& graph, std::span<const Tensor> inputs, Diagnostics&,
                                const Observer& observe = {}, Instance* instance = nullptr);

}  // namespace byoc::evaluate
