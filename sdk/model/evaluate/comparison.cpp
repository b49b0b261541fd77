#include "sdk/model/evaluate/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "sdk/model/evaluate/element.hpp"
#include "sdk/model/ir/control.hpp"
#include "sdk/model/ir/macs.hpp"
#include "sdk/model/ir/operators.hpp"

namespace byoc::evaluate {
namespace {

double largest(const Tensor& t) {
  double out = 0;
  if (t.type.dtype != DType::f32) return out;
  for (std::size_t i = 0; i + 4 <= t.bytes.size(); i += 4) {
    float value = 0;
    std::memcpy(&value, t.bytes.data() + i, 4);
    if (std::isfinite(value)) out = std::max(out, std::fabs(static_cast<double>(value)));
  }
  return out;
}

// Sums may cancel: what they may differ by follows from their terms.
double sum_slack(const ir::Node& node, const std::vector<const Tensor*>& operands) {
  const ir::Operator* op = ir::find_operator(node.domain, node.op);
  if (op == nullptr) return 0;
  // In a recurrent layer, a sum passes through an activation before it is used again, so it is no larger than its
  // terms.
  const bool sums = op->has(ir::kSums), products = !sums && op->macs != ir::no_macs;
  // The sum whose logarithm is taken is 1 or more.
  const bool logarithms = node.op == "LogSoftmax" || node.op.ends_with("Loss");
  if (!products && !sums && !logarithms) return 0;
  double terms = products || logarithms ? 1 : 0;
  for (const Tensor* t : operands) {
    if (t == nullptr) continue;
    terms = products ? terms * std::max(largest(*t), 1.0) : std::max(terms, largest(*t));
  }
  return 2e-6 * terms;
}

// A mean is off by half a step of its largest term, which the division by the deviation makes larger: that is the root
// of epsilon at least.
double mean_slack(const ir::Node& node, const std::vector<const Tensor*>& operands) {
  if (node.op != "InstanceNormalization" && node.op != "LayerNormalization" && node.op != "GroupNormalization")
    return 0;
  const double deviation = std::sqrt(static_cast<double>(node.real("epsilon", 1e-5F)));
  const double scale = operands.size() > 1 && operands[1] != nullptr ? largest(*operands[1]) : 1;
  return 6e-8 * largest(*operands[0]) * scale / deviation;
}

// Infinities times sines and cosines that are zero, or would be but for rounding: what is left depends on who adds.
bool turns_infinities(const ir::Node& node) { return node.op == "DFT" || node.op == "STFT"; }

template <class Bits>
void drop_denormals(std::vector<std::byte>& bytes, Bits exponent, Bits sign) {
  for (std::size_t i = 0; i + sizeof(Bits) <= bytes.size(); i += sizeof(Bits)) {
    Bits x = 0;
    std::memcpy(&x, bytes.data() + i, sizeof x);
    if ((x & exponent) != 0) continue;
    x &= sign;
    std::memcpy(bytes.data() + i, &x, sizeof x);
  }
}

// Halves are computed as floats, of which theirs are none.
Tensor without_denormals(const Tensor& t) {
  if (t.type.dtype != DType::f32 && t.type.dtype != DType::bf16) return t;
  std::vector<std::byte> bytes(t.bytes.bytes().begin(), t.bytes.bytes().end());
  if (t.type.dtype == DType::f32)
    drop_denormals<std::uint32_t>(bytes, 0x7f800000, 0x80000000);
  else
    drop_denormals<std::uint16_t>(bytes, 0x7f80, 0x8000);
  return {t.type, Blob::own(std::move(bytes))};
}

// The found tensor, with the expected values in channels that no node needs.
Tensor completed(const FoundTensor& found, const Tensor& expected) {
  const ChannelMap& map = found.channels;
  if (map.complete() || map.recoverable() || found.bytes.size() != expected.bytes.size())
    return {expected.type, found.bytes};
  std::vector<std::byte> bytes(found.bytes.bytes().begin(), found.bytes.bytes().end());
  std::size_t inner = bit_width(expected.type.dtype) / 8;
  for (std::size_t d = map.axis + std::size_t{1}; d < expected.type.dims->size(); ++d)
    inner *= static_cast<std::size_t>((*expected.type.dims)[d]);
  for (std::size_t at = 0, c = 0; inner != 0 && at < bytes.size(); at += inner, c = (c + 1) % map.stored.size())
    if (map.stored[c] < 0 && !map.constant[c]) std::memcpy(&bytes[at], expected.bytes.data() + at, inner);
  return {expected.type, Blob::own(std::move(bytes))};
}

}  // namespace

Comparison::Comparison(const ir::Graph& graph, std::vector<Allowance> stated, Agreement how)
    : graph_(graph), stated_(std::move(stated)), how_(how), last_use_(graph.values.size(), 0) {
  for (std::size_t n = 0; n < graph.nodes.size(); ++n)
    for (const ir::ValueId v : graph.nodes[n].inputs)
      if (v != ir::kNoValue) last_use_[v] = n;
  for (const ir::State& s : graph.states) last_use_[s.next] = graph.nodes.size();
  reset();
}

void Comparison::reset() {
  states_.clear();
  for (const ir::State& s : graph_.states)
    states_.push_back(known({graph_.values[s.value].type, Blob::own(ir::initial_bytes(graph_, s))}));
}

Comparison::Known Comparison::known(Tensor tensor, const Tensor* flushed, Allowance pending) const {
  Known out{std::move(tensor), {}, pending};
  if (how_.flushes) out.flushed = without_denormals(flushed == nullptr ? out.tensor : *flushed);
  return out;
}

void Comparison::begin(std::span<const Blob> inputs) {
  values_.assign(graph_.values.size(), std::nullopt);
  for (std::size_t i = 0; i < graph_.inputs.size(); ++i)
    values_[graph_.inputs[i]] = known({graph_.values[graph_.inputs[i]].type, inputs[i]});
  for (ir::ValueId v = 0; v < graph_.values.size(); ++v)
    if (const ir::Value& value = graph_.values[v]; value.constant)
      values_[v] = known({value.type, value.constant->bytes});
  for (std::size_t i = 0; i < graph_.states.size(); ++i) values_[graph_.states[i].value] = states_[i];
}

std::vector<const Tensor*> Comparison::operands(const ir::Node& node, bool flushed) const {
  std::vector<const Tensor*> out;
  for (const ir::ValueId v : node.inputs)
    out.push_back(v == ir::kNoValue || !values_[v] ? nullptr : flushed ? &values_[v]->flushed : &values_[v]->tensor);
  return out;
}

Allowance Comparison::allowed_of(ir::NodeId n, DType out) const {
  const ir::Node& node = graph_.nodes[n];
  Allowance allowed = stated_[n];
  if (how_.strict) allowed.not_finite = turns_infinities(node);
  // Rounding inside a control node is not visible here; its allowance is added.
  if (ir::is_control(node) && !is_float(out)) allowed.add(carried(stated_[n], {DType::f32, {}, {}}, out));
  for (const ir::ValueId v : node.inputs)
    if (v != ir::kNoValue && values_[v]) allowed.add(carried(values_[v]->pending, graph_.values[v].type, out));
  return allowed;
}

Result<std::optional<Difference>> Comparison::take_node(ir::NodeId n, const FoundTensors& found, Diagnostics& diags) {
  for (const ir::ValueId v : graph_.nodes[n].outputs) {
    if (v == ir::kNoValue) continue;
    const auto at = found.find(v);
    if (at == found.end() || !(at->second.channels.complete() || at->second.channels.recoverable()))
      return diags.error(graph_.file, graph_.nodes[n].describe(),
                         "the evaluator does not know this operator, and the run does not show its result",
                         "'" + graph_.values[v].name + "'");
    ++taken_;
    if (expected_ != nullptr && *expected_) (*expected_)(v, {graph_.values[v].type, at->second.bytes});
    values_[v] = known({graph_.values[v].type, at->second.bytes});
  }
  return std::optional<Difference>();
}

Result<std::optional<Difference>> Comparison::check_node(ir::NodeId n, const FoundTensors& found, Diagnostics& diags) {
  const ir::Node& node = graph_.nodes[n];
  if (ir::is_foreign(node.domain, node.op)) return take_node(n, found, diags);
  const std::vector<const Tensor*> from = operands(node, false);
  const auto results = evaluate_node(graph_, node, from, diags);
  if (!results) return failure;
  Result<std::vector<Tensor>> others = failure;
  if (how_.flushes && !(others = evaluate_node(graph_, node, operands(node, true), diags))) return failure;
  for (std::size_t o = 0; o < node.outputs.size(); ++o) {
    const ir::ValueId v = node.outputs[o];
    if (v == ir::kNoValue) continue;
    const Tensor& expected = (*results)[o];
    const Tensor* other = others ? &(*others)[o] : nullptr;
    Allowance allowed = allowed_of(n, expected.type.dtype);
    if (stated_[n].relative != 0) allowed.absolute += sum_slack(node, from) + mean_slack(node, from);
    if (expected_ != nullptr && *expected_) (*expected_)(v, expected);
    const auto at = found.find(v);
    if (at == found.end()) {
      values_[v] = known(expected, other, allowed);
      continue;
    }
    ++compared_;
    if (allowed.is_exact()) ++exact_;
    const Tensor tensor = completed(at->second, expected);
    const auto m = mismatch(tensor, expected, allowed, how_, other);
    if (judged_ != nullptr) {
      judged_->push_back({v, n, allowed, m});
      values_[v] = known(expected, other);
      continue;
    }
    if (m) return std::optional(Difference{v, n, *m, allowed});
    values_[v] = known({graph_.values[v].type, tensor.bytes});
  }
  return std::optional<Difference>();
}

Result<std::optional<Difference>> Comparison::run(std::span<const Blob> inputs, const FoundTensors& found,
                                                  Diagnostics& diags, const Expected& expected) {
  begin(inputs);
  expected_ = &expected;
  Result<std::optional<Difference>> difference = std::optional<Difference>();
  for (ir::NodeId n = 0; n < graph_.nodes.size() && difference && !*difference; ++n) {
    difference = check_node(n, found, diags);
    end_node(n);
  }
  expected_ = nullptr;
  if (!difference || *difference) return difference;
  end_run();
  return std::optional<Difference>();
}

Result<std::vector<Judged>> Comparison::judge(std::span<const Blob> inputs, const FoundTensors& found,
                                              const Expected& expected, Diagnostics& diags) {
  std::vector<Judged> out;
  begin(inputs);
  judged_ = &out;
  expected_ = &expected;
  bool ok = true;
  for (ir::NodeId n = 0; ok && n < graph_.nodes.size(); ++n)
    if ((ok = bool(check_node(n, found, diags)))) end_node(n);
  judged_ = nullptr;
  expected_ = nullptr;
  end_run();
  if (!ok) return failure;
  return out;
}

void Comparison::end_node(ir::NodeId n) {
  for (const ir::ValueId v : graph_.nodes[n].inputs)
    if (v != ir::kNoValue && last_use_[v] == n) values_[v].reset();
}

void Comparison::end_run() {
  for (std::size_t i = 0; i < graph_.states.size(); ++i)
    if (const auto& next = values_[graph_.states[i].next]) states_[i] = *next;
}

std::string to_string(const ir::Graph& graph, const Difference& d) {
  const ir::Node& node = graph.nodes[d.node];
  const auto output = std::find(node.outputs.begin(), node.outputs.end(), d.value) - node.outputs.begin();
  return node.describe() + " output " + std::to_string(output) + ": " + to_string(d.mismatch) + " " +
         to_string(d.allowed);
}

}  // namespace byoc::evaluate
