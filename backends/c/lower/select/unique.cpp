// Unique: the different elements or slices, where each is, and how many there are.
#include <algorithm>

#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/move/movement.hpp"
#include "backends/c/lower/reduce/axis.hpp"
#include "backends/c/lower/select/select.hpp"
#include "backends/c/lower/step/element_type.hpp"

namespace byoc::c {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;

namespace {

constexpr std::size_t kCount = 4;

// The room for groups: any of the counted results has it.
std::int64_t room_of(const Emitter& emitter, const Node& node, std::int64_t axis) {
  for (const std::size_t output : {0u, 1u, 3u}) {
    if (output >= node.outputs.size() || node.outputs[output] == codegen::kNoValue) continue;
    const Value& y = emitter.value(node.outputs[output]);
    return output == 0 ? split_at(y, axis).count.known() : y.dims[0];
  }
  return 0;
}

}  // namespace

codegen::Verdict accepts_unique(const Region& region, const Node& node, const TargetSpec&) {
  const Value& x = region.values[node.inputs[0]];
  if (!element_type(x.dtype)) return refuse_dtype(x.dtype, "a type of whole bytes");
  if (node.outputs[0] != codegen::kNoValue && !same_quantisation(region, x, region.values[node.outputs[0]]))
    return refuse_quantisation();
  if (!fits_int32(region, node)) return refuse(Reason::unsupported_shape, "a tensor of 2 GiB or more");
  return claim();
}

bool lower_unique(Emitter& emitter, const Node& node) {
  const Value& x = *emitter.input(node, 0);
  const auto* given = node.find<std::int64_t>("axis");
  const Axis axis = given != nullptr ? split_at(x, *given) : Axis{1, x.elements(), 1};
  std::int64_t room = room_of(emitter, node, given != nullptr ? *given : 0);
  // Only the inverse is used: the number of groups is not needed.
  const bool only_inverse = room == 0 && axis.count != 0;
  if (only_inverse) room = axis.count.known();
  Kernel kernel{"unique.c", "byoc_unique_" + std::string(to_string(x.dtype)), {}};
  define_element(kernel, "BYOC_X", x.dtype);
  kernel.defines["BYOC_LESS(a, b)"] =
      is_float_type(x.dtype) ? "((a) == (a) && ((b) != (b) || (a) < (b)))" : "((a) < (b))";
  emitter.kernel(kernel);
  StepBuilder step(emitter, node);
  step.text.includes.insert("byoc_select.h");
  step.text.declarations.insert("BYOC_UNIQUE(" + kernel.symbol + ", " + std::string(c_type(x.dtype)) + ");");
  ParameterText p;
  p.add("outer", axis.outer).add("length", axis.count).add("inner", axis.inner);
  p.add("sorted", node.integer("sorted", 1) != 0 ? 1 : 0).add("room", room);
  std::string call = kernel.symbol + "(" + step.parameters("byoc_unique_t", p) + ", " + step.input(0);
  for (std::size_t output = 0; output < kCount; ++output) call += ", " + wanted_output(step, node, output);
  call += ", (int32_t *)" +
          step.workspace(std::max<std::uint64_t>(static_cast<std::uint64_t>(axis.count.known()), 1) * 8, 4) + ")";
  if (only_inverse)
    step.line("(void)" + call + ";");
  else
    take_count(step, node, kCount, call, room);
  step.finish(kernel.symbol);
  return true;
}

}  // namespace byoc::c
