// Operators of two quantised operands in TFLite's arithmetic, of 8 or 16 bits: a table of expressions for one kernel.
// References: tensorflow/lite/micro/kernels/{add,sub,mul,prelu,squared_difference,div,comparisons}*.cc.
#include <algorithm>

#include "backends/c/lower/elementwise/fixed_reciprocal.hpp"
#include "backends/c/lower/elementwise/pair_factors.hpp"
#include "backends/c/lower/elementwise/pair_quantised.hpp"
#include "backends/c/lower/quantise/requantise.hpp"
#include "backends/c/lower/step/operands.hpp"
#include "backends/c/lower/step/parameter_text.hpp"
#include "backends/c/lower/step/view.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;
using codegen::Verdict;

using tflite::PairParameters;

// The parameters of an operator for the scales of its operands and its result.
PairParameters of_add(const Node&, const Value& a, const Value& b, const Value& y) {
  return tflite::add_parameters(affine(a), affine(b), affine(y), bit_width(a.dtype));
}
PairParameters of_sub(const Node& node, const Value& a, const Value& b, const Value& y) {
  return sub_factors(node, affine(a), affine(b), affine(y), bit_width(a.dtype));
}
PairParameters of_product(const Node& node, const Value& a, const Value& b, const Value& y) {
  return mul_factors(node, affine(a), affine(b), affine(y));
}
PairParameters of_prelu(const Node& node, const Value& a, const Value& b, const Value& y) {
  return prelu_factors(node, affine(a), affine(b), affine(y));
}
PairParameters of_squared_difference(const Node&, const Value& a, const Value& b, const Value& y) {
  return tflite::squared_difference_parameters(affine(a), affine(b), affine(y), bit_width(a.dtype));
}
PairParameters of_quotient(const Node&, const Value& a, const Value& b, const Value& y) {
  return {{}, {}, tflite::div_multiplier(affine(a), affine(b), affine(y))};
}
PairParameters of_comparison(const Node&, const Value& a, const Value& b, const Value&) {
  return tflite::comparison_parameters(affine(a), affine(b));
}
PairParameters none(const Node&, const Value&, const Value&, const Value&) { return {}; }

enum class Kind : std::uint8_t { arithmetic, comparison, as_it_is };

struct QuantisedPair {
  std::string_view op, stem, expression;
  PairParameters (*factors)(const Node& node, const Value& a, const Value& b, const Value& y);
  Kind kind = Kind::arithmetic;
  bool wide = true;              // exists for 16 bits
  bool narrow_b = false;         // operand b may have 8 bits where the others have 16
  std::string_view vector = {};  // of vectors, for pair_q_mve.c; a comparison's is a predicate
};

constexpr QuantisedPair kQuantisedPairs[] = {
    {"Add", "add", "BYOC_RESULT(BYOC_U + BYOC_V)", of_add, Kind::arithmetic, true, false,
     "BYOC_RESULT(vaddq_s32(BYOC_U, BYOC_V))"},
    {"Div", "div", "byoc_quotient(p, u, v)", of_quotient, Kind::arithmetic, false},
    {"Equal", "equal", "(BYOC_U == BYOC_V)", of_comparison, Kind::comparison, true, false,
     "vcmpeqq_s32(BYOC_U, BYOC_V)"},
    {"Greater", "greater", "(BYOC_U > BYOC_V)", of_comparison, Kind::comparison, true, false,
     "vcmpgtq_s32(BYOC_U, BYOC_V)"},
    {"GreaterOrEqual", "greater_or_equal", "(BYOC_U >= BYOC_V)", of_comparison, Kind::comparison, true, false,
     "vcmpgeq_s32(BYOC_U, BYOC_V)"},
    {"Less", "less", "(BYOC_U < BYOC_V)", of_comparison, Kind::comparison, true, false, "vcmpltq_s32(BYOC_U, BYOC_V)"},
    {"LessOrEqual", "less_or_equal", "(BYOC_U <= BYOC_V)", of_comparison, Kind::comparison, true, false,
     "vcmpleq_s32(BYOC_U, BYOC_V)"},
    {"Max", "max", "(u > v ? u : v)", none, Kind::as_it_is, true, false, "vmaxq_s32(u, v)"},
    {"Min", "min", "(u < v ? u : v)", none, Kind::as_it_is, true, false, "vminq_s32(u, v)"},
    {"Mul", "mul", "BYOC_RESULT(u * v)", of_product, Kind::arithmetic, true, false, "BYOC_RESULT(vmulq_s32(u, v))"},
    {"NotEqual", "not_equal", "(BYOC_U != BYOC_V)", of_comparison, Kind::comparison, true, false,
     "vcmpneq_s32(BYOC_U, BYOC_V)"},
    {"PRelu", "prelu", "(u >= 0 ? byoc_multiply_q31(u, p->a.multiplier, p->a.shift) : BYOC_RESULT(u * v))", of_prelu,
     Kind::arithmetic, true, true,
     "vpselq_s32(byoc_multiply_quad(u, 0, &p->a), BYOC_RESULT(vmulq_s32(u, v)), vcmpgeq_n_s32(u, 0))"},
    {"SquaredDifference", "squared_difference", "BYOC_RESULT((BYOC_U - BYOC_V) * (BYOC_U - BYOC_V))",
     of_squared_difference, Kind::arithmetic, true, false,
     "BYOC_RESULT(vmulq_s32(vsubq_s32(BYOC_U, BYOC_V), vsubq_s32(BYOC_U, BYOC_V)))"},
    {"Sub", "sub", "BYOC_RESULT(BYOC_U - BYOC_V)", of_sub, Kind::arithmetic, true, false,
     "BYOC_RESULT(vsubq_s32(BYOC_U, BYOC_V))"},
};

const QuantisedPair* find_quantised_pair(std::string_view op) {
  const auto* it = std::find_if(std::begin(kQuantisedPairs), std::end(kQuantisedPairs),
                                [&](const QuantisedPair& o) { return o.op == op; });
  return it == std::end(kQuantisedPairs) ? nullptr : it;
}

// 1 / (1 + fraction) of each |divisor| in Q31, as the reference's fixed-point Newton steps leave it.
std::string emit_reciprocals(Emitter& emitter, const std::string& stem) {
  std::vector<std::int32_t> table(256, 0);
  for (std::uint32_t v = 1; v < 256; ++v) {
    std::uint32_t top = v;
    while (!(top & 0x80000000U)) top <<= 1;
    table[v] = reciprocal_of_one_plus(static_cast<std::int32_t>(top - 0x80000000U));
  }
  return emitter.constant<std::int32_t>(stem + "_reciprocal", table, false);
}

std::string access(std::string_view what, DType t, std::string_view form) {
  return std::string(what) + (bit_width(t) == 8 ? "b" : "h") + "q_" + std::string(form) + "_s32";
}

Kernel quantised_pair_kernel(const Emitter& emitter, const QuantisedPair& o, DType a, DType b, DType y) {
  const bool vectors = !o.vector.empty() && takes_pair_vectors(emitter.target, emitter.objective);
  Kernel kernel{vectors ? "pair_q_mve.c" : "pair_q.c",
                "byoc_" + std::string(o.stem) + "_q_" + std::string(to_string(a)) +
                    (a == b ? "" : "_" + std::string(to_string(b))) + (vectors ? "_mve" : ""),
                {{"BYOC_A", std::string(c_type(a))},
                 {"BYOC_B", std::string(c_type(b))},
                 {"BYOC_Y", std::string(c_type(y))},
                 {"BYOC_OPERATION", std::string(vectors ? o.vector : o.expression)}}};
  if (o.kind != Kind::arithmetic) kernel.defines["BYOC_PLAIN"] = "1";
  if (!vectors) return kernel;
  if (o.kind == Kind::comparison) kernel.defines["BYOC_COMPARES"] = "1";
  kernel.defines["BYOC_LOAD_A"] = access("vldr", a, "z");
  kernel.defines["BYOC_LOAD_B"] = access("vldr", b, "z");
  kernel.defines["BYOC_STORE"] = access("vstr", y, "p");
  return kernel;
}

void add_factor(ParameterText& p, std::string_view name, std::int32_t zero, const Multiplier& m) {
  p.add(name, "{" + std::to_string(zero) + ", " + std::to_string(m.q) + ", " + std::to_string(m.shift) + "}");
}

}  // namespace

bool takes_pair_vectors(const TargetSpec& target, Objective objective) {
  return target.has("mve") && objective != Objective::size;
}

Verdict accepts_pair_quantised(const Region& region, const Node& node) {
  const QuantisedPair* o = find_quantised_pair(node.op);
  const Value &a = region.values[node.inputs[0]], &b = region.values[node.inputs[1]],
              &y = region.values[node.outputs[0]];
  if (!o || region.requant != Requant::tflite)
    return refuse(Reason::unsupported_quantisation, "found quantised operands, expected plain ones");
  for (const Value* v : {&a, &b, &y}) {
    if (v == &y && o->kind == Kind::comparison) {
      if (y.dtype != DType::boolean) return refuse_dtype(y.dtype, "bool");
      continue;
    }
    if (auto no = refuse_unless_quantised(*v, v == &y ? "output" : "operand")) return *no;
    if (v == &b && o->narrow_b && a.dtype == DType::i16 && b.dtype == DType::i8) continue;
    if (v->dtype != a.dtype || v->dtype == DType::u8 || (v->dtype == DType::i16 && !o->wide))
      return refuse_dtype(v->dtype, o->wide ? "i8 or i16, the same everywhere" : "i8");
  }
  if (!broadcasts_to(a, y) || !broadcasts_to(b, y))
    return refuse(Reason::unsupported_shape, "found operands " + shape_text(a.dims) + " and " + shape_text(b.dims) +
                                                 " for " + shape_text(y.dims) + ", expected a broadcast");
  const PairParameters f = o->factors(node, a, b, y);
  for (const Multiplier* m : {&f.a, &f.b, &f.y})
    if (m->shift > 30)
      return refuse(Reason::unsupported_quantisation,
                    "found a multiplier of 2^" + std::to_string(m->shift) + ", expected below 2^30");
  if (o->kind == Kind::comparison && (affine(a).scale >= 1 || affine(b).scale >= 1))
    return refuse(Reason::unsupported_quantisation, "found a scale of 1 or more, expected less");
  if (o->kind == Kind::arithmetic && !activation_clamp(region, node, y))
    return refuse(Reason::unsupported_attribute, "found activation " + node.text("activation", ""));
  return claim();
}

bool lower_pair_quantised(Emitter& emitter, const Node& node) {
  const QuantisedPair& o = *find_quantised_pair(node.op);
  const Value &a = *emitter.input(node, 0), &b = *emitter.input(node, 1), &y = emitter.value(node.outputs[0]);
  const bool plain = o.kind != Kind::arithmetic, moves = o.kind == Kind::as_it_is;
  const PairParameters f = o.factors(node, a, b, y);
  const Clamp clamp = plain ? Clamp{0, 0} : activation_clamp(emitter.region, node, y).value_or(Clamp{});
  const std::string name = stem(emitter, node);
  codegen::Step step;
  step.symbol = emitter.host().claim(name);
  step.nodes = {node_id(emitter, node)};
  step.kernel = emitter.kernel(quantised_pair_kernel(emitter, o, a.dtype, b.dtype, y.dtype));
  StepText text;
  text.includes = {"byoc_pair_q.h"};
  text.declarations.insert("BYOC_PAIR_Q(" + step.kernel + ", " + std::string(c_type(a.dtype)) + ", " +
                           std::string(c_type(b.dtype)) + ", " + std::string(c_type(y.dtype)) + ");");
  const std::string left = operand(emitter, step, node.inputs[0], name + "_a");
  const std::string right = operand(emitter, step, node.inputs[1], name + "_b");
  const PeeledNest nest = peel(
      merge({y.dims, {broadcast_strides(a.dims, y.dims), broadcast_strides(b.dims, y.dims), dense_strides(y.dims)}}));
  ParameterText p;
  add_loops(p, nest.inner, {"a_stride", "b_stride"});
  add_factor(p, "a", moves ? 0 : affine(a).zero, f.a);
  add_factor(p, "b", moves ? 0 : affine(b).zero, f.b);
  add_factor(p, "y", plain ? 0 : affine(y).zero, f.y);
  p.add("left", f.left).add("min", clamp.low).add("max", clamp.high);
  p.add("reciprocal", node.op == "Div" ? emit_reciprocals(emitter, name) : "0");
  text.parameters = {p.definition("byoc_pair_q_t", step.symbol + "_params")};
  text.body = nest.around("  " + step.kernel + "(&" + step.symbol + "_params, " + left + nest.offsets[0] + ", " +
                          right + nest.offsets[1] + ", out0" + nest.offsets[2] + ");\n");
  std::uint32_t position = 0;
  for (const codegen::ValueId id : {node.inputs[0], node.inputs[1]}) {
    if (emitter.value(id).is_constant) continue;
    if (emitter.value(id).elements() == y.elements() && bit_width(emitter.value(id).dtype) == bit_width(y.dtype))
      step.overlays.push_back({.output = 0, .input = position});
    ++position;
  }
  step.outputs = {{node.outputs[0]}};
  emitter.step(node, std::move(step), text);
  return true;
}

}  // namespace byoc::c
