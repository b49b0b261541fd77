// Compress by a condition that is computed: the slices whose condition is true, and how many there are.
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

codegen::Verdict accepts_compress(const Region& region, const Node& node, const TargetSpec&) {
  const Value& x = region.values[node.inputs[0]];
  if (element_size(x.dtype) == 0) return refuse_dtype(x.dtype, "elements of 1, 2, 4 or 8 bytes");
  if (!same_quantisation(region, x, region.values[node.outputs[0]])) return refuse_quantisation();
  if (!fits_int32(region, node)) return refuse(Reason::unsupported_shape, "a tensor of 2 GiB or more");
  return claim();
}

bool lower_compress(Emitter& emitter, const Node& node) {
  const Value &x = *emitter.input(node, 0), &y = emitter.value(node.outputs[0]);
  const auto* given = node.find<std::int64_t>("axis");
  const Axis axis = given != nullptr ? split_at(x, *given) : Axis{1, x.elements(), 1};
  const std::int64_t room = given != nullptr ? split_at(y, *given).count.known() : y.dims[0];
  const Kernel kernel{"compress.c", "byoc_compress", {}};
  emitter.kernel(kernel);
  StepBuilder step(emitter, node);
  step.text.includes.insert("byoc_select.h");
  step.text.declarations.insert("BYOC_COMPRESS(" + kernel.symbol + ");");
  ParameterText p;
  p.add("outer", axis.outer).add("conditions", emitter.input(node, 1)->elements()).add("length", axis.count);
  p.add("bytes", axis.inner * static_cast<std::int64_t>(element_size(x.dtype))).add("room", room);
  const std::string from = step.input(0), condition = step.input(1), to = step.output(0);
  take_count(
      step, node, 1,
      kernel.symbol + "(" + step.parameters("byoc_compress_t", p) + ", " + from + ", " + condition + ", " + to + ")",
      room);
  step.finish(kernel.symbol);
  return true;
}

}  // namespace byoc::c
