#include "backends/c/lower/signal/signal.hpp"

namespace byoc::c {

codegen::Verdict accepts_signal_window(const codegen::Region& region, const codegen::Node& node, const TargetSpec&) {
  return accepts_signal(region, node);
}

bool lower_signal_window(Emitter& emitter, const codegen::Node& node) {
  const std::int64_t length = emitter.input(node, 1)->elements();
  ParameterText p;
  p.add("rows", emitter.input(node, 0)->elements() / length)
      .add("length", length)
      .add("shift", node.integer("shift", 0));
  TypedStep s(emitter, node);
  const std::string parameters = s.parameters(p, "byoc_signal_window_t");
  call_signal(s, "signal_window", "BYOC_SIGNAL_WINDOW", {parameters, s.in(0), s.in(1), s.out(0)});
  return s.emit();
}

}  // namespace byoc::c
