#include "backends/c/lower/recurrent/stateful.hpp"
#include "backends/c/lower/signal/signal.hpp"

namespace byoc::c {

codegen::Verdict accepts_signal_stacker(const codegen::Region& region, const codegen::Node& node, const TargetSpec&) {
  if (!all_outputs_wanted(node))
    return refuse(codegen::Reason::unsupported_attribute, "found an output that is not wanted");
  return accepts_signal(region, node);
}

bool lower_signal_stacker(Emitter& emitter, const codegen::Node& node) {
  ParameterText p;
  p.add("n", emitter.input(node, 0)->elements()).add("left", node.integer("left_context", 0));
  p.add("right", node.integer("right_context", 0)).add("step", node.integer("step", 1));
  TypedStep s(emitter, node);
  const std::string parameters = s.parameters(p, "byoc_signal_stacker_t");
  const std::string stack = s.in(1), held = s.in(2), y = s.out(0), now = s.out(2);
  call_signal(s, "signal_stacker", "BYOC_SIGNAL_STACKER", {parameters, s.in(0), stack, held, y, s.out(1), now});
  overlay_state(s, stack, y);
  overlay_state(s, held, now);
  return s.emit();
}

}  // namespace byoc::c
