// Rows of elements in pieces of one length and a shorter last one, and what kernels do with every element.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "backends/llvm/ir/code.hpp"
#include "byoc/nodes/activation.hpp"

namespace byoc::bitcode {

// How many blocks `n` elements take.
[[nodiscard]] constexpr std::int64_t blocks_of(std::int64_t n, std::int64_t block) { return (n + block - 1) / block; }

// The lengths that `count` falls into, each with how many there are of it.
[[nodiscard]] std::vector<std::pair<std::int64_t, std::int64_t>> pieces(std::int64_t count, std::int64_t length);

// Runs `body` with where a piece starts and how long it is: a loop over the whole ones, and once for the rest.
void for_pieces(Code& code, std::int64_t count, std::int64_t length,
                const std::function<void(Value start, std::int64_t length)>& body);

// Over the pieces that a kernel was called for if it is `by_range`, else over all.
void for_pieces(Code& code, bool by_range, std::int64_t count, std::int64_t length,
                const std::function<void(Value start, std::int64_t length)>& body);
// As above, for indices from `from` up to `to`.
void for_each(Code& code, bool by_range, std::int64_t from, std::int64_t to,
              const std::function<void(Value index)>& body);

// The loop of a kernel that its ranges are of, and how many pieces that has.
enum class Loop : std::uint8_t { images, rows, cols, panels };
struct Split {
  Loop loop = Loop::images;
  std::int64_t pieces = 1;
};
// The loop of most pieces, an outer one before an inner one of as many.
[[nodiscard]] Split most_pieces(std::int64_t images, std::int64_t rows, std::int64_t cols, std::int64_t panels);

// Sums over `count` places, which are `x_step` and `w_step` bytes apart in the two operands: `body` adds one place's
// products to the sums so far. No loop around a single one.
Values sum_over(Code& code, std::int64_t count, Value x, Value w, std::int64_t x_step, std::int64_t w_step,
                const Values& before, const std::function<Values(Value x, Value w, const Values& sums)>& body);

// `a`, a vector of `lanes` floats, within the bounds. NaN stays.
[[nodiscard]] Value clamped(Code& code, Value a, const nodes::Bounds& bounds, std::int64_t lanes);

// to[0 .. count) = from[0 .. count), or zeros where `from` is null: f32 of what is stored as `real`.
void copy_floats(Code& code, Value to, Value from, std::int64_t count, Real real = Real::f32);
// Elements of `size` bytes as they are.
void copy_elements(Code& code, Value to, Value from, std::int64_t count, std::int64_t size);

}  // namespace byoc::bitcode
