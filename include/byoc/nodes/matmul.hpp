// The operands of Gemm and MatMul as sizes and steps.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "byoc/codegen.hpp"
#include "byoc/nodes/operand.hpp"

namespace byoc::nodes {

inline constexpr std::size_t kMatMulBatchRank = 4;

// c[batch][row][column] = alpha * sum over depth of a[...] * b[...] + beta * c. Strides in elements; 0 where an operand
// is the same for all. `batch`: runs of batch dims, the innermost last.
struct MatMul {
  std::array<std::int64_t, kMatMulBatchRank> batch{1, 1, 1, 1}, a_batch{}, b_batch{};
  std::int64_t rows = 1, depth = 1, columns = 1;
  std::int64_t a_row = 0, a_depth = 0, b_depth = 0, b_column = 0, c_row = 0, c_column = 0;
  float alpha = 1.0f, beta = 1.0f;
};

// NumPy's product of the node's inputs `left` and `right`. Null, with what was found in `why`: shapes that do not fit,
// or more than kMatMulBatchRank runs of batch dims that both operands walk in a way of their own.
[[nodiscard]] inline std::optional<MatMul> read_matmul(const codegen::Region& region, const codegen::Node& node,
                                                       std::size_t left, std::size_t right, std::string& why) {
  std::vector<std::int64_t> a = region.values[node.inputs[left]].dims, b = region.values[node.inputs[right]].dims;
  const std::string found = "found operands " + shape_text(region.values[node.inputs[left]]) + " and " +
                            shape_text(region.values[node.inputs[right]]) + ", ";
  if (a.empty() || b.empty()) {
    why = found + "expected no scalars";
    return std::nullopt;
  }
  if (a.size() == 1) a.insert(a.begin(), 1);
  if (b.size() == 1) b.push_back(1);
  const std::size_t rank = std::max(a.size(), b.size()) - 2;
  MatMul m;
  m.rows = a[a.size() - 2];
  m.depth = a.back();
  m.columns = b.back();
  if (b[b.size() - 2] != m.depth) {
    why = found + "whose inner dims differ";
    return std::nullopt;
  }
  m.a_row = m.depth;
  m.a_depth = 1;
  m.b_depth = m.columns;
  m.b_column = 1;
  std::int64_t a_size = m.rows * m.depth, b_size = m.depth * m.columns;
  std::size_t at = kMatMulBatchRank;  // the outermost batch dim so far
  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t da = i + 2 < a.size() ? a[a.size() - 3 - i] : 1;
    const std::int64_t db = i + 2 < b.size() ? b[b.size() - 3 - i] : 1;
    if (da != db && da != 1 && db != 1) {
      why = found + "whose batch dims do not broadcast";
      return std::nullopt;
    }
    const std::int64_t n = da == 1 ? db : da, a_step = da == 1 ? 0 : a_size, b_step = db == 1 ? 0 : b_size;
    a_size *= da;
    b_size *= db;
    if (n == 1) continue;
    // Dims that both operands walk as one are one.
    if (at < kMatMulBatchRank && a_step == m.a_batch[at] * m.batch[at] && b_step == m.b_batch[at] * m.batch[at]) {
      m.batch[at] *= n;
      continue;
    }
    if (at == 0) {
      why = found + "expected at most " + std::to_string(kMatMulBatchRank) + " runs of batch dims";
      return std::nullopt;
    }
    --at;
    m.batch[at] = n;
    m.a_batch[at] = a_step;
    m.b_batch[at] = b_step;
  }
  return m;
}

// Gemm's of inputs 0, 1 and, if it is given, 2. Null, with what was found in `why`: shapes that do not fit.
[[nodiscard]] inline std::optional<MatMul> read_gemm(const codegen::Region& region, const codegen::Node& node,
                                                     std::string& why) {
  const codegen::Value& a = region.values[node.inputs[0]];
  const codegen::Value& b = region.values[node.inputs[1]];
  const codegen::Value* c = given_input(region, node, 2);
  if (a.dims.size() != 2 || b.dims.size() != 2) {
    why = "found operands " + shape_text(a) + " and " + shape_text(b) + ", expected two matrices";
    return std::nullopt;
  }
  const bool trans_a = node.integer("transA", 0) != 0, trans_b = node.integer("transB", 0) != 0;
  MatMul m;
  m.rows = a.dims[trans_a ? 1 : 0];
  m.depth = a.dims[trans_a ? 0 : 1];
  m.columns = b.dims[trans_b ? 0 : 1];
  if (b.dims[trans_b ? 1 : 0] != m.depth) {
    why = "found operands " + shape_text(a) + " and " + shape_text(b) + ", whose inner dims differ";
    return std::nullopt;
  }
  m.a_row = trans_a ? 1 : m.depth;
  m.a_depth = trans_a ? m.rows : 1;
  m.b_depth = trans_b ? 1 : m.columns;
  m.b_column = trans_b ? m.depth : 1;
  m.alpha = node.real("alpha", 1.0f);
  m.beta = node.real("beta", 1.0f);
  if (!c) return m;

  const std::size_t rank = c->dims.size();
  const std::int64_t columns = rank > 0 ? c->dims[rank - 1] : 1, rows = rank > 1 ? c->dims[rank - 2] : 1;
  if (rank > 2 || (columns != 1 && columns != m.columns) || (rows != 1 && rows != m.rows)) {
    why = "found a C of " + shape_text(*c) + ", expected one that broadcasts to [" + std::to_string(m.rows) + "," +
          std::to_string(m.columns) + "]";
    return std::nullopt;
  }
  m.c_row = rows == 1 ? 0 : columns;
  m.c_column = columns == 1 ? 0 : 1;
  return m;
}

// A node as y[rows, units] = x[rows, depth] * w + bias; all sizes 0 where its operands are no such product.
struct RowsByMatrix {
  std::int64_t rows = 0, depth = 0, units = 0;
  std::size_t unit_axis = 0;  // of the weights: 0 for [units, depth], 1 for [depth, units]
};

// [..., depth] by a matrix [depth, units], as MatMul has them.
[[nodiscard]] inline RowsByMatrix rows_by_matrix(const codegen::Value& x, const codegen::Value& w) {
  RowsByMatrix d;
  if (w.dims.size() != 2 || x.dims.empty() || x.dims.back() != w.dims[0] || w.dims[0] < 1) return d;
  d.unit_axis = 1;
  d.depth = w.dims[0];
  d.units = w.dims[1];
  d.rows = x.elements() / d.depth;
  return d;
}

// byoc.FullyConnected: any shape that has a multiple of `depth` elements, by [units, depth].
[[nodiscard]] inline RowsByMatrix read_fully_connected(const codegen::Region& region, const codegen::Node& node) {
  const codegen::Value& x = region.values[node.inputs[0]];
  const codegen::Value& w = region.values[node.inputs[1]];
  RowsByMatrix d;
  if (w.dims.size() != 2 || w.dims[1] < 1) return d;
  d.units = w.dims[0];
  d.depth = w.dims[1];
  d.rows = x.elements() / d.depth;
  return d;
}

// Gemm whose first operand is as it is (transA 0).
[[nodiscard]] inline RowsByMatrix read_gemm_rows(const codegen::Region& region, const codegen::Node& node) {
  const codegen::Value& x = region.values[node.inputs[0]];
  const codegen::Value& w = region.values[node.inputs[1]];
  RowsByMatrix d;
  if (w.dims.size() != 2 || x.dims.size() != 2) return d;
  d.unit_axis = node.integer("transB", 0) ? 0 : 1;
  d.units = w.dims[d.unit_axis];
  d.depth = w.dims[1 - d.unit_axis];
  d.rows = x.dims[0];
  return d;
}

}  // namespace byoc::nodes
