#include "sdk/cli/compare.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "sdk/evaluate/element.hpp"
#include "sdk/evaluate/evaluate.hpp"

namespace byoc::cli {
namespace {

// What two correct computations of a float may differ by, in parts of the largest element.
double tolerance(DType t) {
  switch (t) {
    case DType::f32:
    case DType::f64: return 1e-4;
    case DType::f16: return 4e-3;  // a few of its steps
    case DType::bf16: return 3e-2;
    default: return 0;
  }
}

}  // namespace

std::vector<double> to_numbers(DType t, std::span<const std::byte> bytes) {
  std::vector<double> out;
  const auto append = [&]<class T>() {
    out.reserve(bytes.size() / sizeof(T));
    for (std::size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
      T value;
      std::memcpy(&value, bytes.data() + at, sizeof(T));
      out.push_back(evaluate::widen(value));
    }
  };
  // Bools and packed 4-bit elements are shown as their bytes.
  if (t == DType::boolean || !evaluate::dispatch(t, append)) append.operator()<std::uint8_t>();
  return out;
}

namespace {

// Whether element i belongs to a channel that is not computed, as no node needs it.
bool is_absent(const StoredTensor& t, std::size_t i) {
  if (t.channels.complete()) return false;
  for (std::size_t d = t.dims.size(); d-- > t.channels.axis + std::size_t{1};) i /= static_cast<std::size_t>(t.dims[d]);
  const std::size_t channel = i % t.channels.stored.size();
  return t.channels.stored[channel] < 0 && !t.channels.constant[channel];
}

void compare(const evaluate::Tensor& expected, const DumpedTensor& found, const std::string& node, std::size_t run,
             Comparison& out) {
  ++out.compared;
  const DType t = expected.type.dtype;
  const std::vector<double> want = to_numbers(t, expected.bytes.bytes());
  const std::vector<double> got = to_numbers(t, found.bytes);
  double largest = 0;
  for (double d : want) largest = std::max(largest, std::isfinite(d) ? std::abs(d) : 0.0);
  const double allowed = tolerance(t) * largest;
  Difference d;
  d.elements = want.size();
  for (std::size_t i = 0; i < want.size(); ++i) {
    const bool same = i < got.size() && (want[i] == got[i] || std::abs(want[i] - got[i]) <= allowed ||
                                         (std::isnan(want[i]) && std::isnan(got[i])));
    if (same || is_absent(found.tensor, i)) continue;
    if (d.count++ == 0) {
      d.element = i;
      d.expected = want[i];
      d.found = i < got.size() ? got[i] : std::nan("");
    }
  }
  if (d.count == 0 || !out.differences.empty()) return;
  d.tensor = found.tensor.name;
  d.node = node;
  d.run = run;
  out.differences.push_back(std::move(d));
}

}  // namespace

Result<Comparison> compare_with_evaluator(const ir::Graph& graph, const Sequence& sequence,
                                          const std::vector<DumpedTensor>& dumps, Diagnostics& diags) {
  const std::vector<ir::NodeId> producer = ir::producers(graph);
  evaluate::Instance instance(graph);
  Comparison out;
  for (std::size_t run = 0; run < sequence.runs; ++run) {
    std::map<ir::ValueId, const DumpedTensor*> by_value;
    const std::size_t each = dumps.size() / sequence.runs;
    for (const DumpedTensor& d : std::span(dumps).subspan(run * each, each)) by_value[d.tensor.value] = &d;
    std::vector<evaluate::Tensor> tensors;
    for (std::size_t i = 0; i < graph.inputs.size(); ++i)
      tensors.push_back({graph.values[graph.inputs[i]].type, sequence.inputs[run * graph.inputs.size() + i]});
    const auto observe = [&](ir::ValueId v, const evaluate::Tensor& t) {
      const auto dumped = by_value.find(v);
      if (dumped == by_value.end()) return;
      compare(t, *dumped->second, producer[v] == ir::kNoNode ? "" : graph.nodes[producer[v]].describe(), run, out);
    };
    if (run != 0 && sequence.reset) instance.reset();
    if (!evaluate::run(graph, tensors, diags, observe, &instance)) return failure;
  }
  return out;
}

}  // namespace byoc::cli
