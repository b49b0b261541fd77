#include <numeric>

#include "sdk/model/import/tflite/cast_type.hpp"
#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

// Indices, depth, the value at the index and the value elsewhere. ONNX's OneHot counts negative indices from the end;
// here they are nowhere. So it is Where over the comparison with 0, 1, 2 ... along the new axis.
Result<void> import_one_hot(OperatorImport& op) {
  auto options = op.options<schema::OneHotOptions>();
  if (!options) return failure;
  const ir::ValueId at = op.input(0), on = op.input(2), off = op.input(3), y = op.output();
  if (!op.expect_dtype(at, {DType::i32, DType::i64}) || !op.expect_moved(on, y) || !op.expect_moved(off, y) ||
      !op.expect_dims(on, {}) || !op.expect_dims(off, {}))
    return failure;
  auto depth = op.integers(op.input(1), "the depth");
  if (!depth) return failure;
  constexpr std::int64_t kDeepest = 1 << 24;
  if (depth->size() != 1 || (*depth)[0] < 0 || (*depth)[0] > kDeepest)
    return op.refuse("the depth", depth->size() == 1 ? std::to_string((*depth)[0]) : "not one integer",
                     "0 to " + std::to_string(kDeepest));
  auto axis = op.axis((*options)->axis(), op.rank(at) + 1);
  if (!axis) return failure;
  const auto place = static_cast<std::ptrdiff_t>(*axis);
  std::vector<ir::Dim> dims = op.dims(at), indices = dims, positions(dims.size() + 1, 1);
  dims.insert(dims.begin() + place, (*depth)[0]);
  indices.insert(indices.begin() + place, 1);
  positions[*axis] = (*depth)[0];
  if (!op.expect_dims(y, dims)) return failure;  // before as many integers are made

  std::vector<std::int64_t> count(static_cast<std::size_t>((*depth)[0]));
  std::iota(count.begin(), count.end(), 0);
  const ir::ValueId wide = op.add_integers(count), list = op.add_tensor(op.type(at).dtype, {(*depth)[0]});
  const ir::ValueId along = op.add_tensor(op.type(at).dtype, positions), each = op.add_tensor(at, indices);
  const ir::ValueId is_there = op.add_tensor(DType::boolean, dims);
  op.node("Cast", {wide}, {list}).attributes["to"] = onnx_number(op.type(at).dtype);
  op.reshape(list, along);
  op.reshape(at, each);
  op.node("Equal", {each, along}, {is_there});
  op.node("Where", {is_there, on, off});
  return {};
}

}  // namespace byoc::tflite
