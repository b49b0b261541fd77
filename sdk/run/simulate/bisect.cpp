#include "sdk/run/simulate/bisect.hpp"

#include <algorithm>

#include "sdk/run/simulate/dump.hpp"
#include "sdk/run/simulate/execute.hpp"

namespace byoc {
namespace {

using evaluate::Allowance;
using evaluate::Judged;

class Bisection {
 public:
  Bisection(const SimulateRequest& request, const ir::Graph& graph, const std::vector<Allowance>& stated,
            evaluate::Agreement how, Diagnostics& diags)
      : request_(request),
        graph_(graph),
        stated_(stated),
        how_(how),
        diags_(diags),
        pieces_(dump_pieces(request.model)),
        runs_(run_count(request.model, request.inputs.size())) {}

  Result<std::vector<StepVerdict>> run() {
    const auto bench = set_up(request_, diags_);
    const auto first = bench ? watch(request_, *bench, {}, diags_) : failure;
    if (!first) return failure;
    if (!first->possible)
      return diags_.error({}, request_.model.name, "steps cannot be fed: their table needs constants with addresses",
                          {}, "no --bind-weights");
    const auto feed = make_feed(*first);
    const auto second = feed ? watch(request_, *bench, *feed, diags_) : failure;
    if (!second) return failure;
    return verdicts(*second);
  }

 private:
  [[nodiscard]] evaluate::FoundTensors found(const WatchedRun& watched, std::size_t run) const {
    evaluate::FoundTensors out;
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      const DumpedTensor& d = watched.dumps[run * pieces_.size() + i];
      out[d.tensor.value] = {Blob::view(d.bytes, nullptr), d.tensor.channels};
    }
    return out;
  }

  // The verdicts on the values of each run; `each` sees the evaluator's.
  template <class Each>
  bool judge(const WatchedRun& watched, const Each& each, std::vector<std::vector<Judged>>& out) {
    evaluate::Comparison comparison(graph_, stated_, how_);
    const std::size_t inputs = graph_.inputs.size();
    for (std::size_t run = 0; run < runs_; ++run) {
      if (run != 0 && request_.reset) comparison.reset();
      const auto expected = [&](ir::ValueId v, const evaluate::Tensor& t) { each(run, v, t); };
      auto judged = comparison.judge(std::span(request_.inputs).subspan(run * inputs, inputs), found(watched, run),
                                     expected, diags_);
      if (!judged) return false;
      out.push_back(std::move(*judged));
    }
    return true;
  }

  Result<std::vector<std::vector<std::byte>>> make_feed(const WatchedRun& first) {
    std::vector<std::vector<std::byte>> feed = first.pieces;
    std::vector<std::vector<Judged>> ignored;
    const auto put = [&](std::size_t run, ir::ValueId v, const evaluate::Tensor& expected) {
      for (std::size_t i = 0; i < pieces_.size(); ++i)
        if (pieces_[i].tensor->value == v)
          scatter(expected.bytes.bytes(), *pieces_[i].tensor, feed[run * pieces_.size() + i]);
    };
    if (!judge(first, put, ignored)) return failure;
    return feed;
  }

  Result<std::vector<StepVerdict>> verdicts(const WatchedRun& second) {
    std::vector<std::vector<Judged>> judged;
    if (!judge(second, [](std::size_t, ir::ValueId, const evaluate::Tensor&) {}, judged)) return failure;
    std::vector<StepVerdict> out;
    for (std::size_t step = 0; step < request_.model.steps.size(); ++step) {
      StepVerdict& v = out.emplace_back();
      v.step = step;
      for (const auto& of_run : judged)
        for (const StoredTensor& t : request_.model.steps[step].results) add(of_run, t.value, v);
    }
    // A finding about the step's memory is more precise than a difference in its results.
    for (const StepFinding& f : second.findings) {
      out[f.step].kind = StepVerdict::Kind::wrong;
      out[f.step].text = f.text;
    }
    return out;
  }

  void add(const std::vector<Judged>& judged, ir::ValueId value, StepVerdict& v) const {
    for (const Judged& j : judged) {
      if (j.value != value) continue;
      ++v.tensors;
      if (v.kind == StepVerdict::Kind::unseen) v.kind = StepVerdict::Kind::agrees;
      if (v.allowed.empty() || !j.allowed.is_exact()) v.allowed = to_string(j.allowed);
      if (!j.mismatch || v.kind == StepVerdict::Kind::differs) continue;
      v.kind = StepVerdict::Kind::differs;
      v.text = "tensor '" + graph_.values[value].name + "': " + std::to_string(j.mismatch->count) + " of " +
               std::to_string(j.mismatch->elements) + " elements, " + to_string(*j.mismatch) + " " +
               to_string(j.allowed);
    }
  }

  const SimulateRequest& request_;
  const ir::Graph& graph_;
  const std::vector<Allowance>& stated_;
  evaluate::Agreement how_;
  Diagnostics& diags_;
  std::vector<DumpPiece> pieces_;
  std::size_t runs_;
};

}  // namespace

Result<std::vector<StepVerdict>> bisect(const SimulateRequest& request, const ir::Graph& graph,
                                        const std::vector<Allowance>& stated, evaluate::Agreement how,
                                        Diagnostics& diags) {
  return Bisection(request, graph, stated, how, diags).run();
}

}  // namespace byoc
