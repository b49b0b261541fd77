#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {
namespace {

// Dimension `axis` of a tensor of these dims with `factor` - 1 paddings behind each but the last of its entries.
ir::ValueId dilated(OperatorImport& op, ir::ValueId x, std::vector<ir::Dim>& dims, std::size_t axis, ir::Dim factor,
                    ir::ValueId value) {
  ir::Dim before = 1, behind = 1;
  for (std::size_t d = 0; d < dims.size(); ++d)
    if (d != axis) (d < axis ? before : behind) *= dims[d];
  const ir::Dim count = dims[axis];
  const ir::ValueId rows = op.add_tensor(x, {before, count, behind}),
                    padded = op.add_tensor(x, {before, count, factor * behind}),
                    apart = op.add_tensor(x, {before, count * factor, behind});
  dims[axis] = (count - 1) * factor + 1;
  const ir::ValueId out = op.add_tensor(x, {before, dims[axis], behind});
  op.reshape(x, rows);
  op.node("Pad", {rows, op.add_integers({0, 0, 0, 0, 0, (factor - 1) * behind}), value}, {padded});
  op.reshape(padded, apart);
  op.node("Slice", {apart, op.add_integers({0}), op.add_integers({dims[axis]}), op.add_integers({1})}, {out});
  return out;
}

}  // namespace

// Input 1: int32 [rank], how far apart entries of each dimension lie. Input 2: what lies between them.
Result<void> import_dilate(OperatorImport& op) {
  const ir::ValueId x = op.input(0), y = op.output();
  ir::ValueId value = op.input(2);
  if (!op.expect_moved(x, y) || !op.expect_moved(value, y)) return failure;
  if (op.type(value).elements() != 1)
    return op.refuse("the padding value", std::to_string(op.type(value).elements()) + " elements", "1");
  std::vector<ir::Dim> dims = op.dims(x);
  if (dims.empty()) return op.refuse("there is no dimension to dilate", "a scalar", "1 dimension or more");
  if (!op.expect_dtype(op.input(1), {DType::i32}) || !op.expect_dims(op.input(1), {static_cast<ir::Dim>(dims.size())}))
    return failure;
  const auto factors = op.integers(op.input(1), "the dilations");
  if (!factors) return failure;
  std::vector<ir::Dim> expected;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    if ((*factors)[d] < 1) return op.refuse("a dilation is out of range", std::to_string((*factors)[d]), "1 or more");
    if (dims[d] < 1) return op.refuse("a dimension without elements", std::to_string(dims[d]), "1 or more");
    expected.push_back((dims[d] - 1) * (*factors)[d] + 1);
  }
  if (!op.expect_dims(y, expected)) return failure;
  // The elements of both are moved as they are stored.
  if (op.rank(value) != 0 || op.type(value).quantisation != op.type(x).quantisation) {
    const ir::ValueId one = op.add_tensor(x, {});
    op.reshape(value, one);
    value = one;
  }
  ir::ValueId last = x;
  for (std::size_t d = dims.size(); d-- > 0;)
    if ((*factors)[d] > 1 && dims[d] > 1) last = dilated(op, last, dims, d, (*factors)[d], value);
  op.reshape(last, y);
  return {};
}

}  // namespace byoc::tflite
