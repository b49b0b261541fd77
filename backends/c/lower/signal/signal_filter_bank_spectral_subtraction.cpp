#include "backends/c/lower/recurrent/stateful.hpp"
#include "backends/c/lower/signal/signal.hpp"

namespace byoc::c {

codegen::Verdict accepts_signal_filter_bank_spectral_subtraction(const codegen::Region& region,
                                                                 const codegen::Node& node, const TargetSpec&) {
  if (!all_outputs_wanted(node))
    return refuse(codegen::Reason::unsupported_attribute, "found an output that is not wanted");
  return accepts_signal(region, node);
}

bool lower_signal_filter_bank_spectral_subtraction(Emitter& emitter, const codegen::Node& node) {
  const auto pair = [&](const char* even, const char* odd) {
    return "{" + std::to_string(node.integer(even, 0)) + "u, " + std::to_string(node.integer(odd, 0)) + "u}";
  };
  ParameterText p;
  p.add("n", emitter.input(node, 0)->elements()).add("clamping", node.integer("clamping", 0));
  p.add("smoothing_bits", node.integer("smoothing_bits", 0));
  p.add("subtraction_bits", node.integer("spectral_subtraction_bits", 0));
  p.add("smoothing", pair("smoothing", "alternate_smoothing"));
  p.add("rest", pair("one_minus_smoothing", "alternate_one_minus_smoothing"));
  p.add("remaining", std::to_string(node.integer("min_signal_remaining", 0)) + "u");
  TypedStep s(emitter, node);
  const std::string parameters = s.parameters(p, "byoc_signal_subtraction_t");
  const std::string before = s.in(1), after = s.out(1);
  call_signal(s, "signal_filter_bank_spectral_subtraction", "BYOC_SIGNAL_SUBTRACTION",
              {parameters, s.in(0), before, s.out(0), after});
  overlay_state(s, before, after);
  return s.emit();
}

}  // namespace byoc::c
