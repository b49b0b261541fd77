#include "backends/c/lower/dense/matmul_any.hpp"

#include <cmath>

#include "backends/c/lower/elementwise/activation.hpp"
#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/quantise/axis_scales.hpp"
#include "backends/c/lower/quantise/scale_operands.hpp"
#include "backends/c/lower/step/element_type.hpp"
#include "backends/c/lower/step/operands.hpp"
#include "backends/c/lower/step/typed_step.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;
using codegen::Verdict;

std::optional<MatMul> read_plain(const Region& region, const Node& node, std::string& why) {
  return node.op == "Gemm" ? read_gemm(region, node, why) : read_matmul(region, node, 0, 1, why);
}

ParameterText product_parameters(const MatMul& m) {
  ParameterText p;
  p.add("batch", m.batch).add("a_batch", m.a_batch).add("b_batch", m.b_batch);
  p.add("rows", m.rows).add("depth", m.depth).add("columns", m.columns);
  p.add("a_row", m.a_row).add("a_depth", m.a_depth).add("b_depth", m.b_depth).add("b_column", m.b_column);
  p.add("c_row", m.c_row).add("c_column", m.c_column);
  return p;
}

std::uint64_t macs(const MatMul& m) {
  std::uint64_t n = static_cast<std::uint64_t>(m.rows * m.depth * m.columns);
  for (const std::int64_t b : m.batch) n *= static_cast<std::uint64_t>(b);
  return n;
}

enum class ProductParameters { none, one, vector, each, bad };

// The kind of parameters that operand `at` has for the rows of a (or the columns of b) of the matrix operand.
ProductParameters parameter_kind(const Region& region, const Node& node, std::size_t matrix, std::size_t at,
                                 bool left) {
  const Value* v = given_input(region, node, at);
  if (!v) return ProductParameters::none;
  if (v->elements() == 1) return ProductParameters::one;
  std::vector<std::int64_t> dims = region.values[node.inputs[matrix]].dims;
  if (dims.size() == 1) dims.insert(left ? dims.begin() : dims.end(), 1);
  const std::int64_t count = left ? dims[dims.size() - 2] : dims.back();
  if (v->dims == std::vector<std::int64_t>{count}) return ProductParameters::vector;
  dims[dims.size() - (left ? 1 : 2)] = 1;
  return v->dims == dims ? ProductParameters::each : ProductParameters::bad;
}

// A byoc_matmul_parameters_t for the parameters of a (operand `of_a`) and b.
std::string emit_parameters(TypedStep& s, const Region& region, const Node& node, const MatMul& m, std::size_t b,
                            std::size_t of_a, std::size_t of_b, std::string_view name) {
  const ProductParameters left = parameter_kind(region, node, 0, of_a, true);
  const ProductParameters right = parameter_kind(region, node, b, of_b, false);
  std::array<std::int64_t, kMatMulBatchRank> a_batch{}, b_batch{};
  const auto scaled = [](std::int64_t step, std::int64_t matrix, std::int64_t parameters) {
    return matrix == 0 ? 0 : step / matrix * parameters;
  };
  for (std::size_t i = 0; i < kMatMulBatchRank; ++i) {
    if (left == ProductParameters::each) a_batch[i] = scaled(m.a_batch[i], m.rows * m.depth, m.rows);
    if (right == ProductParameters::each) b_batch[i] = scaled(m.b_batch[i], m.depth * m.columns, m.columns);
  }
  const auto step = [](ProductParameters p) {
    return p == ProductParameters::vector || p == ProductParameters::each ? 1 : 0;
  };
  return s.parameters(ParameterText()
                          .add("a_batch", a_batch)
                          .add("b_batch", b_batch)
                          .add("a_row", step(left))
                          .add("b_column", step(right)),
                      "byoc_matmul_parameters_t", name);
}

Verdict refuse_parameter(const Region& region, const Node& node, std::size_t i) {
  return refuse(Reason::unsupported_shape, "input " + std::to_string(i) + ": found " +
                                               shape_text(region.values[node.inputs[i]]) +
                                               ", expected one element, or one for each row or column");
}

bool is_8bit(DType t) { return t == DType::i8 || t == DType::u8; }

}  // namespace

Verdict accepts_matmul_plain(const Region& region, const Node& node) {
  const DType dtype = region.values[node.inputs[0]].dtype;
  const bool whole = dtype == DType::i32 || dtype == DType::u32 || dtype == DType::i64 || dtype == DType::u64;
  for (const codegen::ValueId v : node.inputs) {
    if (v == codegen::kNoValue) continue;
    if (region.values[v].dtype != dtype || !(is_float_type(dtype) || whole))
      return refuse_dtype(region.values[v].dtype, "f16, bf16, f32, f64, i32, u32, i64 or u64, or quantised i8");
  }
  std::string why;
  const auto m = read_plain(region, node, why);
  if (!m) return refuse(Reason::unsupported_shape, why);
  if (whole && (m->alpha != std::floor(m->alpha) || m->beta != std::floor(m->beta)))
    return refuse(Reason::unsupported_attribute, "found alpha or beta with a fraction, expected whole numbers");
  if (!activation_bounds(node) || (whole && node.text("activation", "none") != "none"))
    return refuse(Reason::unsupported_attribute, "found activation " + node.text("activation", ""));
  if (!fits_int32(region, node)) return refuse(Reason::unsupported_shape, "a tensor of 2 GiB or more");
  return claim();
}

bool lower_matmul_plain(Emitter& emitter, const Node& node) {
  std::string why;
  const auto m = read_plain(emitter.region, node, why);
  if (!m) return emitter.error(node, why);
  const DType dtype = emitter.input(node, 0)->dtype;
  Kernel kernel{"matmul_any.c", typed_symbol("matmul_any", {dtype}), {{"BYOC_PLAIN", "1"}}};
  define_element(kernel, "BYOC_A", dtype);
  define_arithmetic(kernel, dtype);
  TypedStep s(emitter, node);
  const std::string p = s.parameters(product_parameters(*m), "byoc_matmul_any_t");
  // Factors of unsigned products wrap like the products.
  const bool wraps = dtype == DType::u32 || dtype == DType::u64;
  const auto number = [&](double v) {
    if (!wraps || v >= 0) return c_literal(dtype, v);
    const auto wrapped = static_cast<std::uint64_t>(static_cast<std::int64_t>(v));
    return c_literal(dtype, dtype == DType::u32 ? wrapped & 0xffffffffU : wrapped);
  };
  const Bounds bounds = activation_bounds(node).value_or(Bounds{});
  s.call(kernel, "byoc_matmul_any.h", "BYOC_MATMUL_PLAIN",
         {std::string(c_type(dtype)), std::string(element_type(dtype)->work)},
         {p, s.in(0), s.in(1), node.op == "Gemm" ? s.in(2) : "NULL", s.out(0), number(static_cast<double>(m->alpha)),
          number(static_cast<double>(m->beta)), number(static_cast<double>(bounds.lo)),
          number(static_cast<double>(bounds.hi))});
  s.step.macs = macs(*m);
  return s.emit();
}

Verdict accepts_matmul_integer(const Region& region, const Node& node, const TargetSpec&) {
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}})
    if (!is_8bit(region.values[node.inputs[i]].dtype))
      return refuse_dtype(region.values[node.inputs[i]].dtype, "i8 or u8");
  std::string why;
  if (!read_matmul(region, node, 0, 1, why)) return refuse(Reason::unsupported_shape, why);
  for (const std::size_t i : {std::size_t{2}, std::size_t{3}})
    if (parameter_kind(region, node, i - 2, i, i == 2) == ProductParameters::bad)
      return refuse_parameter(region, node, i);
  if (!fits_int32(region, node)) return refuse(Reason::unsupported_shape, "a tensor of 2 GiB or more");
  return claim();
}

bool lower_matmul_integer(Emitter& emitter, const Node& node) {
  std::string why;
  const auto m = read_matmul(emitter.region, node, 0, 1, why);
  if (!m) return emitter.error(node, why);
  const DType a = emitter.input(node, 0)->dtype, b = emitter.input(node, 1)->dtype;
  Kernel kernel{"matmul_any.c", typed_symbol("matmul_integer", {a, b}), {{"BYOC_INTEGER", "1"}}};
  define_element(kernel, "BYOC_A", a);
  define_element(kernel, "BYOC_B", b);
  define_arithmetic(kernel, DType::i32);
  TypedStep s(emitter, node);
  const std::string p = s.parameters(product_parameters(*m), "byoc_matmul_any_t");
  const std::string zero = emit_parameters(s, emitter.region, node, *m, 1, 2, 3, "zeros");
  s.call(kernel, "byoc_matmul_any.h", "BYOC_MATMUL_INTEGER", {std::string(c_type(a)), std::string(c_type(b))},
         {p, zero, s.in(0), s.in(1), s.in(2), s.in(3), s.out(0)});
  s.step.macs = macs(*m);
  return s.emit();
}

Verdict accepts_qlinear_matmul_any(const Region& region, const Node& node) {
  if (auto no = refuse_qlinear_types(region, node)) return *no;
  std::string why;
  if (!read_matmul(region, node, 0, 3, why)) return refuse(Reason::unsupported_shape, why);
  for (const std::size_t i : {std::size_t{1}, std::size_t{2}, std::size_t{4}, std::size_t{5}})
    if (parameter_kind(region, node, i < 3 ? 0 : 3, i, i < 3) == ProductParameters::bad)
      return refuse_parameter(region, node, i);
  for (const std::size_t i : {std::size_t{6}, std::size_t{7}})
    if (region.values[node.inputs[i]].elements() != 1) return refuse_parameter(region, node, i);
  if (!fits_int32(region, node)) return refuse(Reason::unsupported_shape, "a tensor of 2 GiB or more");
  return claim();
}

bool lower_qlinear_matmul_any(Emitter& emitter, const Node& node) {
  std::string why;
  const auto m = read_matmul(emitter.region, node, 0, 3, why);
  if (!m) return emitter.error(node, why);
  const DType a = emitter.input(node, 0)->dtype, b = emitter.input(node, 3)->dtype;
  const DType y = emitter.value(node.outputs[0]).dtype;
  const ElementRange range = *element_range(y);
  Kernel kernel{"matmul_any.c",
                typed_symbol("qlinear_matmul_any", {a, b, y}),
                {{"BYOC_QLINEAR", "1"},
                 {"BYOC_LOW", "(" + std::to_string(range.low) + ")"},
                 {"BYOC_HIGH", std::to_string(range.high)}}};
  define_element(kernel, "BYOC_A", a);
  define_element(kernel, "BYOC_B", b);
  define_element(kernel, "BYOC_Y", y);
  define_arithmetic(kernel, DType::i32);
  TypedStep s(emitter, node);
  const std::string p = s.parameters(product_parameters(*m), "byoc_matmul_any_t");
  const std::string scale = emit_parameters(s, emitter.region, node, *m, 3, 1, 4, "scales");
  const std::string zero = emit_parameters(s, emitter.region, node, *m, 3, 2, 5, "zeros");
  s.call(kernel, "byoc_matmul_any.h", "BYOC_MATMUL_QLINEAR",
         {std::string(c_type(a)), std::string(c_type(b)), std::string(c_type(y))},
         {p, scale, zero, s.in(0), s.in(1), s.in(2), s.in(3), s.in(4), s.in(5), s.in(6), s.in(7), s.out(0)});
  s.step.macs = macs(*m);
  return s.emit();
}

}  // namespace byoc::c
