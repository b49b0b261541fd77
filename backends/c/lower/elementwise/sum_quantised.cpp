#include "backends/c/lower/elementwise/sum_quantised.hpp"

#include <array>

#include "backends/c/lower/elementwise/sum_tables.hpp"
#include "backends/c/lower/step/parameter_text.hpp"

namespace byoc::c {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;
using codegen::Verdict;

using tflite::PairParameters;

namespace {

constexpr std::size_t kSumRank = 4;

struct Broadcast {
  std::array<std::int64_t, kSumRank> dims{1, 1, 1, 1}, stride0{}, stride1{};
};

// The stride of dim `d` of `out` in an operand: 0 where it is broadcast.
std::int64_t stride_of(const std::vector<std::int64_t>& operand, const std::vector<std::int64_t>& out, std::size_t d) {
  const std::size_t missing = out.size() - operand.size();
  if (d < missing || (operand[d - missing] == 1 && out[d] != 1)) return 0;
  std::int64_t stride = 1;
  for (std::size_t i = d - missing + 1; i < operand.size(); ++i) stride *= operand[i];
  return stride;
}

// Merges dims that both operands walk alike. Null: shapes that do not broadcast, or more than four dims left.
std::optional<Broadcast> read_broadcast(const Value& a, const Value& b, const Value& y) {
  if (a.dims.size() > y.dims.size() || b.dims.size() > y.dims.size()) return std::nullopt;
  struct Dim {
    std::int64_t length, s0, s1;
  };
  std::vector<Dim> merged;  // innermost first
  for (std::size_t i = y.dims.size(); i-- > 0;) {
    for (const Value* v : {&a, &b}) {
      const std::size_t missing = y.dims.size() - v->dims.size();
      if (i >= missing && v->dims[i - missing] != 1 && v->dims[i - missing] != y.dims[i]) return std::nullopt;
    }
    if (y.dims[i] == 1) continue;
    const Dim d{y.dims[i], stride_of(a.dims, y.dims, i), stride_of(b.dims, y.dims, i)};
    if (!merged.empty() && d.s0 == merged.back().s0 * merged.back().length &&
        d.s1 == merged.back().s1 * merged.back().length) {
      merged.back().length *= d.length;
    } else {
      merged.push_back(d);
    }
  }
  if (merged.size() > kSumRank) return std::nullopt;
  Broadcast out;
  for (std::size_t i = 0; i < merged.size(); ++i) {
    const std::size_t at = kSumRank - 1 - i;
    out.dims[at] = merged[i].length;
    out.stride0[at] = merged[i].s0;
    out.stride1[at] = merged[i].s1;
  }
  return out;
}

std::optional<FittedSum> fitted_sum(const Region& region, const Node& node, PairOperator op) {
  if (region.requant != Requant::onnx || op == PairOperator::multiply) return std::nullopt;
  return fit_sum(region.values[node.inputs[0]], region.values[node.inputs[1]], region.values[node.outputs[0]],
                 op == PairOperator::subtract ? -1 : 1);
}

bool all_signed(const Region& region, const Node& node) {
  const auto is_s8 = [&](codegen::ValueId v) { return region.values[v].dtype == DType::i8; };
  return is_s8(node.inputs[0]) && is_s8(node.inputs[1]) && is_s8(node.outputs[0]);
}

// Without tables, which take 2 KiB for each layer, the kernel needs shifts to the right, for the sum within the range
// of byoc_channel_of(). Operands always have them, because their scales are at most half of the sum's.
bool may_be_direct(const Region& region, const Node& node, const PairParameters& scales, PairOperator op) {
  return all_signed(region, node) && op != PairOperator::multiply && region.requant == Requant::tflite &&
         scales.a.shift <= 0 && scales.b.shift <= 0 && scales.y.shift <= -2 && scales.y.shift >= -23;
}

constexpr std::string_view direct_kernel(PairOperator op) {
  return op == PairOperator::subtract ? "sub_direct_s8" : "add_direct_s8";
}

// With right = -shift it is one shift of 31 + right bits (byoc_multiply_q31), of which 32 are the choice of the high
// word.
Definition term_definition(const std::string& name, const Value& v, const Multiplier& m) {
  const int right = -m.shift, more = right == 0 ? 1 : 0;
  const std::int64_t above =
      ((std::int64_t{1} << 30) + (right > 0 ? std::int64_t{1} << (30 + right) : 0)) * (std::int64_t{1} << more);
  const std::int64_t below = right > 0 ? above - (std::int64_t{1} << 31) : above;
  ParameterText p;
  p.add("above, below", "INT64_C(" + std::to_string(above) + "), INT64_C(" + std::to_string(below) + ")")
      .add("zero", affine(v).zero)
      .add("multiplier", m.q)
      .add("left", tflite::kSumLeftShift + more)
      .add("shift", right > 0 ? right - 1 : 0);
  return p.definition("byoc_term_t", name);
}

// The kernels take int8_t; of other elements it is the bits that count.
std::string as_s8(const Value& v, bool is_input, const std::string& pointer) {
  return v.dtype == DType::i8 ? pointer : (is_input ? "(const int8_t *)" : "(int8_t *)") + pointer;
}

// The kernel over tables, which are of `scaling`. Floats are divided by the output's scale, which MVE cannot.
std::string table_kernel(const Region& region, const Node& node, const TargetSpec& target, PairOperator op,
                         Scaling scaling) {
  if (op == PairOperator::multiply) return "mul_s8";
  const bool mve = scaling == Scaling::tflite && target.has("mve");
  return mve && all_signed(region, node) ? "add_s8_mve" : "add_s8";
}

Scaling table_scaling(const Region& region, bool is_fitted) {
  return region.requant == Requant::tflite || is_fitted ? Scaling::tflite : Scaling::onnx;
}

Kernel pair_kernel(const Emitter& emitter, const Node& node, PairOperator op, bool direct, Scaling scaling) {
  if (direct && op == PairOperator::subtract)
    return {"add_direct_s8.c", "byoc_sub_direct_s8", {{"BYOC_OPERATOR", "-"}}};
  if (direct) return {"add_direct_s8.c", "byoc_add_direct_s8", {}};
  const std::string stem = table_kernel(emitter.region, node, emitter.target, op, scaling);
  if (op != PairOperator::multiply) return requant_kernel(scaling, stem);
  Kernel kernel = requant_kernel(scaling, "add_s8");
  kernel.symbol = "byoc_" + stem + std::string(requant_suffix(scaling));
  kernel.defines["BYOC_OPERATOR"] = "*";
  return kernel;
}

}  // namespace

Verdict accepts_pair(const Region& region, const Node& node, PairParameters (*read)(const Region&, const Node&),
                     std::int32_t largest_shift) {
  const Value& a = region.values[node.inputs[0]];
  const Value& b = region.values[node.inputs[1]];
  const Value& y = region.values[node.outputs[0]];
  for (const Value* v : {&a, &b, &y})
    if (auto no = refuse_unless_8bit(*v, v == &y ? "output" : "operand")) return *no;
  const PairParameters scales = read(region, node);
  if (!read_broadcast(a, b, y))
    return refuse(Reason::unsupported_shape, "found operands " + shape_text(a.dims) + " and " + shape_text(b.dims) +
                                                 " for " + shape_text(y.dims) +
                                                 ", expected a broadcast of at most four dims");
  if (region.requant == Requant::tflite && scales.y.shift > largest_shift)
    return refuse(Reason::unsupported_quantisation, "found an output multiplier of 2^" +
                                                        std::to_string(scales.y.shift) + ", expected below 2^" +
                                                        std::to_string(largest_shift));
  if (!activation_clamp(region, node, y))
    return refuse(Reason::unsupported_attribute, "found activation " + node.text("activation", ""));
  return claim();
}

std::vector<KernelOption> pair_options(const LayerQuestion& q, const Node& node, const PairParameters& scales,
                                       PairOperator op) {
  const Value &a = q.region.values[node.inputs[0]], &b = q.region.values[node.inputs[1]],
              &y = q.region.values[node.outputs[0]];
  const auto shape = read_broadcast(a, b, y);
  if (!shape) return {};
  const Scaling scaling = table_scaling(q.region, fitted_sum(q.region, node, op).has_value());
  KernelOption tables;
  tables.kernel = table_kernel(q.region, node, q.target, op, scaling);
  tables.suffix = requant_suffix(scaling);
  tables.constants = 2 * 256 * sizeof(std::int32_t);
  tables.work.results = static_cast<double>(y.elements());
  tables.work.starts = tables.work.results / static_cast<double>(shape->dims[kSumRank - 1]);
  std::vector<KernelOption> out{tables};
  if (!may_be_direct(q.region, node, scales, op)) return out;
  KernelOption direct = tables;
  direct.kernel = direct_kernel(op);
  direct.constants = 0;
  // 2 KiB for each layer are for speed, but for vectors, which read them.
  if (q.objective != Objective::speed && tables.kernel != "add_s8_mve") return {direct};
  out.push_back(direct);
  return out;
}

bool lower_pair(Emitter& emitter, const Node& node, const PairParameters& scales, PairOperator op) {
  const Value& a = *emitter.input(node, 0);
  const Value& b = *emitter.input(node, 1);
  const Value& y = emitter.value(node.outputs[0]);
  const auto shape = read_broadcast(a, b, y);
  if (!shape) return emitter.error(node, "found shapes that do not broadcast");
  const Clamp clamp = activation_clamp(emitter.region, node, y).value_or(Clamp{});
  codegen::Step step;
  step.nodes = {static_cast<codegen::NodeId>(&node - emitter.region.nodes.data())};
  const std::string stem = (op == PairOperator::multiply ? "product_" : "sum_") + std::to_string(step.nodes[0]);
  step.symbol = emitter.host().claim(stem);
  const bool direct = emitter.chosen(node) == direct_kernel(op);
  const std::optional<FittedSum> fitted = fitted_sum(emitter.region, node, op);
  const Scaling scaling = table_scaling(emitter.region, fitted.has_value());
  step.kernel = emitter.kernel(pair_kernel(emitter, node, op, direct, scaling));
  StepText text;
  text.includes = {"byoc_add_s8.h"};
  ParameterText p;
  if (direct) {
    const std::string term0 = step.symbol + "_term0", term1 = step.symbol + "_term1";
    text.parameters = {term_definition(term0, a, scales.a), term_definition(term1, b, scales.b)};
    p.add("table0", "&" + term0).add("table1", "&" + term1);
  } else {
    const int sign = op == PairOperator::subtract ? -1 : 1;
    const auto table = [&](int i, const auto& elements) {
      const std::string name = "table" + std::to_string(i);
      p.add(name, emitter.constant<std::remove_cvref_t<decltype(elements[0])>>(stem + "_" + name, elements, false));
    };
    if (fitted) {
      table(0, fitted->table0);
      table(1, fitted->table1);
    } else if (scaling == Scaling::onnx) {
      table(0, real_table(a, 1));
      table(1, real_table(b, sign));
    } else {
      table(0, integer_table(a, scales.a, op, 1));
      table(1, integer_table(b, scales.b, op, sign));
    }
  }
  const Multiplier& out = fitted ? fitted->out : scales.y;
  p.add("out_scale", c_float(affine(y).scale))
      .add("multiplier", out.q)
      .add("shift", out.shift)
      .add("zero", affine(y).zero)
      .add("min", clamp.low)
      .add("max", clamp.high)
      .add("dims", shape->dims)
      .add("stride0", shape->stride0)
      .add("stride1", shape->stride1);
  text.parameters.push_back(p.definition("byoc_add_s8_t", step.symbol + "_params"));
  text.body = "  " + step.kernel + "(&" + step.symbol + "_params";
  for (std::size_t i = 0; i < 2; ++i) {
    const Value& v = *emitter.input(node, i);
    if (v.is_constant) {
      text.body += ", " + as_s8(v, true, emitter.constant_value(stem + "_operand" + std::to_string(i), node.inputs[i]));
      continue;
    }
    text.body += ", " + as_s8(v, true, "in" + std::to_string(step.inputs.size()));
    // A pass from front to back may write over an operand of the same shape.
    if (v.elements() == y.elements() && v.dtype == y.dtype)
      step.overlays.push_back({0, static_cast<std::uint32_t>(step.inputs.size())});
    step.inputs.push_back({node.inputs[i]});
  }
  text.body += ", " + as_s8(y, false, "out0") + ");\n";
  step.outputs = {{node.outputs[0]}};
  emitter.step(node, std::move(step), text);
  return true;
}

}  // namespace byoc::c
