#include "sdk/model/import/tflite/elementwise.hpp"

#include <algorithm>

namespace byoc::tflite {
namespace {

Result<void> expect_operands(OperatorImport& op, std::initializer_list<DType> allowed) {
  const ir::ValueId a = op.input(0), b = op.input(1);
  if (!expect_element(op, a, allowed) || !expect_element(op, b, allowed)) return failure;
  if (op.type(a).dtype != op.type(b).dtype)
    return op.refuse("element types of " + op.describe(a) + " and " + op.describe(b) + " differ",
                     std::string(to_string(op.type(a).dtype)) + " and " + std::string(to_string(op.type(b).dtype)));
  auto dims = broadcast(op, op.dims(a), op.dims(b));
  if (!dims) return failure;
  return op.expect_dims(op.output(), *dims);
}

ir::Node& add(OperatorImport& op, const char* domain, const char* graph_op) {
  const std::vector<ir::ValueId> inputs = {op.input(0), op.input(1)};
  return *domain == '\0' ? op.node(graph_op, inputs) : op.byoc_node(graph_op, inputs);
}

}  // namespace

Result<void> expect_element(OperatorImport& op, ir::ValueId v, std::initializer_list<DType> allowed) {
  const DType found = op.type(v).dtype;
  if (found == DType::u8) return op.refuse("uint8 kernels are not supported: " + op.describe(v), "u8");
  if (!op.expect_dtype(v, allowed)) return failure;
  if (found == DType::i8 || found == DType::i16) return op.expect_activation(v);
  if (op.type(v).quantisation)
    return op.refuse("kernels for plain integers take no quantisation: " + op.describe(v),
                     std::string(to_string(found)) + " with a scale", "none");
  return {};
}

Result<std::vector<ir::Dim>> broadcast(OperatorImport& op, const std::vector<ir::Dim>& a,
                                       const std::vector<ir::Dim>& b) {
  std::vector<ir::Dim> out(std::max(a.size(), b.size()));
  for (std::size_t i = 0; i < out.size(); ++i) {
    const ir::Dim da = i < a.size() ? a[a.size() - 1 - i] : 1;
    const ir::Dim db = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (da != db && da != 1 && db != 1)
      return op.refuse("shapes of the inputs do not broadcast", std::to_string(da) + " against " + std::to_string(db));
    out[out.size() - 1 - i] = da == 1 ? db : da;
  }
  return out;
}

Result<void> expect_shape_input(OperatorImport& op, ir::ValueId v) {
  if (!op.expect_dtype(v, {DType::i32, DType::i64}) || !op.expect_rank(v, 1)) return failure;
  if (op.is_known(v)) {
    auto shape = op.integers(v, "the shape");
    if (!shape) return failure;
    return op.expect_dims(op.output(), *shape);
  }
  if (op.is_resized(op.output())) return op.refuse("the shape of the output is computed");
  if (!op.expect_no_placeholder(v, op.output())) return failure;
  return op.expect_dims(v, {static_cast<ir::Dim>(op.rank(op.output()))});
}

namespace {

ir::Node& add_expect(OperatorImport& op, ir::ValueId x, ir::ValueId numbers, std::vector<std::int64_t> stated) {
  const ir::ValueId checked = op.add_tensor(x, op.dims(x));
  ir::Node& node = op.byoc_node("Expect", {x, numbers}, {checked});
  node.attributes["expected"] = std::move(stated);
  node.part_of = op.name();
  node.attributes["what"] = std::string("the shape that the model computes is not the one that it states");
  return node;
}

}  // namespace

ir::ValueId expect_at_run_time(OperatorImport& op, ir::ValueId x, ir::ValueId numbers, std::vector<std::int64_t> stated,
                               std::vector<std::int64_t> open) {
  if (op.is_known(numbers)) return x;
  ir::Node& node = add_expect(op, x, numbers, std::move(stated));
  if (!open.empty()) node.attributes["open"] = std::move(open);
  return node.outputs[0];
}

ir::ValueId expect_shape_at_run_time(OperatorImport& op, ir::ValueId x, ir::ValueId shape,
                                     std::vector<ir::Dim> stated) {
  std::vector<ir::Dim> from = op.dims(x);
  ir::Node& node = add_expect(op, x, shape, std::move(stated));
  node.attributes["from"] = std::move(from);
  return node.outputs[0];
}

Result<void> expect_binary(OperatorImport& op, std::initializer_list<DType> allowed) {
  if (!expect_operands(op, allowed) || !expect_element(op, op.output(), allowed)) return failure;
  const ir::ValueId a = op.input(0), y = op.output();
  if (op.type(a).dtype != op.type(y).dtype)
    return op.refuse("element types of " + op.describe(a) + " and " + op.describe(y) + " differ",
                     std::string(to_string(op.type(a).dtype)) + " and " + std::string(to_string(op.type(y).dtype)));
  return {};
}

Result<ir::Node*> import_binary(OperatorImport& op, const char* domain, const char* graph_op,
                                std::initializer_list<DType> allowed) {
  if (!expect_binary(op, allowed)) return failure;
  return &add(op, domain, graph_op);
}

Result<void> import_comparison(OperatorImport& op, const char* domain, const char* graph_op,
                               std::initializer_list<DType> allowed) {
  if (!expect_operands(op, allowed) || !op.expect_dtype(op.output(), {DType::boolean})) return failure;
  for (const ir::ValueId v : {op.input(0), op.input(1)})
    if (op.type(v).quantisation && op.type(v).quantisation->scales[0] >= 1)
      return op.refuse("scale out of range of " + op.describe(v), std::to_string(op.type(v).quantisation->scales[0]),
                       "less than 1");
  add(op, domain, graph_op);
  return {};
}

}  // namespace byoc::tflite
