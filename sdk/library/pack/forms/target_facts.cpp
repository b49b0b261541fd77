#include "sdk/library/pack/forms/target_facts.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "sdk/base/support/name_table.hpp"
#include "sdk/target/module/module.hpp"
#include "sdk/target/target/compiler_condition.hpp"

namespace byoc::forms {
namespace {

using Facts = std::map<std::string, std::string>;

// First words of triples, and what rustc calls the architecture.
constexpr std::pair<std::string_view, std::string_view> kArmArchitectures[] = {
    {"thumbv6m", "thumbv6m"},           {"thumbv7m", "thumbv7m"},           {"thumbv7em", "thumbv7em"},
    {"thumbv8m.base", "thumbv8m.base"}, {"thumbv8m.main", "thumbv8m.main"}, {"thumbv8.1m.main", "thumbv8m.main"},
};

struct HostMachine {
  std::string_view arch;
  std::string_view rust;
  std::string_view node;
  std::string_view wheel;
};
constexpr HostMachine kHostMachines[] = {
    {"x86_64", "x86_64-unknown-linux-gnu", "x64", "linux_x86_64"},
    {"aarch64", "aarch64-unknown-linux-gnu", "arm64", "linux_aarch64"},
    {"riscv64", "riscv64gc-unknown-linux-gnu", "riscv64", "linux_riscv64"},
};

// Chips of Espressif by what their code is compiled for; code of RV32IMC runs on those with atomics, too.
struct EspressifChips {
  std::string_view march;
  std::string_view abi;
  std::string_view chips;
};
constexpr EspressifChips kEspressif[] = {
    {"rv32imc", "ilp32", "esp32c2|esp32c3|esp32c6|esp32h2"},
    {"rv32imac", "ilp32", "esp32c6|esp32h2"},
    {"rv32imafc", "ilp32f", "esp32p4"},
};

std::string replaced(std::string text, char from, char to) {
  std::replace(text.begin(), text.end(), from, to);
  return text;
}

// A condition of CMake over CONFIG_ variables in the words of Kconfig.
std::string kconfig(std::string condition) {
  constexpr std::pair<std::string_view, std::string_view> kWords[] = {
      {"CONFIG_", ""}, {" AND ", " && "}, {"NOT ", "!"}};
  for (const auto& [from, to] : kWords)
    for (std::size_t at = 0; (at = condition.find(from, at)) != std::string::npos; at += to.size())
      condition.replace(at, from.size(), to);
  return condition;
}

// True for cores of which some have the DSP extension and some do not.
bool may_lack_dsp(const TargetSpec& t) {
  return t.triple.starts_with("thumbv8m.main") || t.triple.starts_with("thumbv8.1m");
}

// "cortex-m0plus" -> "Cortex-M0+"
std::string cmsis_core(const std::string& cpu) {
  const std::string_view stem = "cortex-m", plus = "plus";
  if (!cpu.starts_with(stem)) return {};
  std::string suffix = cpu.substr(stem.size());
  if (suffix.ends_with(plus)) suffix = suffix.substr(0, suffix.size() - plus.size()) + "+";
  return "Cortex-M" + suffix;
}

// The words of Zephyr's Kconfig for what chips leave out of a core; cmake/gcc-m-cpu.cmake there makes -mcpu of them.
std::string zephyr_extensions(const TargetSpec& t) {
  std::string out;
  if (t.cpu == "cortex-m7" && t.has("fp.sp"))
    return t.has("fp.dp") ? " AND CONFIG_CPU_HAS_FPU_DOUBLE_PRECISION" : " AND NOT CONFIG_CPU_HAS_FPU_DOUBLE_PRECISION";
  if (t.triple.starts_with("thumbv8.1m"))
    out = t.has("mve.fp") ? " AND CONFIG_ARMV8_1_M_MVEF"
          : t.has("mve")  ? " AND CONFIG_ARMV8_1_M_MVEI AND NOT CONFIG_ARMV8_1_M_MVEF"
                          : " AND NOT CONFIG_ARMV8_1_M_MVEI";
  if (may_lack_dsp(t) && !t.has("mve")) out += t.has("dsp") ? " AND CONFIG_ARMV8_M_DSP" : " AND NOT CONFIG_ARMV8_M_DSP";
  return out;
}

void add_arm(const TargetSpec& t, std::string_view rust, Facts& out) {
  const bool hard = t.float_abi == "hard", dp = t.has("fp.dp"), sp = t.has("fp.sp");
  out["rust"] = std::string(rust) + "-none-eabi" + (hard ? "hf" : "");
  out["core"] = t.cpu;
  if (const std::string core = cmsis_core(t.cpu); !core.empty()) {
    out["dcore"] = core;
    out["dfpu"] = dp ? "DP_FPU" : sp ? "SP_FPU" : "NO_FPU";
    out["dmve"] = t.has("mve.fp") ? "FP_MVE" : t.has("mve") ? "MVE" : "NO_MVE";
    out["fpu"] = dp ? "dp" : sp ? "sp" : "off";
    out["mve"] = t.has("mve.fp") ? "fp" : t.has("mve") ? "int" : "off";
    if (may_lack_dsp(t)) {
      out["ddsp"] = t.has("dsp") ? "DSP" : "NO_DSP";
      out["dsp"] = t.has("dsp") ? "on" : "off";
    }
    out["zephyr"] = "CONFIG_CPU_" + upper_case(replaced(t.cpu, '-', '_')) + " AND " +
                    (t.float_abi == "softfp" ? "CONFIG_FP_SOFTABI"
                     : hard                  ? "CONFIG_FP_HARDABI"
                                             : "NOT CONFIG_FP_HARDABI") +
                    zephyr_extensions(t);
    out["arduino"] = t.fpu.empty() ? t.cpu : t.cpu + "/" + t.fpu + "-" + t.float_abi;
    out["cmsis"] = core + " " + out["dfpu"] + " " + out["dmve"] + (may_lack_dsp(t) ? " " + out["ddsp"] : "");
  }
}

void add_riscv(const TargetSpec& t, Facts& out) {
  const bool is_double = t.abi.ends_with('d'), is_single = t.abi.ends_with('f');
  if (t.hosted) return;
  if (t.march.starts_with("rv")) out["rust"] = "riscv" + t.march.substr(2) + "-unknown-none-elf";
  out["zephyr"] = std::string("CONFIG_RISCV AND ") + (t.pointer_width == 64 ? "" : "NOT ") + "CONFIG_64BIT AND " +
                  (is_double || is_single ? "" : "NOT ") + "CONFIG_FPU";
  for (const EspressifChips& e : kEspressif) {
    if (e.march != t.march || e.abi != t.abi) continue;
    out["idf"] = e.chips;
    if (e.march == "rv32imc") out["arduino"] = "esp32c3";
  }
}

void add_xtensa(const TargetSpec& t, Facts& out) {
  if (t.cpu != "esp32" && t.cpu != "esp32s3") return;
  out["idf"] = out["arduino"] = t.cpu;
}

void add_host(const HostMachine& machine, Facts& out) {
  out["rust"] = machine.rust;
  out["node"] = machine.node;
  out["wheel"] = machine.wheel;
  out["arduino"] = machine.arch;
  if (machine.arch != "x86_64") return;
  out["zephyr"] = "CONFIG_ARCH_POSIX AND CONFIG_64BIT";
  out["idf"] = "linux";
}

}  // namespace

Facts facts_of(const TargetSpec& t) {
  Facts out{{"target", t.name}, {"identifier", to_identifier(t.name)}, {"triple", t.triple}};
  const std::string arch = t.triple.substr(0, t.triple.find('-'));
  if (const std::string condition = condition_of_target(t); !condition.empty()) out["condition"] = condition;
  for (const auto& [triple, rust] : kArmArchitectures)
    if (triple == arch) add_arm(t, rust, out);
  if (arch.starts_with("riscv")) add_riscv(t, out);
  if (arch == "xtensa") add_xtensa(t, out);
  for (const HostMachine& m : kHostMachines)
    if (t.hosted && m.arch == arch) add_host(m, out);
  if (out.contains("zephyr")) out["kconfig"] = kconfig(out["zephyr"]);
  return out;
}

}  // namespace byoc::forms
