#include "sdk/model/prepare/expect_parameters.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <string_view>

namespace byoc {
namespace {

using Lengths = std::vector<std::int64_t>;

// The attributes of byoc.Expect for an operand (docs/graph-language.md).
struct Expectation {
  Lengths expected;
  Lengths otherwise = {};  // "or"
  Lengths any = {};
  std::optional<Lengths> from = {};       // of a shape
  std::optional<std::int64_t> rank = {};  // of axes
};
using Known = std::optional<Expectation>;

const Lengths& in(const ir::Graph& graph, const ir::Node& node) { return *graph.values[node.inputs[0]].type.dims; }
const Lengths& out(const ir::Graph& graph, const ir::Node& node, std::size_t i = 0) {
  return *graph.values[node.outputs[i]].type.dims;
}
std::int64_t length_of(const ir::Graph& graph, const ir::Node& node, std::size_t input) {
  return graph.values[node.inputs[input]].type.elements();
}
// The axis counted from the start; nothing where it is out of range.
std::optional<std::size_t> axis_of(const ir::Node& node, std::int64_t otherwise, std::size_t rank) {
  const auto r = static_cast<std::int64_t>(rank);
  const std::int64_t axis = node.integer("axis", otherwise);
  if (axis < -r || axis >= r) return std::nullopt;
  return static_cast<std::size_t>(axis < 0 ? axis + r : axis);
}

Known whole_shape(const ir::Graph& graph, const ir::Node& node) { return Expectation{out(graph, node)}; }

Known reshaped(const ir::Graph& graph, const ir::Node& node) {
  Expectation e{out(graph, node)};
  e.from = node.integer("allowzero", 0) != 0 ? Lengths{} : in(graph, node);
  return e;
}

Known expanded(const ir::Graph& graph, const ir::Node& node) {
  const Lengths &x = in(graph, node), &y = out(graph, node);
  const auto count = static_cast<std::size_t>(length_of(graph, node, 1));
  if (count > y.size() || x.size() > y.size()) return std::nullopt;
  Expectation e;
  for (std::size_t d = 0; d < y.size(); ++d) {
    const std::int64_t length = d + x.size() < y.size() ? 1 : x[d + x.size() - y.size()];
    if (d + count < y.size()) {
      if (length != y[d]) return std::nullopt;
      continue;
    }
    e.expected.push_back(y[d]);
    e.otherwise.push_back(length == y[d] ? 1 : y[d]);
  }
  return e;
}

Known repeats(const ir::Graph& graph, const ir::Node& node) {
  const Lengths &x = in(graph, node), &y = out(graph, node);
  Expectation e;
  for (std::size_t d = 0; d < x.size(); ++d) {
    if (x[d] == 0 || y[d] % x[d] != 0) return std::nullopt;
    e.expected.push_back(y[d] / x[d]);
  }
  return e;
}

Known lengths(const ir::Graph& graph, const ir::Node& node) {
  const auto axis = axis_of(node, 0, in(graph, node).size());
  if (!axis) return std::nullopt;
  Expectation e;
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    if (node.outputs[i] == ir::kNoValue) return std::nullopt;
    e.expected.push_back(out(graph, node, i)[*axis]);
  }
  return e;
}

// TopK and OneHot: the length of the result along the axis.
Known length(const ir::Graph& graph, const ir::Node& node) {
  const std::size_t output = node.outputs[0] == ir::kNoValue ? 1 : 0;
  const Lengths& y = out(graph, node, output);
  const auto axis = axis_of(node, -1, y.size());
  if (!axis) return std::nullopt;
  return Expectation{{y[*axis]}};
}

// The one set of `count` axes of `rank` for which `gives` holds.
Known only_axes(std::size_t rank, std::int64_t count, const std::function<bool(std::uint32_t axes)>& gives) {
  constexpr std::size_t kLargestRank = 16;
  if (rank > kLargestRank) return std::nullopt;
  std::optional<std::uint32_t> only;
  for (std::uint32_t axes = 0; axes < std::uint32_t{1} << rank; ++axes) {
    if (std::popcount(axes) != count || !gives(axes)) continue;
    if (only) return std::nullopt;
    only = axes;
  }
  if (!only) return std::nullopt;
  Expectation e;
  for (std::size_t d = 0; d < rank; ++d)
    if ((*only >> d & 1) != 0) e.expected.push_back(static_cast<std::int64_t>(d));
  e.rank = static_cast<std::int64_t>(rank);
  return e;
}

// `x` without the dims of these axes, or with 1 in their place.
Lengths without(const Lengths& x, std::uint32_t axes, bool keep) {
  Lengths y;
  for (std::size_t d = 0; d < x.size(); ++d) {
    const bool reduced = (axes >> d & 1) != 0;
    if (!reduced || keep) y.push_back(reduced ? 1 : x[d]);
  }
  return y;
}

Known reduced_axes(const ir::Graph& graph, const ir::Node& node) {
  const Lengths &x = in(graph, node), &y = out(graph, node);
  const bool keep = node.integer("keepdims", 1) != 0;
  return only_axes(x.size(), length_of(graph, node, 1),
                   [&](std::uint32_t axes) { return without(x, axes, keep) == y; });
}

Known squeezed_axes(const ir::Graph& graph, const ir::Node& node) {
  const Lengths &x = in(graph, node), &y = out(graph, node);
  return only_axes(x.size(), length_of(graph, node, 1),
                   [&](std::uint32_t axes) { return without(x, axes, true) == x && without(x, axes, false) == y; });
}

Known unsqueezed_axes(const ir::Graph& graph, const ir::Node& node) {
  const Lengths &x = in(graph, node), &y = out(graph, node);
  return only_axes(y.size(), length_of(graph, node, 1),
                   [&](std::uint32_t axes) { return without(y, axes, true) == y && without(y, axes, false) == x; });
}

// CenterCropPad, and Resize to sizes.
Known lengths_of_axes(const ir::Graph& graph, const ir::Node& node) {
  const Lengths& y = out(graph, node);
  if (node.text("keep_aspect_ratio_policy", "stretch") != "stretch") return std::nullopt;
  const auto* axes = node.find<Lengths>("axes");
  if (axes == nullptr) return Expectation{y};
  Expectation e;
  for (const std::int64_t a : *axes) {
    const std::int64_t axis = a < 0 ? a + static_cast<std::int64_t>(y.size()) : a;
    if (axis < 0 || axis >= static_cast<std::int64_t>(y.size())) return std::nullopt;
    e.expected.push_back(y[static_cast<std::size_t>(axis)]);
  }
  return e;
}

// AffineGrid: [N, C, H, W] for a grid [N, H, W, 2]; the channels do not matter.
Known grid_size(const ir::Graph& graph, const ir::Node& node) {
  Lengths y = out(graph, node);
  if (y.size() < 2) return std::nullopt;
  y.pop_back();
  y.insert(y.begin() + 1, 0);
  Expectation e{std::move(y)};
  e.any = {1};
  return e;
}

struct Parameter {
  std::string_view op;
  std::size_t input;
  Known (*expectation)(const ir::Graph&, const ir::Node&);  // of a node whose types are static
};

constexpr Parameter kParameters[] = {
    {"AffineGrid", 1, grid_size},
    {"BlackmanWindow", 0, whole_shape},
    {"CenterCropPad", 1, lengths_of_axes},
    {"ConstantOfShape", 0, whole_shape},
    {"Expand", 1, expanded},
    {"HammingWindow", 0, whole_shape},
    {"HannWindow", 0, whole_shape},
    {"OneHot", 1, length},
    {"ReduceL1", 1, reduced_axes},
    {"ReduceL2", 1, reduced_axes},
    {"ReduceLogSum", 1, reduced_axes},
    {"ReduceLogSumExp", 1, reduced_axes},
    {"ReduceMax", 1, reduced_axes},
    {"ReduceMean", 1, reduced_axes},
    {"ReduceMin", 1, reduced_axes},
    {"ReduceProd", 1, reduced_axes},
    {"ReduceSum", 1, reduced_axes},
    {"ReduceSumSquare", 1, reduced_axes},
    {"Reshape", 1, reshaped},
    {"Resize", 3, lengths_of_axes},
    {"Split", 1, lengths},
    {"Squeeze", 1, squeezed_axes},
    {"Tile", 1, repeats},
    {"TopK", 1, length},
    {"Unsqueeze", 1, unsqueezed_axes},
};

bool is_static(const ir::Graph& graph, const std::vector<ir::ValueId>& values) {
  return std::all_of(values.begin(), values.end(),
                     [&](ir::ValueId v) { return v == ir::kNoValue || graph.values[v].type.is_static(); });
}

ir::ValueId add_integers(ir::Graph& graph, const ir::TensorType& type, const Lengths& numbers) {
  std::vector<std::byte> bytes(type.bytes());
  const std::size_t size = type.dtype == DType::i64 ? 8 : 4;
  for (std::size_t i = 0; i < numbers.size(); ++i) std::memcpy(bytes.data() + i * size, &numbers[i], size);
  return graph.add_constant("", type, Blob::own(std::move(bytes)));
}

ir::Node expecting(const ir::Node& node, const Expectation& e, ir::ValueId x, ir::ValueId found, ir::ValueId y) {
  ir::Node out;
  out.domain = "byoc";
  out.op = "Expect";
  out.stand_for(node);
  out.inputs = {x, found};
  out.outputs = {y};
  out.attributes["expected"] = e.expected;
  if (!e.otherwise.empty()) out.attributes["or"] = e.otherwise;
  if (!e.any.empty()) out.attributes["any"] = e.any;
  if (e.from) out.attributes["from"] = *e.from;
  if (e.rank) out.attributes["rank"] = *e.rank;
  return out;
}

class Expecting {
 public:
  explicit Expecting(ir::Graph& graph) : graph_(graph) {}

  bool run() {
    std::vector<ir::Node> before = std::move(graph_.nodes);
    graph_.nodes.clear();
    for (ir::Node& node : before) {
      for (const auto& body : ir::bodies(node)) changed_ = Expecting(*body).run() || changed_;
      std::vector<ir::Node> behind;
      for (const Parameter& p : kParameters)
        if (node.domain.empty() && node.op == p.op) take(node, p, behind);
      graph_.nodes.push_back(std::move(node));
      for (ir::Node& n : behind) graph_.nodes.push_back(std::move(n));
    }
    return changed_;
  }

 private:
  void take(ir::Node& node, const Parameter& p, std::vector<ir::Node>& behind) {
    const ir::ValueId found = node.input(p.input);
    if (found == ir::kNoValue || graph_.is_constant(found) || !is_static(graph_, node.inputs) ||
        !is_static(graph_, node.outputs))
      return;
    const ir::TensorType type = graph_.values[found].type;
    if ((type.dtype != DType::i64 && type.dtype != DType::i32) || type.dims->size() > 1) return;
    // An empty operand gives a run nothing to find.
    const Known e = type.elements() == 0 ? Known(Expectation{}) : p.expectation(graph_, node);
    if (!e || static_cast<std::int64_t>(e->expected.size()) != type.elements()) return;
    changed_ = true;
    node.inputs[p.input] = add_integers(graph_, type, e->expected);
    if (e->expected.empty()) return;
    // If there is no other operand, the result has to wait.
    const bool generates = p.input == 0;
    const ir::ValueId old = generates ? node.outputs[0] : node.inputs[0];
    ir::Value value;
    value.name = graph_.values[old].name;
    value.type = graph_.values[old].type;
    const ir::ValueId added = graph_.add_value(std::move(value));
    if (generates) {
      behind.push_back(expecting(node, *e, added, found, old));
      node.outputs[0] = added;
    } else {
      graph_.nodes.push_back(expecting(node, *e, old, found, added));
      node.inputs[0] = added;
    }
  }

  ir::Graph& graph_;
  bool changed_ = false;
};

}  // namespace

bool expect_parameters(ir::Graph& graph) { return Expecting(graph).run(); }

}  // namespace byoc
