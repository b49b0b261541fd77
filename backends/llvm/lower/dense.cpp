// Gemm, MatMul and byoc.FullyConnected: by a constant matrix convolutions of one pixel, whose images are rows; by
// computed matrices products of each batch.
#include "backends/llvm/kernels/batched_product.hpp"
#include "backends/llvm/kernels/product.hpp"
#include "backends/llvm/lower/conv_s8.hpp"
#include "backends/llvm/lower/lowerings.hpp"
#include "backends/llvm/lower/products.hpp"
#include "backends/llvm/lower/reals.hpp"
#include "byoc/nodes/matmul.hpp"
#include "byoc/nodes/verdict.hpp"

namespace byoc::bitcode {
namespace {

using codegen::Arrangement;
using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Verdict;
using nodes::MatMul;

// The left matrices as one of all rows.
Product dense_product(const MatMul& m) {
  Product p;
  p.in = m.depth;
  p.out = m.columns;
  p.cols = m.rows;
  for (const std::int64_t b : m.batch) p.cols *= b;
  p.x_col = m.depth;
  p.y_col = m.columns;
  return p;
}

// [block][depth][channels]
Arrangement dense_weight_order(const MatMul& m, Real real, std::int64_t channels) {
  enum : std::uint32_t { depth, column };
  const auto n = [](std::int64_t x) { return static_cast<std::uint64_t>(x); };
  return {.element_size = static_cast<std::uint32_t>(size_of(real)),
          .axes = {{n(m.depth), n(m.b_depth)}, {n(m.columns), n(m.b_column)}},
          .loops = {{n((m.columns + channels - 1) / channels), column, n(channels)},
                    {n(m.depth), depth, 1},
                    {n(channels), column, 1}}};
}

// The right matrix is packed when the model runs: it is computed, or there is one for each batch.
bool packs_at_run_time(const Region& region, const Node& node, const MatMul& m) {
  return !region.values[node.inputs[1]].is_constant ||
         std::ranges::any_of(m.b_batch, [](std::int64_t step) { return step != 0; });
}

Verdict accepts(const Region& region, const Node& node, const std::optional<MatMul>& m, const std::string& why) {
  if (!m) return nodes::refuse(Reason::unsupported_shape, why);
  if (m->a_depth != 1)
    return nodes::refuse(Reason::unsupported_attribute, "found a transposed left operand, expected one by rows");
  const codegen::Value& x = region.values[node.inputs[0]];
  if (packs_at_run_time(region, node, *m) && x.dtype != DType::f32)
    return nodes::refuse_dtype(x.dtype, "f32 for a computed right operand");
  if (m->rows * m->depth * m->columns == 0)
    return nodes::refuse(Reason::unsupported_shape, "found a product of nothing");
  if (!nodes::activation_bounds(node))
    return nodes::refuse(Reason::unsupported_attribute, "found activation " + node.text("activation", ""));
  return nodes::claim();
}

// The result's last dim is the columns: it is not where the right operand is a vector.
bool has_columns_last(Emitter& emitter, const Node& node, const MatMul& m) {
  const std::vector<std::int64_t>& dims = emitter.value(node.outputs[0]).dims;
  return !dims.empty() && dims.back() == m.columns;
}

bool lower_computed(Emitter& emitter, const Node& node, const MatMul& m) {
  const Fused fused = emitter.fuse(node, {.may_shift = has_columns_last(emitter, node, m)});
  Product p = one_of(m);
  p.bounds = fused.bounds;
  const Tile tile = choose_tile(emitter.machine, p);
  codegen::Step step;
  step.outputs = {{fused.output}};
  step.nodes = fused.nodes;
  std::int64_t batches = 1;
  for (const std::int64_t b : m.batch) batches *= b;
  step.macs = static_cast<std::uint64_t>(batches * m.rows * m.depth * m.columns);
  const std::string product = product_kernel(emitter, "product", p, tile);
  Call call;
  call.kernel = emitter.modules().kernel(
      "batched_product", product + " " + bitcode::key_of(m),
      [&](Code& code, const std::string& symbol) { write_batched_product(code, symbol, m, tile, product); });
  const Argument a = emitter.operand(node, 0, step), b = emitter.operand(node, 1, step);
  const Argument packed = scratch(step, packed_floats(m, tile) * static_cast<std::int64_t>(sizeof(float)));
  call.arguments = {a, b, channel_arguments(emitter, node, fused, 1, tile.channels())[0], output(0), packed};
  emitter.step(node, std::move(step), {call});
  return true;
}

bool lower(Emitter& emitter, const Node& node, const MatMul& m) {
  if (packs_at_run_time(emitter.region, node, m)) return lower_computed(emitter, node, m);
  const Real real = real_of(emitter.value(node.inputs[0]));
  const Fused fused = emitter.fuse(node, {.may_scale = real == Real::f32,
                                          .may_add = true,
                                          .may_shift = real == Real::f32 && has_columns_last(emitter, node, m)});
  Product p = dense_product(m);
  p.w = p.y = real;
  p.scales = !fused.scale.empty();
  p.adds = fused.added != codegen::kNoValue;
  p.bounds = fused.bounds;
  const Tile tile = choose_tile(emitter.machine, p);
  const std::int64_t pieces = pieces_of(p, tile), macs = p.cols * p.in * p.out;
  p.by_range = emitter.is_shared(Emitter::Work::products, macs, pieces);
  const std::string stem = emitter.stem(node);
  const Argument w =
      constant(emitter.arranged(stem + "_weights", node.inputs[1], dense_weight_order(m, real, tile.channels())));

  codegen::Step step = fused_step(node, fused, static_cast<std::uint64_t>(macs));
  std::vector<Call> calls;
  Argument x = input(0);
  if (real != Real::f32) {
    const std::int64_t count = p.cols * m.depth;
    step.workspaces = {{.bytes = static_cast<std::uint64_t>(count) * sizeof(float), .align = 16}};
    calls.push_back({widening_kernel(emitter, real, count), {x, workspace(0)}, 0});
    x = workspace(0);
  }
  Call call{product_kernel(emitter, "product", p, tile), {x, w}, p.by_range ? pieces : 0};
  for (const Argument& a : channel_arguments(emitter, node, fused, 1, tile.channels())) call.arguments.push_back(a);
  if (p.adds) call.arguments.push_back(input(1));
  call.arguments.push_back(output(0));
  calls.push_back(std::move(call));
  emitter.step(node, std::move(step), calls);
  return true;
}

bool is_quantised(const Region& region, const Node& node) { return region.values[node.inputs[0]].quantised(); }

Verdict accepts_dense_s8(const Region& region, const Node& node, const nodes::RowsByMatrix& d) {
  const nodes::QuantisedLayer layer = nodes::lifted_layer(region, node);
  const codegen::Value &x = layer.in, &w = layer.weights, &y = layer.out;
  if (w.dims.size() != 2 || w.elements() != d.depth * d.units || d.depth * d.units * d.rows == 0 ||
      x.elements() != d.rows * d.depth || y.elements() != d.rows * d.units)
    return nodes::refuse(Reason::unsupported_shape, "found input " + nodes::shape_text(x) + ", weights " +
                                                        nodes::shape_text(w) + " and output " + nodes::shape_text(y) +
                                                        ", expected the product of rows with a matrix");
  const auto clamp = nodes::activation_clamp(region, node, y);
  if (!clamp) return nodes::refuse(Reason::unsupported_attribute, "found activation " + node.text("activation", ""));
  return accepts_layer_s8(region, layer, nodes::as_convolution(d, *clamp));
}

bool lower_s8(Emitter& emitter, const Node& node, const nodes::RowsByMatrix& d) {
  const nodes::QuantisedLayer layer = nodes::lifted_layer(emitter.region, node);
  const auto clamp = nodes::activation_clamp(emitter.region, node, layer.out);
  return lower_layer_s8(emitter, node, layer, nodes::as_convolution(d, clamp.value_or(nodes::Clamp{})));
}

nodes::RowsByMatrix matmul_rows(const Region& region, const Node& node) {
  return nodes::rows_by_matrix(region.values[node.inputs[0]], region.values[node.inputs[1]]);
}

// Reads floats: the matrix is [units, depth].
std::optional<MatMul> read_float(const Region& region, const Node& node, std::string& why) {
  const nodes::RowsByMatrix d = nodes::read_fully_connected(region, node);
  if (d.units == 0) {
    why = "found weights " + nodes::shape_text(region.values[node.inputs[1]]) + ", expected a matrix";
    return std::nullopt;
  }
  MatMul m;
  m.rows = d.rows, m.depth = d.depth, m.columns = d.units;
  m.a_row = d.depth, m.a_depth = 1, m.b_depth = 1, m.b_column = d.depth;
  return m;
}

}  // namespace

Verdict accepts_fully_connected(const Region& region, const Node& node) {
  if (is_quantised(region, node)) return accepts_dense_s8(region, node, nodes::read_fully_connected(region, node));
  const codegen::Value* bias = nodes::given_input(region, node, 2);
  if (bias != nullptr && !bias->is_constant)
    return nodes::refuse(Reason::not_constant, "found a computed bias, expected a constant");
  std::string why;
  return accepts(region, node, read_float(region, node, why), why);
}

bool lower_fully_connected(Emitter& emitter, const Node& node) {
  if (is_quantised(emitter.region, node))
    return lower_s8(emitter, node, nodes::read_fully_connected(emitter.region, node));
  std::string why;
  const auto m = read_float(emitter.region, node, why);
  return m ? lower(emitter, node, *m) : emitter.error(node, why);
}

Verdict accepts_gemm(const Region& region, const Node& node) {
  if (is_quantised(region, node)) {
    if (node.integer("transA", 0) != 0 || node.real("alpha", 1) != 1 || node.real("beta", 1) != 1)
      return nodes::refuse(Reason::unsupported_attribute, "found transA, alpha or beta on i8, expected 0, 1 and 1");
    return accepts_dense_s8(region, node, nodes::read_gemm_rows(region, node));
  }
  std::string why;
  const auto m = nodes::read_gemm(region, node, why);
  const codegen::Value* c = nodes::given_input(region, node, 2);
  if (m && (m->alpha != 1 || (c != nullptr && m->beta != 1)))
    return nodes::refuse(Reason::unsupported_attribute, "found alpha or beta, expected 1");
  if (m && c != nullptr && (!c->is_constant || m->c_row != 0))
    return nodes::refuse(Reason::not_constant, "found a C that is no constant row");
  return accepts(region, node, m, why);
}

bool lower_gemm(Emitter& emitter, const Node& node) {
  if (is_quantised(emitter.region, node)) return lower_s8(emitter, node, nodes::read_gemm_rows(emitter.region, node));
  std::string why;
  const auto m = nodes::read_gemm(emitter.region, node, why);
  return m ? lower(emitter, node, *m) : emitter.error(node, why);
}

Verdict accepts_matmul(const Region& region, const Node& node) {
  if (is_quantised(region, node)) return accepts_dense_s8(region, node, matmul_rows(region, node));
  std::string why;
  return accepts(region, node, nodes::read_matmul(region, node, 0, 1, why), why);
}

bool lower_matmul(Emitter& emitter, const Node& node) {
  if (is_quantised(emitter.region, node)) return lower_s8(emitter, node, matmul_rows(emitter.region, node));
  std::string why;
  const auto m = nodes::read_matmul(emitter.region, node, 0, 1, why);
  return m ? lower(emitter, node, *m) : emitter.error(node, why);
}

}  // namespace byoc::bitcode
