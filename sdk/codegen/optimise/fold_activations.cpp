// A Relu or Clip of quantised values behind an operator that has a fused activation becomes that activation.
//
// Why it is exact: such an operator clamps its integer result r to a range [low, high] that its activation and the
// result's quantisation give. The Relu or Clip is a function f of single integers. Where
// f(clamp(r, low, high)) = clamp(r, low', high') for every integer r of the element type, [low', high'] being the range
// of another activation, that activation alone gives what both gave; an r beyond the element type is clamped to an end
// of it first by either. All of them are tried, f by evaluating it.
#include <algorithm>
#include <array>
#include <string_view>

#include "sdk/codegen/optimise/layer.hpp"
#include "sdk/codegen/optimise/rewrites.hpp"
#include "sdk/codegen/optimise/tables.hpp"
#include "sdk/model/evaluate/element.hpp"
#include "sdk/model/evaluate/quantise.hpp"

namespace byoc::optimise {
namespace {

struct Activation {
  std::string_view name;
  bool has_low, has_high;
  float low, high;
};
constexpr std::array kActivations = {Activation{"none", false, false, 0, 0}, Activation{"relu", true, false, 0, 0},
                                     Activation{"relu6", true, true, 0, 6},
                                     Activation{"relu_n1_to_1", true, true, -1, 1}};

evaluate::IntegerRange range_of(const Activation& a, const ir::TensorType& y, Requant requant) {
  evaluate::IntegerRange range = evaluate::integer_range(y.dtype);
  const evaluate::Affine to{y.quantisation->scales[0], y.quantisation->zero_points[0], range};
  if (a.has_low) range.low = evaluate::quantise(a.low, to, requant);
  if (a.has_high) range.high = evaluate::quantise(a.high, to, requant);
  return range;
}

bool clamps_its_result(const ir::Node& node) {
  constexpr std::array<std::string_view, 6> kOperators = {"Conv", "Add", "Sub", "Mul", "AveragePool", "MaxPool"};
  if (node.is("byoc", "FullyConnected")) return true;
  return node.domain.empty() && node.outputs.size() == 1 &&
         std::find(kOperators.begin(), kOperators.end(), node.op) != kOperators.end();
}

// The activation of `producer` with the clamp `node` in it, or "".
std::string_view joined_activation(const Editable& edit, const ir::Node& producer, const ir::Node& node) {
  const ir::TensorType& type = edit.type(node.outputs[0]);
  const std::string before = producer.text("activation", "none");
  const auto own =
      std::find_if(kActivations.begin(), kActivations.end(), [&](const Activation& a) { return a.name == before; });
  if (own == kActivations.end()) return "";
  const auto all = every_integer(type);
  const auto table = results_on(edit.graph(), node, all);
  if (!table) return "";
  const std::vector<std::int64_t> q = integers_of(all), f = integers_of(*table);
  const evaluate::IntegerRange first = range_of(*own, type, edit.graph().requant);
  for (const Activation& a : kActivations) {
    const evaluate::IntegerRange range = range_of(a, type, edit.graph().requant);
    const bool same =
        first.low <= first.high && range.low <= range.high && std::all_of(q.begin(), q.end(), [&](std::int64_t r) {
          const std::int64_t clamped = std::clamp(r, first.low, first.high);
          return f[static_cast<std::size_t>(clamped - q[0])] == std::clamp(r, range.low, range.high);
        });
    if (same) return a.name;
  }
  return "";
}

}  // namespace

void fold_activations(Editable& edit, RewriteSummary& summary) {
  for (ir::NodeId n = 0; n < edit.graph().nodes.size(); ++n) {
    const ir::Node& node = edit.node(n);
    if (!edit.may_change(n) || (!node.is("", "Relu") && !node.is("", "Clip"))) continue;
    const ir::ValueId x = node.inputs[0], y = node.outputs[0];
    const ir::NodeId p = edit.producer(x);
    if (p == ir::kNoNode || !clamps_its_result(edit.node(p)) || !is_activation(edit.type(x))) continue;
    if (edit.type(x) != edit.type(y) || !edit.is_inside(x) || !edit.is_read_once(x, n, 0)) continue;
    const std::string_view activation = joined_activation(edit, edit.node(p), node);
    if (activation.empty()) continue;
    edit.change(p).attributes["activation"] = std::string(activation);
    edit.absorb(n, p);
    edit.set_output(p, 0, y);
    edit.moved.fused[x] = y;
    ++summary.count;
    summary.tensor_bytes += edit.type(x).bytes();
  }
}

}  // namespace byoc::optimise
