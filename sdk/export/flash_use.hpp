// The flash that a library takes, and whether there is as much.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "sdk/base/support/diagnostics.hpp"
#include "sdk/library/pack/library_description.hpp"
#include "sdk/library/pack/package.hpp"

namespace byoc {

// Bytes of flash that a library takes, without what the program's other libraries add for it, as memcpy().
struct FlashNeed {
  std::uint64_t code = 0;                               // with tables and strings of its own
  std::map<std::string, std::uint64_t> constants = {};  // by flash pool of the target
};

// The bytes of the library's sections that a linker puts into flash, with the gaps of their alignment.
[[nodiscard]] Result<FlashNeed> flash_need(const Package& package, Diagnostics& diags);

// The need of all flash pools together.
[[nodiscard]] LibraryFlash total_of(const FlashNeed& need);

// Errors: the library takes more than `most` bytes, with this message.
[[nodiscard]] Result<void> check_flash(const LibraryFlash& use, std::uint64_t most, const std::string& message,
                                       const std::string& file, Diagnostics& diags);

// True if the target bounds a flash pool.
[[nodiscard]] bool bounds_flash(const TargetSpec& target);

// Errors: code and constants of a flash pool of the target exceed its size. Code is in the first flash pool.
[[nodiscard]] Result<void> check_flash(const FlashNeed& need, const TargetSpec& target, const std::string& file,
                                       Diagnostics& diags);

}  // namespace byoc
