#include <algorithm>

#include "backends/c/lower/recurrent/stateful.hpp"
#include "backends/c/lower/signal/signal.hpp"

namespace byoc::c {

// The next values of the states need a place.
codegen::Verdict accepts_signal_framer(const codegen::Region& region, const codegen::Node& node, const TargetSpec&) {
  if (!all_outputs_wanted(node))
    return refuse(codegen::Reason::unsupported_attribute, "found an output that is not wanted");
  return accepts_signal(region, node);
}

bool lower_signal_framer(Emitter& emitter, const codegen::Node& node) {
  const std::int64_t size = node.integer("frame_size", 1), step = node.integer("frame_step", 1);
  const std::int64_t warm_up = node.integer("prefill", 0) != 0 ? 0 : (size + step - 1) / step - 1;
  const std::int64_t before = node.integer("prefill", 0) != 0 ? size - step : warm_up * step;
  const codegen::Value& x = *emitter.input(node, 0);
  ParameterText p;
  p.add("rows", x.elements() / x.dims.back()).add("length", x.dims.back());
  p.add("kept", std::max<std::int64_t>(before, 1)).add("before", before);
  p.add("size", size).add("step", step).add("warm_up", warm_up);
  TypedStep s(emitter, node);
  const std::string parameters = s.parameters(p, "byoc_signal_framer_t");
  const std::string history = s.in(1), seen = s.in(2), next = s.out(2), now = s.out(3);
  call_signal(s, "signal_framer", "BYOC_SIGNAL_FRAMER",
              {parameters, s.in(0), history, seen, s.out(0), s.out(1), next, now});
  overlay_state(s, history, next);
  overlay_state(s, seen, now);
  return s.emit();
}

}  // namespace byoc::c
