// Tables with the value of an element of two 8-bit operands in their sum or product: 256 entries, by the bits of an
// element as int8_t.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "backends/c/lower/elementwise/sum_quantised.hpp"
#include "backends/c/lower/quantise/requantise.hpp"

namespace byoc::c {

// ONNX: real numbers. `sign`: -1 for what is subtracted.
[[nodiscard]] std::vector<float> real_table(const codegen::Value&, int sign);
// TFLite: fixed point in the scale of the sum; of a product the elements without their zero points.
[[nodiscard]] std::vector<std::int32_t> integer_table(const codegen::Value&, const Multiplier&, PairOperator, int sign);

// Sums of ONNX in integers: tables and an output multiplier with which TFLite's kernels give what rounding the float
// sum gives.
struct FittedSum {
  std::vector<std::int32_t> table0, table1;
  Multiplier out;
};

// Float sums round several times, so their results differ from those of exact sums for a few of the 65,536 pairs, all
// of them nearly half way between two steps. Given the second table, each pair leaves an interval for the entry of the
// first: where all pairs of an entry have a number in common, it is that. Null: an entry has none, as where exact
// halves, which go to even numbers, are frequent.
[[nodiscard]] std::optional<FittedSum> fit_sum(const codegen::Value& a, const codegen::Value& b,
                                               const codegen::Value& y, int sign);

}  // namespace byoc::c
