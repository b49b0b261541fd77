// The cores that run without an operating system, and the extensions that chips leave out of them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "byoc/target.hpp"

namespace byoc::target {

// A core: its LLVM architecture, the FPU that -mfpu=auto selects, and the features that kernels may use without and
// with that FPU. Sources: Arm's technical reference manuals of the cores; LLVM's ARMTargetParser.def has the same
// defaults.
struct Core {
  const char* cpu;
  const char* arch;
  const char* fpu;       // for -mfpu; "" where the core has none, or only one that the CPU implies
  const char* single;    // the same FPU without double precision, for -mfpu; "" where there is no such
  const char* isa;       // always there, but for `left_out`
  const char* fpu_isa;   // with the FPU
  const char* left_out;  // options of -mcpu that say what a chip lacks: "nodsp nofp"
  const char* relative;  // the target of toolchains/ that lends the rest
  [[nodiscard]] bool is_real_time() const { return std::string_view(arch).ends_with("r"); }
};

// The first core of each architecture is the default of a triple without -mcpu.
[[nodiscard]] std::span<const Core> cores();
[[nodiscard]] const Core* find_core(std::string_view cpu);

// Removes from `isa` what an option says, "nodsp", and all that needs it. False: the core has no such option.
[[nodiscard]] bool leave_out(const Core& core, std::string_view option, std::vector<std::string>& isa);

// The options behind -mcpu that say what the target lacks of its core: "+nodsp", "+nomve.fp"; "" for nothing. What
// -mfpu and -mfloat-abi say is not among them.
[[nodiscard]] std::string cpu_options(const TargetSpec& target);

// The words of a text that are apart by spaces.
[[nodiscard]] std::vector<std::string> words(std::string_view text);

}  // namespace byoc::target
