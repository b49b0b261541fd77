#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

// The inputs, of one shape, become the indexes of a new dimension.
Result<void> import_pack(OperatorImport& op) {
  auto options = op.options<schema::PackOptions>();
  if (!options) return failure;
  const ir::ValueId y = op.output();
  std::vector<ir::Dim> dims = op.dims(y);
  auto axis = op.axis((*options)->axis(), dims.size());
  if (!axis) return failure;
  if (op.resizes()) {
    dims = op.dims(op.input(0));
    dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(std::min(*axis, dims.size())), 1);
  }
  std::vector<ir::Dim> piece = dims;
  piece.erase(piece.begin() + static_cast<std::ptrdiff_t>(*axis));
  std::vector<ir::Dim> whole = dims;
  whole[*axis] = static_cast<ir::Dim>(op.input_count());
  if ((*options)->values_count() != static_cast<int>(op.input_count()))
    return op.refuse("values_count is not the number of inputs", std::to_string((*options)->values_count()),
                     std::to_string(op.input_count()));
  if (!op.expect_dims(y, whole)) return failure;
  for (std::size_t i = 0; i < op.input_count(); ++i) {
    if (op.input(i) == ir::kNoValue) return op.refuse("input " + std::to_string(i) + " is not given");
    if (!op.expect_moved(op.input(i), y) || !op.expect_dims(op.input(i), piece)) return failure;
  }
  std::vector<ir::Dim> row = dims;
  row[*axis] = 1;
  std::vector<ir::ValueId> rows;
  for (std::size_t i = 0; i < op.input_count(); ++i) {
    rows.push_back(op.input_count() == 1 ? y : op.add_tensor(op.input(i), row));
    op.reshape(op.input(i), rows.back());
  }
  if (rows.size() > 1) op.node("Concat", rows).attributes["axis"] = static_cast<std::int64_t>(*axis);
  return {};
}

}  // namespace byoc::tflite
