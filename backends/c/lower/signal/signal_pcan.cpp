#include "backends/c/lower/signal/signal.hpp"

namespace byoc::c {

codegen::Verdict accepts_signal_pcan(const codegen::Region& region, const codegen::Node& node, const TargetSpec&) {
  return accepts_signal(region, node);
}

bool lower_signal_pcan(Emitter& emitter, const codegen::Node& node) {
  TypedStep s(emitter, node);
  call_signal(s, "signal_pcan", "BYOC_SIGNAL_PCAN",
              {std::to_string(emitter.input(node, 0)->elements()), std::to_string(node.integer("snr_shift", 0)),
               s.in(0), s.in(1), s.in(2), s.out(0)});
  return s.emit();
}

}  // namespace byoc::c
