#include "sdk/codegen/optimise/channel_wise.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>

#include "sdk/codegen/optimise/layer.hpp"
#include "sdk/model/ir/operators.hpp"

namespace byoc::optimise {
namespace {

using Dims = std::vector<std::int64_t>;

class Reader {
 public:
  Reader(const ir::Graph& graph, const ir::Node& node, const AxisOf& axis_of)
      : graph_(graph), node_(node), axis_of_(axis_of) {}

  std::optional<ChannelWise> read() {
    if (node_.outputs.size() != 1 || node_.outputs[0] == ir::kNoValue || node_.input(0) == ir::kNoValue)
      return std::nullopt;
    if (!is_activation(type(node_.outputs[0]))) return std::nullopt;
    if (is_one_of({"Add", "Sub", "Concat"})) return several();
    const ir::Operator* op = ir::find_operator(node_.domain, node_.op);
    if (op == nullptr) return std::nullopt;
    if (graph_.is_constant(node_.inputs[0]) || !is_activation(type(node_.inputs[0]))) return std::nullopt;
    // The other operands are parameters and must be constant.
    for (std::size_t i = 1; i < node_.inputs.size(); ++i)
      if (node_.inputs[i] != ir::kNoValue && !graph_.is_constant(node_.inputs[i])) return std::nullopt;
    if (op->has(ir::kPool) && op->has(ir::kMonotone)) return same(channel_axis(node_, dims(node_.inputs[0]).size()));
    const auto axis = axis_of_(node_.inputs[0]);
    if (!axis) return std::nullopt;
    if (op->has(ir::kElementwise) && op->arity.least_inputs == 1 && op->arity.most_inputs != ir::kAny)
      return unary(*axis);
    if (op->has(ir::kReshapes) && (node_.op != "Squeeze" || node_.input(1) != ir::kNoValue)) return reshape(*axis);
    if (is_one_of({"Transpose"})) return transpose(*axis);
    if (is_one_of({"Pad"})) return pad(*axis);
    if (op->has(ir::kMonotone)) return reduce(*axis);
    return std::nullopt;
  }

 private:
  const ir::TensorType& type(ir::ValueId v) const { return graph_.values[v].type; }
  const Dims& dims(ir::ValueId v) const { return *type(v).dims; }
  const Dims& out() const { return dims(node_.outputs[0]); }
  bool is_one_of(std::initializer_list<std::string_view> ops) const {
    return node_.domain.empty() && std::find(ops.begin(), ops.end(), node_.op) != ops.end();
  }
  static Dims count_from(std::int64_t first, std::int64_t count) {
    Dims list(static_cast<std::size_t>(count));
    std::iota(list.begin(), list.end(), first);
    return list;
  }

  std::optional<ChannelWise> one(std::size_t axis, std::size_t result_axis, Dims channels) const {
    return ChannelWise{{{0, axis, std::move(channels)}}, result_axis, false};
  }
  // Channel c of input 0 becomes channel c, in the same dim.
  std::optional<ChannelWise> same(std::size_t axis) const {
    const Dims& x = dims(node_.inputs[0]);
    if (axis >= x.size() || out().size() != x.size() || out()[axis] != x[axis]) return std::nullopt;
    return one(axis, axis, count_from(0, x[axis]));
  }

  std::optional<ChannelWise> unary(std::size_t axis) const {
    auto found = same(axis);
    if (found) found->is_unary = true;
    return found;
  }

  std::optional<ChannelWise> reshape(std::size_t axis) const {
    auto found = reshape_channels(dims(node_.inputs[0]), axis, out());
    if (!found) return std::nullopt;
    return one(axis, found->axis, std::move(found->channels));
  }

  std::optional<ChannelWise> transpose(std::size_t axis) const {
    const Dims perm = node_.integers("perm", {});
    const auto at = std::find(perm.begin(), perm.end(), static_cast<std::int64_t>(axis));
    if (at == perm.end()) return std::nullopt;
    return one(axis, static_cast<std::size_t>(at - perm.begin()), count_from(0, dims(node_.inputs[0])[axis]));
  }

  // Padding around channels, not between them.
  std::optional<ChannelWise> pad(std::size_t axis) const {
    const auto pads = ir::constant_integers(graph_, node_.input(1));
    const std::size_t rank = dims(node_.inputs[0]).size();
    if (!pads || node_.input(3) != ir::kNoValue || pads->size() != 2 * rank) return std::nullopt;
    if ((*pads)[axis] != 0 || (*pads)[axis + rank] != 0) return std::nullopt;
    return same(axis);
  }

  std::optional<ChannelWise> reduce(std::size_t axis) const {
    const Dims& x = dims(node_.inputs[0]);
    const auto axes = ir::constant_integers(graph_, node_.input(1));
    if (!axes || axes->empty()) return std::nullopt;
    std::vector<bool> reduced(x.size(), false);
    for (const std::int64_t a : *axes)
      reduced[static_cast<std::size_t>(a < 0 ? a + static_cast<std::int64_t>(x.size()) : a)] = true;
    if (reduced[axis]) return std::nullopt;
    const bool keep = node_.integer("keepdims", 1) != 0;
    const auto before = std::count(reduced.begin(), reduced.begin() + static_cast<std::ptrdiff_t>(axis), true);
    return one(axis, keep ? axis : axis - static_cast<std::size_t>(before), count_from(0, x[axis]));
  }

  // Add, Sub, Concat: computed operands have the same rank and channels in the same dim.
  std::optional<ChannelWise> several() const {
    const bool concat = node_.op == "Concat";
    std::optional<std::size_t> axis;
    for (const ir::ValueId v : node_.inputs) {
      if (v == ir::kNoValue || !is_activation(type(v)) || (concat && graph_.is_constant(v))) return std::nullopt;
      if (!axis && !graph_.is_constant(v)) axis = axis_of_(v);
    }
    if (!axis || *axis >= out().size()) return std::nullopt;
    std::int64_t along = node_.integer("axis", 0);
    if (along < 0) along += static_cast<std::int64_t>(out().size());
    const bool stacks = concat && static_cast<std::size_t>(along) == *axis;
    ChannelWise found{{}, *axis, false};
    std::int64_t first = 0;
    for (std::size_t i = 0; i < node_.inputs.size(); ++i) {
      const ir::ValueId v = node_.inputs[i];
      if (graph_.is_constant(v)) continue;
      if (concat ? dims(v).size() != out().size() : dims(v) != out()) return std::nullopt;
      Dims channels = count_from(0, out()[*axis]);
      if (stacks) {
        const std::int64_t end = first + dims(v)[*axis];
        for (std::int64_t& c : channels) c = c >= first && c < end ? c - first : -1;
        first = end;
      }
      found.operands.push_back({i, *axis, std::move(channels)});
    }
    return found;
  }

  const ir::Graph& graph_;
  const ir::Node& node_;
  const AxisOf& axis_of_;
};

}  // namespace

std::optional<ChannelWise> channel_wise(const ir::Graph& graph, const ir::Node& node, const AxisOf& axis_of) {
  return Reader(graph, node, axis_of).read();
}

// Let an element be at e in row-major order, `inner` elements lie behind the channels, and `below` behind dim d of
// `to`. Its channel is e / inner mod C, its index along d is e / below mod N. The first follows from the second if
// `below` divides `inner`, and C * inner divides N * below.
std::optional<ReshapedChannels> reshape_channels(const Dims& from, std::size_t axis, const Dims& to) {
  std::int64_t inner = 1, below = 1;
  for (std::size_t d = axis + 1; d < from.size(); ++d) inner *= from[d];
  const std::int64_t count = from[axis];
  if (count * inner == 0) return std::nullopt;
  for (std::size_t d = to.size(); d-- > 0; below *= to[d]) {
    if (to[d] == 0) return std::nullopt;
    if (to[d] < count || inner % below != 0 || to[d] * below % (count * inner) != 0) continue;
    ReshapedChannels out{d, Dims(static_cast<std::size_t>(to[d]))};
    for (std::size_t j = 0; j < out.channels.size(); ++j)
      out.channels[j] = static_cast<std::int64_t>(j) / (inner / below) % count;
    return out;
  }
  return std::nullopt;
}

}  // namespace byoc::optimise
