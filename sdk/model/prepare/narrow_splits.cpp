#include "sdk/model/prepare/narrow_splits.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "sdk/model/ir/control.hpp"
#include "sdk/model/prepare/narrow_concats.hpp"

namespace byoc {
namespace {

// A value, and its length along the axis.
struct Piece {
  ir::ValueId value = ir::kNoValue;
  std::int64_t length = 0;
};
using Pieces = std::vector<Piece>;

class SplitCutter {
 public:
  SplitCutter(ir::Graph& graph, const ir::Node& node, std::size_t axis, std::vector<ir::Node>& nodes)
      : graph_(graph), node_(node), axis_(axis), nodes_(nodes) {}

  void cut(ir::ValueId whole, const Pieces& pieces) {
    if (pieces.size() <= kMostOperands) return emit(whole, pieces);
    Pieces groups;
    for (std::size_t at = 0; at < pieces.size(); at += kMostOperands) {
      std::int64_t length = 0;
      for (const Piece& p : group(pieces, at)) length += p.length;
      groups.push_back({together(length), length});
    }
    cut(whole, groups);
    for (std::size_t g = 0; g < groups.size(); ++g) emit(groups[g].value, group(pieces, g * kMostOperands));
  }

 private:
  static Pieces group(const Pieces& pieces, std::size_t at) {
    const auto from = pieces.begin() + static_cast<std::ptrdiff_t>(at);
    return {from, from + static_cast<std::ptrdiff_t>(std::min(kMostOperands, pieces.size() - at))};
  }

  ir::ValueId together(std::int64_t length) {
    ir::Value value;
    value.type = graph_.values[node_.inputs[0]].type;
    (*value.type.dims)[axis_] = length;
    return graph_.add_value(std::move(value));
  }

  void emit(ir::ValueId whole, const Pieces& pieces) {
    std::vector<std::int64_t> lengths;
    ir::Node part = node_;
    part.outputs.clear();
    for (const Piece& p : pieces) {
      lengths.push_back(p.length);
      part.outputs.push_back(p.value);
    }
    std::vector<std::byte> bytes(lengths.size() * sizeof(std::int64_t));
    std::memcpy(bytes.data(), lengths.data(), bytes.size());
    ir::TensorType type;
    type.dtype = DType::i64;
    type.dims = {static_cast<ir::Dim>(lengths.size())};
    part.inputs = {whole, graph_.add_constant("", std::move(type), Blob::own(std::move(bytes)))};
    part.version = std::max<std::int64_t>(part.version, 13);  // from there on lengths are an operand
    part.attributes.erase("num_outputs");
    nodes_.push_back(std::move(part));
  }

  ir::Graph& graph_;
  const ir::Node& node_;
  std::size_t axis_;
  std::vector<ir::Node>& nodes_;
};

// The pieces and the axis from the first dim on; nullopt where something is not known, or where the pieces have scales
// of their own.
std::optional<std::pair<Pieces, std::size_t>> pieces_of(const ir::Graph& graph, const ir::Node& node) {
  const ir::TensorType& x = graph.values[node.inputs[0]].type;
  if (!x.is_static()) return std::nullopt;
  const auto rank = static_cast<std::int64_t>(x.dims->size());
  std::int64_t axis = node.integer("axis", 0);
  if (axis < 0) axis += rank;
  if (axis < 0 || axis >= rank) return std::nullopt;
  Pieces out;
  for (const ir::ValueId v : node.outputs) {
    if (v == ir::kNoValue || !graph.values[v].type.is_static() || graph.values[v].type.quantisation != x.quantisation)
      return std::nullopt;
    out.push_back({v, (*graph.values[v].type.dims)[static_cast<std::size_t>(axis)]});
  }
  return std::pair(std::move(out), static_cast<std::size_t>(axis));
}

}  // namespace

bool narrow_splits(ir::Graph& graph) {
  bool changed = false;
  std::vector<ir::Node> nodes;
  for (ir::Node& node : graph.nodes) {
    for (const auto& body : ir::bodies(node)) changed = narrow_splits(*body) || changed;
    const bool wide = node.is("", "Split") && node.outputs.size() > kMostOperands;
    const auto pieces = wide ? pieces_of(graph, node) : std::nullopt;
    if (pieces)
      SplitCutter(graph, node, pieces->second, nodes).cut(node.inputs[0], pieces->first);
    else
      nodes.push_back(std::move(node));
    changed = changed || pieces.has_value();
  }
  graph.nodes = std::move(nodes);
  return changed;
}

}  // namespace byoc
