#include "backends/llvm/machine.hpp"

#include <string_view>

namespace byoc::bitcode {
namespace {

// The first row that fits is the machine's. `isa`: a word of TargetSpec::isa; "": any.
struct Row {
  std::string_view triple, isa;
  std::int64_t lanes, registers;
  bool fused, halves;
  std::int64_t long_lanes;
};
// Features that every processor of an architecture has need no word: SSE2 on x86-64, Neon on AArch64. On Thumb and
// RISC-V, floating point is fused if there is any, and Thumb's supports f16; AVX2 comes with F16C. A vector of RISC-V
// is four registers of 128 bits, which instructions take as one.
constexpr Row kRows[] = {
    {"x86_64", "avx512", 16, 32, true, true, 16},
    {"x86_64", "avx2", 8, 16, true, true, 8},
    {"x86_64", "", 4, 16, false, false, 4},
    {"aarch64", "", 4, 32, true, true, 4},
    {"riscv", "v", 16, 8, true, false, 8},
    {"riscv", "fp.sp", 1, 32, true, false, 1},
    {"thumb", "mve.fp", 4, 8, true, true, 4},
    {"thumb", "fp.sp", 1, 32, true, true, 1},
    {"", "", 1, 8, false, false, 1},
};

struct Feature {
  std::string_view isa, llvm;
};
// Features that a description adds to the CPU that it names.
constexpr Feature kFeatures[] = {{"avx512.vnni", "+avx512vnni"}, {"dotprod", "+dotprod"}, {"i8mm", "+i8mm"}};

}  // namespace

Machine machine_of(const TargetSpec& target) {
  Machine out;
  out.pointer_width = target.pointer_width;
  for (const Row& row : kRows) {
    if (!target.triple.starts_with(row.triple) || (!row.isa.empty() && !target.has(row.isa))) continue;
    out.lanes = row.lanes;
    out.registers = row.registers;
    out.fused = row.fused;
    out.halves = row.halves;
    out.long_lanes = row.long_lanes;
    break;
  }
  if (target.triple.starts_with("x86_64"))
    out.dot = target.has("avx512.vnni") ? Machine::Dot::vnni : Machine::Dot::pairs;
  if (target.triple.starts_with("aarch64")) {
    if (target.has("dotprod")) out.dot = Machine::Dot::sdot;
    out.matrices = target.has("i8mm");
  }
  for (const Feature& f : kFeatures)
    if (target.has(f.isa)) out.features += (out.features.empty() ? "" : ",") + std::string(f.llvm);
  return out;
}

}  // namespace byoc::bitcode
