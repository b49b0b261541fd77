#include <algorithm>
#include <utility>

#include "sdk/model/import/tflite/elementwise.hpp"
#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {
namespace {

// A constant matrix with a scale for each of its columns, as the weights [columns, depth] of FULLY_CONNECTED.
Result<void> import_by_columns(OperatorImport& op, bool adj_x, bool adj_y) {
  const ir::ValueId x = op.input(0), w = op.input(1);
  if (!op.expect_activation(x) || !op.expect_activations(x, op.output())) return failure;
  const std::vector<ir::Dim>& given = op.dims(w);
  const std::size_t rank = given.size(), columns = rank - (adj_y ? 2 : 1), depth = rank - (adj_y ? 1 : 2);
  const Quantisation& q = *op.type(w).quantisation;
  const bool is_matrix = rank >= 2 && std::all_of(given.begin(), given.end() - 2, [](ir::Dim d) { return d == 1; });
  if (adj_x || !is_matrix || !op.value(w).constant || q.axis != static_cast<std::int32_t>(columns) ||
      std::any_of(q.zero_points.begin(), q.zero_points.end(), [](std::int64_t z) { return z != 0; }))
    return op.refuse(op.describe(w) + " is quantised per axis", std::to_string(q.scales.size()) + " scales",
                     "one scale, or a constant matrix with one for each column and without zero points");
  const auto count = static_cast<std::size_t>(given[columns]), length = static_cast<std::size_t>(given[depth]);
  std::vector<ir::Dim> out = op.dims(x);
  if (out.size() < rank || out.back() != given[depth])
    return op.refuse("the matrices do not fit",
                     std::to_string(out.back()) + " columns by " + std::to_string(given[depth]) + " rows");
  out.back() = given[columns];
  if (!op.expect_dims(op.output(), out)) return failure;
  const auto from = op.value(w).constant->bytes.bytes();
  std::vector<std::byte> to(from.begin(), from.end());
  for (std::size_t c = 0; !adj_y && c < count; ++c)
    for (std::size_t d = 0; d < length; ++d) to[c * length + d] = from[d * count + c];
  const ir::TensorType type{DType::i8, std::vector<ir::Dim>{given[columns], given[depth]},
                            Quantisation{q.scales, q.zero_points, 0}};
  const ir::ValueId weights = op.graph().add_constant(op.value(w).name, type, Blob::own(std::move(to)));
  op.byoc_node("FullyConnected", {x, weights}).attributes["keep_num_dims"] = std::int64_t{1};
  return {};
}

}  // namespace

// x [..., rows, depth] by y [..., depth, columns]; adj_x and adj_y read the last two dimensions turned.
Result<void> import_batch_matmul(OperatorImport& op) {
  auto options = op.optional_options<schema::BatchMatMulOptions>();
  if (!options) return failure;
  const ir::ValueId x = op.input(0), w = op.input(1);
  if (op.type(x).dtype == DType::f32 && op.type(w).dtype == DType::i8)
    return op.refuse("hybrid kernels are not supported: float activations with quantised weights", "i8 weights", "f32");
  const bool by_columns =
      op.type(w).dtype == DType::i8 && op.type(w).quantisation && op.type(w).quantisation->per_axis();
  if (by_columns && op.type(x).dtype != DType::f32)
    return import_by_columns(op, *options != nullptr && (*options)->adj_x(),
                             *options != nullptr && (*options)->adj_y());
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
