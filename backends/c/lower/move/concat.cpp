// Concat and Split: one copy for each piece.
#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/move/movement.hpp"
#include "backends/c/lower/step/operands.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;

// A piece of `length` along an axis: [dims before it][it and what follows], out of rows of the whole.
struct Rows {
  Extent outer = 1, piece = 1, whole = 1;
};

Rows rows(const Value& whole, std::size_t axis, const Extent& length) {
  const Extents dims = extents(whole);
  Rows r;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (i < axis) {
      r.outer *= dims[i];
    } else {
      r.piece *= i == axis ? length : dims[i];
      r.whole *= dims[i];
    }
  }
  return r;
}

std::optional<Movement> read_concat(const Region& region, const Node& node, std::string& why) {
  const Value& y = region.values[node.outputs[0]];
  const auto axis = read_axis(node.integer("axis", 0), y.dims.size(), why);
  if (!axis) return std::nullopt;
  Movement out;
  Extent at = 0;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const Value& x = region.values[node.inputs[i]];
    if (x.dims.size() != y.dims.size()) {
      why = "found an input " + shape_text(x) + ", expected the rank of " + shape_text(y);
      return std::nullopt;
    }
    const Rows r = rows(y, *axis, extent(x.dims[*axis]));
    out.pieces.push_back({i, 0, {{r.outer, r.piece}, {r.piece, 1}, {r.whole, 1}, 0, at}});
    at += r.piece;
  }
  return out;
}

// The lengths of the pieces: what the operand says, or as evenly as the last one allows.
std::optional<Dims> piece_lengths(const Region& region, const Node& node, std::int64_t total) {
  if (given_input(region, node, 1)) {
    auto given = constant_integers(region, node, 1);
    if (given && given->size() != node.outputs.size()) given.reset();
    return given;
  }
  const auto count = static_cast<std::int64_t>(node.outputs.size());
  const std::int64_t each = (total + count - 1) / count;
  Dims out(node.outputs.size(), each);
  out.back() = total - each * (count - 1);
  return out;
}

std::optional<Movement> read_split(const Region& region, const Node& node, std::string& why) {
  const Value& x = region.values[node.inputs[0]];
  const auto axis = read_axis(node.integer("axis", 0), x.dims.size(), why);
  if (!axis) return std::nullopt;
  if (x.dims[*axis] < 0 && !given_input(region, node, 1)) {
    why = "found a dim that only a run knows, to be cut into equal pieces";
    return std::nullopt;
  }
  const auto lengths = piece_lengths(region, node, x.dims[*axis]);
  if (!lengths) {
    why = "found computed lengths or another number of them, expected one constant for each piece";
    return std::nullopt;
  }
  Movement out;
  Extent at = 0;
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    const Rows r = rows(x, *axis, (*lengths)[i]);
    // A piece that nobody reads is passed over.
    if (node.outputs[i] != codegen::kNoValue)
      out.pieces.push_back({0, i, {{r.outer, r.piece}, {r.whole, 1}, {r.piece, 1}, at, 0}});
    at += r.piece;
  }
  return out;
}

}  // namespace

codegen::Verdict accepts_concat(const Region& region, const Node& node, const TargetSpec&) {
  if (const std::string activation = node.text("activation", "none"); activation != "none")
    return refuse(Reason::unsupported_attribute, "found activation " + activation + ", expected none");
  return accepts_movement(region, node, read_concat);
}

bool lower_concat(Emitter& emitter, const Node& node) { return lower_movement(emitter, node, read_concat); }

codegen::Verdict accepts_split(const Region& region, const Node& node, const TargetSpec&) {
  return accepts_movement(region, node, read_split);
}

bool lower_split(Emitter& emitter, const Node& node) { return lower_movement(emitter, node, read_split); }

}  // namespace byoc::c
