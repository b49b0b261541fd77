// Compares a run of a model with the evaluator, node by node. Each node is computed from the run's own inputs, so that
// the rounding of one node does not count against the next. For a value that the run does not report (an intermediate
// of a fused step, or a constant) the evaluator's value is used, and its allowance is added to the results computed
// from it. Results of operators that only a codegen knows are taken from the run.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "byoc/interface.hpp"
#include "sdk/model/evaluate/agreement.hpp"

namespace byoc::evaluate {

// A value as the run had it.
struct FoundTensor {
  Blob bytes;                // dense and row-major
  ChannelMap channels = {};  // what of it is not computed; not looked at where no node needs it
};
using FoundTensors = std::map<ir::ValueId, FoundTensor>;

struct Difference {
  ir::ValueId value = ir::kNoValue;  // the first that differs, in the order of the nodes
  ir::NodeId node = ir::kNoNode;     // who computes it
  Mismatch mismatch;
  Allowance allowed;
};

// The verdict on a value that a step computed from the evaluator's own values.
struct Judged {
  ir::ValueId value = ir::kNoValue;
  ir::NodeId node = ir::kNoNode;
  Allowance allowed;
  std::optional<Mismatch> mismatch;  // nothing: it agrees
};

class Comparison {
 public:
  // `stated`: what each node's codegen states; of a control node what is stated of the nodes in it. The graph has to
  // live as long, all its types are static.
  Comparison(const ir::Graph& graph, std::vector<Allowance> stated, Agreement how = {});

  using Expected = std::function<void(ir::ValueId, const Tensor&)>;
  // Compares the next run of a sequence with one instance: the first value that differs, or nothing. After a difference
  // the comparison is over. `expected`, if given, sees every value of the evaluator's up to there. Error: the evaluator
  // cannot compute a node.
  [[nodiscard]] Result<std::optional<Difference>> run(std::span<const Blob> inputs, const FoundTensors& found,
                                                      Diagnostics& diags, const Expected& expected = {});
  // The next run of a sequence in which every step was given the evaluator's values: the verdict on each value that was
  // found, in the order of the nodes. `expected`, if given, sees every value of the evaluator's. Values that the
  // evaluator cannot compute are taken from `found`, as in run().
  [[nodiscard]] Result<std::vector<Judged>> judge(std::span<const Blob> inputs, const FoundTensors& found,
                                                  const Expected& expected, Diagnostics& diags);
  // The instance goes back to the start of a sequence.
  void reset();

  // Tensors so far, of all runs; those among them that had to be what the evaluator says, bit for bit.
  [[nodiscard]] std::size_t compared() const { return compared_; }
  [[nodiscard]] std::size_t exact() const { return exact_; }
  // The number of values taken from the run, because only the run can compute them.
  [[nodiscard]] std::size_t taken() const { return taken_; }

 private:
  // A known value; with `flushes`, also its value with zeros for denormals.
  struct Known {
    Tensor tensor;
    Tensor flushed;
    Allowance pending;  // of a value that was not found
  };
  [[nodiscard]] Known known(Tensor tensor, const Tensor* flushed = nullptr, Allowance pending = {}) const;
  void begin(std::span<const Blob> inputs);
  void end_node(ir::NodeId n);
  void end_run();
  [[nodiscard]] Result<std::optional<Difference>> check_node(ir::NodeId n, const FoundTensors& found, Diagnostics&);
  [[nodiscard]] Result<std::optional<Difference>> take_node(ir::NodeId n, const FoundTensors& found, Diagnostics&);
  [[nodiscard]] Allowance allowed_of(ir::NodeId n, DType out) const;
  [[nodiscard]] std::vector<const Tensor*> operands(const ir::Node& node, bool flushed) const;

  const ir::Graph& graph_;
  std::vector<Allowance> stated_;
  Agreement how_;
  std::vector<std::size_t> last_use_;  // of each value: the last node that reads it
  std::vector<std::optional<Known>> values_;
  std::vector<Known> states_;
  std::size_t compared_ = 0;
  std::size_t exact_ = 0;
  std::size_t taken_ = 0;
  std::vector<Judged>* judged_ = nullptr;  // of the call of judge()
  const Expected* expected_ = nullptr;
};

// The message for a difference: the node, the values, and the allowance.
[[nodiscard]] std::string to_string(const ir::Graph& graph, const Difference&);

}  // namespace byoc::evaluate
