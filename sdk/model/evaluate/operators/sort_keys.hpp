// Integers that are in the order of a tensor's elements, so that what sorts and compares is compiled once, not for each
// element type.
#pragma once

#include <cstdint>
#include <span>

#include "sdk/model/evaluate/call.hpp"

namespace byoc::evaluate {

// Keys of the elements at `start`, `start + stride`, ... Equal elements have equal keys, 0 and -0 among them; NaN has
// the largest. False: a type whose elements are not whole bytes, or not ordered.
[[nodiscard]] bool sort_keys(const Tensor& x, std::int64_t start, std::int64_t stride, std::span<std::uint64_t> keys);

}  // namespace byoc::evaluate
