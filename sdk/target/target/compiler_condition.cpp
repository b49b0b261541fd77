#include "sdk/target/target/compiler_condition.hpp"

#include <algorithm>
#include <string_view>

namespace byoc {
namespace {

// Arm's macros are those of ACLE. No core of the M profile has the Arm instruction set, and all others have.
struct ArmArchitecture {
  std::string_view triple;  // its first word
  std::string_view itself;
  std::string_view runs;
};
constexpr ArmArchitecture kArmArchitectures[] = {
    {"thumbv6m", "defined(__ARM_ARCH_6M__)", "__ARM_ARCH_ISA_THUMB >= 1 && !defined(__ARM_ARCH_ISA_ARM)"},
    {"thumbv7m", "defined(__ARM_ARCH_7M__)", "__ARM_ARCH_ISA_THUMB >= 2 && !defined(__ARM_ARCH_ISA_ARM)"},
    {"thumbv7em", "defined(__ARM_ARCH_7EM__)", "__ARM_ARCH_ISA_THUMB >= 2 && !defined(__ARM_ARCH_ISA_ARM)"},
    {"thumbv8m.base", "defined(__ARM_ARCH_8M_BASE__)",
     "__ARM_ARCH >= 8 && __ARM_ARCH_ISA_THUMB >= 1 && !defined(__ARM_ARCH_ISA_ARM)"},
    {"thumbv8m.main", "defined(__ARM_ARCH_8M_MAIN__)",
     "__ARM_ARCH >= 8 && __ARM_ARCH_ISA_THUMB >= 2 && !defined(__ARM_ARCH_ISA_ARM)"},
    // GCC says version 8.0 of it, too.
    {"thumbv8.1m.main", "(defined(__ARM_ARCH_8_1M_MAIN__) || defined(__ARM_ARCH_8M_MAIN__))",
     "__ARM_ARCH >= 8 && __ARM_ARCH_ISA_THUMB >= 2 && !defined(__ARM_ARCH_ISA_ARM)"},
};

const ArmArchitecture* arm_architecture(const TargetSpec& t) {
  const std::string_view arch = std::string_view(t.triple).substr(0, t.triple.find('-'));
  const auto* found = std::find_if(std::begin(kArmArchitectures), std::end(kArmArchitectures),
                                   [&](const ArmArchitecture& a) { return a.triple == arch; });
  return found == std::end(kArmArchitectures) ? nullptr : found;
}

// Instructions and registers that the code uses, and where floating-point arguments are passed.
std::string arm_extensions(const TargetSpec& t) {
  const bool hard = t.float_abi == "hard";
  std::string out = hard ? " && defined(__ARM_PCS_VFP)" : " && !defined(__ARM_PCS_VFP)";
  if (t.has("dsp")) out += " && defined(__ARM_FEATURE_DSP)";
  if (t.has("fp.dp"))
    out += " && (__ARM_FP & 8)";
  else if (t.has("fp.sp"))
    out += " && (__ARM_FP & 4)";
  if (t.has("mve")) out += t.has("mve.fp") ? " && (__ARM_FEATURE_MVE & 2)" : " && (__ARM_FEATURE_MVE & 1)";
  return out;
}

// FPv5 of single precision on Armv7E-M, which Clang alone has a macro for.
std::string arm_unit(const TargetSpec& t) {
  const bool is_meant = t.triple.starts_with("thumbv7em") && t.fpu == "fpv5-sp-d16";
  return is_meant ? " && (!defined(__clang__) || defined(__ARM_FPV5__))" : "";
}

// Preprocessor conditions that exclude compilers for features that the target does not have.
std::string arm_exclusions(const TargetSpec& t) {
  std::string out;
  if (t.float_abi == "hard" && !t.has("fp.dp")) out += " && !(__ARM_FP & 8)";
  if (!t.triple.starts_with("thumbv8")) return out;
  if (!t.has("dsp")) out += " && !defined(__ARM_FEATURE_DSP)";
  if (!t.has("mve"))
    out += " && !defined(__ARM_FEATURE_MVE)";
  else if (!t.has("mve.fp"))
    out += " && !(__ARM_FEATURE_MVE & 2)";
  return out;
}

// Register width, float ABI and the extensions that code may not run without.
std::string riscv_condition(const TargetSpec& t, bool with_vectors) {
  const char* const floats = t.abi.ends_with('d') ? "double" : t.abi.ends_with('f') ? "single" : "soft";
  std::string out = "defined(__riscv) && __riscv_xlen == " + std::to_string(t.pointer_width) +
                    " && defined(__riscv_float_abi_" + floats + ")";
  const std::string_view extensions = std::string_view(t.march).substr(std::min<std::size_t>(t.march.size(), 4));
  if (extensions.find_first_of("ag") != std::string_view::npos) out += " && defined(__riscv_atomic)";
  if (with_vectors && extensions.find('v') != std::string_view::npos) out += " && defined(__riscv_vector)";
  return out;
}

// Nothing in it tells one chip from the other: that is in headers of the maker's.
std::string xtensa_condition(const TargetSpec& t) {
  const std::string calls = t.abi == "call0" ? "CALL0" : "WINDOWED";
  return "defined(__XTENSA__) && defined(__XTENSA_" + calls + "_ABI__)" +
         (t.has("fp.sp") ? " && !__XTENSA_SOFT_FLOAT__" : "");
}

bool is_riscv(const TargetSpec& t) { return t.triple.starts_with("riscv"); }

std::string host_architecture(const TargetSpec& t) {
  if (!t.hosted) return {};
  if (t.triple.starts_with("x86_64-")) return "defined(__x86_64__)";
  if (t.triple.starts_with("aarch64-")) return "defined(__aarch64__)";
  return {};
}

std::string x86_level(const TargetSpec& t) {
  if (t.has("avx512")) return " && defined(__AVX512F__)";
  if (t.has("avx2")) return " && defined(__AVX2__)";
  return t.has("sse4") ? " && defined(__SSE4_2__)" : "";
}

}  // namespace

std::string condition_to_run(const TargetSpec& t) {
  if (const ArmArchitecture* arch = arm_architecture(t))
    return std::string(arch->runs) + arm_extensions(t) + arm_unit(t);
  if (is_riscv(t)) return riscv_condition(t, !t.hosted);
  if (t.triple.starts_with("xtensa")) return xtensa_condition(t);
  return host_architecture(t);
}

std::string condition_of_target(const TargetSpec& t) {
  if (const ArmArchitecture* arch = arm_architecture(t))
    return std::string(arch->itself) + arm_extensions(t) + arm_exclusions(t);
  if (is_riscv(t)) return riscv_condition(t, true) + (t.hosted ? " && defined(__linux__)" : " && !defined(__linux__)");
  if (t.triple.starts_with("xtensa")) return xtensa_condition(t);
  const std::string host = host_architecture(t);
  return host.empty() ? host : host + " && defined(__linux__)" + x86_level(t);
}

}  // namespace byoc
