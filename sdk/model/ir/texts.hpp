// Constants of strings: for each element its length in bytes as a little-endian u32, then its bytes.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sdk/base/support/blob.hpp"

namespace byoc::ir {

[[nodiscard]] Blob pack_texts(std::span<const std::string> texts);
// Nullopt where the bytes are not those of exactly `count` strings.
[[nodiscard]] std::optional<std::vector<std::string>> unpack_texts(std::span<const std::byte> bytes,
                                                                   std::uint64_t count);

}  // namespace byoc::ir
