// Slice with constant bounds: a copy through strides, which are negative where it walks backwards.
#include <algorithm>

#include "backends/c/lower/constants.hpp"
#include "backends/c/lower/copy.hpp"
#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/operands.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;

// An input of i64 or i32 constants; nullopt where it is anything else.
std::optional<Dims> read_integers(const Value* v) {
  if (!v || !v->is_constant) return std::nullopt;
  if (v->dtype == DType::i64) return constant_elements<std::int64_t>(*v);
  if (v->dtype != DType::i32) return std::nullopt;
  const auto list = constant_elements<std::int32_t>(*v);
  return Dims(list.begin(), list.end());
}

std::optional<Copy> read(const Region& region, const Node& node, std::string& why) {
  const Value& x = region.values[node.inputs[0]];
  const Value& y = region.values[node.outputs[0]];
  const auto rank = static_cast<std::int64_t>(x.dims.size());
  const std::optional<Dims> starts = read_integers(given_input(region, node, 1));
  if (!starts) {
    why = "found computed starts, expected i64 or i32 constants";
    return std::nullopt;
  }
  Dims axes, steps(starts->size(), 1);
  for (std::size_t i = 0; i < starts->size(); ++i) axes.push_back(static_cast<std::int64_t>(i));
  for (const std::size_t position : {3u, 4u}) {
    const Value* given = given_input(region, node, position);
    if (!given) continue;
    const std::optional<Dims> list = read_integers(given);
    if (!list || list->size() != starts->size()) {
      why = "found axes or steps that are not as many constants as there are starts";
      return std::nullopt;
    }
    (position == 3 ? axes : steps) = *list;
  }

  const Dims strides = dense_strides(x.dims);
  Copy copy{
      .dims = y.dims, .from_strides = strides, .to_strides = dense_strides(y.dims), .from_offset = 0, .to_offset = 0};
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::int64_t axis = axes[i] < 0 ? axes[i] + rank : axes[i];
    if (axis < 0 || axis >= rank || steps[i] == 0) {
      why = "found axis " + std::to_string(axes[i]) + " with step " + std::to_string(steps[i]) + " of " + shape_text(x);
      return std::nullopt;
    }
    const auto d = static_cast<std::size_t>(axis);
    // Bounds count from the end where they are negative, and are then clamped into the dim.
    const std::int64_t from = (*starts)[i] < 0 ? (*starts)[i] + x.dims[d] : (*starts)[i];
    const std::int64_t start = std::clamp<std::int64_t>(from, 0, steps[i] > 0 ? x.dims[d] : x.dims[d] - 1);
    copy.from_offset += start * strides[d];
    copy.from_strides[d] = strides[d] * steps[i];
  }
  return copy;
}

}  // namespace

codegen::Verdict accepts_slice(const Region& region, const Node& node, const TargetSpec&) {
  const Value& y = region.values[node.outputs[0]];
  if (y.elements() == 0) return refuse(Reason::unsupported_shape, "found an empty result " + shape_text(y));
  if (region.values[node.inputs[0]].quantisation != y.quantisation)
    return refuse(Reason::unsupported_quantisation, "found different quantisations of input and output, expected one");
  std::string why;
  const auto copy = read(region, node, why);
  return copy ? accepts_copy(region, node, *copy) : refuse(Reason::not_constant, why);
}

bool lower_slice(Emitter& emitter, const Node& node) {
  std::string why;
  const auto copy = read(emitter.region, node, why);
  if (!copy) return emitter.error(node, why);
  const std::string name = stem(emitter, node);
  codegen::Step step;
  StepText text;
  step.symbol = emitter.host().claim(name);
  const std::string x = operand(emitter, step, node.inputs[0], name + "_x");
  add_copy(emitter, text, step.symbol + "_params", emitter.input(node, 0)->dtype, *copy, x, "out0");
  step.outputs = {{node.outputs[0]}};
  step.nodes = {node_id(emitter, node)};
  step.kernel = "copy";
  emitter.step(node, std::move(step), text);
  return true;
}

}  // namespace byoc::c
