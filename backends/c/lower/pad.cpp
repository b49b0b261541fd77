// Pad with a constant: the output is filled, then the input is copied into it. Negative pads crop.
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

struct Padding {
  Copy copy;
  std::uint64_t fill = 0;  // the bits of an element
};

// The pads of all dims, begins then ends, from the pads input and the optional axes input.
std::optional<Dims> read_pads(const Region& region, const Node& node, std::string& why) {
  const Value& x = region.values[node.inputs[0]];
  const Value* pads = given_input(region, node, 1);
  const Value* axes = given_input(region, node, 3);
  if (!pads || !pads->is_constant || pads->dtype != DType::i64 ||
      (axes && (!axes->is_constant || axes->dtype != DType::i64))) {
    why = "found computed pads or axes, expected i64 constants";
    return std::nullopt;
  }
  const auto rank = static_cast<std::int64_t>(x.dims.size());
  const Dims given = constant_elements<std::int64_t>(*pads);
  Dims list;
  if (axes) {
    list = constant_elements<std::int64_t>(*axes);
  } else {
    for (std::int64_t i = 0; i < rank; ++i) list.push_back(i);
  }
  Dims out(static_cast<std::size_t>(2 * rank), 0);
  if (given.size() != 2 * list.size()) {
    why = "found " + std::to_string(given.size()) + " pads, expected " + std::to_string(2 * list.size());
    return std::nullopt;
  }
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::int64_t axis = list[i] < 0 ? list[i] + rank : list[i];
    if (axis < 0 || axis >= rank) {
      why = "found axis " + std::to_string(list[i]) + ", expected one of " + shape_text(x);
      return std::nullopt;
    }
    out[static_cast<std::size_t>(axis)] = given[i];
    out[static_cast<std::size_t>(axis + rank)] = given[i + list.size()];
  }
  return out;
}

std::optional<Padding> read(const Region& region, const Node& node, std::string& why) {
  const Value& x = region.values[node.inputs[0]];
  const Value& y = region.values[node.outputs[0]];
  if (const std::string mode = node.text("mode", "constant"); mode != "constant") {
    why = "found mode " + mode + ", expected constant";
    return std::nullopt;
  }
  const auto pads = read_pads(region, node, why);
  if (!pads) return std::nullopt;

  Padding out;
  if (const Value* fill = given_input(region, node, 2)) {
    if (!fill->is_constant || fill->dtype != x.dtype || fill->data.size() < element_size(x.dtype)) {
      why = "found a computed value to pad with, expected a constant of the input's type";
      return std::nullopt;
    }
    std::memcpy(&out.fill, fill->data.data(), element_size(x.dtype));
  } else if (x.quantised() && !x.quantisation.zero_points.empty()) {
    const std::int64_t zero = x.quantisation.zero_points[0];
    std::memcpy(&out.fill, &zero, element_size(x.dtype));  // little-endian, truncated to the element
  }

  const Dims from = dense_strides(x.dims), to = dense_strides(y.dims);
  out.copy.from_strides = from;
  out.copy.to_strides = to;
  for (std::size_t i = 0; i < x.dims.size(); ++i) {
    const std::int64_t before = (*pads)[i], after = (*pads)[i + x.dims.size()];
    out.copy.dims.push_back(x.dims[i] + std::min<std::int64_t>(before, 0) + std::min<std::int64_t>(after, 0));
    out.copy.from_offset += std::max<std::int64_t>(-before, 0) * from[i];
    out.copy.to_offset += std::max<std::int64_t>(before, 0) * to[i];
    if (out.copy.dims.back() < 0 || y.dims[i] != x.dims[i] + before + after) {
      why = "found pads that do not lead from " + shape_text(x) + " to " + shape_text(y);
      return std::nullopt;
    }
  }
  return out;
}

}  // namespace

codegen::Verdict accepts_pad(const Region& region, const Node& node, const TargetSpec&) {
  const Value& x = region.values[node.inputs[0]];
  if (element_size(x.dtype) == 0) return refuse_dtype(x.dtype, "elements of 1, 2, 4 or 8 bytes");
  if (x.quantisation != region.values[node.outputs[0]].quantisation)
    return refuse(Reason::unsupported_quantisation, "found different quantisations of input and output, expected one");
  std::string why;
  const auto padding = read(region, node, why);
  return padding ? accepts_copy(region, node, padding->copy) : refuse(Reason::unsupported_attribute, why);
}

bool lower_pad(Emitter& emitter, const Node& node) {
  std::string why;
  const auto padding = read(emitter.region, node, why);
  if (!padding) return emitter.error(node, why);
  const Value& y = emitter.value(node.outputs[0]);
  const std::size_t size = element_size(y.dtype);
  const std::string name = stem(emitter, node), bits = std::to_string(size * 8);
  codegen::Step step;
  StepText text;
  step.symbol = emitter.host().claim(name);
  const std::string x = operand(emitter, step, node.inputs[0], name + "_x");
  const std::string fill =
      emitter.kernel({"fill.c", "byoc_fill_" + std::to_string(size), {{"BYOC_ELEMENT", "uint" + bits + "_t"}}});
  text.includes = {"byoc_fill.h"};
  text.body = "  " + fill + "(" + std::to_string(y.elements()) + ", UINT" + bits + "_C(" +
              std::to_string(padding->fill) + "), out0);\n";
  if (std::find(padding->copy.dims.begin(), padding->copy.dims.end(), 0) == padding->copy.dims.end())
    add_copy(emitter, text, step.symbol + "_params", y.dtype, padding->copy, x, "out0");
  else
    text.body += "  (void)in0;\n";
  step.outputs = {{node.outputs[0]}};
  step.nodes = {node_id(emitter, node)};
  step.kernel = "copy";
  emitter.step(node, std::move(step), text);
  return true;
}

}  // namespace byoc::c
