#include "sdk/model/import/tflite/reshape.hpp"

namespace byoc::tflite {

Result<void> import_to_reshape(OperatorImport& op, ir::ValueId x) {
  const ir::ValueId y = op.output();
  if (op.type(x).dtype != op.type(y).dtype)
    return op.refuse("element types of " + op.describe(x) + " and " + op.describe(y) + " differ",
                     std::string(to_string(op.type(x).dtype)) + " and " + std::string(to_string(op.type(y).dtype)));
  if (op.type(x).elements() != op.type(y).elements())
    return op.refuse(
        "the shapes of " + op.describe(x) + " and " + op.describe(y) + " have different sizes",
        std::to_string(op.type(x).elements()) + " and " + std::to_string(op.type(y).elements()) + " elements");
  op.reshape(x, y);
  return {};
}

}  // namespace byoc::tflite
