// Intel HEX (Hexadecimal Object File Format Specification, revision A, 1988), as flash tools take it: records of data,
// of extended linear addresses and of the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sdk/base/support/diagnostics.hpp"

namespace byoc::weights {

class IntelHexWriter {
 public:
  explicit IntelHexWriter(std::uint32_t address) : address_(address) {}
  // The records that are complete with these bytes, which follow those before.
  [[nodiscard]] std::string add(std::span<const std::byte> bytes);
  [[nodiscard]] std::string finish();

 private:
  [[nodiscard]] std::string record();

  std::uint64_t address_;
  std::uint64_t page_ = 0;  // of the last record: the high 16 bits of its address
  std::vector<std::byte> pending_;
};

struct HexContents {
  std::uint64_t address = 0;  // of the first byte
  std::vector<std::byte> bytes;
};

// The bytes from the lowest address to the highest, with 0xff between, as erased flash is. Errors: a record that is cut
// off or whose sum is wrong, one of an unknown type, a gap of more than 16 MiB, no data, no end.
[[nodiscard]] Result<HexContents> read_intel_hex(std::string_view text, const std::string& file, Diagnostics&);

}  // namespace byoc::weights
