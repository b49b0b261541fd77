#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

// Input 1: how often x stands along each dimension.
Result<void> import_tile(OperatorImport& op) {
  if (!op.optional_options<schema::TileOptions>()) return failure;
  const ir::ValueId x = op.input(0), y = op.output();
  if (!op.expect_moved(x, y)) return failure;
  auto repeats = op.integers(op.input(1), "the multiples");
  if (!repeats || !op.expect_dims(op.input(1), {static_cast<ir::Dim>(op.rank(x))})) return failure;
  std::vector<ir::Dim> dims = op.dims(x);
  for (std::size_t d = 0; d < dims.size(); ++d) {
    if ((*repeats)[d] < 0) return op.refuse("a multiple is negative", std::to_string((*repeats)[d]), "0 or more");
    if (__builtin_mul_overflow(dims[d], (*repeats)[d], &dims[d]))
      return op.refuse("a multiple is too large", std::to_string((*repeats)[d]));
  }
  if (!op.expect_dims(y, dims)) return failure;
  op.node("Tile", {x, op.add_integers(*repeats)});
  return {};
}

}  // namespace byoc::tflite
