#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

// Each index of a dimension becomes an output without it.
Result<void> import_unpack(OperatorImport& op) {
  auto options = op.options<schema::UnpackOptions>();
  if (!options) return failure;
  const ir::ValueId x = op.input(0);
  const std::vector<ir::Dim> dims = op.dims(x);
  auto axis = op.axis((*options)->axis(), dims.size());
  if (!axis) return failure;
  const auto count = static_cast<ir::Dim>(op.output_count());
  if ((*options)->num() != count || dims[*axis] != count)
    return op.refuse(
        "num is not the number of outputs and of the dimension",
        std::to_string((*options)->num()) + ", " + std::to_string(count) + " and " + std::to_string(dims[*axis]));
  std::vector<ir::Dim> piece = dims;
  piece.erase(piece.begin() + static_cast<std::ptrdiff_t>(*axis));
  for (std::size_t i = 0; i < op.output_count(); ++i)
    if (!op.expect_moved(x, op.output(i)) || !op.expect_dims(op.output(i), piece)) return failure;
  std::vector<ir::Dim> row = dims;
  row[*axis] = 1;
  std::vector<ir::ValueId> rows;
  for (std::size_t i = 0; i < op.output_count(); ++i) rows.push_back(count == 1 ? x : op.add_tensor(op.output(i), row));
  if (count > 1) op.node("Split", {x}, rows).attributes["axis"] = static_cast<std::int64_t>(*axis);
  for (std::size_t i = 0; i < rows.size(); ++i) op.reshape(rows[i], op.output(i));
  return {};
}

}  // namespace byoc::tflite
