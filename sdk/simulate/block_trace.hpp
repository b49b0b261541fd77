// Reads QEMU's log of translated and executed blocks (-d in_asm,exec,nochain), to count what a traced program executed
// in each step, and to estimate its cycles.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sdk/simulate/cycle_costs.hpp"
#include "sdk/support/diagnostics.hpp"

namespace byoc {

struct StepCost {
  std::uint64_t instructions = 0;
  std::uint64_t cycles = 0;
};

class BlockTrace {
 public:
  explicit BlockTrace(const CoreCosts& core) : core_(&core) {}

  // A piece of the log; pieces may end anywhere.
  void feed(std::string_view text);

  // What was executed between returns from the function `byoc_trace` and its next calls, in order. Errors: an
  // instruction that the table lacks; no such call.
  [[nodiscard]] Result<std::vector<StepCost>> finish(Diagnostics&);

 private:
  struct Block {
    std::vector<Instruction> code;
    std::string symbol;
    std::uint64_t cycles = 0;  // without what follows a taken branch
    bool priced = false;
    [[nodiscard]] std::uint32_t end() const { return code.back().address + code.back().bytes; }
  };

  void read_line(std::string_view line);
  void read_instruction(std::string_view line);
  void read_trace(std::string_view line);
  void executed(Block& block, const Block* next);

  const CoreCosts* core_;
  std::string rest_;                               // of a piece that ended within a line
  std::vector<Instruction> listing_;               // of the block that is translated, until it is executed
  std::unordered_map<std::string, Block> blocks_;  // by where the translation is
  Block* last_ = nullptr;                          // started, not yet known to be whole
  std::uint32_t last_end_ = 0;                     // of the block before
  std::uint32_t return_to_ = 0;                    // where byoc_trace returns to; 0: not in it
  std::vector<StepCost> segments_;                 // one for each call so far
  std::string unknown_;
};

}  // namespace byoc
