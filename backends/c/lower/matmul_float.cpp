// MatMul on f32: NumPy's rules of batches and vectors.
#include "backends/c/lower/activation.hpp"
#include "backends/c/lower/constants.hpp"
#include "backends/c/lower/dense.hpp"
#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/matmul.hpp"
#include "backends/c/lower/operands.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;

std::optional<MatMul> read(const Region& region, const Node& node, std::string& why) {
  std::vector<std::int64_t> a = region.values[node.inputs[0]].dims, b = region.values[node.inputs[1]].dims;
  const std::string found = "found operands " + shape_text(region.values[node.inputs[0]]) + " and " +
                            shape_text(region.values[node.inputs[1]]) + ", ";
  if (a.empty() || b.empty()) {
    why = found + "expected no scalars";
    return std::nullopt;
  }
  if (a.size() == 1) a.insert(a.begin(), 1);
  if (b.size() == 1) b.push_back(1);
  const std::size_t rank = std::max(a.size(), b.size()) - 2;
  if (rank > kMatMulBatchRank) {
    why = found + "expected at most " + std::to_string(kMatMulBatchRank) + " batch dims";
    return std::nullopt;
  }
  MatMul m;
  m.rows = a[a.size() - 2];
  m.depth = a.back();
  m.columns = b.back();
  if (b[b.size() - 2] != m.depth) {
    why = found + "whose inner dims differ";
    return std::nullopt;
  }
  m.a_row = m.depth;
  m.a_depth = 1;
  m.b_depth = m.columns;
  m.b_column = 1;
  std::int64_t a_size = m.rows * m.depth, b_size = m.depth * m.columns;
  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t da = i + 2 < a.size() ? a[a.size() - 3 - i] : 1;
    const std::int64_t db = i + 2 < b.size() ? b[b.size() - 3 - i] : 1;
    if (da != db && da != 1 && db != 1) {
      why = found + "whose batch dims do not broadcast";
      return std::nullopt;
    }
    const std::size_t at = kMatMulBatchRank - 1 - i;
    m.batch[at] = da == 1 ? db : da;
    m.a_batch[at] = da == 1 ? 0 : a_size;
    m.b_batch[at] = db == 1 ? 0 : b_size;
    a_size *= da;
    b_size *= db;
  }
  return m;
}

}  // namespace

codegen::Verdict accepts_matmul_float(const Region& region, const Node& node, const TargetSpec&) {
  for (codegen::ValueId v : node.inputs)
    if (region.values[v].dtype != DType::f32) return refuse_dtype(region.values[v].dtype, "f32");
  std::string why;
  if (!read(region, node, why)) return refuse(Reason::unsupported_shape, why);
  if (!activation_bounds(node))
    return refuse(Reason::unsupported_attribute, "found activation " + node.text("activation", ""));
  if (!fits_int32(region, node)) return refuse(Reason::unsupported_shape, "a tensor of 2 GiB or more");
  return claim();
}

bool lower_matmul_float(Emitter& emitter, const Node& node) {
  std::string why;
  const std::optional<MatMul> m = read(emitter.region, node, why);
  if (!m) return emitter.error(node, why);
  const Value& a = *emitter.input(node, 0);
  const Value& b = *emitter.input(node, 1);
  if (a.is_constant || !b.is_constant || b.elements() != m->depth * m->columns) {
    lower_general_matmul(emitter, node, *m);
    return true;
  }
  // One matrix for all batches: their rows are one stack.
  lower_dense(emitter, node,
              {.rows = a.elements() / m->depth,
               .depth = m->depth,
               .units = m->columns,
               .weights = constant_elements<float>(b),
               .unit_stride = m->b_column,
               .depth_stride = m->b_depth,
               .bias = {}});
  return true;
}

}  // namespace byoc::c
