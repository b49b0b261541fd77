// Operators that work along one dim, as kernels see it: [outer][count][inner].
#pragma once

#include <cstdint>

#include "backends/c/lower/step/operands.hpp"

namespace byoc::c {

struct Axis {
  Extent outer = 1, count = 1, inner = 1;
};

// A number is known in regions without symbols. `axis` may count from the end. With `flattens`, the dims from there on
// are one.
[[nodiscard]] inline Axis split_at(const codegen::Value& x, std::int64_t axis, bool flattens = false) {
  const auto rank = static_cast<std::int64_t>(x.dims.size());
  if (axis < 0) axis += rank;
  Axis out;
  for (std::int64_t i = 0; i < rank; ++i) {
    Extent& part = i < axis ? out.outer : i == axis || flattens ? out.count : out.inner;
    part *= extent(x.dims[static_cast<std::size_t>(i)]);
  }
  return out;
}

// A scalar has the axis 0 too. Null: in range.
[[nodiscard]] inline std::optional<codegen::Verdict> refuse_axis(const codegen::Value& x, std::int64_t axis) {
  const auto rank = static_cast<std::int64_t>(x.dims.size());
  if (axis >= -rank && (axis < rank || (rank == 0 && axis <= 0))) return std::nullopt;
  if (rank == 0 && axis == -1) return std::nullopt;
  return refuse(codegen::Reason::unsupported_attribute,
                "found axis " + std::to_string(axis) + ", expected one of an input " + shape_text(x));
}

// Emits a step that calls this instance of a kernel declared by byoc_axis.h, whose x and y have the given types.
inline bool lower_along_axis(Emitter& emitter, const codegen::Node& node, const Kernel& kernel, const Axis& axis,
                             bool in_place) {
  codegen::Step step;
  StepText text;
  const std::string name = stem(emitter, node);
  step.symbol = emitter.host().claim(name);
  step.kernel = emitter.kernel(kernel);
  const std::string from = operand(emitter, step, node.inputs[0], name + "_x");
  text.includes = {"byoc_axis.h"};
  text.declarations = {"BYOC_AXIS(" + step.kernel + ", " + std::string(c_type(emitter.input(node, 0)->dtype)) + ", " +
                       std::string(c_type(emitter.value(node.outputs[0]).dtype)) + ");"};
  text.body = "  " + step.kernel + "(" + axis.outer.text() + ", " + axis.count.text() + ", " + axis.inner.text() +
              ", " + from + ", out0);\n";
  step.outputs = {{node.outputs[0]}};
  if (in_place && !step.inputs.empty()) step.overlays = {{.output = 0, .input = 0}};
  step.nodes = {node_id(emitter, node)};
  emitter.step(node, std::move(step), text);
  return true;
}

}  // namespace byoc::c
