// Elements that have no C++ type: integers of fewer than 8 bits, floats of fewer than 16. They are stored packed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "byoc/small_floats.hpp"
#include "sdk/model/evaluate/evaluate.hpp"

namespace byoc::evaluate {

// The value of a float that is stored as `code`.
[[nodiscard]] double decode_small(const SmallFloat&, unsigned code);

// Rounding of numbers that the type cannot represent. `saturate`: the largest number instead of infinity or NaN.
struct SmallRounding {
  bool saturate = true;
  ScaleRounding scale = ScaleRounding::up;  // of f8e8m0; all others round to nearest, ties to even
};
// A number out of range that does not saturate becomes infinity, or NaN if the format has no infinity. f4e2m1 always
// saturates, and has -0 for NaN. f8e8m0 has NaN for negative numbers and, if it does not saturate, for all numbers
// below its smallest.
[[nodiscard]] unsigned encode_small(const SmallFloat&, double value, SmallRounding rounding = {});

// The elements of a tensor of a small type, by their bits, lowest first: integers are not extended.
[[nodiscard]] std::vector<unsigned> codes(const Tensor&);
// The other way: as many bytes as they take, of which the last is filled up with zeros.
[[nodiscard]] std::vector<std::byte> packed(DType, std::span<const unsigned> codes);

// The value of an element of a small type, exact.
[[nodiscard]] double small_value(DType, unsigned code);
// The low bits of an integer.
[[nodiscard]] unsigned small_code(DType, std::int64_t value);

}  // namespace byoc::evaluate
