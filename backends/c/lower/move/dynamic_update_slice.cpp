// DynamicUpdateSlice: x is copied, unless the result stands where it did, and the update goes into it.
#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/move/movement.hpp"
#include "backends/c/lower/step/step_builder.hpp"

namespace byoc::c {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;

codegen::Verdict accepts_dynamic_update_slice(const Region& region, const Node& node, const TargetSpec&) {
  const Value& x = region.values[node.inputs[0]];
  const Value& update = region.values[node.inputs[1]];
  const Value& starts = region.values[node.inputs[2]];
  const Value& y = region.values[node.outputs[0]];
  if (element_size(x.dtype) == 0) return refuse_dtype(x.dtype, "a type of whole bytes");
  if (starts.dtype != DType::i32 && starts.dtype != DType::i64) return refuse_dtype(starts.dtype, "i32 or i64");
  if (!same_quantisation(region, x, y) || !same_quantisation(region, update, y)) return refuse_quantisation();
  if (!fits_int32(region, node)) return refuse(Reason::unsupported_shape, "a tensor of 2 GiB or more");
  return claim();
}

bool lower_dynamic_update_slice(Emitter& emitter, const Node& node) {
  StepBuilder step(emitter, node);
  const Value& y = emitter.value(node.outputs[0]);
  const Value& update = emitter.value(node.inputs[1]);
  if (y.elements() != 0) {
    const std::string x = step.input(0), to = step.output(0), bytes = std::to_string(y.bytes());
    if (emitter.value(node.inputs[0]).is_constant)
      step.line("memcpy(" + to + ", " + x + ", " + bytes + ");");
    else
      step.line("if ((const void *)" + to + " != (const void *)" + x + ") memcpy(" + to + ", " + x + ", " + bytes +
                ");");
    step.text.includes.insert("<string.h>");
    step.overlay(0, 0);
    const Dims strides = dense_strides(y.dims);
    std::string at;
    for (std::size_t d = 0; update.elements() != 0 && d < y.dims.size(); ++d) {
      if (y.dims[d] == update.dims[d]) continue;
      step.text.includes.insert("byoc_start.h");
      at += " + byoc_start(" + step.input(2) + "[" + std::to_string(d) + "], " +
            std::to_string(y.dims[d] - update.dims[d]) + ") * " + std::to_string(strides[d]);
    }
    if (update.elements() != 0)
      add_copy(step, y.dtype, {update.dims, dense_strides(update.dims), strides}, step.input(1), to + at);
  }
  step.finish("dynamic_update_slice");
  return true;
}

}  // namespace byoc::c
