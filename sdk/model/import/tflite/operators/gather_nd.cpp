#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

// Input 1: along its last dimension, positions in the first dimensions of x.
Result<void> import_gather_nd(OperatorImport& op) {
  auto options = op.optional_options<schema::GatherNdOptions>();
  if (!options) return failure;
  const ir::ValueId x = op.input(0), at = op.input(1), y = op.output();
  if (!op.expect_moved(x, y) || !op.expect_dtype(at, {DType::i32, DType::i64})) return failure;
  const std::vector<ir::Dim> from = op.dims(x), positions = op.dims(at);
  if (from.empty() || positions.empty() || positions.back() < 1 || positions.back() > static_cast<ir::Dim>(from.size()))
    return op.refuse("the last dimension of " + op.describe(at) + " must count dimensions of " + op.describe(x),
                     positions.empty() ? "a scalar" : std::to_string(positions.back()),
                     "1 to " + std::to_string(from.size()));
  std::vector<ir::Dim> dims(positions.begin(), positions.end() - 1);
  dims.insert(dims.end(), from.begin() + static_cast<std::ptrdiff_t>(positions.back()), from.end());
  if (!op.expect_dims(y, dims)) return failure;
  if (op.value(at).constant) {
    auto known = op.integers(at, "the positions");
    if (!known) return failure;
    for (std::size_t i = 0; i < known->size(); ++i) {
      const ir::Dim size = from[i % static_cast<std::size_t>(positions.back())];
      if ((*known)[i] < 0 || (*known)[i] >= size)
        return op.refuse("a position is out of range", std::to_string((*known)[i]), "0 to " + std::to_string(size - 1));
    }
  }
  op.node("GatherND", {x, at});
  return {};
}

}  // namespace byoc::tflite
