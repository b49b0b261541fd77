#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

// Input 1: positions along the axis; its first batch_dims dimensions are those of x.
Result<void> import_gather(OperatorImport& op) {
  auto options = op.options<schema::GatherOptions>();
  if (!options) return failure;
  const ir::ValueId x = op.input(0), at = op.input(1), y = op.output();
  if (!op.expect_moved(x, y) || !op.expect_dtype(at, {DType::i32, DType::i64})) return failure;
  auto axis = op.axis((*options)->axis(), op.rank(x));
  if (!axis) return failure;
  const int named = (*options)->batch_dims();
  const int batch = named < 0 ? named + static_cast<int>(op.rank(at)) : named;
  if (batch < 0 || batch > static_cast<int>(*axis) || batch > static_cast<int>(op.rank(at)))
    return op.refuse("batch_dims out of range", std::to_string(named), "0 to " + std::to_string(*axis));
  const auto shared = static_cast<std::ptrdiff_t>(batch), along = static_cast<std::ptrdiff_t>(*axis);
  const std::vector<ir::Dim> from = op.dims(x), positions = op.dims(at);
  if (!std::equal(from.begin(), from.begin() + shared, positions.begin()))
    return op.refuse("the batch dimensions of " + op.describe(x) + " and " + op.describe(at) + " differ");
  std::vector<ir::Dim> dims(from.begin(), from.begin() + along);
  dims.insert(dims.end(), positions.begin() + shared, positions.end());
  dims.insert(dims.end(), from.begin() + along + 1, from.end());
  if (!op.expect_dims(y, dims)) return failure;
  if (op.value(at).constant) {
    auto known = op.integers(at, "the positions");
    if (!known) return failure;
    for (const std::int64_t i : *known)
      if (i < 0 || i >= from[*axis])
        return op.refuse("a position is out of range", std::to_string(i), "0 to " + std::to_string(from[*axis] - 1));
  }
  ir::Node& node = op.node("Gather", {x, at});
  node.attributes["axis"] = static_cast<std::int64_t>(*axis);
  if (batch != 0) node.attributes["batch_dims"] = std::int64_t{batch};
  return {};
}

}  // namespace byoc::tflite
