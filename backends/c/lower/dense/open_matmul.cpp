#include "backends/c/lower/dense/open_matmul.hpp"

#include <optional>

#include "backends/c/lower/dense/dense.hpp"
#include "backends/c/lower/elementwise/activation.hpp"
#include "backends/c/lower/step/operands.hpp"
#include "backends/c/lower/step/step_builder.hpp"
#include "backends/c/lower/step/view.hpp"
#include "byoc/nodes/matmul.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;
using codegen::Verdict;

// The dims of nodes::MatMul, as extents.
struct OpenMatMul {
  Extents batch, a_batch, b_batch;  // the outermost first
  Extent rows, depth, columns;
};

// A step of the operand along a batch dim of the result: none where its own dim is 1.
Extent batch_step(const Extent& dim, const Extent& result, const Extent& size) {
  return broadcast_strides({dim, size}, {result, size})[0];
}

// NumPy's product. Nothing: more than kMatMulBatchRank runs of batch dims.
std::optional<OpenMatMul> read_open(const Value& left, const Value& right, const Value& result) {
  Extents a = extents(left), b = extents(right), y = extents(result);
  if (left.dims.empty() || right.dims.empty()) return std::nullopt;
  if (b.size() == 1) b.push_back(1), y.push_back(1);
  if (a.size() == 1) a.insert(a.begin(), 1), y.insert(y.end() - 1, 1);
  OpenMatMul m;
  m.rows = a[a.size() - 2];
  m.depth = a.back();
  m.columns = b.back();
  LoopNest batch{{}, {Extents(), Extents()}};
  Extent a_size = m.rows * m.depth, b_size = m.depth * m.columns;
  for (std::size_t i = 3; i <= y.size(); ++i) {
    const Extent da = i <= a.size() ? a[a.size() - i] : Extent(1), db = i <= b.size() ? b[b.size() - i] : Extent(1);
    const Extent& n = y[y.size() - i];
    batch.dims.insert(batch.dims.begin(), n);
    batch.strides[0].insert(batch.strides[0].begin(), batch_step(da, n, a_size));
    batch.strides[1].insert(batch.strides[1].begin(), batch_step(db, n, b_size));
    a_size *= da;
    b_size *= db;
  }
  const LoopNest runs = merge(batch);
  if (runs.dims.size() > kMatMulBatchRank) return std::nullopt;
  m.batch = filled_in_front(runs.dims, kMatMulBatchRank, 1);
  m.a_batch = filled_in_front(runs.strides[0], kMatMulBatchRank, 0);
  m.b_batch = filled_in_front(runs.strides[1], kMatMulBatchRank, 0);
  return m;
}

// A constant matrix that all rows are multiplied by.
bool is_packed_product(const Region& region, const Node& node) {
  const Value &a = region.values[node.inputs[0]], &b = region.values[node.inputs[1]];
  return b.is_constant && b.dims.size() == 2 && a.dims.size() > 1 && a.dims.back() > 0;
}

// y = alpha * a * b + beta * c, with the shape of `a` and a `c` that rows share.
std::string refuse_gemm(const Region& region, const Node& node) {
  const Value* c = given_input(region, node, 2);
  const bool shared = c == nullptr || (c->is_constant && (c->dims.size() < 2 || c->dims[c->dims.size() - 2] == 1));
  if (node.integer("transA", 0) != 0 || !is_packed_product(region, node) || !shared)
    return "found dims that only a run knows, expected a known depth, a constant B, and a constant C that rows share";
  return "";
}

Dense packed_dense(const Emitter& emitter, const Node& node) {
  const Value &a = *emitter.input(node, 0), &b = *emitter.input(node, 1);
  const bool turned = node.op == "Gemm" && node.integer("transB", 0) != 0;
  Dense d{.rows = 1,
          .depth = a.dims.back(),
          .units = b.dims[turned ? 0 : 1],
          .weights = node.inputs[1],
          .unit_stride = turned ? a.dims.back() : 1,
          .depth_stride = turned ? 1 : b.dims[1],
          .bias = {}};
  for (std::size_t i = 0; i + 1 < a.dims.size(); ++i) d.rows *= extent(a.dims[i]);
  if (node.op == "Gemm") d.scale(b, node.real("alpha", 1.0f), emitter.input(node, 2), node.real("beta", 1.0f));
  return d;
}

}  // namespace

Verdict accepts_open_matmul(const Region& region, const Node& node) {
  for (const codegen::ValueId v : node.inputs)
    if (v != codegen::kNoValue && region.values[v].dtype != DType::f32)
      return refuse_dtype(region.values[v].dtype, "f32");
  if (!activation_bounds(node))
    return refuse(Reason::unsupported_attribute, "found activation " + node.text("activation", ""));
  if (const std::string why = node.op == "Gemm" ? refuse_gemm(region, node) : ""; !why.empty())
    return refuse(Reason::unsupported_shape, why);
  if (node.op != "Gemm" &&
      !read_open(region.values[node.inputs[0]], region.values[node.inputs[1]], region.values[node.outputs[0]]))
    return refuse(Reason::unsupported_shape,
                  "expected at most " + std::to_string(kMatMulBatchRank) + " runs of batch dims, and no scalars");
  return claim();
}

bool lower_open_matmul(Emitter& emitter, const Node& node) {
  if (is_packed_product(emitter.region, node)) {
    lower_dense(emitter, node, packed_dense(emitter, node));
    return true;
  }
  const OpenMatMul m = *read_open(*emitter.input(node, 0), *emitter.input(node, 1), emitter.value(node.outputs[0]));
  StepBuilder step(emitter, node);
  const std::string kernel = emitter.kernel({"matmul_f32.c", "byoc_matmul_f32", {}});
  ParameterText p;
  p.add("batch", m.batch).add("a_batch", m.a_batch).add("b_batch", m.b_batch);
  p.add("rows", m.rows).add("depth", m.depth).add("columns", m.columns);
  p.add("a_row", m.depth).add("a_depth", 1).add("b_depth", m.columns).add("b_column", 1);
  p.add("c_row", 0)
      .add("c_column", 0)
      .add("alpha", c_bound(1))
      .add("beta", c_bound(1))
      .add("bounds", c_bounds(*activation_bounds(node)));
  step.text.includes.insert({"byoc_matmul_f32.h", "<math.h>"});
  const std::string parameters = step.parameters("byoc_matmul_f32_t", p);
  const std::string a = step.input(0), b = step.input(1);
  step.line(kernel + "(" + parameters + ", " + a + ", " + b + ", NULL, " + step.output(0) + ");");
  step.finish(kernel);
  return true;
}

}  // namespace byoc::c
