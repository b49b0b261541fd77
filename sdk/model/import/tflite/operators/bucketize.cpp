#include <algorithm>
#include <cmath>

#include "sdk/model/import/tflite/elementwise.hpp"
#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

// For each element, the number of boundaries (ascending) that are not above it.
Result<void> import_bucketize(OperatorImport& op) {
  const auto options = op.options<schema::BucketizeOptions>();
  if (!options) return failure;
  const ir::ValueId x = op.input(0), y = op.output();
  if (!expect_element(op, x, {DType::f32, DType::f64, DType::i32, DType::i64}) || !op.expect_dtype(y, {DType::i32}) ||
      !op.expect_dims(y, op.dims(x)))
    return failure;
  std::vector<float> boundaries;
  if ((*options)->boundaries() != nullptr)
    boundaries.assign((*options)->boundaries()->begin(), (*options)->boundaries()->end());
  for (std::size_t i = 0; i < boundaries.size(); ++i)
    if (std::isnan(boundaries[i]) || (i != 0 && boundaries[i] < boundaries[i - 1]))
      return op.refuse("the boundaries do not ascend", std::to_string(boundaries[i]),
                       i == 0 ? "a number" : std::to_string(boundaries[i - 1]) + " or more");
  op.byoc_node("Bucketize", {x, op.add_reals(boundaries)});
  return {};
}

}  // namespace byoc::tflite
