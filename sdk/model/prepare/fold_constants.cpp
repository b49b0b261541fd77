#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sdk/model/evaluate/evaluate.hpp"
#include "sdk/model/evaluate/value.hpp"
#include "sdk/model/ir/control.hpp"
#include "sdk/model/ir/rewrite.hpp"
#include "sdk/model/prepare/fold.hpp"
#include "sdk/model/prepare/prepare.hpp"
#include "sdk/model/shapes/control_flow.hpp"
#include "sdk/model/shapes/infer_shapes.hpp"

namespace byoc {
namespace {

bool dequantises(const ir::Node& node) { return node.is("", "DequantizeLinear") || node.is("byoc", "Dequantize"); }

// Shape and Size need no elements: their input's type is enough.
bool is_known_shape(const ir::Graph& graph, const ir::Node& node) {
  return (node.is("", "Shape") || node.is("", "Size")) && graph.values[node.inputs[0]].type.is_shaped();
}

void set_integers(ir::Value& v, std::optional<ir::Dim> length, std::span<const ir::Dim> elements) {
  std::vector<std::byte> bytes(elements.size_bytes());
  if (!bytes.empty()) std::memcpy(bytes.data(), elements.data(), bytes.size());
  v.type.dtype = DType::i64;
  v.type.dims.emplace();
  if (length) v.type.dims->push_back(*length);
  v.constant.emplace();
  v.constant->bytes = Blob::own(std::move(bytes));
}

void fold_shape(ir::Graph& graph, const ir::Node& node) {
  const ir::TensorType& type = graph.values[node.inputs[0]].type;
  ir::Value& v = graph.values[node.outputs[0]];
  if (node.op == "Size") {
    ir::Dim count = 1;
    for (const ir::Dim d : *type.dims) count *= d;
    set_integers(v, std::nullopt, std::span(&count, 1));
    return;
  }
  const std::vector<ir::Dim> dims = *type.dims;
  const auto rank = static_cast<std::int64_t>(dims.size());
  const auto bound = [&](std::string_view key, std::int64_t otherwise) {
    const std::int64_t at = node.integer(key, otherwise);
    return std::clamp<std::int64_t>(at < 0 ? at + rank : at, 0, rank);
  };
  const std::int64_t start = bound("start", 0);
  const std::int64_t length = std::max<std::int64_t>(bound("end", rank) - start, 0);
  set_integers(v, length, std::span(dims).subspan(static_cast<std::size_t>(start), static_cast<std::size_t>(length)));
}

// EyeLike needs no elements either; nor does it matter which ones it gets.
bool is_known_pattern(const ir::Graph& graph, const ir::Node& node) {
  if (!node.is("", "EyeLike") || graph.is_constant(node.inputs[0])) return false;
  constexpr std::uint64_t kMost = std::uint64_t{1} << 28;  // bytes, of a matrix that makes sense
  const ir::TensorType& type = graph.values[node.inputs[0]].type;
  return type.is_static() && type.bytes() <= kMost;
}

// Constants are tensors.
bool gives_tensors(const ir::Graph& graph, const ir::Node& node) {
  return std::all_of(node.outputs.begin(), node.outputs.end(),
                     [&](ir::ValueId v) { return v == ir::kNoValue || graph.values[v].type.is_tensor(); });
}

bool inputs_are_constant(const ir::Graph& graph, const ir::Node& node) {
  return std::all_of(node.inputs.begin(), node.inputs.end(),
                     [&](ir::ValueId v) { return v == ir::kNoValue || graph.is_constant(v); });
}

// Finds the types of what only now has constant operands, so that its cost is known before it is computed. An error is
// the next round's to report.
void infer_results(ir::Graph& graph, ir::Node& node) {
  const bool known = std::all_of(node.outputs.begin(), node.outputs.end(), [&](ir::ValueId v) {
    return v == ir::kNoValue || graph.values[v].type.is_shaped() || !graph.values[v].type.is_tensor();
  });
  if (known || ir::is_control(node)) return;
  Diagnostics ignored;
  (void)bool(infer_node(graph, node, ignored));
}

// Fills that were made before, by dtype, shape and element: they share their bytes. Models whose weights were taken out
// consist of them.
class Fills {
 public:
  // "" where the node is no fill of a constant shape.
  static std::string key(const ir::Graph& graph, const ir::Node& node) {
    if (!node.is("", "ConstantOfShape")) return {};
    const std::span<const std::byte> shape = graph.values[node.inputs[0]].constant->bytes.bytes();
    std::string out = std::to_string(shape.size()) + ":";
    out.append(reinterpret_cast<const char*>(shape.data()), shape.size());
    if (const auto* value = node.find<ir::Tensor>("value")) {
      const std::span<const std::byte> element = value->bytes.bytes();
      out += std::to_string(static_cast<int>(value->type.dtype));
      out.append(reinterpret_cast<const char*>(element.data()), element.size());
    }
    return out;
  }
  [[nodiscard]] const ir::Value* find(const ir::Graph& graph, const std::string& key) const {
    const auto found = made_.find(key);
    return found == made_.end() ? nullptr : &graph.values[found->second];
  }
  // True if folding the node would make a constant that exists already.
  [[nodiscard]] bool has(const ir::Graph& graph, const ir::Node& node) const {
    return !made_.empty() && made_.contains(key(graph, node));
  }
  void add(const std::string& key, ir::ValueId made) { made_.emplace(key, made); }

 private:
  std::map<std::string, ir::ValueId> made_;
};

// False where a result turns out to be no tensor: the types of what was just written are not known yet.
Result<bool> fold_node(ir::Graph& graph, const ir::Node& node, Fills& fills, Diagnostics& diags) {
  const std::string fill = Fills::key(graph, node);
  if (const ir::Value* made = fills.find(graph, fill); made != nullptr && !fill.empty()) {
    ir::Value& v = graph.values[node.outputs[0]];
    v.type.dtype = made->type.dtype;
    v.type.dims = made->type.dims;
    v.constant = made->constant;
    return true;
  }
  // The operands share the constants' bytes; nothing is copied.
  std::vector<evaluate::Tensor> tensors(node.inputs.size());
  std::vector<const evaluate::Tensor*> operands(node.inputs.size(), nullptr);
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    if (node.inputs[i] == ir::kNoValue) continue;
    const ir::Value& v = graph.values[node.inputs[i]];
    // For a known pattern, the elements do not matter.
    tensors[i] = v.constant ? evaluate::value_of(v.type, v.constant->bytes)
                            : evaluate::Tensor{v.type, Blob::own(std::vector<std::byte>(v.type.bytes()))};
    operands[i] = &tensors[i];
  }
  Result<std::vector<evaluate::Tensor>> results = evaluate::evaluate_node(graph, node, operands, diags);
  if (!results) return failure;
  if (!std::all_of(results->begin(), results->end(), [](const auto& t) { return t.type.is_tensor(); })) return false;
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    if (node.outputs[i] == ir::kNoValue) continue;
    ir::Value& v = graph.values[node.outputs[i]];
    v.type.dtype = (*results)[i].type.dtype;
    v.type.dims = (*results)[i].type.dims;
    v.constant.emplace();
    v.constant->bytes = *evaluate::constant_bytes((*results)[i]);
  }
  if (!fill.empty()) fills.add(fill, node.outputs[0]);
  return true;
}

}  // namespace

Result<bool> fold(ir::Graph& graph, FoldDequantise dequantise, FoldBudget& budget, Diagnostics& diags) {
  bool changed = simplify_control(graph);
  std::vector<ir::Node> kept;
  Fills fills;
  bool ok = true;
  for (const ir::Node& node : graph.nodes)
    if (!will_choose(graph, node))
      for (const auto& body : ir::bodies(node)) {
        const auto inside = fold(*body, dequantise, budget, diags);
        ok = inside && ok;
        changed = changed || (inside && *inside);
      }
  for (ir::Node& node : graph.nodes) {
    if (inputs_are_constant(graph, node)) infer_results(graph, node);
    const bool folds = (inputs_are_constant(graph, node) || is_known_pattern(graph, node)) &&
                       gives_tensors(graph, node) && evaluate::supports(node) &&
                       (dequantise == FoldDequantise::yes || !dequantises(node)) &&
                       (!ir::is_control(node) || is_short(graph, node));
    if (is_known_shape(graph, node)) {
      fold_shape(graph, node);
      changed = true;
      continue;
    }
    const bool tries = folds && (fills.has(graph, node) || budget.take(graph, node, diags));
    Result<bool> folded = false;
    if (tries) folded = fold_node(graph, node, fills, diags);
    ok = ok && static_cast<bool>(folded);
    if (folded && *folded)
      changed = true;
    else
      kept.push_back(std::move(node));
  }
  graph.nodes = std::move(kept);
  if (!ok || budget.refused()) return failure;
  ir::remove_dead(graph);
  return changed;
}

}  // namespace byoc
