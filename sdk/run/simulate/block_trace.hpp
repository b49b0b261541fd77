// Reads QEMU's log of translated and executed blocks (-d in_asm,exec,nochain), to count what a traced program executed
// in each step, and to estimate its cycles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sdk/base/support/diagnostics.hpp"
#include "sdk/run/cores/cycle_costs.hpp"
#include "sdk/run/simulate/flash.hpp"

namespace byoc {

struct StepCost {
  std::uint64_t instructions = 0;
  std::uint64_t cycles = 0;  // with those that flash is waited for
};

// Code that runs from its start on, as assembly: how many bytes each instruction has, and its text.
using Disassemble = std::function<std::vector<std::pair<std::size_t, std::string>>(std::span<const std::byte> code,
                                                                                   std::uint64_t address)>;

class BlockTrace {
 public:
  // `flash`: what to wait for; null: memories have no wait states. Needs the lines of qemu/flash_reads.c in the log.
  explicit BlockTrace(const CoreCosts& core, const FlashModel* flash = nullptr) : core_(&core) {
    if (flash) flash_.emplace(*flash);
  }

  // For cores with instructions that QEMU's disassembler does not know: the log's bytes are used, not its text.
  void read_bytes_by(Disassemble disassemble) { disassemble_ = std::move(disassemble); }

  // A piece of the log; pieces may end anywhere.
  void feed(std::string_view text);

  // The costs of the code between returns from the function `byoc_trace` and its next calls, in order. Errors: an
  // instruction that the table lacks; no such call.
  [[nodiscard]] Result<std::vector<StepCost>> finish(Diagnostics&);

 private:
  struct Block {
    std::vector<Instruction> code;
    std::string symbol;
    std::uint64_t cycles = 0;  // without what follows a taken branch
    bool priced = false;
    std::uint8_t taken = 1;     // 2 and 3: its branch is expected to be taken, 0 and 1 not
    std::uint32_t went_to = 0;  // where it went last, 0: not known
    [[nodiscard]] std::uint32_t end() const { return code.back().address + code.back().bytes; }
  };

  void read_line(std::string_view line);
  void read_instruction(std::string_view line);
  void list_bytes();
  void read_trace(std::string_view line);
  void executed(Block& block, const Block* next);
  [[nodiscard]] std::uint64_t waited_for(const Block&);
  [[nodiscard]] std::uint64_t branch_cycles(Block& block, const Block& next) const;

  const CoreCosts* core_;
  std::optional<Flash> flash_;
  std::vector<std::uint32_t> reads_;  // of flash, by the block that was started last
  std::string rest_;                  // of a piece that ended within a line
  std::vector<Instruction> listing_;  // of the block that is translated, until it is executed
  std::vector<std::byte> bytes_;      // the same
  Disassemble disassemble_;
  std::unordered_map<std::string, Block> blocks_;  // by where the translation is
  Block* last_ = nullptr;                          // started, not yet known to be whole
  std::uint32_t last_end_ = 0;                     // of the block before
  std::uint32_t return_to_ = 0;                    // where byoc_trace returns to; 0: not in it
  std::vector<StepCost> segments_;                 // one for each call so far
  std::string unknown_;
};

}  // namespace byoc
