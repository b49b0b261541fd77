#include "sdk/run/simulate/block_trace.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace byoc {
namespace {

constexpr std::string_view kMarker = "byoc_trace";

std::optional<std::uint32_t> read_hex(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// True if the target has to be guessed: the branch has a condition, or goes to a register's value and is no return.
bool branch_is_open(const Instruction& i) {
  const std::string_view name = std::string_view(i.mnemonic).substr(0, i.mnemonic.find('.'));
  if (name == "b" || name == "bl" || name == "bx" || name == "pop") return false;
  return name.starts_with("b") || name.starts_with("cb") || name.starts_with("tb");
}

std::string_view next_word(std::string_view& text) {
  const std::size_t start = text.find_first_not_of(" \t");
  if (start == std::string_view::npos) return text = {};
  const std::size_t end = std::min(text.find_first_of(" \t", start), text.size());
  const std::string_view word = text.substr(start, end - start);
  text.remove_prefix(end);
  return word;
}

}  // namespace

void BlockTrace::feed(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) {
      rest_ += text;
      return;
    }
    if (rest_.empty()) {
      read_line(text.substr(0, end));
    } else {
      rest_ += text.substr(0, end);
      read_line(rest_);
      rest_.clear();
    }
    text.remove_prefix(end + 1);
  }
}

void BlockTrace::read_line(std::string_view line) {
  if (line.starts_with("Trace ")) {
    read_trace(line);
  } else if (line.starts_with("Read ")) {
    if (const auto address = read_hex(line.substr(5))) reads_.push_back(*address);
  } else if (line.starts_with("0x")) {
    read_instruction(line);
  } else if (line.starts_with("IN:")) {
    listing_.clear();
    bytes_.clear();
  } else if (line.starts_with("Stopped execution") || line.starts_with("cpu_io_recompile")) {
    last_ = nullptr;  // not executed after all, or not whole: it comes again
    reads_.clear();
  }
}

// 0x00000618:  480d       ldr      r0, [pc, #0x34]
void BlockTrace::read_instruction(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return;
  Instruction i;
  i.address = read_hex(line.substr(2, colon - 2)).value_or(0);
  line.remove_prefix(colon + 1);
  std::string_view word = next_word(line);
  while (word.size() == 4 && read_hex(word) && i.bytes < 4) {
    i.bytes += 2;
    const std::uint32_t half = *read_hex(word);
    bytes_.push_back(std::byte(half & 0xff));
    bytes_.push_back(std::byte(half >> 8));
    word = next_word(line);
  }
  i.mnemonic = word;
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  i.operands = line;
  listing_.push_back(std::move(i));
}

// The block again, by its bytes.
void BlockTrace::list_bytes() {
  std::uint32_t address = listing_.front().address;
  listing_.clear();
  for (const auto& [bytes, text] : disassemble_(bytes_, address)) {
    const std::size_t end = std::min(text.find(' '), text.size());
    listing_.push_back({address, static_cast<std::uint32_t>(bytes), text.substr(0, end),
                        text.substr(std::min(text.find_first_not_of(' ', end), text.size()))});
    address += static_cast<std::uint32_t>(bytes);
  }
}

// Trace 0: 0x7fe064000100 [00800408/00000618/00000110/ff020200] board_start
void BlockTrace::read_trace(std::string_view line) {
  next_word(line);
  next_word(line);
  const std::string_view place = next_word(line);
  next_word(line);
  Block& block = blocks_[std::string(place)];
  if (!listing_.empty()) {
    if (last_ == &block) executed(*std::exchange(last_, nullptr), nullptr);  // its translation is overwritten
    if (disassemble_) list_bytes();
    block = {.code = std::move(listing_), .symbol = std::string(next_word(line))};
    listing_.clear();
  }
  if (block.code.empty()) return;  // not a line of QEMU's
  if (last_) executed(*last_, &block);
  last_ = &block;
}

void BlockTrace::executed(Block& block, const Block* next) {
  const std::uint32_t start = block.code.front().address;
  if (return_to_ == start) return_to_ = 0;
  if (return_to_ == 0 && block.symbol == kMarker) {
    segments_.emplace_back();
    return_to_ = last_end_;
  } else if (return_to_ == 0 && !segments_.empty()) {
    if (!block.priced) {
      block.cycles = block_cycles(*core_, block.code, unknown_).value_or(0);
      block.priced = true;
    }
    segments_.back().instructions += block.code.size();
    segments_.back().cycles += block.cycles;
    if (next) segments_.back().cycles += branch_cycles(block, *next);
    if (flash_) segments_.back().cycles += waited_for(block);
  }
  reads_.clear();
  last_end_ = block.end();
}

std::uint64_t BlockTrace::waited_for(const Block& block) {
  std::uint64_t cycles = flash_->fetch(block.code.front().address, block.end(), block.cycles);
  for (const std::uint32_t address : reads_) cycles += flash_->read(address);
  return cycles;
}

// A counter of two bits for each branch expects it to be taken or not; one that depends on a register is expected where
// it went last, and a return where it belongs.
std::uint64_t BlockTrace::branch_cycles(Block& block, const Block& next) const {
  const Instruction& branch = block.code.back();
  const Instruction& target = next.code.front();
  const bool taken = target.address != block.end();
  const std::uint64_t cycles = taken ? refill_cycles(*core_, branch, target) : 0;
  const std::uint64_t missed = misprediction_cycles(*core_);
  if (missed == 0 || !branch_is_open(branch)) return cycles;
  const bool expected =
      (block.taken >= 2) == taken && (!taken || block.went_to == 0 || block.went_to == target.address);
  if (taken) block.went_to = target.address;
  if (taken && block.taken < 3) ++block.taken;
  if (!taken && block.taken > 0) --block.taken;
  return expected ? cycles : missed;
}

Result<std::vector<StepCost>> BlockTrace::finish(Diagnostics& diags) {
  if (last_) executed(*last_, nullptr);
  last_ = nullptr;
  if (!unknown_.empty())
    return diags.error({}, unknown_,
                       "instruction is not in the table of the " + std::string(core_name(*core_)) + "'s cycles");
  if (segments_.empty())
    return diags.error({}, "qemu-system-arm", "its log of executed blocks has no call of byoc_trace");
  return std::move(segments_);
}

}  // namespace byoc
