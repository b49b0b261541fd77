// byoc.BatchMatMul: f32, and TFLite's i8 and i16. Rows by one constant matrix of i8 are a fully connected layer.
#include "backends/c/lower/dense/dense_quantised.hpp"
#include "backends/c/lower/dense/matmul.hpp"
#include "backends/c/lower/elementwise/activation.hpp"
#include "backends/c/lower/kernel_options.hpp"
#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/step/operands.hpp"
#include "backends/c/lower/step/parameter_text.hpp"
#include "backends/c/lower/step/view.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;

struct Batches {
  std::int64_t rows = 0, depth = 0, columns = 0;
  std::int64_t a_row = 0, a_depth = 0, b_depth = 0, b_column = 0;
  LoopNest batch;  // strides of a and b
};

std::optional<Batches> read_batches(const Region& region, const Node& node) {
  const Dims &a = region.values[node.inputs[0]].dims, &b = region.values[node.inputs[1]].dims;
  const Dims& y = region.values[node.outputs[0]].dims;
  if (a.size() < 2 || b.size() < 2 || y.size() < 2) return std::nullopt;
  const bool ta = node.integer("adj_x", 0) != 0, tb = node.integer("adj_y", 0) != 0;
  Batches s;
  const std::int64_t a_width = a.back(), b_width = b.back();
  s.rows = ta ? a_width : a[a.size() - 2];
  s.depth = ta ? a[a.size() - 2] : a_width;
  s.columns = tb ? b[b.size() - 2] : b_width;
  s.a_row = ta ? 1 : a_width;
  s.a_depth = ta ? a_width : 1;
  s.b_depth = tb ? 1 : b_width;
  s.b_column = tb ? b_width : 1;
  const Dims out(y.begin(), y.end() - 2);
  Dims as = broadcast_strides(Dims(a.begin(), a.end() - 2), out),
       bs = broadcast_strides(Dims(b.begin(), b.end() - 2), out);
  for (std::int64_t& v : as) v *= s.rows * s.depth;
  for (std::int64_t& v : bs) v *= s.depth * s.columns;
  s.batch = merge({out, {as, bs}});
  return s;
}

// A stack of rows by one matrix.
bool is_dense(const Node& node, const Value& w) {
  std::int64_t batches = 1;
  for (std::size_t i = 0; i + 2 < w.dims.size(); ++i) batches *= w.dims[i];
  return w.is_constant && batches == 1 && node.integer("adj_x", 0) == 0;
}

QuantisedLayer matrix_layer(const Region& region, const Node& node) {
  QuantisedLayer layer = lifted_layer(region, node);
  Dims& d = layer.weights.dims;
  d.erase(d.begin(), d.end() - 2);
  return layer;
}

RowsByMatrix dense_of(const Region& region, const Node& node, const Batches& s) {
  return {region.values[node.inputs[0]].elements() / s.depth, s.depth, s.columns,
          node.integer("adj_y", 0) != 0 ? 0U : 1U};
}

constexpr std::size_t kQuantisedRank = 6;  // BYOC_MATMUL_Q_RANK

bool lower_float(Emitter& emitter, const Node& node, const Batches& s) {
  MatMul m;
  m.rows = s.rows;
  m.depth = s.depth;
  m.columns = s.columns;
  m.a_row = s.a_row;
  m.a_depth = s.a_depth;
  m.b_depth = s.b_depth;
  m.b_column = s.b_column;
  for (std::size_t i = 0; i < s.batch.dims.size(); ++i) {
    const std::size_t at = kMatMulBatchRank - s.batch.dims.size() + i;
    m.batch[at] = s.batch.dims[i].known();
    m.a_batch[at] = s.batch.strides[0][i].known();
    m.b_batch[at] = s.batch.strides[1][i].known();
  }
  lower_general_matmul(emitter, node, m);
  return true;
}

bool lower_quantised(Emitter& emitter, const Node& node, const Batches& s) {
  const QuantisedLayer layer = lifted_layer(emitter.region, node);
  const std::string name = stem(emitter, node);
  codegen::Step step;
  step.symbol = emitter.host().claim(name);
  step.nodes = {node_id(emitter, node)};
  const std::string type(c_type(layer.in.dtype));
  Kernel kernel = requant_kernel(layer.scaling, "matmul_q");
  kernel.symbol =
      "byoc_matmul_q_" + std::string(to_string(layer.in.dtype)) + std::string(requant_suffix(layer.scaling));
  kernel.defines["BYOC_ELEMENT"] = type;
  kernel.defines["BYOC_SUM"] = layer.scaling == Scaling::wide ? "uint64_t" : "uint32_t";
  step.kernel = emitter.kernel(kernel);
  StepText text;
  text.includes = {"byoc_matmul_q.h"};
  text.declarations.insert("BYOC_MATMUL_Q(" + step.kernel + ", " + type + ");");
  const std::string a = operand(emitter, step, node.inputs[0], name + "_a");
  const std::string b = operand(emitter, step, node.inputs[1], name + "_b");
  const Clamp clamp = range_of(layer.out);
  ParameterText p;
  p.add("requant", emit_scales(emitter, layer.scaling, name, layer.in, layer.weights, nullptr, layer.out, clamp, 1));
  p.add("batch", filled_in_front(s.batch.dims, kQuantisedRank, 1));
  p.add("a_batch", filled_in_front(s.batch.strides[0], kQuantisedRank, 0));
  p.add("b_batch", filled_in_front(s.batch.strides[1], kQuantisedRank, 0));
  p.add("rows", s.rows).add("depth", s.depth).add("columns", s.columns);
  p.add("a_row", s.a_row).add("a_depth", s.a_depth).add("b_depth", s.b_depth).add("b_column", s.b_column);
  p.add("a_zero", affine(layer.in).zero).add("b_zero", affine(layer.weights).zero);
  text.parameters = {p.definition("byoc_matmul_q_t", step.symbol + "_params")};
  text.body = "  " + step.kernel + "(&" + step.symbol + "_params, " + a + ", " + b + ", out0);\n";
  step.outputs = {{node.outputs[0]}};
  step.macs = static_cast<std::uint64_t>(layer.out.elements() * s.depth);
  emitter.step(node, std::move(step), text);
  return true;
}

}  // namespace

codegen::Verdict accepts_batch_matmul(const Region& region, const Node& node, const TargetSpec&) {
  const Value &a = region.values[node.inputs[0]], &b = region.values[node.inputs[1]];
  const Value& y = region.values[node.outputs[0]];
  const auto s = read_batches(region, node);
  const std::size_t most = a.quantised() ? kQuantisedRank : kMatMulBatchRank;
  if (!s || s->batch.dims.size() > most || !fits_int32(region, node))
    return refuse(Reason::unsupported_shape, "found operands " + shape_text(a.dims) + " and " + shape_text(b.dims) +
                                                 ", expected matrices with at most " + std::to_string(most) +
                                                 " batch dims and below 2 GiB");
  if (!a.quantised()) {
    for (const Value* v : {&a, &b})
      if (v->dtype != DType::f32) return refuse_dtype(v->dtype, "f32, or quantised i8 or i16");
    return claim();
  }
  if (region.requant != Requant::tflite)
    return refuse(Reason::unsupported_quantisation, "found quantised operands, expected those of a TFLite model");
  for (const Value* v : {&a, &b, &y}) {
    if (auto no = refuse_unless_quantised(*v, v == &y ? "output" : "operand")) return *no;
    if (v->dtype != a.dtype || v->dtype == DType::u8) return refuse_dtype(v->dtype, "i8 or i16, the same everywhere");
  }
  return refuse_scales(lifted_layer(region, node).scaling, a, b, y).value_or(claim());
}

std::vector<KernelOption> batch_matmul_options(const LayerQuestion& q, const Node& node) {
  const Value& w = q.region.values[node.inputs[1]];
  if (!w.quantised() || !is_dense(node, w) || w.dtype != DType::i8) return {};
  const auto s = read_batches(q.region, node);
  return s ? dense_options(q, matrix_layer(q.region, node), dense_of(q.region, node, *s)) : std::vector<KernelOption>();
}

bool lower_batch_matmul(Emitter& emitter, const Node& node) {
  const Batches s = *read_batches(emitter.region, node);
  const Value& w = *emitter.input(node, 1);
  if (!w.quantised()) return lower_float(emitter, node, s);
  if (is_dense(node, w) && w.dtype == DType::i8) {
    const QuantisedLayer layer = matrix_layer(emitter.region, node);
    const RowsByMatrix d = dense_of(emitter.region, node, s);
    if (is_s8_layer(layer, d.unit_axis)) return lower_dense_quantised(emitter, node, layer, d);
  }
  return lower_quantised(emitter, node, s);
}

}  // namespace byoc::c
