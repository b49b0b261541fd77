#include "backends/c/lower/move/movement.hpp"

#include <algorithm>
#include <map>

#include "backends/c/lower/step/step_builder.hpp"
#include "backends/layers/in_place.hpp"
#include "byoc/nodes/operand.hpp"

namespace byoc::c {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;

std::optional<Dims> constant_integers(const Region& region, const Node& node, std::size_t input) {
  const Value* v = given_input(region, node, input);
  if (!v || !v->is_constant) return std::nullopt;
  if (v->dtype == DType::i64) return constant_elements<std::int64_t>(*v);
  if (v->dtype != DType::i32) return std::nullopt;
  const auto list = constant_elements<std::int32_t>(*v);
  return Dims(list.begin(), list.end());
}

std::optional<std::size_t> read_axis(std::int64_t axis, std::size_t rank, std::string& why) {
  const auto r = static_cast<std::int64_t>(rank);
  if (axis >= -r && axis < r) return static_cast<std::size_t>(axis < 0 ? axis + r : axis);
  why = "found axis " + std::to_string(axis) + ", expected one of " + std::to_string(rank) + " dims";
  return std::nullopt;
}

std::uint64_t zero_bits(const Value& v) {
  std::uint64_t bits = 0;
  if (v.quantised() && !v.quantisation.zero_points.empty())  // little-endian, truncated to the element
    std::memcpy(&bits, &v.quantisation.zero_points[0], element_size(v.dtype));
  return bits;
}

bool same_quantisation(const Region& region, const Value& from, const Value& to) {
  return region.requant == Requant::tflite || from.quantisation == to.quantisation;
}

codegen::Verdict refuse_quantisation() {
  return refuse(Reason::unsupported_quantisation, "found different quantisations of input and output, expected one");
}

namespace {

// The first of the results that are used; all have one type.
const Value& first_result(const Region& region, const Node& node) {
  return region.values[*std::find_if(node.outputs.begin(), node.outputs.end(),
                                     [](codegen::ValueId v) { return v != codegen::kNoValue; })];
}

bool is_empty_copy(const Copy& copy) { return std::find(copy.dims.begin(), copy.dims.end(), 0) != copy.dims.end(); }

// The one piece that is the whole of its input and its output in one order, if that is all there is.
const Piece* identity(const Region& region, const Node& node, const Movement& movement) {
  if (movement.fill || node.outputs.size() != 1) return nullptr;
  const Piece* only = nullptr;
  for (const Piece& p : movement.pieces) {
    if (is_empty_copy(p.copy)) continue;
    if (only != nullptr || !p.input) return nullptr;
    only = &p;
  }
  if (only == nullptr) return nullptr;
  const Value& x = region.values[node.inputs[*only->input]];
  const LoopNest nest = merge({only->copy.dims, {only->copy.from_strides, only->copy.to_strides}});
  const bool runs =
      nest.dims.size() == 1 && nest.strides[0] == nest.strides[1] && (nest.strides[0][0] == 1 || nest.dims[0] == 1);
  return runs && nest.dims[0] == elements(x) && elements(x) == elements(region.values[node.outputs[0]]) ? only
                                                                                                        : nullptr;
}

}  // namespace

codegen::Verdict accepts_movement(const Region& region, const Node& node, ReadMovement read) {
  const Value& y = first_result(region, node);
  if (element_size(y.dtype) == 0) return refuse_dtype(y.dtype, "elements of 1, 2, 4 or 8 bytes");
  std::string why;
  const auto movement = read(region, node, why);
  if (!movement) return refuse(Reason::unsupported_attribute, why);
  for (const Piece& piece : movement->pieces) {
    if (!piece.input) continue;
    const Value& x = region.values[node.inputs[*piece.input]];
    const Value& to = region.values[node.outputs[piece.output]];
    if (x.dtype != to.dtype) return refuse_dtype(to.dtype, to_string(x.dtype));
    if (!same_quantisation(region, x, to)) return refuse_quantisation();
  }
  if (!region.symbols.empty() && identity(region, node, *movement))
    return refuse(Reason::unsupported_op, "moves nothing, which needs no step");
  if (!fits_int32(region, node)) return refuse(Reason::unsupported_shape, "a tensor of 2 GiB or more");
  return claim();
}

namespace {

void add_fill(StepBuilder& step, const Value& y, const Movement::Fill& fill) {
  const std::size_t size = element_size(y.dtype);
  const std::string bits = std::to_string(size * 8);
  if (fill.input) {
    const Dims all = {y.elements()};
    add_copy(step, y.dtype, {.dims = all, .from_strides = {0}, .to_strides = {1}}, step.input(*fill.input),
             step.output(0));
    return;
  }
  const std::string kernel =
      step.emitter().kernel({"fill.c", "byoc_fill_" + std::to_string(size), {{"BYOC_ELEMENT", "uint" + bits + "_t"}}});
  step.text.includes.insert("byoc_fill.h");
  step.line(kernel + "(" + std::to_string(y.elements()) + ", UINT" + bits + "_C(" + std::to_string(fill.bits) + "), " +
            step.output(0) + ");");
}

// A copy that may write over its operand, which it is alone with: no other piece reads that, or no other writes the
// result. It comes first where others write the result as well, and last where they read the operand.
struct InPlace {
  std::size_t piece = 0;
  bool first = false;
  std::uint64_t lead = 0;
};

std::optional<std::uint64_t> lead_of(const Copy& copy, const Value& x, const Value& y) {
  const LoopNest nest = merge({copy.dims, {copy.from_strides, copy.to_strides}});
  layers::Runs runs;
  runs.distance = copy.to_offset.known() - copy.from_offset.known();
  for (std::size_t d = 0; d < nest.dims.size(); ++d) {
    runs.dims.push_back(nest.dims[d].known());
    runs.from.push_back(nest.strides[0][d].known());
    runs.to.push_back(nest.strides[1][d].known());
  }
  if (runs.from.back() == 1 && runs.to.back() == 1) {
    runs.length = runs.dims.back();
    for (auto* list : {&runs.dims, &runs.from, &runs.to}) list->pop_back();
  }
  return layers::copy_lead(runs, y.elements(), static_cast<std::int64_t>(element_size(x.dtype)));
}

// The one that saves most, of those whose operand nobody reads later if there are any.
std::optional<InPlace> in_place(const Region& region, const Node& node, const Movement& movement) {
  const std::vector<Piece>& pieces = movement.pieces;
  const auto is_sourceless = [](const Piece& p) { return !p.input; };
  if (movement.fill || !region.symbols.empty() || std::any_of(pieces.begin(), pieces.end(), is_sourceless)) return {};
  std::map<std::size_t, std::size_t> reads, writes;
  for (const Piece& p : pieces) ++reads[*p.input], ++writes[p.output];
  std::optional<InPlace> best;
  std::pair<bool, std::uint64_t> most{false, 0};
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const Piece& p = pieces[i];
    const bool read_again = reads[*p.input] > 1, written_again = writes[p.output] > 1;
    const codegen::ValueId operand = node.inputs[*p.input];
    const Value &x = region.values[operand], &y = region.values[node.outputs[p.output]];
    if (x.is_constant || is_empty_copy(p.copy) || (read_again && written_again)) continue;
    const auto lead = lead_of(p.copy, x, y);
    if (!lead) continue;
    const std::uint64_t together = std::max(*lead + x.bytes(), y.bytes());
    const std::uint64_t bytes = x.bytes() + y.bytes() - together;
    if (most.first && bytes <= most.second) continue;
    const std::pair saved{layers::is_last_use(region, operand), bytes};
    if (saved <= most) continue;
    most = saved;
    best = {i, written_again, *lead};
  }
  return best;
}

}  // namespace

bool lower_movement(Emitter& emitter, const Node& node, ReadMovement read) {
  std::string why;
  const auto movement = read(emitter.region, node, why);
  if (!movement) return emitter.error(node, why);
  if (const Piece* piece = identity(emitter.region, node, *movement); piece && emitter.region.symbols.empty()) {
    emitter.alias(node.outputs[0], node.inputs[*piece->input]);
    return true;
  }
  StepBuilder step(emitter, node);
  const Value& y = first_result(emitter.region, node);
  if (movement->fill && y.elements() != 0) add_fill(step, y, *movement->fill);
  std::vector<Piece> pieces = movement->pieces;
  const std::optional<InPlace> over = in_place(emitter.region, node, *movement);
  const Piece moved = over ? pieces[over->piece] : Piece{};
  if (over) {
    pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(over->piece));
    pieces.insert(over->first ? pieces.begin() : pieces.end(), moved);
  }
  for (const Piece& piece : pieces) {
    if (is_empty_copy(piece.copy)) continue;
    const std::string to = step.output(piece.output);
    add_copy(step, y.dtype, piece.copy, piece.input ? step.input(*piece.input) : to, to);
  }
  if (over) step.overlay(moved.output, *moved.input, over->lead);
  step.finish("copy");
  return true;
}

}  // namespace byoc::c
