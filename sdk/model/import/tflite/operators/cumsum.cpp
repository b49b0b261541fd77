#include "sdk/model/import/tflite/elementwise.hpp"
#include "sdk/model/import/tflite/operators/operators.hpp"
#include "sdk/model/import/tflite/pieces.hpp"

namespace byoc::tflite {

// Input 1: the axis.
Result<void> import_cumsum(OperatorImport& op) {
  auto options = op.optional_options<schema::CumsumOptions>();
  if (!options) return failure;
  const ir::ValueId x = op.input(0), y = op.output();
  if (!expect_element(op, x, {DType::f32, DType::i8, DType::i32, DType::i64}) ||
      !expect_element(op, y, {op.type(x).dtype}) || !op.expect_dims(y, op.dims(x)))
    return failure;
  auto axis = axis_input(op, op.input(1), op.rank(x));
  if (!axis) return failure;
  ir::Node& node = op.node("CumSum", {x, op.add_integers({static_cast<std::int64_t>(*axis)})});
  node.attributes["exclusive"] = std::int64_t{*options != nullptr && (*options)->exclusive()};
  node.attributes["reverse"] = std::int64_t{*options != nullptr && (*options)->reverse()};
  return {};
}

}  // namespace byoc::tflite
