// The matrix product that Gemm, MatMul and QLinearMatMul share.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sdk/model/evaluate/call.hpp"
#include "sdk/model/evaluate/index.hpp"

namespace byoc::evaluate {

// A matrix inside a flat array: element (r, c) is at first + r * row + c * column.
struct MatrixView {
  std::int64_t first = 0;
  std::int64_t row = 0;
  std::int64_t column = 0;
};

// sum over k of a(r, k) * b(k, c), row by row, appended to `out`. The loop order keeps b's rows contiguous.
template <class Sum, class T>
void append_product(std::int64_t rows, std::int64_t depth, std::int64_t columns, std::span<const T> a, MatrixView av,
                    std::span<const T> b, MatrixView bv, std::vector<Sum>& out) {
  for (std::int64_t r = 0; r < rows; ++r) {
    const std::size_t base = out.size();
    out.resize(base + static_cast<std::size_t>(columns), Sum{0});
    for (std::int64_t k = 0; k < depth; ++k) {
      const auto left = static_cast<Sum>(a[static_cast<std::size_t>(av.first + r * av.row + k * av.column)]);
      for (std::int64_t c = 0; c < columns; ++c)
        out[base + static_cast<std::size_t>(c)] +=
            left * static_cast<Sum>(b[static_cast<std::size_t>(bv.first + k * bv.row + c * bv.column)]);
    }
  }
}

// NumPy's matmul: the last two dims are matrices, the others broadcast; a vector is a row on the left and a column on
// the right, and that dim is dropped from the result.
struct MatMulShape {
  std::int64_t rows, depth, columns;
  Dims batch, a_strides, b_strides;  // strides in elements over the batch dims
  Dims out;
};
Result<MatMulShape> read_matmul(const Call& call, std::size_t a, std::size_t b);

template <class Sum, class T>
[[nodiscard]] std::vector<Sum> multiply(const MatMulShape& s, std::span<const T> a, std::span<const T> b) {
  std::vector<Sum> out;
  walk<2>(s.batch, {s.a_strides, s.b_strides}, [&](const std::array<std::int64_t, 2>& at) {
    append_product<Sum, T>(s.rows, s.depth, s.columns, a, {at[0], s.depth, 1}, b, {at[1], s.columns, 1}, out);
  });
  return out;
}

}  // namespace byoc::evaluate
