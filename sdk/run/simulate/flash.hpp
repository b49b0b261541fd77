// Wait cycles for flash: the time of fetches and reads of constants behind the small caches of a microcontroller.
// docs/simulation.md lists the modelled parts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "byoc/target.hpp"
#include "sdk/base/support/diagnostics.hpp"

namespace byoc {

// A part's flash at one clock.
struct FlashModel {
  std::string name;          // "l4r5@120"
  unsigned wait_states = 0;  // of a word
  unsigned word_bytes = 0;   // what one access of the flash gives
  unsigned line_words = 0;   // of a line of a cache; each is there or not
  unsigned instruction_lines = 0;
  unsigned data_lines = 0;  // 0: one cache for both
  bool prefetch = false;    // the next word of code is read while one is executed
};

// "l4r5@120": the part, and the clock in MHz. Errors: no such part, no such clock.
[[nodiscard]] Result<FlashModel> parse_flash_model(const std::string&, Diagnostics&);

// The target with flash that takes as long, where its description does not say how long: kernels are chosen by it.
[[nodiscard]] TargetSpec with_flash(TargetSpec target, const FlashModel& model);

// A fully associative cache whose least recently used line is replaced.
class FlashCache {
 public:
  FlashCache(unsigned lines, unsigned line_words, unsigned word_bytes);
  // True if the word at this address is in the cache; afterwards it is.
  bool holds(std::uint32_t address);

 private:
  struct Line {
    std::uint32_t start = 0;
    std::uint32_t words = 0;  // a bit each
    std::uint64_t used = 0;
  };
  std::vector<Line> lines_;
  std::uint32_t line_bytes_, word_bytes_;
  std::uint64_t now_ = 0;
};

// The state of a part's caches.
class Flash {
 public:
  explicit Flash(const FlashModel&);
  // Cycles that the core waits for the code from `start` to `end`, which takes `cycles` without.
  std::uint64_t fetch(std::uint32_t start, std::uint32_t end, std::uint64_t cycles);
  // As fetch(), for a constant.
  std::uint64_t read(std::uint32_t address);

 private:
  FlashModel model_;
  FlashCache instructions_, data_;
  std::uint32_t fetched_ = 1;  // the word that was fetched last; none starts at 1
  std::uint32_t read_ = 1;
};

}  // namespace byoc
