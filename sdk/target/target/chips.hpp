// Chips and boards by the names that people know them by: a core, and the memory that there is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "byoc/target.hpp"

namespace byoc {

struct Chip {
  std::string name;         // "stm32f446re", or that of a board, "nucleo-f446re"
  std::string chip;         // that a board has; "" for a chip
  std::string target;       // a name of known_targets()
  std::uint64_t flash = 0;  // bytes; 0: on the board, and not known
  std::uint64_t ram = 0;    // bytes
  std::uint32_t mhz = 0;    // the fastest clock of the core
};

// All of them, chips first.
[[nodiscard]] const std::vector<Chip>& chips();

// A name in any case, and part numbers with more letters for the package and the temperature, "STM32F446RET6".
[[nodiscard]] const Chip* find_chip(std::string_view name);

// The target of the core, with the chip's name and its memories as limits.
[[nodiscard]] TargetSpec chip_target(const Chip& chip);

}  // namespace byoc
