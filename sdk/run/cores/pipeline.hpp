// Pipelines that issue one or two instructions a cycle, in their order: what a core's table says of an instruction, and
// how long code takes by it. Memories have no wait states. docs/simulation.md has the rules and the sources.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sdk/run/cores/cycle_costs.hpp"

namespace byoc {

// Units that instructions occupy for a cycle or more; a bit each.
enum Unit : std::uint16_t {
  kNone = 0,
  kAlu = 1,
  kShift = 2,
  kMultiply = 4,
  kSimd = 8,
  kLoad = 16,
  kStore = 32,
  kBranch = 64,
  kFloat = 128,
  kVector = 256,  // of integers
  kVectorMultiply = 512,
  kVectorMemory = 1024,
  kVectorCompare = 2048,
  kVectorPredicate = 4096,
};
inline constexpr std::size_t kUnits = 13;

enum class Form : std::uint8_t {
  unary,   // writes its first operands, reads the others
  binary,  // the same; with two operands it reads the first, too
  sum,     // the same; what it adds to is read late: the last of four operands, else those that it writes
  store,   // writes none; reads its value late
  load,
  test,  // writes none
};

enum class Pairs : std::uint8_t {
  free,
  first,         // only as the first of two
  last,          // only as the second
  alone,         // with none
  light,         // of Pipeline::narrow_pairs: one of a pair has to be
  light_number,  // light if its last operand is a number
};

struct Timing {
  // Names as find_mnemonic() makes them, separated by spaces. With vector operands the name begins with "q_", and it
  // ends with ".f" if elements are floats.
  std::string_view mnemonics;
  Form form;
  std::uint16_t units;
  std::uint8_t latency = 1;  // from being issued until an instruction that reads a result can be
  std::uint8_t late = 0;     // how much later it reads what it adds to or stores
  Pairs pairs = Pairs::free;
  std::uint8_t holds =
      1;  // cycles for which it has its units; of one that pairs with none, all of the pipeline; 0: is not issued
  std::uint8_t results = 1;  // operands that it writes
};

struct Pipeline {
  std::span<const Timing> table;
  std::array<std::uint8_t, kUnits> count;  // of each unit, at most 2
  bool narrow_pairs = false;               // only two instructions of 16 bits are a pair, one of which is light
  bool banked_loads = false;               // two loads are a pair if they are seen to be of an odd and an even word
  std::uint8_t address_early = 0;          // how much earlier registers of addresses are read
  std::uint8_t shifted_early = 0;          // and those that are shifted on the way
  std::uint8_t shifted_latency = 1;        // of results with such an operand
  std::uint8_t words_per_cycle = 1;        // of loads and stores of lists
};

extern const Pipeline kCortexM7Pipeline, kCortexM33Pipeline, kCortexM55Pipeline, kCortexM85Pipeline;

// Implements block_cycles(). The pipeline is empty at the start; the count ends when the last instruction was issued.
[[nodiscard]] std::optional<std::uint64_t> pipeline_cycles(const Pipeline&, std::span<const Instruction>,
                                                           std::string& unknown);

}  // namespace byoc
