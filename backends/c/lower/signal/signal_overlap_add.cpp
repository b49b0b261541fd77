#include "backends/c/lower/recurrent/stateful.hpp"
#include "backends/c/lower/signal/signal.hpp"

namespace byoc::c {

codegen::Verdict accepts_signal_overlap_add(const codegen::Region& region, const codegen::Node& node,
                                            const TargetSpec&) {
  if (!all_outputs_wanted(node))
    return refuse(codegen::Reason::unsupported_attribute, "found an output that is not wanted");
  return accepts_signal(region, node);
}

bool lower_signal_overlap_add(Emitter& emitter, const codegen::Node& node) {
  const codegen::Value& x = *emitter.input(node, 0);
  const std::int64_t size = x.dims.back(), frames = x.dims[x.dims.size() - 2];
  ParameterText p;
  p.add("rows", x.elements() / (frames * size)).add("frames", frames).add("size", size);
  p.add("step", node.integer("frame_step", 1));
  const std::string type(c_type(x.dtype));
  Kernel kernel{"signal_overlap_add.c", typed_symbol("signal_overlap_add", {x.dtype}), {{"BYOC_X", type}}};
  if (x.dtype == DType::i16) kernel.defines["BYOC_SATURATES"] = "1";
  TypedStep s(emitter, node);
  const std::string parameters = s.parameters(p, "byoc_signal_overlap_t");
  const std::string before = s.in(1), after = s.out(1);
  s.call(kernel, "byoc_signal.h", "BYOC_SIGNAL_OVERLAP_ADD", {type}, {parameters, s.in(0), before, s.out(0), after});
  overlay_state(s, before, after);
  return s.emit();
}

}  // namespace byoc::c
