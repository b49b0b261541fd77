// Interval analysis of quantised values, channel by channel, by the evaluator's own arithmetic.
//
// Layers: an accumulator is a sum of w * (x - zero), so it lies between the sums of the least and of the greatest
// terms; a tap that reads padding for some output may add 0 instead. Requantising and clamping do not fall where the
// accumulator rises (each is a rounded product with a positive factor, or a minimum or maximum), so the result lies
// between those of the two ends. These are computed by evaluating the layer itself, reduced to one element and one tap:
// the input is the zero point, so that the sum is the bias, and the bias is the end. Where an accumulator could leave
// 32 bits, or the shift to the left of a factor above 1 could, arithmetic wraps and nothing is concluded.
//
// Operators that keep channels apart do not fall where an operand rises either (ChannelWise): they are evaluated with
// every element at its low end, and at its high end. Functions of one element are evaluated on each integer of the
// range.
#include "sdk/codegen/optimise/ranges.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sdk/codegen/optimise/channel_wise.hpp"
#include "sdk/codegen/optimise/tables.hpp"
#include "sdk/model/evaluate/element.hpp"

namespace byoc::optimise {
namespace {

using Dims = std::vector<std::int64_t>;
using evaluate::Tensor;
using Integers = std::vector<std::int64_t>;

Range whole(const ir::TensorType& type) {
  const evaluate::IntegerRange r = evaluate::integer_range(type.dtype);
  return {r.low, r.high};
}

// Calls f(element, channel) for each element in row-major order.
template <class F>
void for_each_element(const Dims& dims, std::size_t axis, F&& f) {
  std::int64_t inner = 1, all = 1;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    all *= dims[d];
    if (d > axis) inner *= dims[d];
  }
  for (std::int64_t e = 0; e < all; ++e)
    f(static_cast<std::size_t>(e), static_cast<std::size_t>(e / inner % dims[axis]));
}

// Factors this far from 1 bring no shift of the operands of pools, sums and means to the point where it wraps, and no
// float to infinity.
constexpr double kLargestFactor = 1024;
constexpr double kLargestScale = 1e20;

class Finder {
 public:
  explicit Finder(const ir::Graph& graph) : graph_(graph), out_(graph.values.size()) {}

  ValueRanges run() {
    const AxisOf axis_of = [&](ir::ValueId v) {
      return out_[v] ? std::optional<std::size_t>(out_[v]->axis) : std::nullopt;
    };
    for (const ir::Node& node : graph_.nodes) {
      if (node.inputs.empty() || node.input(0) == ir::kNoValue) continue;
      if (const auto l = read_layer(graph_, node, dense_axis(graph_, out_, node)))
        layer(node, *l);
      else if (const auto c = channel_wise(graph_, node, axis_of))
        channel_wise_node(node, *c);
    }
    return std::move(out_);
  }

 private:
  const ir::TensorType& type(ir::ValueId v) const { return graph_.values[v].type; }

  // The known ranges of the channels along `axis`.
  std::vector<Range> ranges(ir::ValueId v, std::size_t axis) const {
    const auto count = static_cast<std::size_t>((*type(v).dims)[axis]);
    if (out_[v] && out_[v]->axis == axis) return out_[v]->channels;
    Range any = whole(type(v));
    if (out_[v] && !out_[v]->channels.empty()) {
      any = out_[v]->channels[0];
      for (const Range& r : out_[v]->channels) any = {std::min(any.low, r.low), std::max(any.high, r.high)};
    }
    return std::vector<Range>(count, any);
  }

  void set_whole(ir::ValueId v, std::size_t axis) {
    out_[v] = ChannelRanges{axis, std::vector<Range>(static_cast<std::size_t>((*type(v).dims)[axis]), whole(type(v)))};
  }

  std::optional<Integers> evaluate_one(const ir::Graph& graph, const ir::Node& node,
                                       const std::vector<const Tensor*>& inputs) const {
    Diagnostics unread;  // what cannot be evaluated is not known
    const auto results = evaluate::evaluate_node(graph, node, inputs, unread);
    if (!results || results->size() != 1) return std::nullopt;
    return integers_of((*results)[0]);
  }

  void layer(const ir::Node& node, const Layer& l) {
    set_whole(l.y, l.y_axis);
    const std::vector<Range> x = ranges(l.x, l.x_axis);
    const auto count = static_cast<std::size_t>(l.out_channels);
    Integers low(count, 0), high(count, 0);
    if (l.bias != ir::kNoValue) low = high = *ir::constant_integers(graph_, l.bias);
    if (low.size() != count) return;
    std::vector<bool> wraps(count, false);
    for (std::int64_t o = 0; o < l.out_channels; ++o) {
      const auto at = static_cast<std::size_t>(o);
      for (std::int64_t i = 0; i < l.group_in(); ++i)
        for (std::size_t t = 0; t < l.taps.size(); ++t) {
          const std::int64_t w = l.weight(o, i, t);
          const Range& r = x[static_cast<std::size_t>(o / l.group_out() * l.group_in() + i)];
          std::int64_t least = w * (r.low - l.x_zero), most = w * (r.high - l.x_zero);
          if (least > most) std::swap(least, most);
          if (l.may_be_outside[t]) least = std::min<std::int64_t>(least, 0), most = std::max<std::int64_t>(most, 0);
          wraps[at] = wraps[at] || __builtin_add_overflow(low[at], least, &low[at]) ||
                      __builtin_add_overflow(high[at], most, &high[at]);
        }
      wraps[at] = wraps[at] || !stays_exact(l, at, low[at]) || !stays_exact(l, at, high[at]);
      if (wraps[at]) low[at] = high[at] = 0;
    }
    const auto least = requantised(node, l, low), most = requantised(node, l, high);
    if (!least || !most || least->size() != count || most->size() != count) return;
    for (std::size_t o = 0; o < count; ++o)
      if (!wraps[o]) out_[l.y]->channels[o] = {(*least)[o], (*most)[o]};
  }

  // True if the accumulator fits into 32 bits, also shifted to the left by a factor of 1 or more. A factor is below
  // 2^shift and at least half of it, except for rounding.
  bool stays_exact(const Layer& l, std::size_t channel, std::int64_t accumulator) const {
    constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
    if (accumulator > kMost || accumulator < -kMost) return false;
    const Quantisation& w = *type(l.w).quantisation;
    const double factor = static_cast<double>(type(l.x).quantisation->scales[0]) *
                          static_cast<double>(w.scales[w.per_axis() ? channel : 0]) /
                          static_cast<double>(type(l.y).quantisation->scales[0]);
    constexpr double kSurelyBelowOne = 0.99;
    const double most = factor < kSurelyBelowOne ? 1 : 2.1 * factor;
    return std::isfinite(factor) && factor < 1e6 &&
           std::abs(static_cast<double>(accumulator)) * most < static_cast<double>(kMost);
  }

  // The results for accumulators, one for each output channel.
  std::optional<Integers> requantised(const ir::Node& node, const Layer& l, const Integers& accumulators) const {
    ir::Graph one;
    one.requant = graph_.requant;
    ir::Node small = node;
    for (const char* key : {"kernel_shape", "strides", "dilations", "pads"}) small.attributes.erase(key);
    if (!l.is_dense) small.attributes["group"] = std::int64_t{1};
    // Both are 64 bits where the layer's own bias does not say that its accumulator has 32.
    const bool narrow = type(l.x).dtype == DType::i16 && l.bias != ir::kNoValue && type(l.bias).dtype == DType::i32;
    const std::size_t rank = l.is_dense ? 2 : type(l.x).dims->size();
    ir::TensorType x = type(l.x), w = type(l.w), y = type(l.y), bias;
    x.dims = Dims(rank, 1);
    w.dims = Dims(rank, 1);
    (*w.dims)[l.w_out_axis] = l.out_channels;
    y.dims = Dims(rank, 1);
    (*y.dims)[l.is_dense ? 1 : l.y_axis] = l.out_channels;
    bias.dtype = narrow ? DType::i32 : DType::i64;
    bias.dims = Dims{l.out_channels};
    const Integers zeros(static_cast<std::size_t>(l.out_channels), 0);
    const Tensor operands[] = {tensor_of(x, {l.x_zero}), tensor_of(w, zeros), tensor_of(bias, accumulators)};
    small.inputs.clear();
    for (const Tensor& t : operands) {
      ir::Value v;
      v.type = t.type;
      small.inputs.push_back(one.add_value(std::move(v)));
    }
    ir::Value result;
    result.type = std::move(y);
    small.outputs = {one.add_value(std::move(result))};
    return evaluate_one(one, small, {&operands[0], &operands[1], &operands[2]});
  }

  bool has_tame_scales(const ir::Node& node, const ChannelWise& c) const {
    const double out = static_cast<double>(type(node.outputs[0]).quantisation->scales[0]);
    for (const ir::ValueId v : node.inputs) {
      if (v == ir::kNoValue || !type(v).quantisation) continue;
      const double in = static_cast<double>(type(v).quantisation->scales[0]);
      if (!(in < out * kLargestFactor) || !(in < kLargestScale)) return false;
    }
    if (!node.op.starts_with("Reduce")) return true;
    // A sum of 16-bit elements in 32 bits.
    const Dims& dims = *type(node.inputs[0]).dims;
    return type(node.inputs[0]).elements() / dims[c.operands[0].axis] < (1 << 13);
  }

  void channel_wise_node(const ir::Node& node, const ChannelWise& c) {
    const ir::ValueId y = node.outputs[0];
    set_whole(y, c.axis);
    if (type(y).elements() == 0) return;
    if (c.is_unary) return unary(node, c);
    if (!has_tame_scales(node, c)) return;
    const auto least = at_ends(node, c, false), most = at_ends(node, c, true);
    if (!least || !most) return;
    std::vector<Range>& channels = out_[y]->channels;
    for (Range& r : channels) std::swap(r.low, r.high);  // nothing yet
    for_each_element(*type(y).dims, c.axis, [&](std::size_t e, std::size_t channel) {
      channels[channel].low = std::min(channels[channel].low, (*least)[e]);
      channels[channel].high = std::max(channels[channel].high, (*most)[e]);
    });
  }

  // The result with every element of the operands at the end that makes it smallest, or largest.
  std::optional<Integers> at_ends(const ir::Node& node, const ChannelWise& c, bool largest) const {
    std::vector<Tensor> operands(node.inputs.size());
    std::vector<const Tensor*> given(node.inputs.size(), nullptr);
    for (std::size_t i = 0; i < node.inputs.size(); ++i)
      if (graph_.is_constant(node.inputs[i])) operands[i] = constant_of(graph_, node.inputs[i]);
    for (const ChannelWise::Operand& o : c.operands) {
      const ir::ValueId v = node.inputs[o.input];
      const bool high = largest != (node.op == "Sub" && o.input == 1);
      const std::vector<Range> of = ranges(v, o.axis);
      Integers values(static_cast<std::size_t>(type(v).elements()));
      for_each_element(*type(v).dims, o.axis,
                       [&](std::size_t e, std::size_t k) { values[e] = high ? of[k].high : of[k].low; });
      operands[o.input] = tensor_of(type(v), values);
    }
    for (std::size_t i = 0; i < node.inputs.size(); ++i)
      if (node.inputs[i] != ir::kNoValue) given[i] = &operands[i];
    auto found = evaluate_one(graph_, node, given);
    if (found && found->size() != static_cast<std::size_t>(type(node.outputs[0]).elements())) return std::nullopt;
    return found;
  }

  void unary(const ir::Node& node, const ChannelWise& c) {
    const ir::ValueId x = node.inputs[0], y = node.outputs[0];
    const Range all = whole(type(x));
    const auto table = results_on(graph_, node, every_integer(type(x)));
    if (!table) return;
    const Integers results = integers_of(*table);
    const std::vector<Range> of = ranges(x, c.axis);
    std::vector<Range>& channels = out_[y]->channels;
    for (std::size_t k = 0; k < channels.size(); ++k) {
      const auto first = results.begin() + (of[k].low - all.low), last = results.begin() + (of[k].high - all.low) + 1;
      const auto [low, high] = std::minmax_element(first, last);
      channels[k] = {*low, *high};
    }
  }

  const ir::Graph& graph_;
  ValueRanges out_;
};

}  // namespace

std::size_t dense_axis(const ir::Graph& graph, const ValueRanges& ranges, const ir::Node& node) {
  const ir::ValueId x = node.inputs[0];
  if (ranges[x]) return ranges[x]->axis;
  const auto& dims = graph.values[x].type.dims;
  return dims && !dims->empty() ? dims->size() - 1 : 0;
}

ValueRanges find_ranges(const ir::Graph& graph) { return Finder(graph).run(); }

}  // namespace byoc::optimise
