#include "sdk/model/import/tflite/operators/operators.hpp"
#include "sdk/model/import/tflite/pieces.hpp"

namespace byoc::tflite {

// Input 0: the axis. Equal pieces of input 1.
Result<void> import_split(OperatorImport& op) {
  auto options = op.options<schema::SplitOptions>();
  if (!options) return failure;
  const ir::ValueId x = op.input(1);
  auto axis = axis_input(op, op.input(0), op.rank(x));
  if (!axis) return failure;
  const auto pieces = static_cast<std::int64_t>(op.output_count());
  if ((*options)->num_splits() != pieces)
    return op.refuse("num_splits is not the number of outputs", std::to_string((*options)->num_splits()),
                     std::to_string(pieces));
  const ir::Dim length = op.dims(x)[*axis];
  if (length % pieces != 0)
    return op.refuse("the axis does not split into equal pieces", std::to_string(length),
                     "a multiple of " + std::to_string(pieces));
  return import_to_split(op, x, *axis, std::vector<std::int64_t>(op.output_count(), length / pieces));
}

}  // namespace byoc::tflite
