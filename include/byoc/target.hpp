// The one target that every part of an export is compiled for. Standard headers only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace byoc {

enum class PoolKind : std::uint32_t { flash = 0, ram = 1 };

// A memory that the plan may place buffers or constants in.
struct MemoryPool {
  std::string name;  // "ram", "dtcm", "flash", "npu_flash"
  PoolKind kind = PoolKind::ram;
  std::uint64_t size = 0;               // bytes; 0 means not bounded
  std::vector<std::string> attributes;  // "tcm", "dma", "cached"
  std::string section;                  // for flash: section prefix of constants, ".rodata" if empty
  bool operator==(const MemoryPool&) const = default;
};

// The properties that must agree between two objects before they may be linked, and the means to make one.
struct TargetSpec {
  std::string name;        // "cortex-m4f"; for people and file names
  std::string triple;      // normalised LLVM triple: "thumbv7em-none-unknown-eabihf"
  std::string cpu;         // -mcpu: "cortex-m4"; empty where march says it all
  std::string march;       // RISC-V: "rv32imc"; otherwise empty
  std::string fpu;         // ARM -mfpu: "fpv4-sp-d16"; empty where there is none or the cpu implies it
  std::string float_abi;   // ARM: "hard" | "soft" | "softfp"; otherwise empty
  std::string abi;         // RISC-V -mabi: "ilp32"; otherwise empty
  std::string code_model;  // "", "small", "medium" (RISC-V medany), "large"
  std::string endianness = "little";
  std::uint32_t pointer_width = 32;  // bits
  bool short_enums = false;          // enums take the smallest integer that holds them (AAPCS bare metal)
  bool hosted = false;               // an operating system's C library is there
  bool pic = false;
  std::vector<std::string> isa;   // what kernels may use: "thumb", "dsp", "mve", "mve.fp", "fp.sp", "fp.dp", "hwdiv"
  std::vector<MemoryPool> pools;  // first RAM pool is where workspaces go unless a step says otherwise

  // The GNU side: command, and the flags that select this target in it.
  std::string gnu_command;                  // "arm-none-eabi-gcc"
  std::vector<std::string> gnu_flags;       // {"-mcpu=cortex-m4", "-mthumb", ...}
  std::vector<std::string> include_dirs;    // C library headers for in-process Clang, in search order
  std::string default_toolchain = "clang";  // "clang" | "gnu": what --toolchain is when it is not given
  std::string simulator;                    // how `byoc run` runs it: "native", "qemu-user", "mps2-an386", ...

  [[nodiscard]] bool has(std::string_view feature) const {
    return std::find(isa.begin(), isa.end(), feature) != isa.end();
  }
};

}  // namespace byoc
