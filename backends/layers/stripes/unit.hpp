// Steps that can be computed a few rows at a time.
#pragma once

#include <optional>
#include <vector>

#include "backends/layers/operator_traits.hpp"
#include "byoc/codegen.hpp"

namespace byoc::layers {

// Rows run along dim 1 of tensors [1,rows,...]: a row is contiguous, and one follows the other. Row `y` of a result
// needs rows [y * stride - pad, y * stride - pad + reach) of the operands, as far as there are such rows.
struct RowWindow {
  std::int64_t stride = 1, reach = 1, pad = 0;
};

// The computation of one step from computed operands, constants aside.
struct Unit {
  std::vector<codegen::NodeId> nodes;    // ascending; the first has the window, the others work element by element
  std::vector<codegen::ValueId> inputs;  // each once
  codegen::ValueId output = codegen::kNoValue;
  RowWindow window;
};

// This step as a unit: a Conv or a pool of layout NHWC, a Concat of other axes than rows, or operators that work
// element by element, each on one image. Nullopt for other steps, and for steps with storage of their own.
[[nodiscard]] std::optional<Unit> read_unit(const codegen::Region&, const codegen::Step&, const OperatorTraits&);

[[nodiscard]] inline std::int64_t rows_of(const codegen::Value& v) { return v.dims[1]; }
[[nodiscard]] inline std::int64_t row_elements(const codegen::Value& v) { return v.elements() / v.dims[1]; }
[[nodiscard]] inline std::int64_t row_bytes(const codegen::Value& v) {
  return row_elements(v) * static_cast<std::int64_t>(bit_width(v.dtype) / 8);
}

}  // namespace byoc::layers
