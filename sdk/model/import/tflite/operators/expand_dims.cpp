#include "sdk/model/import/tflite/operators/operators.hpp"
#include "sdk/model/import/tflite/reshape.hpp"

namespace byoc::tflite {

// Input 1 is the axis, one integer.
Result<void> import_expand_dims(OperatorImport& op) {
  auto options = op.optional_options<schema::ExpandDimsOptions>();
  if (!options) return failure;
  auto axis = op.integers(op.input(1), "the axis");
  if (!axis) return failure;
  std::vector<ir::Dim> dims = op.dims(op.input(0));
  const auto rank = static_cast<std::int64_t>(dims.size());
  if (axis->size() != 1 || (*axis)[0] < -rank - 1 || (*axis)[0] > rank)
    return op.refuse("axis out of range", axis->size() == 1 ? std::to_string((*axis)[0]) : "not one integer",
                     std::to_string(-rank - 1) + " to " + std::to_string(rank));
  const std::int64_t at = (*axis)[0] < 0 ? (*axis)[0] + rank + 1 : (*axis)[0];
  dims.insert(dims.begin() + at, 1);
  if (!op.expect_dims(op.output(), dims)) return failure;
  return import_to_reshape(op, op.input(0));
}

}  // namespace byoc::tflite
