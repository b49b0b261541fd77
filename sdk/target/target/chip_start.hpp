// The memory that a chip starts from, for chips that start a plain image: a vector table or code at the start of flash.
#pragma once

#include <cstdint>
#include <string_view>

#include "sdk/target/target/chips.hpp"

namespace byoc {

struct ChipStart {
  std::string_view family;         // what names of chips or boards begin with
  std::uint64_t flash = 0;         // address of the first byte
  std::uint64_t ram = 0;           // of the memory that Chip::ram is the size of
  std::string_view obstacle = {};  // why a plain image does not start there; "": it does
  std::string_view form = {};      // `byoc pack --as` for the maker's own projects; "": the chip alone starts
};

// The row of the board, or that of its chip. Facts of data sheets and reference manuals.
[[nodiscard]] const ChipStart& chip_start(const Chip& chip);

}  // namespace byoc
