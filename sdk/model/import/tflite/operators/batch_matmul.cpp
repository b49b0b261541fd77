#include "sdk/model/import/tflite/elementwise.hpp"
#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

// x [..., rows, depth] by y [..., depth, columns]; adj_x and adj_y read the last two dimensions turned.
Result<void> import_batch_matmul(OperatorImport& op) {
  auto options = op.optional_options<schema::BatchMatMulOptions>();
  if (!options) return failure;
  const ir::ValueId x = op.input(0), w = op.input(1);
  if (op.type(x).dtype == DType::f32 && op.type(w).dtype == DType::i8)
    return op.refuse("hybrid kernels are not supported: float activations with quantised weights", "i8 weights", "f32");
  if (!op.expect_activations(x, w) || !op.expect_activations(x, op.output())) return failure;
  for (const ir::ValueId v : {x, w})
    if (op.rank(v) < 2 || op.rank(v) > 5)
      return op.refuse("unsupported shape of " + op.describe(v), std::to_string(op.rank(v)) + " dimensions", "2 to 5");
  const bool adj_x = *options != nullptr && (*options)->adj_x(), adj_y = *options != nullptr && (*options)->adj_y();
  std::vector<ir::Dim> a = op.dims(x), b = op.dims(w);
  if (adj_x) std::swap(a.back(), a[a.size() - 2]);
  if (adj_y) std::swap(b.back(), b[b.size() - 2]);
  if (a.back() != b[b.size() - 2])
    return op.refuse("the matrices do not fit",
                     std::to_string(a.back()) + " columns by " + std::to_string(b[b.size() - 2]) + " rows");
  auto out = broadcast(op, {a.begin(), a.end() - 2}, {b.begin(), b.end() - 2});
  if (!out) return failure;
  out->push_back(a[a.size() - 2]);
  out->push_back(b.back());
  if (!op.expect_dims(op.output(), *out)) return failure;
  if (op.type(x).dtype == DType::f32 && !adj_x && !adj_y) {
    op.node("MatMul", {x, w});
    return {};
  }
  ir::Node& node = op.byoc_node("BatchMatMul", {x, w});
  node.attributes["adj_x"] = std::int64_t{adj_x};
  node.attributes["adj_y"] = std::int64_t{adj_y};
  return {};
}

}  // namespace byoc::tflite
