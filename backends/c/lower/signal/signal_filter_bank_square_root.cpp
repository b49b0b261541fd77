#include "backends/c/lower/signal/signal.hpp"

namespace byoc::c {

codegen::Verdict accepts_signal_filter_bank_square_root(const codegen::Region& region, const codegen::Node& node,
                                                        const TargetSpec&) {
  return accepts_signal(region, node);
}

bool lower_signal_filter_bank_square_root(Emitter& emitter, const codegen::Node& node) {
  TypedStep s(emitter, node);
  call_signal(s, "signal_filter_bank_square_root", "BYOC_SIGNAL_FILTER_BANK_SQUARE_ROOT",
              {std::to_string(emitter.input(node, 0)->elements()), s.in(0), s.in(1), s.out(0)});
  return s.emit();
}

}  // namespace byoc::c
