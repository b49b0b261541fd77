// Values for inputs that nobody gives.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "byoc/interface.hpp"
#include "sdk/base/support/diagnostics.hpp"

namespace byoc {

enum class FillKind : std::uint32_t { zeros = 0, ones = 1, random = 2 };
struct Fill {
  FillKind kind = FillKind::zeros;
  std::uint64_t seed = 0;
};

// "zeros", "ones", "random" or "random:7". Nothing for any other text.
[[nodiscard]] std::optional<Fill> parse_fill(const std::string& text);

// The bytes of input number `index`: the same for the same fill, on every machine. Random ones are multiples of 1/64 in
// [-1, 1) for floats (those of few bits round them), all values of integers of up to 32 bits, and truth either way.
[[nodiscard]] std::vector<std::byte> filled(const Fill& fill, const IoTensor& input, std::size_t index);

}  // namespace byoc
