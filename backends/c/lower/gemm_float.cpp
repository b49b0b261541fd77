// Gemm on f32: packed where B and C allow it, the general product otherwise.
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

struct Gemm {
  MatMul product;
  bool per_column = true;  // C is one value for each column, or one for all
};

std::optional<Gemm> read(const Region& region, const Node& node, std::string& why) {
  const Value& a = region.values[node.inputs[0]];
  const Value& b = region.values[node.inputs[1]];
  const Value* c = given_input(region, node, 2);
  if (a.dims.size() != 2 || b.dims.size() != 2) {
    why = "found operands " + shape_text(a) + " and " + shape_text(b) + ", expected two matrices";
    return std::nullopt;
  }
  const bool trans_a = node.integer("transA", 0) != 0, trans_b = node.integer("transB", 0) != 0;
  Gemm g;
  MatMul& m = g.product;
  m.rows = a.dims[trans_a ? 1 : 0];
  m.depth = a.dims[trans_a ? 0 : 1];
  m.columns = b.dims[trans_b ? 0 : 1];
  if (b.dims[trans_b ? 1 : 0] != m.depth) {
    why = "found operands " + shape_text(a) + " and " + shape_text(b) + ", whose inner dims differ";
    return std::nullopt;
  }
  m.a_row = trans_a ? 1 : m.depth;
  m.a_depth = trans_a ? m.rows : 1;
  m.b_depth = trans_b ? 1 : m.columns;
  m.b_column = trans_b ? m.depth : 1;
  m.alpha = node.real("alpha", 1.0f);
  m.beta = node.real("beta", 1.0f);
  if (!c) return g;

  const std::size_t rank = c->dims.size();
  const std::int64_t columns = rank > 0 ? c->dims[rank - 1] : 1, rows = rank > 1 ? c->dims[rank - 2] : 1;
  if (rank > 2 || (columns != 1 && columns != m.columns) || (rows != 1 && rows != m.rows)) {
    why = "found a C of " + shape_text(*c) + ", expected one that broadcasts to [" + std::to_string(m.rows) + "," +
          std::to_string(m.columns) + "]";
    return std::nullopt;
  }
  m.c_row = rows == 1 ? 0 : columns;
  m.c_column = columns == 1 ? 0 : 1;
  g.per_column = rows == 1;
  return g;
}

}  // namespace

codegen::Verdict accepts_gemm_float(const Region& region, const Node& node, const TargetSpec&) {
  for (codegen::ValueId v : node.inputs)
    if (v != codegen::kNoValue && region.values[v].dtype != DType::f32)
      return refuse_dtype(region.values[v].dtype, "f32");
  std::string why;
  if (!read(region, node, why)) return refuse(Reason::unsupported_shape, why);
  if (!activation_bounds(node))
    return refuse(Reason::unsupported_attribute, "found activation " + node.text("activation", ""));
  if (!fits_int32(region, node)) return refuse(Reason::unsupported_shape, "a tensor of 2 GiB or more");
  return claim();
}

bool lower_gemm_float(Emitter& emitter, const Node& node) {
  std::string why;
  const std::optional<Gemm> g = read(emitter.region, node, why);
  if (!g) return emitter.error(node, why);
  const MatMul& m = g->product;
  const Value& a = *emitter.input(node, 0);
  const Value& b = *emitter.input(node, 1);
  const Value* c = emitter.input(node, 2);
  // A single row is the same transposed.
  const bool rows_are_dense = m.a_depth == 1 || m.rows == 1;
  if (a.is_constant || !b.is_constant || !rows_are_dense || (c && !(c->is_constant && g->per_column))) {
    lower_general_matmul(emitter, node, m);
    return true;
  }
  Dense d{.rows = m.rows,
          .depth = m.depth,
          .units = m.columns,
          .weights = constant_elements<float>(b),
          .unit_stride = m.b_column,
          .depth_stride = m.b_depth,
          .bias = {}};
  for (float& w : d.weights) w *= m.alpha;
  if (c) {
    const std::vector<float> values = constant_elements<float>(*c);
    for (std::int64_t u = 0; u < m.columns; ++u)
      d.bias.push_back(m.beta * values[static_cast<std::size_t>(u * m.c_column)]);
  }
  lower_dense(emitter, node, d);
  return true;
}

}  // namespace byoc::c
