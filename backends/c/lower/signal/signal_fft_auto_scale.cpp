#include "backends/c/lower/signal/signal.hpp"

namespace byoc::c {

codegen::Verdict accepts_signal_fft_auto_scale(const codegen::Region& region, const codegen::Node& node,
                                               const TargetSpec&) {
  if (node.outputs[0] == codegen::kNoValue)
    return refuse(codegen::Reason::unsupported_attribute, "found an output that is not wanted");
  return accepts_signal(region, node);
}

bool lower_signal_fft_auto_scale(Emitter& emitter, const codegen::Node& node) {
  TypedStep s(emitter, node);
  call_signal(s, "signal_fft_auto_scale", "BYOC_SIGNAL_FFT_AUTO_SCALE",
              {std::to_string(emitter.input(node, 0)->elements()), s.in(0), s.out(0), s.out(1)});
  return s.emit();
}

}  // namespace byoc::c
