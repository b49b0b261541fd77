#include "sdk/model/import/tflite/reduction.hpp"

#include <algorithm>

#include "sdk/model/import/tflite/elementwise.hpp"

namespace byoc::tflite {
namespace {

// True for each dimension of x that input 1 names.
Result<std::vector<bool>> reduced_dims(OperatorImport& op, ir::ValueId x) {
  auto axes = op.integers(op.input(1), "the axes");
  if (!axes) return failure;
  std::vector<bool> reduced(op.rank(x), false);
  if (reduced.empty()) return reduced;
  for (const std::int64_t named : *axes) {
    auto axis = op.axis(named, op.rank(x));
    if (!axis) return failure;
    reduced[*axis] = true;
  }
  return reduced;
}

}  // namespace

Result<void> import_reduction(OperatorImport& op, const char* onnx_op, std::initializer_list<DType> allowed) {
  auto options = op.optional_options<schema::ReducerOptions>();
  if (!options) return failure;
  const ir::ValueId x = op.input(0), y = op.output();
  if (!expect_element(op, x, allowed) || !expect_element(op, y, {op.type(x).dtype})) return failure;
  auto reduced = reduced_dims(op, x);
  if (!reduced) return failure;
  const bool keep = *options != nullptr && (*options)->keep_dims();
  std::vector<std::int64_t> once;  // ONNX does not let an axis be named twice
  std::vector<ir::Dim> expected;
  for (std::size_t i = 0; i < reduced->size(); ++i) {
    if ((*reduced)[i]) once.push_back(static_cast<std::int64_t>(i));
    if (!(*reduced)[i]) expected.push_back(op.dims(x)[i]);
    if ((*reduced)[i] && keep) expected.push_back(1);
  }
  if (!op.expect_dims(y, expected)) return failure;
  const auto& dims = op.dims(x);
  if (std::find(dims.begin(), dims.end(), 0) != dims.end())
    return op.refuse("there is no element to reduce", "a dimension of 0", "1 or more");
  ir::Node& node = op.node(onnx_op, {x, op.add_integers(once)});
  node.attributes["keepdims"] = std::int64_t{keep};
  // Without axes ONNX reduces all dimensions, TensorFlow none.
  if (once.empty()) node.attributes["noop_with_empty_axes"] = std::int64_t{1};
  return {};
}

Result<void> import_extreme(OperatorImport& op, const char* onnx_op) {
  const auto from = op.type(op.input(0)).quantisation, to = op.type(op.output()).quantisation;
  if (!import_reduction(op, onnx_op, {DType::f32, DType::i8, DType::i16, DType::i32, DType::i64})) return failure;
  if (from == to) return {};
  return op.refuse("scale and zero point of " + op.describe(op.output()) + " must be those of " +
                   op.describe(op.input(0)));
}

}  // namespace byoc::tflite
