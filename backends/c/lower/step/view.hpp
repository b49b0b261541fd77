// Loop nests over several operands: dims with a stride for each operand, merged to as few loops as they need.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backends/c/lower/step/parameter_text.hpp"

namespace byoc::c {

using Dims = std::vector<std::int64_t>;

inline constexpr std::size_t kLoopRank = 6;  // what the kernels' parameter structures hold

struct LoopNest {
  Dims dims;
  std::vector<Dims> strides;  // [operand][dim], in elements
};

// Row-major strides of a dense tensor.
[[nodiscard]] Dims dense_strides(std::span<const std::int64_t> dims);
// Strides that read a dense tensor of `dims` broadcast to `out`; the ranks are aligned at their ends.
[[nodiscard]] Dims broadcast_strides(std::span<const std::int64_t> dims, std::span<const std::int64_t> out);
// Drops dims of 1 and joins neighbours that every operand walks as one. At least one dim is left.
[[nodiscard]] LoopNest merge(const LoopNest&);
// rank, dims and one stride array for each operand, filled up to kLoopRank; `prefix` stands before the first two names.
void add_loops(ParameterText&, const LoopNest&, std::initializer_list<std::string_view> stride_names,
               std::string_view prefix = "");

// A nest with no more dims than kernels take, and the loops of the step around the call for the dims before them.
struct PeeledNest {
  LoopNest inner;
  Dims outer;
  std::vector<std::string> offsets;  // of each operand, behind its pointer: " + i0 * 12", or ""

  // The call (of one line, indented by two) inside these loops.
  [[nodiscard]] std::string around(const std::string& call) const;
};
[[nodiscard]] PeeledNest peel(const LoopNest&);

}  // namespace byoc::c
