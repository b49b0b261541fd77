// The target's vectors, registers and instructions for code generation. They are read from the description of the
// target, never from its name.
#pragma once

#include <cstdint>
#include <string>

#include "byoc/target.hpp"

namespace byoc::bitcode {

struct Machine {
  std::int64_t lanes = 1;       // floats of a vector; 1: there are none
  std::int64_t registers = 16;  // that hold one
  bool fused = false;           // a * b + c is one instruction, rounded once
  bool halves = false;          // it has instructions between floats and those of 16 bits (f16)
  std::int64_t long_lanes = 1;  // of a vector of 64 bits, several of which fit the registers beside each other
  // The way in which four products of bytes are summed: one by one, in pairs of 16 bits (x86), at once (VNNI, whose
  // left operand is unsigned; SDOT of Neon).
  enum class Dot { single, pairs, vnni, sdot };
  Dot dot = Dot::single;
  bool matrices = false;  // eight products of bytes of two rows by two columns at once (SMMLA)
  std::uint32_t pointer_width = 32;
  std::string features = {};  // of LLVM, beside those of the target's CPU: "+avx512vnni"
};

[[nodiscard]] Machine machine_of(const TargetSpec& target);

}  // namespace byoc::bitcode
