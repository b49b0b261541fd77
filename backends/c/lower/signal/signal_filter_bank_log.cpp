#include <cmath>
#include <span>

#include "backends/c/lower/signal/signal.hpp"

namespace byoc::c {

codegen::Verdict accepts_signal_filter_bank_log(const codegen::Region& region, const codegen::Node& node,
                                                const TargetSpec&) {
  return accepts_signal(region, node);
}

bool lower_signal_filter_bank_log(Emitter& emitter, const codegen::Node& node) {
  // The difference of log2(1 + i / 128) and i / 128, in 1 / 65536.
  std::vector<std::int16_t> above_chord;
  for (int i = 0; i <= 128; ++i)
    above_chord.push_back(static_cast<std::int16_t>(std::lround(65536 * (std::log2(1 + i / 128.0) - i / 128.0))));
  ParameterText p;
  p.add("n", emitter.input(node, 0)->elements()).add("correction", node.integer("input_correction_bits", 0));
  p.add("scale", std::to_string(static_cast<std::uint32_t>(node.integer("output_scale", 0))) + "u");
  TypedStep s(emitter, node);
  const std::string table =
      emitter.constant_bytes(s.name + "_above_chord", DType::i16, std::as_bytes(std::span(above_chord)), false, 2);
  const std::string parameters = s.parameters(p, "byoc_signal_log_t");
  call_signal(s, "signal_filter_bank_log", "BYOC_SIGNAL_LOG", {parameters, table, s.in(0), s.out(0)});
  return s.emit();
}

}  // namespace byoc::c
