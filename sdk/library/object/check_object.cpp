#include <elf.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <set>

#include "sdk/library/object/elf_target.hpp"
#include "sdk/library/object/object_facts.hpp"

namespace byoc {

std::string machine_name(std::uint16_t machine) {
  switch (machine) {
    case EM_ARM: return "arm";
    case EM_AARCH64: return "aarch64";
    case EM_RISCV: return "riscv";
    case EM_X86_64: return "x86-64";
    case EM_386: return "x86";
    case EM_XTENSA: return "xtensa";
    case 164: return "hexagon";
    default: return "machine " + std::to_string(machine);
  }
}

namespace {

std::string hex_word(std::uint32_t v) {
  std::array<char, 16> text;
  std::snprintf(text.data(), text.size(), "0x%x", v);
  return text.data();
}

// Tag_CPU_arch values and names, in their order.
constexpr std::array kArmArchitectures{
    "pre-v4", "v4",    "v4T",   "v5T",  "v5TE", "v5TEJ",     "v6",        "v6KZ",   "v6T2",   "v6K",    "v7",
    "v6-M",   "v6S-M", "v7E-M", "v8-A", "v8-R", "v8-M.base", "v8-M.main", "v8.1-A", "v8.2-A", "v8.3-A", "v8.1-M.main"};
enum ArmArch : unsigned {
  kV4 = 1,
  kV4T = 2,
  kV5T = 3,
  kV5TE = 4,
  kV6 = 6,
  kV6T2 = 8,
  kV7 = 10,
  kV6M = 11,
  kV6SM = 12,
  kV7EM = 13,
  kV8A = 14,
  kV8R = 15,
  kV8MBase = 16,
  kV8MMain = 17,
  kV81MMain = 21
};

std::string arm_arch_name(unsigned value) {
  return value < kArmArchitectures.size() ? kArmArchitectures[value] : "architecture " + std::to_string(value);
}

// The architectures whose code a core of the triple's architecture executes. Plain v7 has the profile beside it, or any
// profile if there is none; only cores of profile 'M' have no Arm state and no Neon.
struct ArmRuns {
  const char* arch;
  char profile;
  std::array<unsigned, 8> runs;
};
constexpr std::array kArmRuns{ArmRuns{"thumbv6m", 'M', {kV6M, kV6SM}},
                              ArmRuns{"thumbv7m", 'M', {kV6M, kV6SM, kV7}},
                              ArmRuns{"thumbv7em", 'M', {kV6M, kV6SM, kV7, kV7EM}},
                              ArmRuns{"thumbv8m.base", 'M', {kV6M, kV6SM, kV8MBase}},
                              ArmRuns{"thumbv8m.main", 'M', {kV6M, kV6SM, kV7, kV7EM, kV8MBase, kV8MMain}},
                              ArmRuns{"thumbv8.1m.main", 'M', {kV6M, kV6SM, kV7, kV7EM, kV8MBase, kV8MMain, kV81MMain}},
                              ArmRuns{"thumbv7r", 'R', {kV4, kV4T, kV5T, kV5TE, kV6, kV6T2, kV7}},
                              ArmRuns{"thumbv8r", 'R', {kV4, kV4T, kV5T, kV5TE, kV6, kV6T2, kV7, kV8R}},
                              ArmRuns{"armv7", 'A', {kV4, kV4T, kV5T, kV5TE, kV6, kV6T2, kV7}},
                              ArmRuns{"armv8", 'A', {kV4, kV4T, kV5T, kV5TE, kV6, kV6T2, kV7, kV8A}}};

class Checker {
 public:
  Checker(const ObjectFacts& facts, const TargetSpec& target, const std::string& module, Diagnostics& diags)
      : facts_(facts), target_(target), module_(module), diags_(diags) {}

  bool run(bool is_linked) {
    const auto elf = elf_target(target_);
    if (!elf) {
      diags_.error(module_, {}, "objects of this architecture cannot be checked", target_.triple,
                   "arm, aarch64, riscv, x86_64, i386, hexagon or xtensa");
      return false;
    }
    if (!is_linked && facts_.type != ET_REL)
      wrong("file type",
            facts_.type == ET_DYN    ? "shared object"
            : facts_.type == ET_EXEC ? "executable"
                                     : "other",
            "relocatable");
    if (facts_.machine != elf->machine) wrong("machine", machine_name(facts_.machine), machine_name(elf->machine));
    if (facts_.wide != elf->wide) wrong("ELF class", facts_.wide ? "ELF64" : "ELF32", elf->wide ? "ELF64" : "ELF32");
    if (facts_.big_endian != elf->big_endian)
      wrong("byte order", facts_.big_endian ? "big endian" : "little endian",
            elf->big_endian ? "big endian" : "little endian");
    if (!ok_) return false;
    if (!is_linked) contents();
    if (elf->machine == EM_ARM) arm(*elf);
    if (elf->machine == EM_RISCV) riscv(*elf);
    if (elf->machine == EM_XTENSA) xtensa();
    return ok_;
  }

 private:
  void wrong(const char* field, const std::string& found, const std::string& expected) {
    diags_.error(module_, {}, std::string("does not fit target ") + target_.name + ": " + field, found, expected);
    ok_ = false;
  }

  void refuse(const std::string& section, const char* what, const std::string& found, const std::string& expected) {
    diags_.error(module_, section, what, found, expected);
    ok_ = false;
  }

  // Refuses objects whose code cannot be examined, and sections that firmware cannot have.
  void contents() {
    const auto& all = facts_.sections;
    const auto gimple =
        std::find_if(all.begin(), all.end(), [](const ObjectSection& s) { return s.name.starts_with(".gnu.lto_"); });
    if (gimple != all.end()) {
      if (std::none_of(all.begin(), all.end(), [](const ObjectSection& s) { return s.allocated && s.size != 0; }))
        return refuse(gimple->name, "holds GIMPLE for GCC's link-time optimisation and no code", "-flto",
                      "code: compiled without -flto");
      diags_.warning(module_, gimple->name,
                     "holds GIMPLE beside its code: a link with -flto takes that, which nothing is known of", "-flto",
                     "code alone");
    }
    if (facts_.attribute_sections > 1)
      refuse(facts_.machine == EM_ARM ? ".ARM.attributes" : ".riscv.attributes",
             "says more than once what it is for, as of assembly with .cpu, .arch or .fpu in it",
             std::to_string(facts_.attribute_sections) + " sets of attributes", "one");
    for (const ObjectSection& s : all)
      if (s.allocated) section(s);
    if (!target_.hosted && !facts_.undefined_per_thread.empty())
      diags_.warning(module_, facts_.undefined_per_thread.front(),
                     "is a variable of the thread: firmware must have set up the thread pointer before");
  }

  void section(const ObjectSection& s) {
    const std::string bytes = std::to_string(s.size) + " bytes";
    if (s.writable && s.executable) {
      if (!target_.hosted)
        refuse(s.name, "is code that can be written, on bare metal", "flags WAX", "AX, or WA without code");
      else
        diags_.warning(module_, s.name, "is code that can be written", "flags WAX", "AX, or WA without code");
    }
    if (target_.hosted || s.size == 0) return;
    if (s.start_up_code)
      refuse(s.name, "has code run before main(), which not every firmware does", bytes,
             "an init function of the instance, or none");
    if (s.per_thread) refuse(s.name, "is memory of threads, which bare metal has not", bytes, "memory of the instance");
  }

  void arm(const ElfTarget& elf) {
    const std::uint32_t version = facts_.flags & 0xff000000u;
    if (facts_.defines_functions && version != EF_ARM_EABI_VER5)
      wrong("EABI version", std::to_string(version >> 24), "5");
    const std::uint32_t floats = facts_.flags & (EF_ARM_ABI_FLOAT_HARD | EF_ARM_ABI_FLOAT_SOFT);
    if (floats != 0 && (floats & elf.flags) == 0)
      wrong("e_flags float ABI", floats & EF_ARM_ABI_FLOAT_HARD ? "hard" : "soft", target_.float_abi);
    arm_architecture();
    arm_floats();
    const ArmAttributes& a = facts_.arm;
    if (a.wchar_size.value_or(0) != 0 && *a.wchar_size != 4)
      wrong("wchar_t (Tag_ABI_PCS_wchar_t)", std::to_string(*a.wchar_size) + " bytes", "4 bytes");
    if (a.fp16_format.value_or(0) > 1)
      wrong("half precision (Tag_ABI_FP_16bit_format)", "the alternative format of Arm's", "IEEE 754");
    // 1: the smallest integer, 2 and 3: an int at least. Tag values 0 and absent: no enum is visible outside.
    const unsigned enums = a.enum_size.value_or(0);
    if (enums != 0 && (enums == 1) != target_.short_enums)
      wrong("enum size (Tag_ABI_enum_size)", enums == 1 ? "short enums" : "32-bit enums",
            target_.short_enums ? "short enums" : "32-bit enums");
  }

  void arm_architecture() {
    const ArmAttributes& a = facts_.arm;
    const std::string arch = target_.triple.substr(0, target_.triple.find('-'));
    const auto runs = std::find_if(kArmRuns.begin(), kArmRuns.end(), [&](const ArmRuns& r) { return arch == r.arch; });
    if (runs == kArmRuns.end()) return;
    const std::string& core = target_.cpu.empty() ? target_.name : target_.cpu;
    if (a.cpu_arch) {
      const auto& known = runs->runs;
      const unsigned profile = a.cpu_arch_profile.value_or(0);
      const bool profile_fits = *a.cpu_arch != kV7 || profile == 0 || profile == static_cast<unsigned>(runs->profile) ||
                                (profile == 'S' && runs->profile != 'M');  // an application's or a real-time one
      if (*a.cpu_arch == 0 || std::find(known.begin(), known.end(), *a.cpu_arch) == known.end() || !profile_fits)
        wrong("CPU architecture (Tag_CPU_arch)",
              arm_arch_name(*a.cpu_arch) + (profile_fits ? "" : std::string("-") + static_cast<char>(profile)),
              "what " + core + " executes (" + arch.substr(arch.find('v')) + ")");
    }
    if (runs->profile != 'M') return;
    if (a.arm_isa_use.value_or(0) != 0) wrong("instruction set (Tag_ARM_ISA_use)", "ARM state", "Thumb state only");
    if (a.dsp_extension.value_or(0) != 0 && !target_.has("dsp"))
      wrong("DSP extension (Tag_DSP_extension)", "used", "not there in " + target_.cpu);
    if (a.simd_arch.value_or(0) != 0)
      wrong("vector extension (Tag_Advanced_SIMD_arch)", "Neon", "not there in " + target_.cpu);
    if (a.mve_arch.value_or(0) >= 1 && !target_.has("mve"))
      wrong("vector extension (Tag_MVE_arch)", "used", "not there in " + target_.cpu);
    if (a.mve_arch.value_or(0) == 2 && target_.has("mve") && !target_.has("mve.fp"))
      wrong("vector extension (Tag_MVE_arch)", "integer and floating point", "integer only");
  }

  void arm_floats() {
    const ArmAttributes& a = facts_.arm;
    // 0 base standard, 1 VFP registers, 2 a convention of the toolchain's own, 3 fits both.
    const bool hard = target_.float_abi == "hard";
    std::optional<unsigned> args = a.vfp_args;
    if (!args && facts_.defines_functions) args = 0;
    if (args && *args != 3 && *args != (hard ? 1u : 0u))
      wrong("float arguments (Tag_ABI_VFP_args)",
            *args == 0   ? (a.vfp_args ? "soft convention" : "not said, that is the soft convention")
            : *args == 1 ? "hard convention, in VFP registers"
                         : "convention " + std::to_string(*args),
            hard ? "hard convention, in VFP registers" : "soft convention");
    if (a.fp_arch.value_or(0) == 0) return;
    if (!target_.has("fp.sp"))
      return wrong("floating point unit (Tag_FP_arch)", "used", "not there in " + target_.name);
    // 7 and 8 are FPv5, that of Armv8-M and of Cortex-M7; cores before have no vsel, vmaxnm and vrint.
    if (*a.fp_arch >= 7 && target_.fpu.starts_with("fpv4")) wrong("floating point unit (Tag_FP_arch)", "FPv5", "FPv4");
    // Unless Tag_ABI_HardFP_use = 1 (single precision only), the code may use everything that the unit of Tag_FP_arch
    // has.
    if (a.hard_fp_use.value_or(0) != 1 && !target_.has("fp.dp"))
      wrong("floating point unit (Tag_ABI_HardFP_use)", "double precision", "single precision");
  }

  // "rv32i2p1_m2p0_c2p0_zmmul1p0" or "rv32imc_zba" -> {"i", "m", "c", ...}; "g" stands for imafd.
  static std::set<std::string> riscv_extensions(const std::string& arch) {
    std::set<std::string> out;
    std::size_t i = 4;
    const auto digits = [&] {
      // A version is MAJORpMINOR.
      while (i < arch.size() && std::isdigit(static_cast<unsigned char>(arch[i]))) ++i;
      if (i + 1 < arch.size() && i > 4 && std::isdigit(static_cast<unsigned char>(arch[i - 1])) && arch[i] == 'p' &&
          std::isdigit(static_cast<unsigned char>(arch[i + 1]))) {
        ++i;
        while (i < arch.size() && std::isdigit(static_cast<unsigned char>(arch[i]))) ++i;
      }
    };
    while (i < arch.size()) {
      if (arch[i] == '_') {
        ++i;
        continue;
      }
      std::string name(1, arch[i++]);
      if (name == "z" || name == "x" || name == "s") {
        while (i < arch.size() && arch[i] != '_') name += arch[i++];
        // Cut the version, but not the digits of a name: zve32x1p0 -> zve32x.
        const std::size_t p = name.rfind('p');
        if (p != std::string::npos && p + 1 < name.size() && std::isdigit(static_cast<unsigned char>(name[p - 1])) &&
            std::all_of(name.begin() + static_cast<std::ptrdiff_t>(p) + 1, name.end(),
                        [](unsigned char c) { return std::isdigit(c); })) {
          name.resize(p);
          while (!name.empty() && std::isdigit(static_cast<unsigned char>(name.back()))) name.pop_back();
        }
      } else {
        digits();
      }
      out.insert(name);
    }
    if (out.erase("g"))
      for (const char* e : {"i", "m", "a", "f", "d", "zicsr", "zifencei"}) out.insert(e);
    return out;
  }

  // Parts that compilers list beside the letter that contains them (RISC-V unprivileged specification), and the two
  // that were in "i" until version 2.1, which older tools therefore never list.
  static void add_implied(std::set<std::string>& e) {
    if (e.contains("m")) e.insert("zmmul");
    if (e.contains("a")) e.insert({"zaamo", "zalrsc"});
    if (e.contains("d")) e.insert("f");
    if (e.contains("v")) e.insert({"zve32f", "zve32x", "zve64d", "zve64f", "zve64x", "zvl32b", "zvl64b", "zvl128b"});
    if (e.contains("c")) e.insert("zca");
    if (e.contains("c") && e.contains("f")) e.insert("zcf");
    if (e.contains("c") && e.contains("d")) e.insert("zcd");
    e.insert({"zicsr", "zifencei"});
  }

  void riscv(const ElfTarget& elf) {
    // Bits 1 and 2 of e_flags: soft, single, double, quad float ABI; bit 0 compressed code; bit 3 RVE.
    constexpr std::array kFloatAbi{"soft", "single", "double", "quad"};
    const std::uint32_t abi = facts_.flags >> 1 & 3u, expected = elf.flags >> 1 & 3u;
    if (abi != expected) wrong("float ABI (e_flags)", kFloatAbi[abi], kFloatAbi[expected]);
    if ((facts_.flags & 1u) != 0 && (elf.flags & 1u) == 0) wrong("compressed code (e_flags)", "used", "not there");
    if ((facts_.flags & 8u) != 0) wrong("RVE (e_flags)", hex_word(facts_.flags), "the full register file");
    if (facts_.riscv_arch.size() < 4) return;
    const std::string width = facts_.riscv_arch.substr(0, 4);
    if (width != target_.march.substr(0, 4)) return wrong("architecture", facts_.riscv_arch, target_.march);
    std::set<std::string> there = riscv_extensions(target_.march);
    add_implied(there);
    for (const std::string& e : riscv_extensions(facts_.riscv_arch))
      if (!there.contains(e)) wrong("architecture", "extension " + e + " in " + facts_.riscv_arch, target_.march);
  }

  // The lowest bits of e_flags are the machine; the others say which parts of a section are known to be code.
  void xtensa() {
    constexpr std::uint32_t kMachine = 0xf;
    if ((facts_.flags & kMachine) != 0) wrong("machine (e_flags)", hex_word(facts_.flags & kMachine), "0x0");
    if (!facts_.xtensa_abi.empty() && !target_.abi.empty() && facts_.xtensa_abi != target_.abi)
      wrong("calls (.xtensa.info)", facts_.xtensa_abi, target_.abi);
  }

  const ObjectFacts& facts_;
  const TargetSpec& target_;
  const std::string& module_;
  Diagnostics& diags_;
  bool ok_ = true;
};

}  // namespace

Result<void> check_object(const ObjectFacts& facts, const TargetSpec& target, const std::string& module,
                          Diagnostics& diags) {
  if (!Checker(facts, target, module, diags).run(false)) return failure;
  return {};
}

Result<void> check_image(const ObjectFacts& facts, const TargetSpec& target, const std::string& image,
                         Diagnostics& diags) {
  if (!Checker(facts, target, image, diags).run(true)) return failure;
  return {};
}

}  // namespace byoc
