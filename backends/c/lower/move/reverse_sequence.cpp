// ReverseSequence.
#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/move/indexing.hpp"

namespace byoc::c {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;

codegen::Verdict accepts_reverse_sequence(const Region& region, const Node& node, const TargetSpec&) {
  const Value& x = region.values[node.inputs[0]];
  const Value& lengths = region.values[node.inputs[1]];
  if (element_size(x.dtype) == 0) return refuse_dtype(x.dtype, "elements of 1, 2, 4 or 8 bytes");
  if (lengths.dtype != DType::i64 && lengths.dtype != DType::i32)
    return refuse_dtype(lengths.dtype, "lengths of i64 or i32");
  const std::int64_t batch = node.integer("batch_axis", 1), time = node.integer("time_axis", 0);
  if (x.dims.size() < 2 || batch < 0 || batch > 1 || time != 1 - batch)
    return refuse(Reason::unsupported_attribute, "found batch_axis " + std::to_string(batch) + " and time_axis " +
                                                     std::to_string(time) + ", expected 0 and 1 of " + shape_text(x));
  if (!same_quantisation(region, x, region.values[node.outputs[0]])) return refuse_quantisation();
  const std::int64_t steps = x.dims[static_cast<std::size_t>(time)];
  if (const auto list = constant_integers(region, node, 1))
    for (const std::int64_t length : *list)
      if (length < 0 || length > steps)
        return refuse(Reason::unsupported_attribute,
                      "found length " + std::to_string(length) + ", expected 0 to " + std::to_string(steps));
  if (!fits_int32(region, node)) return refuse(Reason::unsupported_shape, "a tensor of 2 GiB or more");
  return claim();
}

bool lower_reverse_sequence(Emitter& emitter, const Node& node) {
  const Value& y = emitter.value(node.outputs[0]);
  StepBuilder step(emitter, node);
  std::string kernel = "reverse";
  if (y.elements() != 0) {
    const std::int64_t batch = node.integer("batch_axis", 1);
    const auto size = static_cast<std::int64_t>(element_size(y.dtype));
    const std::int64_t inner = y.elements() / (y.dims[0] * y.dims[1]) * size;
    const std::int64_t batches = y.dims[static_cast<std::size_t>(batch)],
                       steps = y.dims[static_cast<std::size_t>(1 - batch)];
    ParameterText p;
    p.add("batches", batches).add("steps", steps).add("batch_stride", batch == 0 ? steps * inner : inner);
    p.add("step_stride", batch == 0 ? inner : batches * inner).add("inner", inner);
    const std::string x = step.input(0);
    const Indices lengths = indices(step, node, 1);
    kernel = emitter.kernel({"reverse.c", "byoc_reverse_" + lengths.name, {{"BYOC_INDEX", lengths.type}}});
    step.text.includes.insert("byoc_arrange.h");
    step.text.declarations.insert("BYOC_REVERSE(" + kernel + ", " + lengths.type + ");");
    step.call_checked(kernel + "(" + step.parameters("byoc_reverse_t", p) + ", " + x + ", " + lengths.expression +
                          ", " + step.output(0) + ")",
                      reason::kLength);
  }
  step.finish(kernel);
  return true;
}

}  // namespace byoc::c
