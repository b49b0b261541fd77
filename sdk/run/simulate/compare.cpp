#include "sdk/run/simulate/compare.hpp"

#include "sdk/run/values/output_difference.hpp"

namespace byoc {
namespace {

// The outputs of one run beside the evaluator's values. Outputs that no node computes, and those with channels that
// nobody computes, are left out.
class Outputs {
 public:
  Outputs(const ir::Graph& graph, const evaluate::FoundTensors& found, std::size_t run, Compared& to)
      : graph_(graph), found_(found), run_(run), to_(to) {}

  void add(ir::ValueId value, const evaluate::Tensor& expected) {
    const auto at = found_.find(value);
    if (at == found_.end() || !expected.type.dims || at->second.bytes.size() != expected.bytes.size()) return;
    if (!at->second.channels.complete() && !at->second.channels.recoverable()) return;
    for (const ir::ValueId output : graph_.outputs) {
      if (output != value) continue;
      IoTensor tensor;
      tensor.name = graph_.values[value].name;
      tensor.dtype = expected.type.dtype;
      tensor.dims = *expected.type.dims;
      if (const auto& q = graph_.values[value].type.quantisation) tensor.quantisation = *q;
      to_.outputs.push_back(difference_of(tensor, at->second.bytes.bytes(), expected.bytes.bytes(), {}));
      to_.outputs.back().run = run_;
      return;
    }
  }

 private:
  const ir::Graph& graph_;
  const evaluate::FoundTensors& found_;
  std::size_t run_;
  Compared& to_;
};

}  // namespace

Result<Compared> compare_with_evaluator(const ir::Graph& graph, std::vector<evaluate::Allowance> stated,
                                        evaluate::Agreement how, std::span<const Blob> inputs, std::size_t runs,
                                        bool reset, const std::vector<DumpedTensor>& dumps, Diagnostics& diags) {
  evaluate::Comparison comparison(graph, std::move(stated), how);
  Compared out;
  const std::size_t each = dumps.size() / runs;
  for (std::size_t run = 0; run < runs && !out.difference; ++run) {
    evaluate::FoundTensors found;
    // The bytes stay where they are: `dumps` outlives the comparison.
    for (const DumpedTensor& d : std::span(dumps).subspan(run * each, each))
      found[d.tensor.value] = {Blob::view(d.bytes, nullptr), d.tensor.channels};
    if (run != 0 && reset) comparison.reset();
    Outputs outputs(graph, found, run, out);
    auto difference = comparison.run(inputs.subspan(run * graph.inputs.size(), graph.inputs.size()), found, diags,
                                     [&outputs](ir::ValueId v, const evaluate::Tensor& t) { outputs.add(v, t); });
    if (!difference) return failure;
    out.difference = std::move(*difference);
    out.run = run;
  }
  out.tensors = comparison.compared();
  out.exact = comparison.exact();
  out.taken = comparison.taken();
  return out;
}

}  // namespace byoc
