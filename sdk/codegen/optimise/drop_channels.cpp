// Channels that are the same number in every run, and channels that no node needs, go: from the layers that compute
// them, from what keeps channels apart behind these, and from the weights of the layers that read them.
//
// Why it is exact: let channel c of x, which a layer reads, be the integer k in every run (ranges.hpp). To the
// accumulator of output o it adds S = sum over taps of w(o, c, t) * (k - zero), at each output position where no tap
// lies in padding. A tap that reads padding somewhere adds nothing there, so that c may go only if such a tap's weight
// is 0 or k is the zero point. Without c and with bias + S the accumulator is the same integer at every position. (It
// is a sum in 64 bits, or one modulo 2^32, in any order; bias + S must fit the bias's element type.) A channel whose
// weights are all 0 adds nothing, whatever it is. Where an operator keeps channels apart, a channel of the result needs
// its own channels of the operands alone: with all of them the others are what they were.
//
// What goes together is found by joining channels of values into classes: those that an operator keeps apart from the
// others (ChannelWise, depthwise convolutions). A class goes if none of its members is held: by a node that is not
// known here or may not be changed, by the border of a region or of the model, or by a layer that needs it as above.
#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

#include "sdk/codegen/optimise/channel_wise.hpp"
#include "sdk/codegen/optimise/ranges.hpp"
#include "sdk/codegen/optimise/rewrites.hpp"
#include "sdk/model/evaluate/element.hpp"
#include "sdk/model/ir/operators.hpp"

namespace byoc::optimise {
namespace {

using Dims = std::vector<std::int64_t>;

// Kernels read channels in blocks of four. Measured (conv_s8_dsp, 37 to 39 channels beside 36 and 40): what reads a
// block that is not full takes 1/25 longer for all of them, what computes it does not.
constexpr std::int64_t kBlock = 4;
constexpr std::uint64_t kPartOfReader = 25;

// Every slice of `kept` along dim `axis`. Elements are whole bytes.
std::vector<std::byte> slices(const ir::Value& constant, std::size_t axis, const std::vector<std::int64_t>& kept) {
  const Dims& dims = *constant.type.dims;
  std::size_t outer = 1, inner = bit_width(constant.type.dtype) / 8;
  for (std::size_t d = 0; d < dims.size(); ++d)
    if (d != axis) (d < axis ? outer : inner) *= static_cast<std::size_t>(dims[d]);
  const auto bytes = constant.constant->bytes.bytes();
  const std::size_t all = static_cast<std::size_t>(dims[axis]) * inner;
  std::vector<std::byte> out;
  out.reserve(outer * kept.size() * inner);
  for (std::size_t o = 0; o < outer; ++o)
    for (const std::int64_t k : kept) {
      const auto at = bytes.begin() + static_cast<std::ptrdiff_t>(o * all + static_cast<std::size_t>(k) * inner);
      out.insert(out.end(), at, at + static_cast<std::ptrdiff_t>(inner));
    }
  return out;
}

ir::TensorType sliced(ir::TensorType type, std::size_t axis, const std::vector<std::int64_t>& kept) {
  (*type.dims)[axis] = static_cast<std::int64_t>(kept.size());
  if (type.quantisation && type.quantisation->per_axis() && static_cast<std::size_t>(type.quantisation->axis) == axis) {
    Quantisation all = std::move(*type.quantisation);
    type.quantisation = Quantisation{{}, {}, all.axis};
    for (const std::int64_t k : kept) {
      type.quantisation->scales.push_back(all.scales[static_cast<std::size_t>(k)]);
      type.quantisation->zero_points.push_back(all.zero_points[static_cast<std::size_t>(k)]);
    }
  }
  return type;
}

// One pass over the graph. Channels of all values are numbered in sequence: those of v begin at first_[v].
class Pass {
 public:
  explicit Pass(Editable& edit) : edit_(edit), graph_(edit.graph()), ranges_(find_ranges(graph_)) {
    std::size_t count = 0;
    for (ir::ValueId v = 0; v < graph_.values.size(); ++v) {
      first_.push_back(count);
      if (ranges_[v]) count += ranges_[v]->channels.size();
    }
    class_.resize(count);
    std::iota(class_.begin(), class_.end(), std::size_t{0});
    held_.resize(count, false);
    read_nodes();
  }

  // Returns true if a channel was dropped.
  bool run(RewriteSummary& summary) {
    find_channels();
    if (std::none_of(goes_.begin(), goes_.end(), [](bool g) { return g; })) return false;
    const std::uint64_t macs = all_macs(), constants = constant_bytes(), tensors = tensor_bytes();
    std::vector<ir::NodeId> nodes;
    for (ir::NodeId n = 0; n < graph_.nodes.size(); ++n)
      if (touches(n)) nodes.push_back(n);
    // Layers look at what they read while its shape is the old one.
    for (const ir::NodeId n : nodes) rewrite_constants(n);
    for (ir::ValueId v = 0; v < ranges_.size(); ++v)
      if (loses(v)) shrink(v, summary);
    for (const ir::NodeId n : nodes) rewrite_shape(n);
    summary.macs += macs - all_macs();
    const std::uint64_t now = constant_bytes();
    summary.constant_bytes += constants - std::min(constants, now);  // a bias may be new
    summary.tensor_bytes += tensors - tensor_bytes();
    return true;
  }

 private:
  std::size_t at(ir::ValueId v, std::int64_t channel) const { return first_[v] + static_cast<std::size_t>(channel); }
  std::size_t count(ir::ValueId v) const { return ranges_[v] ? ranges_[v]->channels.size() : 0; }

  std::size_t class_of(std::size_t channel) {
    while (class_[channel] != channel) channel = class_[channel] = class_[class_[channel]];
    return channel;
  }
  void join(std::size_t a, std::size_t b) { class_[class_of(b)] = class_of(a); }
  void hold(ir::ValueId v) {
    for (std::size_t c = 0; c < count(v); ++c) held_[first_[v] + c] = true;
  }

  void read_nodes() {
    for (ir::ValueId v = 0; v < ranges_.size(); ++v)
      if (ranges_[v] && !edit_.is_inside(v)) hold(v);
    const AxisOf axis_of = [&](ir::ValueId v) {
      return ranges_[v] ? std::optional<std::size_t>(ranges_[v]->axis) : std::nullopt;
    };
    layers_.resize(graph_.nodes.size());
    for (ir::NodeId n = 0; n < graph_.nodes.size(); ++n) {
      const ir::Node& node = graph_.nodes[n];
      if (node.inputs.empty() || node.input(0) == ir::kNoValue) continue;
      if (edit_.may_change(n)) {
        layers_[n] = read_layer(graph_, node, dense_axis(graph_, ranges_, node));
        if (layers_[n] && read_layer_channels(*layers_[n])) {
          layers_[n]->weights = {};  // of one layer at a time
          continue;
        }
        layers_[n].reset();
        const auto c = channel_wise(graph_, node, axis_of);
        if (c && read_channel_wise(node, *c)) continue;
      }
      for (const auto* list : {&node.inputs, &node.outputs})
        for (const ir::ValueId v : *list)
          if (v != ir::kNoValue) hold(v);
    }
  }

  bool has_axis(ir::ValueId v, std::size_t axis) const { return ranges_[v] && ranges_[v]->axis == axis; }

  // False where neither side has channels that could go.
  bool read_layer_channels(const Layer& l) {
    if (!has_axis(l.y, l.y_axis) || (l.groups != 1 && !l.is_depthwise())) return false;
    if (l.is_depthwise()) {
      if (!has_axis(l.x, l.x_axis)) return false;
      for (std::int64_t o = 0; o < l.out_channels; ++o) join(at(l.y, o), at(l.x, o / l.group_out()));
      return true;
    }
    if (!has_axis(l.x, l.x_axis)) {
      hold(l.x);
      return true;
    }
    for (std::int64_t i = 0; i < l.in_channels; ++i)
      if (!can_do_without(l, i)) held_[at(l.x, i)] = true;
    // The bias must be representable without all of these channels at once.
    if (!bias_without(l, [&](std::int64_t i) { return !held_[at(l.x, i)]; })) hold(l.x);
    return true;
  }

  bool can_do_without(const Layer& l, std::int64_t i) const {
    const Range& r = ranges_[l.x]->channels[static_cast<std::size_t>(i)];
    for (std::int64_t o = 0; o < l.out_channels; ++o)
      for (std::size_t t = 0; t < l.taps.size(); ++t) {
        if (l.weight(o, i, t) == 0) continue;
        if (!r.is_one() || (l.may_be_outside[t] && r.low != l.x_zero)) return false;
      }
    return true;
  }

  // The bias without the input channels that go; nothing where an element does not fit.
  template <class F>
  std::optional<std::vector<std::int64_t>> bias_without(const Layer& l, F&& goes) const {
    std::vector<std::int64_t> bias(static_cast<std::size_t>(l.out_channels), 0);
    if (l.bias != ir::kNoValue) bias = *ir::constant_integers(graph_, l.bias);
    for (std::int64_t o = 0; o < l.out_channels; ++o) {
      std::int64_t& b = bias[static_cast<std::size_t>(o)];
      // Whatever part of them goes, the bias is between these.
      std::int64_t least = b, most = b;
      for (std::int64_t i = 0; i < l.in_channels; ++i) {
        if (!goes(i) || !ranges_[l.x]->channels[static_cast<std::size_t>(i)].is_one()) continue;
        const std::int64_t k = ranges_[l.x]->channels[static_cast<std::size_t>(i)].low - l.x_zero;
        std::int64_t sum = 0;
        for (std::size_t t = 0; t < l.taps.size(); ++t) sum += l.weight(o, i, t) * k;
        b += sum;
        (sum < 0 ? least : most) += sum;
      }
      constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
      if (least < -kMost || most > kMost) return std::nullopt;
    }
    return bias;
  }

  bool read_channel_wise(const ir::Node& node, const ChannelWise& c) {
    const ir::ValueId y = node.outputs[0];
    if (!has_axis(y, c.axis)) return false;
    for (const ChannelWise::Operand& o : c.operands)
      if (!has_axis(node.inputs[o.input], o.axis)) return false;
    for (const ChannelWise::Operand& o : c.operands)
      for (std::size_t k = 0; k < o.channels.size(); ++k)
        if (o.channels[k] >= 0) join(first_[y] + k, at(node.inputs[o.input], o.channels[k]));
    return true;
  }

  // Sets goes_[channel], for whole classes. At least one channel of each layer's result stays, and channels that fill
  // the last block stay if that pays.
  void find_channels() {
    std::vector<bool> class_held(class_.size(), false);
    for (std::size_t c = 0; c < class_.size(); ++c)
      if (held_[c]) class_held[class_of(c)] = true;
    for (bool more = true; more;) {
      more = false;
      for (ir::NodeId n = 0; n < layers_.size(); ++n)
        if (layers_[n]) more = fill_block(n, class_held) || more;
    }
    goes_.resize(class_.size());
    for (std::size_t c = 0; c < class_.size(); ++c) goes_[c] = !class_held[class_of(c)];
  }

  // Keeps channels of the layer's result that could go; whether there were such.
  bool fill_block(ir::NodeId n, std::vector<bool>& class_held) {
    const ir::ValueId y = layers_[n]->y;
    const auto is_held = [&](std::size_t c) { return static_cast<bool>(class_held[class_of(first_[y] + c)]); };
    const auto stays = [&] {
      std::int64_t kept = 0;
      for (std::size_t c = 0; c < count(y); ++c) kept += is_held(c) ? 1 : 0;
      return kept;
    };
    const std::int64_t kept = stays(), missing = (kBlock - kept % kBlock) % kBlock;
    const bool pays = static_cast<std::uint64_t>(missing) * macs_of_channel(n) * kPartOfReader < macs_of_readers(y);
    const std::int64_t wanted = std::max<std::int64_t>(kept + (pays ? missing : 0), 1);
    bool any = false;
    for (std::size_t c = count(y); c-- > 0 && stays() < wanted;) {
      if (is_held(c)) continue;
      class_held[class_of(first_[y] + c)] = true;
      any = true;
    }
    return any;
  }

  // The multiply-accumulates of one channel of the layer's result; for a depthwise layer, also those of the layer that
  // makes its input channel.
  std::uint64_t macs_of_channel(ir::NodeId n) const {
    const Layer& l = *layers_[n];
    const std::uint64_t own = macs_of(graph_, graph_.nodes[n]) / static_cast<std::uint64_t>(l.out_channels);
    const ir::NodeId before = edit_.producer(l.x);
    if (!l.is_depthwise() || before == ir::kNoNode || !layers_[before]) return own;
    return own + macs_of_channel(before) / static_cast<std::uint64_t>(l.group_out());
  }
  std::uint64_t macs_of_readers(ir::ValueId v) const {
    std::uint64_t sum = 0;
    for (const ir::NodeId n : edit_.readers(v))
      if (layers_[n] && !layers_[n]->is_depthwise()) sum += macs_of(graph_, graph_.nodes[n]);
    return sum;
  }

  bool loses(ir::ValueId v) const {
    if (v == ir::kNoValue || v >= ranges_.size()) return false;
    for (std::size_t c = 0; c < count(v); ++c)
      if (goes_[first_[v] + c]) return true;
    return false;
  }
  std::vector<std::int64_t> kept(ir::ValueId v) const {
    std::vector<std::int64_t> out;
    for (std::size_t c = 0; c < count(v); ++c)
      if (!goes_[first_[v] + c]) out.push_back(static_cast<std::int64_t>(c));
    return out;
  }
  bool touches(ir::NodeId n) const {
    const ir::Node& node = graph_.nodes[n];
    const auto is_smaller = [&](ir::ValueId v) { return loses(v); };
    return std::any_of(node.inputs.begin(), node.inputs.end(), is_smaller) ||
           std::any_of(node.outputs.begin(), node.outputs.end(), is_smaller);
  }

  void replace(ir::NodeId n, std::size_t input, ir::TensorType type, std::vector<std::byte> bytes) {
    edit_.set_input(n, input, edit_.add_constant(std::move(type), std::move(bytes)));
  }
  void slice(ir::NodeId n, std::size_t input, std::size_t axis, const std::vector<std::int64_t>& channels) {
    const ir::Value& v = graph_.values[graph_.nodes[n].inputs[input]];
    auto bytes = slices(v, axis, channels);
    replace(n, input, sliced(v.type, axis, channels), std::move(bytes));
  }

  void rewrite_constants(ir::NodeId n) {
    if (layers_[n]) return rewrite_layer(n, *layers_[n]);
    // Constant operands of Add and Sub, aligned at the last dim.
    const ir::Node& node = graph_.nodes[n];
    if (!node.is("", "Add") && !node.is("", "Sub")) return;
    const ir::ValueId y = node.outputs[0];
    const std::size_t rank = edit_.type(y).dims->size();
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const ir::ValueId v = graph_.nodes[n].inputs[i];
      if (!graph_.is_constant(v)) continue;
      const std::size_t behind = rank - ranges_[y]->axis, own = edit_.type(v).dims->size();
      if (own < behind || (*edit_.type(v).dims)[own - behind] == 1) continue;
      slice(n, i, own - behind, kept(y));
    }
  }

  void rewrite_layer(ir::NodeId n, const Layer& l) {
    edit_.change(n);
    const std::vector<std::int64_t> outputs = kept(l.y);
    if (l.is_depthwise()) {
      edit_.change(n).attributes["group"] = static_cast<std::int64_t>(kept(l.x).size());
    } else if (loses(l.x)) {
      add_bias(n, *read_layer(graph_, graph_.nodes[n], l.x_axis));
      slice(n, 1, l.w_in_axis, weight_inputs(l));
    }
    if (!loses(l.y)) return;
    slice(n, 1, l.w_out_axis, outputs);
    if (graph_.nodes[n].input(2) != ir::kNoValue) slice(n, 2, 0, outputs);
  }

  // The indexes that stay along the weights' dim of input channels; a dense layer has several for each channel.
  std::vector<std::int64_t> weight_inputs(const Layer& l) const {
    if (!l.is_dense) return kept(l.x);
    std::vector<std::int64_t> out;
    for (std::int64_t d = 0; d < l.out_stride; ++d)
      if (!goes_[at(l.x, d / l.in_stride % l.in_channels)]) out.push_back(d);
    return out;
  }

  void add_bias(ir::NodeId n, const Layer& l) {
    const auto bias = *bias_without(l, [&](std::int64_t i) { return goes_[at(l.x, i)]; });
    const bool none = l.bias == ir::kNoValue;
    if (none && std::all_of(bias.begin(), bias.end(), [](std::int64_t b) { return b == 0; })) return;
    // Without a bias the accumulator of 16-bit inputs has 64 bits; a bias of 32 bits would change that.
    ir::TensorType type;
    type.dtype = edit_.type(l.x).dtype == DType::i16 ? DType::i64 : DType::i32;
    type.dims = Dims{l.out_channels};
    if (!none) type = edit_.type(l.bias);
    const std::size_t size = bit_width(type.dtype) / 8;
    std::vector<std::byte> bytes(bias.size() * size);
    for (std::size_t i = 0; i < bias.size(); ++i) std::memcpy(&bytes[i * size], &bias[i], size);  // little-endian
    replace(n, 2, std::move(type), std::move(bytes));
  }

  // The value without the channels that go, and where each of its channels was.
  void shrink(ir::ValueId v, RewriteSummary& summary) {
    const ChannelRanges& of = *ranges_[v];
    ChannelMap now{static_cast<std::uint32_t>(of.axis), {}, {}};
    std::int64_t next = 0;
    for (std::size_t c = 0; c < of.channels.size(); ++c) {
      const bool gone = goes_[first_[v] + c];
      now.stored.push_back(gone ? -1 : next++);
      now.constant.push_back(gone && of.channels[c].is_one() ? std::optional(of.channels[c].low) : std::nullopt);
    }
    if (const ir::NodeId p = edit_.producer(v); layers_[p])
      summary.count += of.channels.size() - static_cast<std::size_t>(next);
    ChannelMap& map = edit_.moved.channels[v];
    if (map.complete()) {
      map = now;
    } else {  // for the second time
      for (std::size_t c = 0; c < map.stored.size(); ++c) {
        if (map.stored[c] < 0) continue;
        const auto before = static_cast<std::size_t>(map.stored[c]);
        map.constant[c] = now.constant[before];
        map.stored[c] = now.stored[before];
      }
    }
    edit_.set_type(v, sliced(edit_.type(v), of.axis, kept(v)));
  }

  // A Reshape says what its result's dims are.
  void rewrite_shape(ir::NodeId n) {
    edit_.change(n);
    const ir::Node& node = graph_.nodes[n];
    if (!node.is("", "Reshape")) return;
    const Dims& dims = *edit_.type(node.outputs[0]).dims;
    std::vector<std::byte> bytes(dims.size() * sizeof(std::int64_t));
    if (!bytes.empty()) std::memcpy(bytes.data(), dims.data(), bytes.size());
    ir::TensorType type;
    type.dtype = DType::i64;
    type.dims = Dims{static_cast<std::int64_t>(dims.size())};
    replace(n, 1, std::move(type), std::move(bytes));
  }

  std::uint64_t all_macs() const {
    std::uint64_t sum = 0;
    for (const ir::Node& n : graph_.nodes)
      if (!n.inputs.empty()) sum += macs_of(graph_, n);
    return sum;
  }
  // The bytes of constants that layers read. tensor_bytes(): the bytes of values between nodes.
  std::uint64_t constant_bytes() const {
    std::uint64_t sum = 0;
    for (const ir::Node& n : graph_.nodes)
      for (const ir::ValueId v : n.inputs)
        if (v != ir::kNoValue && graph_.is_constant(v)) sum += edit_.type(v).bytes();
    return sum;
  }
  std::uint64_t tensor_bytes() const {
    std::uint64_t sum = 0;
    for (const ir::Node& n : graph_.nodes)
      for (const ir::ValueId v : n.outputs)
        if (v != ir::kNoValue) sum += edit_.type(v).bytes();
    return sum;
  }

  Editable& edit_;
  const ir::Graph& graph_;
  const ValueRanges ranges_;
  std::vector<std::size_t> first_;            // [value]
  std::vector<std::size_t> class_;            // [channel] its class's representative, by way of others
  std::vector<bool> held_;                    // [channel]
  std::vector<bool> goes_;                    // [channel]
  std::vector<std::optional<Layer>> layers_;  // [node] those whose channels are not held; without their weights
};

}  // namespace

void drop_channels(Editable& edit, RewriteSummary& summary) {
  bool any = false;
  for (ir::NodeId n = 0; n < edit.graph().nodes.size(); ++n) any = any || edit.may_change(n);
  if (!any) return;
  // A channel that is gone needs nothing any more: others may follow.
  while (Pass(edit).run(summary)) {
  }
}

}  // namespace byoc::optimise
