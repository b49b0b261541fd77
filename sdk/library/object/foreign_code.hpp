// Finds instructions in an object that its target does not execute. An object's attributes are the assembler's options,
// if there are any: objects for x86-64 and AArch64 have none, and in RISC-V objects a line of assembly may go beyond
// them. So the code is disassembled with the target's features.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "byoc/target.hpp"
#include "sdk/base/support/diagnostics.hpp"

namespace byoc {

struct ForeignCode {
  std::uint64_t count = 0;    // instructions that the target does not have
  std::string section, text;  // of the first of them: "vaddps %zmm0, %zmm1, %zmm2"
  std::uint64_t offset = 0;
  std::string needs;           // the feature that it belongs to: "avx512f"; "" where that is not known
  std::uint64_t unknown = 0;   // instructions that nobody knows: a vendor's own (RISC-V's custom encodings), or data
  std::string unknown_place;   // section and offset of the first of them
  bool asks_for_more = false;  // the object looks at run time what the CPU has
};

class CodeReader {
 public:
  // Null for a target whose code is not looked at: one of 32-bit Arm, where attributes say it; an unknown CPU.
  [[nodiscard]] static std::unique_ptr<CodeReader> create(const TargetSpec& target);
  virtual ~CodeReader() = default;
  // `name` is for diagnostics. Errors: no readable object.
  [[nodiscard]] virtual Result<ForeignCode> read(std::span<const std::byte> object, const std::string& name,
                                                 Diagnostics& diags) = 0;
};

}  // namespace byoc
