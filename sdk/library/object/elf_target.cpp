#include "sdk/library/object/elf_target.hpp"

#include <elf.h>

#include <charconv>

namespace byoc {
namespace {

// RISC-V ELF psABI, "ELF file header": e_flags.
constexpr std::uint32_t kRiscvRvc = 0x1;
constexpr std::uint32_t kRiscvFloatSingle = 0x2;
constexpr std::uint32_t kRiscvFloatDouble = 0x4;

std::uint32_t riscv_flags(const TargetSpec& t) {
  std::uint32_t flags = 0;
  const std::string letters = t.march.substr(0, t.march.find('_'));
  if (letters.size() > 4 && letters.find('c', 4) != std::string::npos) flags |= kRiscvRvc;
  if (t.abi.ends_with("f")) flags |= kRiscvFloatSingle;
  if (t.abi.ends_with("d")) flags |= kRiscvFloatDouble;
  return flags;
}

// "hexagonv68" -> 0x68.
std::uint32_t hexagon_flags(const std::string& cpu) {
  std::uint32_t flags = 0x60;
  if (const std::size_t v = cpu.find('v'); v != std::string::npos)
    std::from_chars(cpu.data() + v + 1, cpu.data() + cpu.size(), flags, 16);
  return flags;
}

}  // namespace

std::optional<ElfTarget> elf_target(const TargetSpec& t) {
  ElfTarget e;
  e.wide = t.pointer_width == 64;
  e.big_endian = t.endianness == "big";
  if (t.triple.starts_with("thumb") || t.triple.starts_with("arm")) {
    e.machine = EM_ARM;
    // ELF for the Arm Architecture, "ELF header": version 5 and the float convention.
    e.flags = EF_ARM_EABI_VER5 | (t.float_abi == "hard" ? EF_ARM_ABI_FLOAT_HARD : EF_ARM_ABI_FLOAT_SOFT);
  } else if (t.triple.starts_with("riscv")) {
    e.machine = EM_RISCV;
    e.flags = riscv_flags(t);
  } else if (t.triple.starts_with("aarch64")) {
    e.machine = EM_AARCH64;
  } else if (t.triple.starts_with("x86_64")) {
    e.machine = EM_X86_64;
    e.large_array_align = 16;  // System V ABI, AMD64 supplement, "Aggregates and Unions"
    // Ibid., "Architectural Constraints". GCC and Clang reach arrays of up to 64 KiB with 32-bit offsets
    // (-mlarge-data-threshold), so none of those may be far away.
    if (t.code_model == "medium" || t.code_model == "large") e.large_threshold = 65536;
  } else if (t.triple.starts_with("i386")) {
    e.machine = EM_386;
  } else if (t.triple.starts_with("hexagon")) {
    // Constants only: the vendor's compiler makes the code. LLVM's EF_HEXAGON_MACH is the number of the CPU.
    e.machine = 164;  // EM_QDSP6, which <elf.h> has not
    e.flags = hexagon_flags(t.cpu);
  } else if (t.triple.starts_with("xtensa")) {
    e.machine = EM_XTENSA;
    e.flags = 0x300;  // binutils, include/elf/xtensa.h: EF_XTENSA_XT_INSN, EF_XTENSA_XT_LIT
  } else {
    return std::nullopt;
  }
  return e;
}

}  // namespace byoc
