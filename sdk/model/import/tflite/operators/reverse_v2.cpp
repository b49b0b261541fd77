#include "sdk/model/import/tflite/operators/operators.hpp"
#include "sdk/model/import/tflite/pieces.hpp"

namespace byoc::tflite {

// Input 1: the dimensions that are turned around.
Result<void> import_reverse_v2(OperatorImport& op) {
  auto options = op.optional_options<schema::ReverseV2Options>();
  if (!options) return failure;
  const ir::ValueId x = op.input(0), y = op.output();
  if (!op.expect_moved(x, y) || !op.expect_dims(y, op.dims(x))) return failure;
  auto axes = op.integers(op.input(1), "the axes");
  if (!axes) return failure;
  std::vector<Cut> cuts;
  for (const ir::Dim d : op.dims(x)) cuts.push_back({0, 1, d});
  for (const std::int64_t named : *axes) {
    auto axis = op.axis(named, op.rank(x));
    if (!axis) return failure;
    Cut& c = cuts[*axis];
    if (c.step < 0) return op.refuse("an axis is named twice", std::to_string(named));
    if (c.count > 1) c = {c.count - 1, -1, c.count};
  }
  slice(op, x, y, cuts);
  return {};
}

}  // namespace byoc::tflite
