// Walking tensors: strides, broadcasting, multi-dimensional loops.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sdk/model/evaluate/call.hpp"

namespace byoc::evaluate {

// Elements between neighbours along each dim of a row-major tensor.
[[nodiscard]] inline Dims row_major_strides(std::span<const std::int64_t> dims) {
  Dims strides(dims.size(), 1);
  for (std::size_t i = dims.size(); i-- > 1;) strides[i - 1] = strides[i] * dims[i];
  return strides;
}

// Shape of an element-wise result under ONNX's (NumPy's) broadcasting, or nullopt if the shapes do not fit.
[[nodiscard]] inline std::optional<Dims> broadcast(std::span<const std::int64_t> a, std::span<const std::int64_t> b) {
  Dims out(std::max(a.size(), b.size()), 1);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::int64_t da = i < a.size() ? a[a.size() - 1 - i] : 1;
    const std::int64_t db = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (da != db && da != 1 && db != 1) return std::nullopt;
    out[out.size() - 1 - i] = da == 1 ? db : da;
  }
  return out;
}

// Strides that read an operand of shape `from` as if it had shape `to`: 0 along what is broadcast.
[[nodiscard]] inline Dims broadcast_strides(std::span<const std::int64_t> from, std::span<const std::int64_t> to) {
  const Dims own = row_major_strides(from);
  Dims out(to.size(), 0);
  for (std::size_t i = 0; i < from.size(); ++i) out[to.size() - from.size() + i] = from[i] == 1 ? 0 : own[i];
  return out;
}

// Calls f(offsets) for every index of `dims` in row-major order, offsets[k] = sum(strides[k][d] * index[d]).
template <std::size_t N, class F>
void walk(std::span<const std::int64_t> dims, const std::array<Dims, N>& strides, F&& f) {
  for (const std::int64_t d : dims)
    if (d == 0) return;
  std::vector<std::int64_t> index(dims.size(), 0);
  std::array<std::int64_t, N> offset{};
  while (true) {
    f(offset);
    std::size_t d = dims.size();
    while (d-- > 0) {
      for (std::size_t k = 0; k < N; ++k) offset[k] += strides[k][d];
      if (++index[d] < dims[d]) break;
      for (std::size_t k = 0; k < N; ++k) offset[k] -= strides[k][d] * dims[d];
      index[d] = 0;
    }
    if (d == static_cast<std::size_t>(-1)) return;
  }
}

}  // namespace byoc::evaluate
