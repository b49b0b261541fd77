#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

// Input 1: the permutation, int32 [rank].
Result<void> import_transpose(OperatorImport& op) {
  auto options = op.optional_options<schema::TransposeOptions>();
  if (!options) return failure;
  const ir::ValueId x = op.input(0), y = op.output();
  if (!op.expect_moved(x, y)) return failure;
  auto perm = op.integers(op.input(1), "the permutation");
  if (!perm) return failure;
  const auto rank = static_cast<std::int64_t>(op.rank(x));
  std::vector<bool> seen(op.rank(x), false);
  std::vector<ir::Dim> expected;
  for (std::int64_t& axis : *perm) {
    if (axis < 0) axis += rank;
    if (axis < 0 || axis >= rank || seen[static_cast<std::size_t>(axis)]) return op.refuse("not a permutation");
    seen[static_cast<std::size_t>(axis)] = true;
    expected.push_back(op.dims(x)[static_cast<std::size_t>(axis)]);
  }
  if (perm->size() != op.rank(x)) return op.refuse("not a permutation");
  if (!op.expect_dims(y, expected)) return failure;
  op.transpose(x, y, std::move(*perm));
  return {};
}

}  // namespace byoc::tflite
