#include "sdk/target/target/chip_start.hpp"

namespace byoc {
namespace {

constexpr std::uint64_t kSram = 0x20000000;  // where Armv6-M to Armv8-M have RAM
constexpr std::string_view kUnknown = "how it starts is not known here";
constexpr std::string_view kBootLoader = "its boot loader lies where the firmware would start";

// The first row is for all chips that no other row is for.
constexpr ChipStart kRows[] = {
    {"", 0, 0, kUnknown, "cmake"},
    {"stm32", 0x08000000, kSram},
    {"stm32h7", 0x08000000, 0x24000000},  // AXI SRAM
    {"nrf5", 0, kSram},
    {"nrf9160", 0, kSram},
    {"samd", 0, kSram},
    {"same54", 0, kSram},
    {"saml21", 0, kSram},
    {"efm32gg11", 0, kSram},
    {"efr32", 0, kSram},
    {"efr32mg24", 0x08000000, kSram},
    {"max", 0x10000000, kSram},
    {"tm4c", 0, kSram},
    {"gd32f303", 0x08000000, kSram},
    {"ch32v307", 0, kSram},
    {"mps2-an", 0, kSram},  // Arm's FPGA images, whose code memory is a RAM
    {"mps2-an505", 0x10000000, 0x38000000},
    {"mps3-an547", 0x10000000, 0x31000000},
    {"rp2", 0, 0, "a boot stage of the Pico SDK comes first in its flash", "cmake"},
    {"mimxrt", 0, 0, "its ROM wants a boot header in front of the program", "cmake"},
    {"esp32", 0, 0, "it starts by the boot loader of ESP-IDF", "esp-idf"},
    {"mk", 0, 0, "its flash has a configuration field at 0x400, which the maker's start-up code writes", "cmsis-pack"},
    {"ra2", 0, 0, "its flash has option registers at 0x400, which the maker's start-up code writes", "cmsis-pack"},
    {"ra4", 0, 0, "its flash has option registers, which the maker's start-up code writes", "cmsis-pack"},
    {"ra6", 0, 0, "its flash has option registers, which the maker's start-up code writes", "cmsis-pack"},
    {"ra8", 0, 0, "its flash has option registers, which the maker's start-up code writes", "cmsis-pack"},
    {"lpc55", 0, 0, "its ROM reads an image header in the vector table", "cmsis-pack"},
    {"mcxn", 0, 0, "its ROM reads an image header in the vector table", "cmsis-pack"},
    {"cc13", 0, 0, "the end of its flash has a configuration (CCFG), which the maker's SDK writes", "cmake"},
    {"cc26", 0, 0, "the end of its flash has a configuration (CCFG), which the maker's SDK writes", "cmake"},
    {"feather-m4", 0, 0, kBootLoader},
    {"nano-33-ble", 0, 0, kBootLoader},
    {"xiao-ble", 0, 0, kBootLoader},
    {"portenta-h7", 0, 0, kBootLoader},
};

const ChipStart* longest_row(std::string_view name) {
  const ChipStart* best = nullptr;
  for (const ChipStart& row : kRows)
    if (name.starts_with(row.family) && (best == nullptr || row.family.size() > best->family.size())) best = &row;
  return best;
}

}  // namespace

const ChipStart& chip_start(const Chip& chip) {
  const ChipStart* own = longest_row(chip.name);
  return own->family.empty() && !chip.chip.empty() ? *longest_row(chip.chip) : *own;
}

}  // namespace byoc
