#include <algorithm>

#include "backends/c/lower/signal/signal.hpp"

namespace byoc::c {

codegen::Verdict accepts_signal_energy(const codegen::Region& region, const codegen::Node& node, const TargetSpec&) {
  return accepts_signal(region, node);
}

bool lower_signal_energy(Emitter& emitter, const codegen::Node& node) {
  const std::int64_t bins = emitter.value(node.outputs[0]).elements(), start = node.integer("start_index", 0);
  ParameterText p;
  p.add("bins", bins).add("start", start).add("end", std::max(start, node.integer("end_index", 0)));
  TypedStep s(emitter, node);
  const std::string parameters = s.parameters(p, "byoc_signal_energy_t");
  call_signal(s, "signal_energy", "BYOC_SIGNAL_ENERGY", {parameters, s.in(0), s.out(0)});
  return s.emit();
}

}  // namespace byoc::c
