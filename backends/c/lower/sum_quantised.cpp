#include "backends/c/lower/sum_quantised.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "backends/c/lower/parameter_text.hpp"

namespace byoc::c {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;
using codegen::Verdict;

namespace {

constexpr int kLeftShift = 20;  // headroom of the sum's scale, as in the reference
constexpr std::size_t kRank = 4;

struct Broadcast {
  std::array<std::int64_t, kRank> dims{1, 1, 1, 1}, stride0{}, stride1{};
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
  if (merged.size() > kRank) return std::nullopt;
  Broadcast out;
  for (std::size_t i = 0; i < merged.size(); ++i) {
    const std::size_t at = kRank - 1 - i;
    out.dims[at] = merged[i].length;
    out.stride0[at] = merged[i].s0;
    out.stride1[at] = merged[i].s1;
  }
  return out;
}

// An element by its bits as int8_t, without its zero point.
std::int32_t element(const Value& v, std::int32_t bits) {
  return (v.dtype == DType::u8 ? static_cast<std::int32_t>(static_cast<std::uint8_t>(bits)) : bits) - affine(v).zero;
}

// What each of the 256 elements stands for in the sum or product, by its bits as int8_t.
std::vector<float> real_table(const Value& v, int sign) {
  std::vector<float> table;
  for (std::int32_t q = -128; q <= 127; ++q)
    table.push_back(static_cast<float>(sign) * (static_cast<float>(element(v, q)) * affine(v).scale));
  return table;
}
std::vector<std::int32_t> integer_table(const Value& v, const Multiplier& m, PairOperator op, int sign) {
  std::vector<std::int32_t> table;
  for (std::int32_t q = -128; q <= 127; ++q)
    table.push_back(op == PairOperator::multiply ? element(v, q)
                                                 : sign * multiply(element(v, q) * (1 << kLeftShift), m));
  return table;
}

// Sums of ONNX in integers: tables and an output multiplier with which TFLite's kernels give what rounding the float
// sum gives.
struct FittedSum {
  std::vector<std::int32_t> table0, table1;
  Multiplier out;
};

// The float result before the clamp; as the kernel for floats computes it.
double float_sum(float a, float b, float out_scale) { return std::nearbyint(static_cast<double>((a + b) / out_scale)); }

// The least x that `out` turns into y, -255 to 256; a right shift of 22 at most keeps it within 32 bits.
std::int64_t least_for(std::int32_t y, const Multiplier& out) {
  auto x = (2 * static_cast<std::int32_t>(y) - 1) * (1 << -out.shift);
  while (multiply(x, out) >= y) --x;
  while (multiply(x, out) < y) ++x;
  return x;
}

// Float sums round several times, so their results differ from those of exact sums for a few of the 65,536 pairs, all
// of them nearly half way between two steps. Given the second table, each pair leaves an interval for the entry of the
// first: where all pairs of an entry have a number in common, it is that. Null: an entry has none, as where exact
// halves, which go to even numbers, are frequent.
std::optional<FittedSum> fit_sum(const Value& a, const Value& b, const Value& y, int sign) {
  const std::vector<float> reals0 = real_table(a, 1), reals1 = real_table(b, sign);
  const double step = affine(y).scale;
  double most = 0;
  for (const auto* table : {&reals0, &reals1})
    most += std::max(std::abs(table->front()), std::abs(table->back())) / step;
  const int bits = std::min(22, 28 - std::ilogb(most + 1));
  if (bits < 1) return std::nullopt;
  FittedSum fitted{{}, {}, {1 << 30, -bits}};
  const double unit = std::ldexp(1.0, bits + 1) / step;
  for (const float r : reals1) fitted.table1.push_back(static_cast<std::int32_t>(std::lround(r * unit)));
  const std::int32_t zero = affine(y).zero, low = (y.dtype == DType::u8 ? 0 : -128) - zero, high = low + 255;
  std::vector<std::int64_t> least;  // of each result, and of the one above all
  for (std::int32_t r = low; r <= high + 1; ++r) least.push_back(least_for(r, fitted.out));
  least.front() = std::numeric_limits<std::int32_t>::min();
  least.back() = std::numeric_limits<std::int32_t>::max();
  for (const float r : reals0) {
    auto from = static_cast<std::int64_t>(std::numeric_limits<std::int32_t>::min()), to = -from;
    for (std::size_t i = 0; i < reals1.size(); ++i) {
      const double result = std::clamp<double>(float_sum(r, reals1[i], affine(y).scale), low, high);
      const auto at = static_cast<std::size_t>(static_cast<std::int32_t>(result) - low);
      from = std::max(from, least[at] - fitted.table1[i]);
      to = std::min(to, least[at + 1] - 1 - fitted.table1[i]);
    }
    if (from > to) return std::nullopt;
    fitted.table0.push_back(static_cast<std::int32_t>(std::clamp<std::int64_t>(std::llround(r * unit), from, to)));
  }
  return fitted;
}

std::optional<FittedSum> fit_sum(const Region& region, const Node& node, PairOperator op) {
  if (region.requant != Requant::onnx || op == PairOperator::multiply) return std::nullopt;
  return fit_sum(region.values[node.inputs[0]], region.values[node.inputs[1]], region.values[node.outputs[0]],
                 op == PairOperator::subtract ? -1 : 1);
}

bool all_signed(const Region& region, const Node& node) {
  const auto is_s8 = [&](codegen::ValueId v) { return region.values[v].dtype == DType::i8; };
  return is_s8(node.inputs[0]) && is_s8(node.inputs[1]) && is_s8(node.outputs[0]);
}

// Without tables, which take 2 KiB for each layer, the kernel wants shifts to the right, of the sum by what
// byoc_channel_of() covers; operands never have another, for their scales are at most half of the sum's.
bool may_be_direct(const Region& region, const Node& node, const PairScales& scales, PairOperator op) {
  return all_signed(region, node) && op != PairOperator::multiply && region.requant == Requant::tflite &&
         scales.in0.shift <= 0 && scales.in1.shift <= 0 && scales.out.shift <= -2 && scales.out.shift >= -23;
}

constexpr std::string_view direct_kernel(PairOperator op) {
  return op == PairOperator::subtract ? "sub_direct_s8" : "add_direct_s8";
}

// With right = -shift it is one shift of 31 + right bits (byoc_multiply_q31), of which a high word takes 32.
std::string term_definition(const std::string& name, const Value& v, const Multiplier& m) {
  const int right = -m.shift, more = right == 0 ? 1 : 0;
  const std::int64_t above =
      ((std::int64_t{1} << 30) + (right > 0 ? std::int64_t{1} << (30 + right) : 0)) * (std::int64_t{1} << more);
  const std::int64_t below = right > 0 ? above - (std::int64_t{1} << 31) : above;
  ParameterText p;
  p.add("above, below", "INT64_C(" + std::to_string(above) + "), INT64_C(" + std::to_string(below) + ")")
      .add("zero", affine(v).zero)
      .add("multiplier", m.q)
      .add("left", kLeftShift + more)
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

Verdict accepts_pair(const Region& region, const Node& node, PairScales (*read)(const Region&, const Node&),
                     std::int32_t largest_shift) {
  const Value& a = region.values[node.inputs[0]];
  const Value& b = region.values[node.inputs[1]];
  const Value& y = region.values[node.outputs[0]];
  for (const Value* v : {&a, &b, &y})
    if (auto no = refuse_unless_8bit(*v, v == &y ? "output" : "operand")) return *no;
  const PairScales scales = read(region, node);
  if (!read_broadcast(a, b, y))
    return refuse(Reason::unsupported_shape, "found operands " + shape_text(a.dims) + " and " + shape_text(b.dims) +
                                                 " for " + shape_text(y.dims) +
                                                 ", expected a broadcast of at most four dims");
  if (region.requant == Requant::tflite && scales.out.shift > largest_shift)
    return refuse(Reason::unsupported_quantisation, "found an output multiplier of 2^" +
                                                        std::to_string(scales.out.shift) + ", expected below 2^" +
                                                        std::to_string(largest_shift));
  if (!activation_clamp(region, node, y))
    return refuse(Reason::unsupported_attribute, "found activation " + node.text("activation", ""));
  return claim();
}

std::vector<KernelOption> pair_options(const LayerQuestion& q, const Node& node, const PairScales& scales,
                                       PairOperator op) {
  const Value &a = q.region.values[node.inputs[0]], &b = q.region.values[node.inputs[1]],
              &y = q.region.values[node.outputs[0]];
  const auto shape = read_broadcast(a, b, y);
  if (!shape) return {};
  const Scaling scaling = table_scaling(q.region, fit_sum(q.region, node, op).has_value());
  KernelOption tables;
  tables.kernel = table_kernel(q.region, node, q.target, op, scaling);
  tables.suffix = requant_suffix(scaling);
  tables.constants = 2 * 256 * sizeof(std::int32_t);
  tables.work.results = static_cast<double>(y.elements());
  tables.work.starts = tables.work.results / static_cast<double>(shape->dims[kRank - 1]);
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

bool lower_pair(Emitter& emitter, const Node& node, const PairScales& scales, PairOperator op) {
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
  const std::optional<FittedSum> fitted = fit_sum(emitter.region, node, op);
  const Scaling scaling = table_scaling(emitter.region, fitted.has_value());
  step.kernel = emitter.kernel(pair_kernel(emitter, node, op, direct, scaling));
  StepText text;
  text.includes = {"byoc_add_s8.h"};
  ParameterText p;
  if (direct) {
    const std::string term0 = step.symbol + "_term0", term1 = step.symbol + "_term1";
    text.prelude = term_definition(term0, a, scales.in0) + term_definition(term1, b, scales.in1);
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
      table(0, integer_table(a, scales.in0, op, 1));
      table(1, integer_table(b, scales.in1, op, sign));
    }
  }
  const Multiplier& out = fitted ? fitted->out : scales.out;
  p.add("out_scale", c_float(affine(y).scale))
      .add("multiplier", out.q)
      .add("shift", out.shift)
      .add("zero", affine(y).zero)
      .add("min", clamp.low)
      .add("max", clamp.high)
      .add("dims", shape->dims)
      .add("stride0", shape->stride0)
      .add("stride1", shape->stride1);
  text.prelude += p.definition("byoc_add_s8_t", step.symbol + "_params");
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
