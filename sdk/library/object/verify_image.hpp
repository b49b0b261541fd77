// Proves on a linked image that constants stayed in flash as they were exported.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "byoc/pack.hpp"
#include "sdk/base/support/diagnostics.hpp"

namespace byoc {

// A constant as the manifest of its library states it.
struct ExpectedConstant {
  std::string symbol;
  std::uint64_t size = 0;  // bytes
  std::uint32_t align = 1;
  std::string region;
  std::string xxh3_128;         // 32 hexadecimal digits
  bool may_be_dropped = false;  // of somebody's code: a program that does not use it may be without it
  bool model_data = true;       // a tensor of the model, before layout
};

// Where an image has a constant.
struct PlacedConstant {
  std::string symbol;
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  std::string xxh3_128;  // of its bytes
};

struct ImageConstants {
  std::vector<RegionUse> regions;
  std::vector<PlacedConstant> places;
};

// Checks a linked ELF image (firmware, program or shared object; any class and byte order). For every constant: its
// symbol is there, unless it may be dropped, with its size; it lies in a section that is allocated, has contents and is
// never writable; the segment is loaded where it runs (no copy from flash to RAM at start); the address is aligned; the
// bytes are those that were exported; no relocation patches them; and no writable section holds a second copy of them
// (looked for from 32 bytes on). Gives the bytes by region, in the order of first mention, and the places. Fails with
// one error for every constant and finding. `name` is for diagnostics.
Result<ImageConstants> verify_image(std::span<const std::byte> image, const std::string& name,
                                    std::span<const ExpectedConstant> constants, Diagnostics&);

// Checks the bytes of a memory whose first one lies at `address`: each constant is in it, as it is in the image.
// Errors: one for every constant that is not. `name` is for diagnostics.
Result<void> verify_memory(std::span<const std::byte> memory, std::uint64_t address, const std::string& name,
                           std::span<const PlacedConstant> places, Diagnostics&);

}  // namespace byoc
