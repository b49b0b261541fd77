#include "backends/layers/channels_last.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace byoc::layers {
namespace {

using codegen::kNoValue;
using codegen::Node;
using codegen::NodeId;
using codegen::Region;
using codegen::Value;
using codegen::ValueId;
using Dims = std::vector<std::int64_t>;

// Instructions an element: of a Transpose, and what gathering and writing pixels take more where the channels of a
// pixel are apart.
constexpr std::int64_t kTurn = 12, kGather = 12, kScatter = 4;

// Batch, channels and one or two spatial dims.
bool is_image(const Value& v) { return (v.dims.size() == 3 || v.dims.size() == 4) && v.elements() > 0; }

std::size_t turned_axis(std::size_t axis, std::size_t rank) { return axis == 0 ? 0 : axis == 1 ? rank - 1 : axis - 1; }

Dims turned_dims(const Dims& dims) {
  Dims out(dims.size());
  for (std::size_t d = 0; d < dims.size(); ++d) out[turned_axis(d, dims.size())] = dims[d];
  return out;
}

// True if its elements have the same order in both layouts.
bool is_same_turned(const Value& v) { return v.dims[1] == 1 || v.dims[0] * v.dims[1] == v.elements(); }

// The `perm` of a Transpose that turns an image, or turns it back.
Dims permutation(std::size_t rank, bool back) {
  Dims out(rank);
  for (std::size_t d = 0; d < rank; ++d) {
    const std::size_t to = turned_axis(d, rank);
    out[back ? d : to] = static_cast<std::int64_t>(back ? to : d);
  }
  return out;
}

// The way in which a node treats the layout of its operands.
enum class Role {
  fixed,     // needs the graph's
  image,     // a window over an image: operand 0 and the result are both turned or neither
  bridge,    // the same, each in a layout of its own
  anywhere,  // all operands and results in one layout, whichever it is
  unturn,    // a Transpose from channels last to channels first
};

class Turner {
 public:
  Turner(const Region& region, const Turning& how, const OperatorTraits& traits,
         const std::function<bool(const Region&, const Node&)>& claims)
      : graph_(region), how_(how), traits_(traits), claims_(claims), refused_(region.nodes.size(), false) {}

  // Until nobody refuses what became of its node.
  std::optional<LaidOutRegion> run() {
    for (;;) {
      find_classes();
      if (!choose()) return std::nullopt;
      build();
      if (all_claimed()) return std::move(out_);
    }
  }

 private:
  const Value& value(ValueId v) const { return graph_.values[v]; }
  const Node& node(NodeId n) const { return graph_.nodes[n]; }

  // True if its result may be its operand, without a step. Transposed values have storage that cannot be shared so.
  bool may_do_nothing(const Node& n) const {
    const Value &x = value(n.inputs[0]), &y = value(n.outputs[0]);
    const bool one_of_many = n.op == "Concat" || n.op == "Max" || n.op == "Min" || n.op == "Sum";
    return one_of_many ? n.inputs.size() == 1 : n.op == "Cast" && x.dtype == y.dtype;
  }

  Role role(NodeId id) const {
    const Node& n = node(id);
    if (refused_[id] || n.inputs.empty() || n.inputs[0] == kNoValue || n.outputs.size() != 1) return Role::fixed;
    const Value &x = value(n.inputs[0]), &y = value(n.outputs[0]);
    if (!is_image(y)) return Role::fixed;
    const bool is_conv = n.domain.empty() && n.op == "Conv";
    const bool is_global = n.domain.empty() && (n.op == "GlobalAveragePool" || n.op == "GlobalMaxPool");
    if (is_conv || is_global || (n.domain.empty() && traits_.is_pool(n))) {
      if (x.is_constant || !is_image(x) || n.text("data_layout", "NCHW") != "NCHW") return Role::fixed;
      const bool is_average = n.op == "AveragePool" || n.op == "GlobalAveragePool";
      return (is_conv || is_average) && x.quantised() && y.quantised() ? Role::bridge : Role::image;
    }
    if (n.domain.empty() && n.op == "Transpose") {
      const bool back = n.integers("perm", {}) == permutation(y.dims.size(), true);
      return back && !x.is_constant && x.quantisation == y.quantisation ? Role::unturn : Role::fixed;
    }
    const bool is_concat = n.domain.empty() && n.op == "Concat";
    if ((!is_concat && !traits_.is_elementwise(n)) || may_do_nothing(n)) return Role::fixed;
    const auto fits = [&](ValueId v) {
      if (v == kNoValue) return !is_concat;
      const Value& operand = value(v);
      if (operand.elements() == 0) return false;
      if (!operand.is_constant) return operand.dims.size() == y.dims.size();
      return operand.dims.size() <= y.dims.size() && bit_width(operand.dtype) % 8 == 0 &&
             operand.quantisation.scales.size() < 2 && (!is_concat || operand.dims.size() == y.dims.size());
    };
    return std::all_of(n.inputs.begin(), n.inputs.end(), fits) ? Role::anywhere : Role::fixed;
  }

  ValueId class_of(ValueId v) {
    while (class_[v] != v) v = class_[v] = class_[class_[v]];
    return v;
  }
  void join(ValueId a, ValueId b) { class_[class_of(b)] = class_of(a); }

  // Element-wise nodes at a border stay outside where what is turned there instead is no larger: a Quantize of the
  // input, a Dequantize in front of the output.
  void find_roles() {
    roles_.clear();
    std::vector<bool> is_first(graph_.values.size(), false);  // somebody made it as the graph has it
    for (const ValueId v : graph_.inputs) is_first[v] = true;
    for (NodeId id = 0; id < graph_.nodes.size(); ++id) {
      Role r = role(id);
      if (r == Role::anywhere && only_reads(id, is_first)) r = Role::fixed;
      roles_.push_back(r);
      if (r == Role::fixed)
        for (const ValueId v : node(id).outputs)
          if (v != kNoValue) is_first[v] = true;
    }
    std::vector<bool> is_read_turned(graph_.values.size(), false);
    for (NodeId id = static_cast<NodeId>(graph_.nodes.size()); id-- > 0;) {
      const ValueId y = node(id).outputs.empty() ? kNoValue : node(id).outputs[0];
      if (roles_[id] == Role::anywhere && !is_read_turned[y] && operand_bytes(id) <= value(y).bytes())
        roles_[id] = Role::fixed;
      if (roles_[id] != Role::fixed)
        for (const ValueId v : node(id).inputs)
          if (v != kNoValue) is_read_turned[v] = true;
    }
  }
  // True if all its operands are among these, and are no smaller than its result.
  bool only_reads(NodeId id, const std::vector<bool>& values) const {
    const std::vector<ValueId>& inputs = node(id).inputs;
    return operand_bytes(id) >= value(node(id).outputs[0]).bytes() &&
           std::all_of(inputs.begin(), inputs.end(),
                       [&](ValueId v) { return v == kNoValue || value(v).is_constant || values[v]; });
  }
  std::uint64_t operand_bytes(NodeId id) const {
    std::uint64_t out = 0;
    for (const ValueId v : node(id).inputs)
      if (v != kNoValue && !value(v).is_constant) out += value(v).bytes();
    return out;
  }

  // Values that are turned together, and which of them somebody needs as the graph has them.
  void find_classes() {
    const std::size_t count = graph_.values.size();
    class_.resize(count);
    std::iota(class_.begin(), class_.end(), ValueId{0});
    held_.assign(count, false);
    unturned_by_.assign(count, codegen::kNoNode);
    for (const ValueId v : graph_.inputs) held_[v] = true;
    for (const ValueId v : graph_.outputs) held_[v] = true;
    for (ValueId v = 0; v < count; ++v)
      if (value(v).is_state || !is_image(value(v))) held_[v] = true;
    find_roles();
    for (NodeId id = 0; id < graph_.nodes.size(); ++id) {
      const Node& n = node(id);
      const Role r = roles_[id];
      if (r == Role::unturn) unturned_by_[n.outputs[0]] = id;
      for (std::size_t i = 0; i < n.inputs.size(); ++i) {
        const ValueId v = n.inputs[i];
        if (v == kNoValue || value(v).is_constant) continue;
        if (r == Role::fixed || r == Role::unturn || (r != Role::anywhere && i != 0)) held_[v] = true;
        if (r == Role::anywhere || (r == Role::image && i == 0)) join(n.outputs[0], v);
      }
      if (r == Role::fixed)
        for (const ValueId v : n.outputs)
          if (v != kNoValue) held_[v] = true;
    }
  }

  // The elements that a convolution gathers for all its results of one group of channels.
  std::int64_t gathered(const Node& n) const {
    if (n.op != "Conv" || n.inputs.size() < 2 || value(n.inputs[1]).elements() == 0) return 0;
    const Value &x = value(n.inputs[0]), &w = value(n.inputs[1]), &y = value(n.outputs[0]);
    const std::int64_t depth = w.elements() / w.dims[0], group = std::max<std::int64_t>(1, n.integer("group", 1));
    return y.elements() / std::max<std::int64_t>(1, y.dims[1]) * depth * std::min(group, x.dims[1]);
  }
  // Kernels that compute channel by channel do not mind where the other channels are.
  bool reads_channels_together(const Node& n) const { return value(n.inputs[0]).dims[1] > n.integer("group", 1); }
  bool writes_channels_together(const Node& n) const { return value(n.outputs[0]).dims[1] > n.integer("group", 1); }

  // Chooses the classes that are transposed; false: none.
  bool choose() {
    std::vector<std::int64_t> gain(class_.size(), 0);
    std::vector<bool> has_free(class_.size(), false);
    for (NodeId id = 0; id < graph_.nodes.size(); ++id) {
      if (roles_[id] != Role::image && roles_[id] != Role::bridge) continue;
      const ValueId x = node(id).inputs[0], y = node(id).outputs[0];
      if (reads_channels_together(node(id))) gain[class_of(x)] += kGather * gathered(node(id));
      if (writes_channels_together(node(id)) && gathered(node(id)) > 0)
        gain[class_of(y)] += kScatter * value(y).elements();
    }
    for (ValueId v = 0; v < class_.size(); ++v) {
      if (value(v).is_constant) continue;
      if (!held_[v] || unturned_by_[v] != codegen::kNoNode)
        has_free[class_of(v)] = true;
      else if (is_image(value(v)) && !is_same_turned(value(v)))
        gain[class_of(v)] -= kTurn * value(v).elements();
    }
    turned_.assign(class_.size(), false);
    for (ValueId v = 0; v < class_.size(); ++v) {
      const ValueId c = class_of(v);
      // A copy for one layer alone is memory for time.
      const bool may = has_free[c] || !how_.spares_memory;
      turned_[v] = !value(v).is_constant && is_image(value(v)) && (how_.always ? has_free[c] : may && gain[c] > 0);
    }
    return std::find(turned_.begin(), turned_.end(), true) != turned_.end();
  }

  void build() {
    out_ = {};
    out_.region = graph_;
    out_.region.nodes.clear();
    out_.region.groups.clear();
    out_.is_own.resize(graph_.values.size(), false);
    out_.values.resize(graph_.values.size());
    std::iota(out_.values.begin(), out_.values.end(), ValueId{0});
    form_.assign(graph_.values.size(), kNoValue);
    made_.assign(graph_.values.size(), false);
    for (ValueId v = 0; v < graph_.values.size(); ++v) {
      if (!turned_[v]) continue;
      if (unturned_by_[v] != codegen::kNoNode) {
        form_[v] = node(unturned_by_[v]).inputs[0];
        made_[v] = true;
      } else if (held_[v]) {
        Value copy = value(v);
        copy.dims = turned_dims(copy.dims);
        copy.source_index = -1;
        copy.is_state = false;
        form_[v] = add_value(std::move(copy), v);
        out_.is_own.back() = !is_same_turned(value(v));
      } else {
        out_.region.values[v].dims = turned_dims(value(v).dims);
        out_.is_own[v] = true;
        form_[v] = v;
      }
    }
    for (NodeId id = 0; id < graph_.nodes.size(); ++id) add_node(id);
  }

  ValueId add_value(Value form, ValueId of) {
    out_.region.values.push_back(std::move(form));
    out_.is_own.push_back(false);
    out_.values.push_back(of);
    return static_cast<ValueId>(out_.region.values.size() - 1);
  }

  void push(Node n, std::vector<NodeId> origins) {
    out_.region.nodes.push_back(std::move(n));
    out_.origins.push_back(std::move(origins));
  }

  void add_transpose(ValueId from, ValueId to, bool back, NodeId serves) {
    Node n;
    n.name = node(serves).name;
    n.op = "Transpose";
    n.version = 13;
    n.inputs = {from};
    n.outputs = {to};
    n.attributes["perm"] = permutation(out_.region.values[from].dims.size(), back);
    push(std::move(n), {serves});
  }

  // The turned form of an operand; made here where nobody made it before. A Transpose that is not needed any more
  // counts as the reader's.
  ValueId turned_operand(ValueId v, NodeId reader, std::vector<NodeId>& origins) {
    if (const NodeId transpose = unturned_by_[v]; transpose != codegen::kNoNode && !held_[v]) {
      if (std::none_of(out_.gone.begin(), out_.gone.end(), [&](const auto& g) { return g.first == v; })) {
        out_.gone.emplace_back(v, node(reader).outputs[0]);
        origins.push_back(transpose);
      }
      return form_[v];
    }
    if (form_[v] != v && !made_[v]) {
      add_transpose(v, form_[v], false, reader);
      made_[v] = true;
    }
    return form_[v];
  }

  ValueId turned_constant(ValueId v, std::size_t rank) {
    const Value& c = value(v);
    if (c.elements() == 1 || c.dims.empty()) return v;
    Value out = c;
    out.dims.insert(out.dims.begin(), rank - out.dims.size(), 1);
    const Dims from = out.dims;
    out.dims = turned_dims(from);
    const std::size_t width = bit_width(c.dtype) / 8;
    const auto channels = static_cast<std::size_t>(from[1]), batch = static_cast<std::size_t>(from[0]);
    const std::size_t pixels = static_cast<std::size_t>(c.elements()) / (batch * channels);
    std::vector<std::byte>& bytes = out_.constants.emplace_back(c.data.size());
    std::byte* to = bytes.data();
    for (std::size_t b = 0; b < batch; ++b)
      for (std::size_t p = 0; p < pixels; ++p)
        for (std::size_t k = 0; k < channels; ++k, to += width)
          std::memcpy(to, c.data.data() + ((b * channels + k) * pixels + p) * width, width);
    out.data = bytes;
    return add_value(std::move(out), v);
  }

  void add_node(NodeId id) {
    Node n = node(id);
    const Role r = roles_[id];
    if (r == Role::unturn && turned_[n.outputs[0]] && !held_[n.outputs[0]]) return;
    std::vector<NodeId> origins;
    const ValueId result = n.outputs.empty() ? kNoValue : n.outputs[0];
    const bool y = r != Role::fixed && r != Role::unturn && turned_[result];
    const bool x = r == Role::bridge ? turned_[n.inputs[0]] : y;
    if (r == Role::anywhere && y) {
      const std::size_t rank = value(result).dims.size();
      for (ValueId& v : n.inputs)
        if (v != kNoValue) v = value(v).is_constant ? turned_constant(v, rank) : turned_operand(v, id, origins);
      if (n.op == "Concat") {
        const std::int64_t axis = n.integer("axis", 0);
        const auto forward = static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis);
        n.attributes["axis"] = static_cast<std::int64_t>(turned_axis(forward, rank));
      }
    } else if (x || y) {
      if (x) n.inputs[0] = turned_operand(n.inputs[0], id, origins);
      n.attributes["data_layout"] = std::string(x ? "NHWC" : "NCHW");
      if (x != y) n.attributes["output_layout"] = std::string(y ? "NHWC" : "NCHW");
    }
    if (y) n.outputs[0] = form_[result];
    origins.push_back(id);
    push(std::move(n), std::move(origins));
    if (y && form_[result] != result) {
      made_[result] = true;
      add_transpose(form_[result], result, true, id);
    }
  }

  // Notes the nodes that nobody compiles in their new form.
  bool all_claimed() {
    bool all = true;
    for (NodeId n = 0; n < out_.region.nodes.size(); ++n) {
      const NodeId origin = out_.origins[n].back();
      if (refused_[origin] || claims_(out_.region, out_.region.nodes[n])) continue;
      refused_[origin] = true;
      all = false;
    }
    return all;
  }

  const Region& graph_;
  const Turning how_;
  const OperatorTraits traits_;
  const std::function<bool(const Region&, const Node&)>& claims_;
  std::vector<bool> refused_;        // [node]
  std::vector<Role> roles_;          // [node]
  std::vector<ValueId> class_;       // [value]
  std::vector<bool> held_;           // [value]
  std::vector<bool> turned_;         // [value] its class is turned
  std::vector<ValueId> form_;        // [value] its turned form
  std::vector<bool> made_;           // [value] whether the turned form of a held value is there already
  std::vector<NodeId> unturned_by_;  // [value] the Transpose that makes it of its turned form
  LaidOutRegion out_;
};

}  // namespace

std::optional<LaidOutRegion> with_channels_last(const Region& region, const Turning& how, const OperatorTraits& traits,
                                                const std::function<bool(const Region&, const Node&)>& claims) {
  return Turner(region, how, traits, claims).run();
}

}  // namespace byoc::layers
