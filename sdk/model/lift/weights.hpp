// Weights and biases of quantised products.
#pragma once

#include <cstdint>
#include <optional>

#include "sdk/model/lift/rewriter.hpp"

namespace byoc::lift {

// Weights as they are found: an integer constant with its quantisation.
struct Weights {
  ir::ValueId value = ir::kNoValue;
  Quantisation quantisation;
};

// The constant that `v` is dequantised from; nullopt if there is none.
[[nodiscard]] std::optional<Weights> dequantised_weights(const Rewriter&, ir::ValueId v);

// The products that a bias is added to: y = requantise(sum of x * w + bias) for `channels` output channels, each a sum
// of `depth` products.
struct Products {
  DType x_dtype = DType::undefined;
  const Quantisation& x;   // per tensor
  const Weights& weights;  // per tensor, or per axis with one entry for each channel
  const Quantisation& y;
  std::int64_t channels = 0;
  std::int64_t depth = 0;
};

// `bias` (kNoValue: none) as an i32 constant [channels] in steps of x scale * w scale. It may be an f32 constant or
// dequantised from i32, of `channels` elements or of one. nullopt if it is something else; if rounding it to those
// steps would move results by more than 1/32 of an output step, so that the integer computation would be another
// function; or if the accumulator could leave 32 bits, or
// 64 where an operand has 16 bits.
[[nodiscard]] std::optional<ir::ValueId> integer_bias(Rewriter&, ir::ValueId bias, const Products&);

// Weights [depth, units] (or [units, depth] if `transposed`) as FullyConnected has them: [units, depth], per axis 0.
// nullopt if they are not a matrix or quantised along depth.
[[nodiscard]] std::optional<Weights> units_by_depth(Rewriter&, const Weights&, bool transposed);

}  // namespace byoc::lift
