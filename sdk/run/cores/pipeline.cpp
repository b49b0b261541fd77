#include "sdk/run/cores/pipeline.hpp"

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include "sdk/run/cores/assembly.hpp"

namespace byoc {
namespace {

constexpr std::size_t kRegisters = 16 + 64;

const Timing* find_timing(std::span<const Timing> table, const Instruction& instruction) {
  const Timing* found = nullptr;
  const bool vectors = instruction.operands.starts_with('q') || instruction.operands.starts_with("{q") ||
                       instruction.operands.find(", q") != std::string::npos;
  const bool floats = vectors && instruction.mnemonic.find(".f") != std::string::npos;
  find_mnemonic(instruction.mnemonic, [&](std::string_view name) {
    const std::string key = (vectors ? "q_" : "") + std::string(name) + (floats ? ".f" : "");
    const auto row = std::find_if(table.begin(), table.end(), [&](const Timing& t) { return lists(t.mnemonics, key); });
    return row == table.end() ? false : (found = &*row, true);
  });
  return found;
}

using Registers = std::vector<std::uint8_t>;

// The registers that an instruction reads and writes.
struct Use {
  Registers reads, reads_late, reads_shifted, address, writes, updates;  // updates: of the address
  std::string_view base;                                                 // of its address
  std::optional<int> offset;                                             // of its address, where it is a number
  bool shifted = false;
  unsigned words = 0;  // of a list

  Use(const Timing&, const Instruction&);

 private:
  void read_address(std::string_view text, std::string_view behind);
  void read_list(std::string_view list, std::string_view address, bool loads);
};

bool shifts(std::string_view operand) {
  return operand.starts_with("lsl #") || operand.starts_with("lsr #") || operand.starts_with("asr #") ||
         operand.starts_with("ror #");
}

// "[r0, #4]", "[r0, r1, lsl #2]", "[r0, #-0x10]!"; `behind`: what follows, "#4" of "[r0], #4".
void Use::read_address(std::string_view text, std::string_view behind) {
  add_registers(text, address);
  const std::size_t comma = text.find(','), end = text.find(']');
  base = text.substr(1, std::min(comma, end) - 1);
  offset = 0;
  if (comma < end) {
    std::string_view number = text.substr(comma + 1, end - comma - 1);
    while (number.starts_with(' ')) number.remove_prefix(1);
    const bool is_number = number.starts_with('#'), negative = number.starts_with("#-");
    number.remove_prefix(std::min<std::size_t>(number.size(), is_number + negative));
    const bool hex = number.starts_with("0x");
    if (hex) number.remove_prefix(2);
    int value = 0;
    const auto [rest, error] = std::from_chars(number.data(), number.data() + number.size(), value, hex ? 16 : 10);
    offset = is_number && error == std::errc() ? std::optional(negative ? -value : value) : std::nullopt;
  }
  if (text.ends_with('!') || !behind.empty()) add_registers(base, updates);
  if (!behind.empty()) add_registers(behind, address);
}

void Use::read_list(std::string_view list, std::string_view from, bool loads) {
  add_registers(list, loads ? writes : reads_late);
  words = words_of_list(list);
  if (from.empty()) from = "sp!";
  add_registers(from, address);
  base = from.substr(0, from.find('!'));
  if (from.ends_with('!')) updates = address;
}

Use::Use(const Timing& timing, const Instruction& instruction) {
  const auto operands = split_operands(instruction.operands);
  const bool loads = timing.form == Form::load, stores = timing.form == Form::store;
  if ((loads || stores) && !operands.empty() && operands.back().starts_with('{') && operands.size() <= 2 &&
      !operands.front().starts_with("q")) {
    read_list(operands.back(), operands.size() > 1 ? operands.front() : std::string_view(), loads);
    return;
  }
  const unsigned results = timing.form == Form::test || stores ? 0 : timing.results;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const std::string_view o = operands[i];
    if (o.starts_with('[')) {
      read_address(o, i + 1 < operands.size() ? operands[i + 1] : std::string_view());
      break;
    }
    if (i < results) add_registers(o, writes);
    if (i < results && timing.form == Form::binary && operands.size() == 2) add_registers(o, reads);
    if (i < results && timing.form == Form::sum && operands.size() < 4 + results - 1) add_registers(o, reads_late);
    if (i < results) continue;
    const bool late = stores || (timing.form == Form::sum && results == 1 && i == 3);
    const bool is_shifted = i + 1 < operands.size() && shifts(operands[i + 1]);
    shifted |= is_shifted;
    add_registers(o, late ? reads_late : is_shifted ? reads_shifted : reads);
  }
  if (timing.form == Form::sum && results == 2) reads_late = writes;
}

class Scoreboard {
 public:
  explicit Scoreboard(const Pipeline& pipeline) : pipeline_(&pipeline) {}

  void issue(const Instruction&, const Timing&);
  [[nodiscard]] std::uint64_t cycles() const { return issued_ > 0 ? now_ + 1 : now_; }

 private:
  [[nodiscard]] std::uint64_t when_read(const Use&, const Timing&) const;
  [[nodiscard]] std::uint64_t when_free(std::uint16_t units, std::uint64_t at) const;
  [[nodiscard]] bool may_join(const Instruction&, const Timing&, const Use&) const;
  void take(std::uint16_t units, std::uint64_t until);

  const Pipeline* pipeline_;
  std::uint64_t now_ = 0;  // the cycle of what was issued last
  unsigned issued_ = 0;    // in that cycle
  const Timing* first_ = nullptr;
  const Instruction* first_instruction_ = nullptr;
  std::string_view first_base_;
  std::optional<int> first_offset_;
  std::array<std::uint64_t, kRegisters> ready_{};
  std::array<std::array<std::uint64_t, 2>, kUnits> free_{};
};

std::uint64_t Scoreboard::when_read(const Use& use, const Timing& timing) const {
  std::uint64_t at = now_;
  const auto wait = [&](const Registers& registers, int early) {
    for (const std::uint8_t r : registers) {
      const auto ready = static_cast<std::int64_t>(ready_.at(r));
      if (ready > 0) at = std::max(at, static_cast<std::uint64_t>(std::max<std::int64_t>(ready + early, 0)));
    }
  };
  wait(use.reads, 0);
  wait(use.reads_late, -timing.late);
  wait(use.reads_shifted, pipeline_->shifted_early);
  wait(use.address, pipeline_->address_early);
  return at;
}

std::uint64_t Scoreboard::when_free(std::uint16_t units, std::uint64_t at) const {
  for (std::size_t u = 0; u < kUnits; ++u) {
    if (!(units >> u & 1)) continue;
    std::uint64_t first = free_[u][0];
    if (pipeline_->count.at(u) > 1) first = std::min(first, free_[u][1]);
    at = std::max(at, first);
  }
  return at;
}

void Scoreboard::take(std::uint16_t units, std::uint64_t until) {
  for (std::size_t u = 0; u < kUnits; ++u) {
    if (!(units >> u & 1)) continue;
    const bool second = pipeline_->count.at(u) > 1 && free_[u][1] < free_[u][0];
    free_[u][second] = until;
  }
}

bool is_light(const Timing& timing, const Instruction& instruction) {
  if (timing.pairs != Pairs::light_number) return timing.pairs == Pairs::light;
  const auto operands = split_operands(instruction.operands);
  return !operands.empty() && operands.back().starts_with('#');
}

bool Scoreboard::may_join(const Instruction& instruction, const Timing& timing, const Use& use) const {
  if (issued_ != 1 || timing.pairs == Pairs::first || timing.pairs == Pairs::alone) return false;
  if (first_->pairs == Pairs::last) return false;
  if (pipeline_->narrow_pairs)
    return instruction.bytes == 2 && first_instruction_->bytes == 2 &&
           (is_light(timing, instruction) || is_light(*first_, *first_instruction_));
  if (pipeline_->banked_loads && timing.form == Form::load && first_->form == Form::load)
    return use.base == first_base_ && use.offset && first_offset_ && ((*use.offset ^ *first_offset_) & 4) != 0;
  return true;
}

void Scoreboard::issue(const Instruction& instruction, const Timing& timing) {
  if (timing.holds == 0) return;
  const Use use(timing, instruction);
  std::uint16_t units = timing.units;
  if (use.shifted) units |= kShift;
  std::uint64_t at = when_free(units, when_read(use, timing));
  if (at == now_ && issued_ > 0 && !may_join(instruction, timing, use)) at = when_free(units, now_ + 1);
  if (at > now_) issued_ = 0;
  now_ = at;
  if (issued_++ == 0) {
    first_ = &timing;
    first_instruction_ = &instruction;
    first_base_ = use.base;
    first_offset_ = use.offset;
  }
  const unsigned words = pipeline_->words_per_cycle;
  const std::uint64_t holds = use.words > 0 ? std::max(1U, (use.words + words - 1) / words) : timing.holds;
  take(units, now_ + holds);
  const unsigned latency = use.shifted ? std::max(timing.latency, pipeline_->shifted_latency) : timing.latency;
  const std::uint64_t last = timing.pairs == Pairs::alone ? now_ + holds - 1 : now_;
  for (const std::uint8_t r : use.writes) ready_.at(r) = last + latency;
  // An address is there as soon as it was read for this one.
  for (const std::uint8_t r : use.updates) ready_.at(r) = now_ + 1 - std::min<unsigned>(pipeline_->address_early, 1);
  if (timing.pairs == Pairs::alone) {
    now_ += holds;
    issued_ = 0;
  }
}

}  // namespace

std::optional<std::uint64_t> pipeline_cycles(const Pipeline& pipeline, std::span<const Instruction> instructions,
                                             std::string& unknown) {
  Scoreboard board(pipeline);
  for (const Instruction& i : instructions) {
    const Timing* timing = find_timing(pipeline.table, i);
    if (!timing) {
      unknown = i.mnemonic;
      return std::nullopt;
    }
    board.issue(i, *timing);
  }
  return board.cycles();
}

}  // namespace byoc
