#include "backends/c/layout/channels_last.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "backends/c/places.hpp"

namespace byoc::c {
namespace {

using codegen::kNoValue;
using codegen::Node;
using codegen::NodeId;
using codegen::Region;
using codegen::Value;
using codegen::ValueId;
using Dims = std::vector<std::int64_t>;

// Turning an element takes about as long as so many multiply-accumulates. What it is turned for must take longer, and
// by far: turning saves a part of that only.
constexpr std::int64_t kTurningMacs = 4;
constexpr std::int64_t kPart = 8;

// Batch, channels and one or two spatial dims.
bool is_image(const Value& v) { return (v.dims.size() == 3 || v.dims.size() == 4) && v.elements() > 0; }

std::size_t turned_axis(std::size_t axis, std::size_t rank) { return axis == 0 ? 0 : axis == 1 ? rank - 1 : axis - 1; }

Dims turned_dims(const Dims& dims) {
  Dims out(dims.size());
  for (std::size_t d = 0; d < dims.size(); ++d) out[turned_axis(d, dims.size())] = dims[d];
  return out;
}

// Whether its elements are in the same order either way.
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

// What a node does with the layout of its operands.
enum class Role {
  fixed,     // needs the graph's
  image,     // a window over an image: operand 0 and the result are both turned or neither
  bridge,    // the same, each in a layout of its own
  anywhere,  // all operands and results in one layout, whichever it is
  unturn,    // a Transpose from channels last to channels first
};

class Turner {
 public:
  Turner(const Region& region, bool always, const std::function<bool(const Region&, const Node&)>& claims)
      : graph_(region), always_(always), claims_(claims), refused_(region.nodes.size(), false) {}

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

  // Whether its result may be its operand, without a step: what is turned has storage that cannot be shared so.
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
    if (is_conv || is_global || (n.domain.empty() && is_pool(n))) {
      if (x.is_constant || !is_image(x) || n.text("data_layout", "NCHW") != "NCHW") return Role::fixed;
      const bool is_average = n.op == "AveragePool" || n.op == "GlobalAveragePool";
      return (is_conv || is_average) && x.quantised() && y.quantised() ? Role::bridge : Role::image;
    }
    if (n.domain.empty() && n.op == "Transpose") {
      const bool back = n.integers("perm", {}) == permutation(y.dims.size(), true);
      return back && !x.is_constant && x.quantisation == y.quantisation ? Role::unturn : Role::fixed;
    }
    const bool is_concat = n.domain.empty() && n.op == "Concat";
    if ((!is_concat && !is_elementwise(n)) || may_do_nothing(n)) return Role::fixed;
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

  // Values that are turned together, and which of them somebody needs as the graph has them.
  void find_classes() {
    const std::size_t count = graph_.values.size();
    class_.resize(count);
    std::iota(class_.begin(), class_.end(), ValueId{0});
    held_.assign(count, false);
    unturned_by_.assign(count, codegen::kNoNode);
    roles_.clear();
    for (const ValueId v : graph_.inputs) held_[v] = true;
    for (const ValueId v : graph_.outputs) held_[v] = true;
    for (ValueId v = 0; v < count; ++v)
      if (value(v).is_state || !is_image(value(v))) held_[v] = true;
    for (NodeId id = 0; id < graph_.nodes.size(); ++id) {
      const Node& n = node(id);
      const Role r = role(id);
      roles_.push_back(r);
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

  std::int64_t macs(const Node& n) const {
    if (n.op != "Conv" || n.inputs.size() < 2 || value(n.inputs[1]).dims.empty()) return 0;
    const Value& w = value(n.inputs[1]);
    return value(n.outputs[0]).elements() * (w.elements() / std::max<std::int64_t>(1, w.dims[0]));
  }
  // Kernels that compute channel by channel do not mind where the other channels are.
  bool reads_channels_together(const Node& n) const { return value(n.inputs[0]).dims[1] > n.integer("group", 1); }
  bool writes_channels_together(const Node& n) const { return value(n.outputs[0]).dims[1] > n.integer("group", 1); }

  // Which classes are turned; false: none.
  bool choose() {
    std::vector<std::int64_t> gain(class_.size(), 0);
    std::vector<bool> has_free(class_.size(), false);
    for (NodeId id = 0; id < graph_.nodes.size(); ++id) {
      if (roles_[id] != Role::image && roles_[id] != Role::bridge) continue;
      const ValueId x = class_of(node(id).inputs[0]), y = class_of(node(id).outputs[0]);
      if (reads_channels_together(node(id))) gain[x] += macs(node(id));
      if (writes_channels_together(node(id))) gain[y] += macs(node(id));
    }
    for (ValueId v = 0; v < class_.size(); ++v) {
      if (value(v).is_constant) continue;
      if (!held_[v] || unturned_by_[v] != codegen::kNoNode)
        has_free[class_of(v)] = true;
      else if (is_image(value(v)) && !is_same_turned(value(v)))
        gain[class_of(v)] -= value(v).elements() * kTurningMacs * kPart;
    }
    turned_.assign(class_.size(), false);
    for (ValueId v = 0; v < class_.size(); ++v)
      turned_[v] = !value(v).is_constant && has_free[class_of(v)] && (always_ || gain[class_of(v)] > 0);
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
  const bool always_;
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

std::optional<LaidOutRegion> with_channels_last(const Region& region, bool always,
                                                const std::function<bool(const Region&, const Node&)>& claims) {
  return Turner(region, always, claims).run();
}

}  // namespace byoc::c
