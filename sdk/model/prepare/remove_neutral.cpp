// Removes nodes that do nothing, and merges chains of reshapes and of transposes; a transpose that only moves dims of
// length 1 becomes a reshape.
#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <span>

#include "sdk/model/ir/operators.hpp"
#include "sdk/model/ir/rewrite.hpp"
#include "sdk/model/prepare/prepare.hpp"

namespace byoc {
namespace {

using Integers = std::vector<std::int64_t>;

bool is_reshape(const ir::Node& n) { return ir::has_trait(n, ir::kReshapes); }

bool all_are(const Integers& list, std::int64_t value) {
  return std::all_of(list.begin(), list.end(), [&](std::int64_t i) { return i == value; });
}

// Each rule: given equal types of the first input and the output, does the node give its input back?
bool always(const ir::Graph&, const ir::Node&) { return true; }

// A shape or axes that only a run knows may be wrong.
bool by_constants(const ir::Graph& graph, const ir::Node& n) {
  return n.input(1) == ir::kNoValue || graph.is_constant(n.inputs[1]);
}

bool identity_perm(const ir::Graph& graph, const ir::Node& n) {
  const Integers perm = n.integers("perm", {});
  const std::size_t rank = graph.values[n.inputs[0]].type.dims->size();
  // Without perm the dims are reversed.
  return perm.empty() ? rank <= 1 : std::is_sorted(perm.begin(), perm.end());
}

bool pads_nothing(const ir::Graph& graph, const ir::Node& n) {
  const auto pads = ir::constant_integers(graph, n.input(1));
  return pads && all_are(*pads, 0);
}

bool slices_forward(const ir::Graph& graph, const ir::Node& n) {
  if (n.input(4) == ir::kNoValue) return true;
  const auto steps = ir::constant_integers(graph, n.input(4));
  return steps && all_are(*steps, 1);
}

bool has_no_bounds(const ir::Graph&, const ir::Node& n) {
  return n.input(1) == ir::kNoValue && n.input(2) == ir::kNoValue;
}

bool expects_a_constant(const ir::Graph& graph, const ir::Node& n) { return graph.is_constant(n.input(1)); }

// A pool of reals ignores NaN.
bool looks_at_single_elements(const ir::Graph& graph, const ir::Node& n) {
  const DType t = graph.values[n.inputs[0]].type.dtype;
  const bool real = t == DType::f32 || t == DType::f16 || t == DType::bf16 || t == DType::f64;
  return !real && all_are(n.integers("kernel_shape", {0}), 1) && all_are(n.integers("strides", {}), 1) &&
         all_are(n.integers("pads", {}), 0) && n.text("activation", "none") == "none";
}

struct NeutralRule {
  std::string_view domain;
  std::string_view op;
  bool (*is_neutral)(const ir::Graph&, const ir::Node&);
};

constexpr std::array<NeutralRule, 15> kNeutralRules = {{{"", "Identity", always},
                                                        {"", "Cast", always},
                                                        {"", "Reshape", by_constants},
                                                        {"", "Flatten", always},
                                                        {"", "Squeeze", by_constants},
                                                        {"", "Unsqueeze", by_constants},
                                                        {"", "Concat", always},
                                                        {"", "Split", always},
                                                        {"", "Transpose", identity_perm},
                                                        {"", "Pad", pads_nothing},
                                                        {"", "Slice", slices_forward},
                                                        {"", "Clip", has_no_bounds},
                                                        {"", "MaxPool", looks_at_single_elements},
                                                        {"byoc", "Expect", expects_a_constant},
                                                        {"byoc", "Quantize", always}}};

class Cleaner {
 public:
  Cleaner(ir::Graph& graph, bool is_body)
      : graph_(graph), is_body_(is_body), now_(graph.values.size()), made_by_(graph.values.size(), kNone) {
    std::iota(now_.begin(), now_.end(), ir::ValueId{0});
  }

  void run() {
    for (ir::Node& node : graph_.nodes) {
      for (ir::ValueId& v : node.inputs)
        if (v != ir::kNoValue) v = now_[v];
      if (node.inputs.empty() || node.outputs.size() != 1 || node.inputs[0] == ir::kNoValue) {
        keep(std::move(node));
        continue;
      }
      join_reshapes(node);
      join_transposes(node);
      transpose_to_reshape(node);
      if (is_neutral(node))
        now_[node.outputs[0]] = node.inputs[0];
      else
        keep(std::move(node));
    }
    graph_.nodes = std::move(kept_);
    for (ir::ValueId& v : graph_.outputs) v = given_out(v);
    for (ir::State& s : graph_.states) s.next = now_[s.next];
  }

 private:
  static constexpr std::size_t kNone = SIZE_MAX;

  const ir::TensorType& type(ir::ValueId v) const { return graph_.values[v].type; }

  void keep(ir::Node node) {
    for (ir::ValueId v : node.outputs)
      if (v != ir::kNoValue) made_by_[v] = kept_.size();
    kept_.push_back(std::move(node));
  }

  const ir::Node* producer(ir::ValueId v) const {
    return v < made_by_.size() && made_by_[v] != kNone ? &kept_[made_by_[v]] : nullptr;
  }

  // A tensor of the source's own table stays, so that it can be looked at under its index; it costs no copy.
  bool is_listed(ir::ValueId v) const { return graph_.values[v].source_index >= 0; }

  bool is_neutral(const ir::Node& node) const {
    if (is_listed(node.outputs[0])) return false;
    const ir::TensorType& x = type(node.inputs[0]);
    const ir::TensorType& y = type(node.outputs[0]);
    if (!x.is_static() || x != y) return false;
    return std::any_of(kNeutralRules.begin(), kNeutralRules.end(),
                       [&](const NeutralRule& r) { return node.is(r.domain, r.op) && r.is_neutral(graph_, node); });
  }

  // Makes `node` a Reshape of `x` to the dims its output has.
  void make_reshape(ir::Node& node, ir::ValueId x) {
    const std::vector<ir::Dim> dims = *type(node.outputs[0]).dims;
    std::vector<std::byte> bytes(dims.size() * sizeof(std::int64_t));
    if (!bytes.empty()) std::memcpy(bytes.data(), dims.data(), bytes.size());
    ir::TensorType shape;
    shape.dtype = DType::i64;
    shape.dims = {static_cast<ir::Dim>(dims.size())};
    constexpr std::int64_t kReshapeVersion = 14;
    node.op = "Reshape";
    node.version = kReshapeVersion;
    node.attributes.clear();
    // A length of 0 is meant as such, not as "the length the input has".
    if (std::find(dims.begin(), dims.end(), 0) != dims.end()) node.attributes["allowzero"] = std::int64_t{1};
    node.inputs = {x, graph_.add_constant({}, std::move(shape), Blob::own(std::move(bytes)))};
    now_.push_back(node.inputs[1]);
    made_by_.push_back(kNone);
  }

  void join_reshapes(ir::Node& node) {
    if (!is_reshape(node) || !type(node.outputs[0]).is_static() || !by_constants(graph_, node)) return;
    const ir::Node* before = producer(node.inputs[0]);
    if (before == nullptr || !is_reshape(*before) || !by_constants(graph_, *before) || is_listed(node.inputs[0]))
      return;
    if (type(before->inputs[0]).quantisation != type(node.outputs[0]).quantisation) return;
    make_reshape(node, before->inputs[0]);
  }

  void join_transposes(ir::Node& node) {
    const ir::Node* before = producer(node.inputs[0]);
    if (!node.is("", "Transpose") || before == nullptr || !before->is("", "Transpose")) return;
    if (is_listed(node.inputs[0])) return;
    const auto* last = node.find<Integers>("perm");
    const auto* first = before->find<Integers>("perm");
    if (last == nullptr || first == nullptr || last->size() != first->size()) return;
    Integers both;
    for (std::int64_t axis : *last) {
      if (axis < 0 || static_cast<std::size_t>(axis) >= first->size()) return;
      both.push_back((*first)[static_cast<std::size_t>(axis)]);
    }
    node.inputs[0] = before->inputs[0];
    node.attributes["perm"] = std::move(both);
  }

  void transpose_to_reshape(ir::Node& node) {
    const auto* perm = node.find<Integers>("perm");
    const ir::TensorType& x = type(node.inputs[0]);
    if (!node.is("", "Transpose") || perm == nullptr || !x.is_static() || !type(node.outputs[0]).is_static()) return;
    if (perm->size() != x.dims->size() || identity_perm(graph_, node)) return;
    if (x.quantisation && x.quantisation->per_axis()) return;
    std::int64_t last = -1;
    for (std::int64_t axis : *perm) {
      if (axis < 0 || static_cast<std::size_t>(axis) >= x.dims->size()) return;
      if ((*x.dims)[static_cast<std::size_t>(axis)] == 1) continue;
      if (axis < last) return;
      last = axis;
    }
    make_reshape(node, node.inputs[0]);
    // Reshapes join where this one follows one.
    join_reshapes(node);
  }

  // The value that replaces output `y`, under the name of `y`. An input, a constant, a state or another output has a
  // name of its own and is copied.
  ir::ValueId given_out(ir::ValueId y) {
    const ir::ValueId x = now_[y];
    const auto is_in = [&](const std::vector<ir::ValueId>& list) {
      return std::find(list.begin(), list.end(), x) != list.end();
    };
    if (x == y) return x;
    if (!is_in(graph_.inputs) && !is_in(graph_.outputs) && !graph_.is_constant(x) && !graph_.values[x].is_state) {
      graph_.values[x].name = graph_.values[y].name;
      return x;
    }
    if (is_body_ || graph_.values[y].name.empty() || graph_.values[y].name == graph_.values[x].name) return x;
    ir::Node copy;
    copy.op = "Identity";
    copy.version = 13;
    copy.name = graph_.values[y].name;
    copy.inputs = {x};
    copy.outputs = {y};
    graph_.add_node(std::move(copy));
    return y;
  }

  ir::Graph& graph_;
  bool is_body_;                      // names of its outputs are nobody's
  std::vector<ir::ValueId> now_;      // what stands for each value
  std::vector<std::size_t> made_by_;  // index into kept_
  std::vector<ir::Node> kept_;
};

void clean(ir::Graph& graph, bool is_body) {
  for (const ir::Node& node : graph.nodes)
    for (const auto& body : ir::bodies(node)) clean(*body, true);
  Cleaner(graph, is_body).run();
  ir::remove_dead(graph);
}

}  // namespace

void remove_neutral(ir::Graph& graph) { clean(graph, false); }

}  // namespace byoc
