// Loop nests over several operands: dims with a stride for each operand, merged to as few loops as they need.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backends/c/lower/step/extent.hpp"
#include "backends/c/lower/step/parameter_text.hpp"

namespace byoc::c {

using Dims = std::vector<std::int64_t>;

inline constexpr std::size_t kLoopRank = 6;  // what the kernels' parameter structures hold

struct LoopNest {
  Extents dims;
  std::vector<Extents> strides;  // [operand][dim], in elements
};

// Row-major strides of a dense tensor.
[[nodiscard]] Dims dense_strides(const Dims& dims);
[[nodiscard]] Extents dense_strides(const Extents& dims);
// Strides that read a dense tensor of `dims` broadcast to `out`; the ranks are aligned at their ends.
[[nodiscard]] Dims broadcast_strides(const Dims& dims, const Dims& out);
[[nodiscard]] Extents broadcast_strides(const Extents& dims, const Extents& out);
// Drops dims of 1 and joins neighbours that every operand walks as one, as far as that is known here. At least one dim
// is left.
[[nodiscard]] LoopNest merge(const LoopNest&);
// rank, dims and one stride array for each operand, filled up to kLoopRank; `prefix` stands before the first two names.
void add_loops(ParameterText&, const LoopNest&, std::initializer_list<std::string_view> stride_names,
               std::string_view prefix = "");

// A nest with no more dims than kernels take, and the loops of the step around the call for the dims before them.
struct PeeledNest {
  LoopNest inner;
  Extents outer;
  std::vector<std::string> offsets;  // of each operand, behind its pointer: " + i0 * 12", or ""

  // The call (of one line, indented by two) inside these loops.
  [[nodiscard]] std::string around(const std::string& call) const;
};
[[nodiscard]] PeeledNest peel(const LoopNest&);

}  // namespace byoc::c
