#include "sdk/model/import/tflite/cast_type.hpp"
#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {
namespace {

// `count` ones of the element type of `like`.
ir::ValueId ones(OperatorImport& op, ir::ValueId like, ir::Dim count) {
  const ir::ValueId wide = op.add_integers(std::vector<std::int64_t>(static_cast<std::size_t>(count), 1));
  const ir::ValueId out = op.add_tensor(op.type(like).dtype, {count});
  op.node("Cast", {wide}, {out}).attributes["to"] = onnx_number(op.type(like).dtype);
  return out;
}

}  // namespace

// Two shapes, and the one that both broadcast to: of each dimension the length that is not 1.
Result<void> import_broadcast_args(OperatorImport& op) {
  const ir::ValueId y = op.output();
  ir::Dim rank = 0;
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
    const ir::ValueId x = op.input(i);
    if (!op.expect_dtype(x, {DType::i32, DType::i64}) || !op.expect_moved(x, y) || !op.expect_rank(x, 1))
      return failure;
    rank = std::max(rank, op.dims(x)[0]);
  }
  if (!op.expect_dims(y, {rank})) return failure;
  std::vector<ir::ValueId> shapes;
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
    ir::ValueId x = op.input(i);
    if (const ir::Dim missing = rank - op.dims(x)[0]; missing > 0) {
      const ir::ValueId lead = ones(op, x, missing), whole = op.add_tensor(y, {rank});
      op.node("Concat", {lead, x}, {whole}).attributes["axis"] = std::int64_t{0};
      x = whole;
    }
    shapes.push_back(x);
  }
  const ir::ValueId one = ones(op, y, 1), is_one = op.add_tensor(DType::boolean, {rank});
  op.node("Equal", {shapes[0], one}, {is_one});
  op.node("Where", {is_one, shapes[1], shapes[0]});
  return {};
}

}  // namespace byoc::tflite
