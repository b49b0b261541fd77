#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {
namespace {

constexpr ir::Dim kLargest =
    1 << 24;  // elements of a matrix: a damaged model must not become one that fills the memory

// [rows, cols]: where row and column are the same.
Result<ir::ValueId> diagonal(OperatorImport& op, ir::Dim rows, ir::Dim cols) {
  ir::Dim all = 0;
  if (__builtin_mul_overflow(rows, cols, &all) || all > kLargest)
    return op.refuse("the matrices are too large", std::to_string(rows) + " by " + std::to_string(cols),
                     "at most " + std::to_string(kLargest) + " elements");
  std::vector<std::byte> bytes(static_cast<std::size_t>(all));
  for (ir::Dim i = 0; i < std::min(rows, cols); ++i) bytes[static_cast<std::size_t>(i * cols + i)] = std::byte{1};
  const ir::TensorType type{DType::boolean, std::vector<ir::Dim>{rows, cols}, std::nullopt};
  return op.graph().add_constant({}, type, Blob::own(std::move(bytes)));
}

// x [..., n] as [..., 1, n], so that each matrix has it in all of its rows.
ir::ValueId as_row(OperatorImport& op, ir::ValueId x) {
  std::vector<ir::Dim> dims = op.dims(x);
  dims.insert(dims.end() - 1, 1);
  const ir::ValueId row = op.add_tensor(x, dims);
  op.reshape(x, row);
  return row;
}

}  // namespace

// x [..., n] -> matrices [..., n, n] with x in their diagonals, and elements of 0 as the type has it elsewhere.
Result<void> import_matrix_diag(OperatorImport& op) {
  if (!op.optional_options<schema::MatrixDiagOptions>()) return failure;
  const ir::ValueId x = op.input(0), y = op.output();
  if (!op.expect_moved(x, y)) return failure;
  if (op.rank(x) == 0) return op.refuse("there is no dimension to lay out", "a scalar", "1 dimension or more");
  std::vector<ir::Dim> dims = op.dims(x);
  const ir::Dim n = dims.back();
  dims.push_back(n);
  if (!op.expect_dims(y, dims)) return failure;
  const auto is_diagonal = diagonal(op, n, n);
  if (!is_diagonal) return failure;
  const ir::TensorType one{op.type(y).dtype, std::vector<ir::Dim>{1}, op.type(y).quantisation};
  const ir::ValueId zero = op.graph().add_constant({}, one, Blob::own(std::vector<std::byte>(one.bytes())));
  op.node("Where", {*is_diagonal, as_row(op, x), zero});
  return {};
}

// x [..., rows, cols] with the diagonals [..., min(rows, cols)] instead of its own.
Result<void> import_matrix_set_diag(OperatorImport& op) {
  if (!op.optional_options<schema::MatrixSetDiagOptions>()) return failure;
  const ir::ValueId x = op.input(0), given = op.input(1), y = op.output();
  if (!op.expect_moved(x, y) || !op.expect_moved(given, y) || !op.expect_dims(y, op.dims(x))) return failure;
  if (op.rank(x) < 2)
    return op.refuse("there are no matrices", std::to_string(op.rank(x)) + " dimensions", "2 or more");
  std::vector<ir::Dim> dims = op.dims(x);
  const ir::Dim cols = dims.back(), rows = dims[dims.size() - 2], n = std::min(rows, cols);
  dims.pop_back();
  dims.back() = n;
  if (!op.expect_dims(given, dims)) return failure;
  const auto is_diagonal = diagonal(op, rows, cols);
  if (!is_diagonal) return failure;
  ir::ValueId row = as_row(op, given);
  if (cols > n) {  // as long as a row; what is added is in no diagonal
    std::vector<ir::Dim> wide = op.dims(row);
    std::vector<std::int64_t> pads(2 * wide.size(), 0);
    pads.back() = cols - n;
    wide.back() = cols;
    const ir::ValueId padded = op.add_tensor(row, wide);
    op.node("Pad", {row, op.add_integers(pads)}, {padded});
    row = padded;
  }
  op.node("Where", {*is_diagonal, row, x});
  return {};
}

}  // namespace byoc::tflite
