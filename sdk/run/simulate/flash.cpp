#include "sdk/run/simulate/flash.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace byoc {
namespace {

struct Part {
  std::string_view name;
  unsigned mhz_per_wait_state, most_mhz;
  FlashModel model;
};

// STMicroelectronics RM0432 (STM32L4+), chapter "Embedded flash memory": wait states of range 1 boost mode, the ART
// accelerator's caches. RM0456 (STM32U5): wait states of range 1; ICACHE, which holds constants, too.
const std::array kParts = {
    Part{"l4r5", 20, 120, {"", 0, 8, 4, 32, 8, true}},  // dual bank, as it is delivered: 64 bits at once
    Part{"u575", 32, 160, {"", 0, 16, 1, 512, 0, true}},
};

}  // namespace

Result<FlashModel> parse_flash_model(const std::string& text, Diagnostics& diags) {
  const std::size_t at = text.find('@');
  const std::string name = text.substr(0, at), clock = at == std::string::npos ? "" : text.substr(at + 1);
  const auto* part = std::find_if(kParts.begin(), kParts.end(), [&](const Part& p) { return p.name == name; });
  if (part == kParts.end()) {
    std::string known;
    for (const Part& p : kParts)
      known += (known.empty() ? "" : " or ") + std::string(p.name) + "@" + std::to_string(p.most_mhz);
    return diags.error({}, "--flash", "no such flash is modelled", text, "a part and its clock in MHz: " + known);
  }
  unsigned mhz = 0;
  const auto [end, error] = std::from_chars(clock.data(), clock.data() + clock.size(), mhz);
  if (error != std::errc() || end != clock.data() + clock.size() || mhz == 0 || mhz > part->most_mhz)
    return diags.error(
        {}, "--flash", "no clock of this part", clock.empty() ? "none" : clock,
        "1 to " + std::to_string(part->most_mhz) + " MHz, as " + name + "@" + std::to_string(part->most_mhz));
  FlashModel model = part->model;
  model.name = text;
  model.wait_states = (mhz - 1) / part->mhz_per_wait_state;
  return model;
}

TargetSpec with_flash(TargetSpec target, const FlashModel& model) {
  for (MemoryPool& pool : target.pools) {
    const bool said = std::any_of(pool.attributes.begin(), pool.attributes.end(),
                                  [](const std::string& a) { return a.starts_with("latency-"); });
    if (pool.kind != PoolKind::flash || said) continue;
    pool.attributes.push_back("latency-" + std::to_string(model.wait_states));
    pool.attributes.push_back("bandwidth-" + std::to_string(model.word_bytes));
  }
  return target;
}

FlashCache::FlashCache(unsigned lines, unsigned line_words, unsigned word_bytes)
    : lines_(lines), line_bytes_(line_words * word_bytes), word_bytes_(word_bytes) {}

bool FlashCache::holds(std::uint32_t address) {
  const std::uint32_t start = address / line_bytes_ * line_bytes_;
  const std::uint32_t word = 1U << (address - start) / word_bytes_;
  ++now_;
  const auto line =
      std::find_if(lines_.begin(), lines_.end(), [&](const Line& l) { return l.words && l.start == start; });
  if (line != lines_.end()) {
    line->used = now_;
    const bool there = (line->words & word) != 0;
    line->words |= word;
    return there;
  }
  const auto oldest =
      std::min_element(lines_.begin(), lines_.end(), [](const Line& a, const Line& b) { return a.used < b.used; });
  if (oldest != lines_.end()) *oldest = {start, word, now_};
  return false;
}

Flash::Flash(const FlashModel& model)
    : model_(model),
      instructions_(model.instruction_lines, model.line_words, model.word_bytes),
      data_(model.data_lines, model.line_words, model.word_bytes) {}

std::uint64_t Flash::fetch(std::uint32_t start, std::uint32_t end, std::uint64_t cycles) {
  const std::uint32_t bytes = model_.word_bytes;
  const std::uint64_t each = cycles * bytes / std::max(end - start, 1U);  // that a word of this code takes
  std::uint64_t waited = 0;
  for (std::uint32_t word = start / bytes * bytes; word < end; word += bytes) {
    const bool follows = word == fetched_ + bytes;
    if (word != fetched_ && !instructions_.holds(word)) {
      const std::uint64_t ahead = follows && model_.prefetch ? each : 1;
      waited += model_.wait_states + 1 - std::min<std::uint64_t>(ahead, model_.wait_states + 1);
    }
    fetched_ = word;
  }
  return waited;
}

std::uint64_t Flash::read(std::uint32_t address) {
  const std::uint32_t word = address / model_.word_bytes * model_.word_bytes;
  if (word == std::exchange(read_, word)) return 0;
  return (model_.data_lines > 0 ? data_ : instructions_).holds(word) ? 0 : model_.wait_states;
}

}  // namespace byoc
