// A run of a model against the evaluator, node by node: each node is computed from what the run had as its inputs, so
// that the rounding of one does not count against the next. A value that is not known of the run (it was computed on
// the way to another, or lies in a constant) is what the evaluator makes of it; what it may be off by is added to what
// is made of it. What an operator makes that only a codegen knows is taken as the run had it.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "byoc/interface.hpp"
#include "sdk/evaluate/agreement.hpp"

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

// What is said of a value that a step made of the evaluator's own.
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

  // Compares the next run of a sequence with one instance: the first value that differs, or nothing. After a difference
  // the comparison is over. Error: the evaluator cannot compute a node.
  [[nodiscard]] Result<std::optional<Difference>> run(std::span<const Blob> inputs, const FoundTensors& found,
                                                      Diagnostics& diags);
  // The next run of a sequence in which every step was given the evaluator's values: what is said of each value that
  // was found, in the order of the nodes. `expected`, if given, sees every value of the evaluator's. What the evaluator
  // cannot compute is taken from `found`, as in run().
  using Expected = std::function<void(ir::ValueId, const Tensor&)>;
  [[nodiscard]] Result<std::vector<Judged>> judge(std::span<const Blob> inputs, const FoundTensors& found,
                                                  const Expected& expected, Diagnostics& diags);
  // The instance goes back to the start of a sequence.
  void reset();

  // Tensors so far, of all runs; those among them that had to be what the evaluator says, bit for bit.
  [[nodiscard]] std::size_t compared() const { return compared_; }
  [[nodiscard]] std::size_t exact() const { return exact_; }
  // Those that were taken from the run, as nobody but it can compute them.
  [[nodiscard]] std::size_t taken() const { return taken_; }

 private:
  // What is known of a value: with `flushes`, what it is with zeros for denormals as well.
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

// What the message of a difference says: who, what, how near it had to be.
[[nodiscard]] std::string to_string(const ir::Graph& graph, const Difference&);

}  // namespace byoc::evaluate
