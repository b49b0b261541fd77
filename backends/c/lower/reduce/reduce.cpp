// The reductions: a table of what is folded how.
#include <algorithm>
#include <bit>

#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/reduce/many.hpp"
#include "backends/c/lower/reduce/reduce_float.hpp"
#include "backends/c/lower/reduce/reduce_quantised.hpp"
#include "backends/c/lower/step/element_type.hpp"
#include "backends/c/lower/step/operands.hpp"
#include "backends/c/lower/step/step_builder.hpp"
#include "backends/c/lower/step/view.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;

// The fold of one class of types; see kernels/reduce.c. `sum` "": the type in which they are computed.
struct Fold {
  std::string_view sum = {}, initial = {}, step = {}, result = {};
};

struct Reduction {
  std::string_view op, stem;
  Fold real, whole;
  bool is_shifted = false;   // by the largest element
  bool has_logical = false;  // also of bool
};

constexpr std::string_view kBits = "BYOC_BITS";
constexpr std::string_view kWrapped = "(BYOC_T)sum";

// Roots and logarithms of integers are taken in double and lose their fraction.
constexpr Reduction kReductions[] = {
    {"ReduceL1", "reduce_l1", {"", "0", "sum + BYOC_F(fabs)(v)", "sum"}, {kBits, "0", "BYOC_MAGNITUDE", kWrapped}},
    {"ReduceL2",
     "reduce_l2",
     {"", "0", "sum + v * v", "BYOC_F(sqrt)(sum)"},
     {"double", "0", "sum + (double)v * (double)v", "byoc_saturate(sqrt(sum))"}},
    {"ReduceLogSum",
     "reduce_log_sum",
     {"", "0", "sum + v", "BYOC_F(log)(sum)"},
     {"double", "0", "sum + (double)v", "byoc_saturate(log(sum))"}},
    // If the largest element is infinite, it is the result; an empty set has none.
    {"ReduceLogSumExp",
     "reduce_log_sum_exp",
     {"", "0", "sum + (most - most == 0 ? BYOC_F(exp)(v - most) : 0)",
      "(p->count == 0 ? BYOC_LOWEST : most - most == 0 ? BYOC_F(log)(sum) + most : most)"},
     {"double", "0", "sum + exp((double)v - most)", "(p->count == 0 ? BYOC_LOWEST : byoc_saturate(log(sum) + most))"},
     true},
    {"ReduceMax",
     "reduce_max",
     {"", "BYOC_LOWEST", "v > sum || v != v ? v : sum", "sum"},
     {"", "BYOC_LOWEST", "v > sum ? v : sum", "sum"},
     false,
     true},
    {"ReduceMean",
     "reduce_mean",
     {"", "0", "sum + v", "(sum / (BYOC_T)p->count)"},
     {"uint64_t", "0", "sum + (uint64_t)v", "(p->count ? (BYOC_T)((BYOC_WIDE)sum / (BYOC_WIDE)p->count) : 0)"}},
    {"ReduceMin",
     "reduce_min",
     {"", "BYOC_LARGEST", "v < sum || v != v ? v : sum", "sum"},
     {"", "BYOC_LARGEST", "v < sum ? v : sum", "sum"},
     false,
     true},
    {"ReduceProd", "reduce_prod", {"", "1", "sum * v", "sum"}, {kBits, "1", "sum * (BYOC_BITS)v", kWrapped}},
    {"ReduceSum", "reduce_sum", {"", "0", "sum + v", "sum"}, {kBits, "0", "sum + (BYOC_BITS)v", kWrapped}},
    {"ReduceSumSquare",
     "reduce_sum_square",
     {"", "0", "sum + v * v", "sum"},
     {kBits, "0", "sum + (BYOC_BITS)v * (BYOC_BITS)v", kWrapped}},
};

const Reduction& reduction_of(const Node& node) {
  return *std::find_if(std::begin(kReductions), std::end(kReductions),
                       [&](const Reduction& r) { return r.op == node.op; });
}

// Without axes, and with an attribute that makes this a no-op, each element is reduced alone, which most of these
// operators return unchanged.
bool is_identity(const Region& region, const Node& node) {
  const Value* axes = given_input(region, node, 1);
  if (region.values[node.inputs[0]].quantised() || node.integer("noop_with_empty_axes", 0) == 0) return false;
  if (axes != nullptr && axes->elements() != 0) return false;
  return node.op != "ReduceL1" && node.op != "ReduceL2" && node.op != "ReduceLogSum" && node.op != "ReduceSumSquare";
}

Kernel kernel_of(const Reduction& r, DType t, const Extent& count) {
  const ElementType e = *element_type(t);
  const Fold& fold = e.is_float() ? r.real : r.whole;
  Kernel kernel{"reduce.c", "byoc_" + std::string(r.stem) + "_" + std::string(to_string(t)), {}};
  define_element(kernel, "BYOC_X", t);
  define_arithmetic(kernel, t);
  kernel.defines["BYOC_SUM"] = fold.sum.empty() ? "BYOC_T" : std::string(fold.sum);
  kernel.defines["BYOC_INITIAL"] = fold.initial;
  kernel.defines["BYOC_STEP"] = fold.step;
  kernel.defines["BYOC_RESULT"] = fold.result;
  if (r.is_shifted) kernel.defines["BYOC_SHIFTED"] = "1";
  if (e.is_float() && fold.step.starts_with("sum +")) sums_of(kernel, count);
  if (r.op == "ReduceMean" && !e.is_float()) kernel.defines["BYOC_WIDE"] = e.is_signed() ? "int64_t" : "uint64_t";
  if (fold.step == "BYOC_MAGNITUDE")
    kernel.defines["BYOC_MAGNITUDE"] =
        e.is_signed() ? "sum + (v < 0 ? (BYOC_BITS)0 - (BYOC_BITS)v : (BYOC_BITS)v)" : "sum + v";
  return kernel;
}

// The dims of x in two groups, merged.
struct Split {
  LoopNest kept, folded;
  Extent count = 1;
};

Split split(const Value& x, const std::vector<bool>& reduced) {
  const Extents dims = extents(x), strides = dense_strides(dims);
  LoopNest kept{{}, {Extents()}}, folded{{}, {Extents()}};
  Split out;
  for (std::size_t i = 0; i < x.dims.size(); ++i) {
    LoopNest& group = reduced[i] ? folded : kept;
    group.dims.push_back(dims[i]);
    group.strides[0].push_back(strides[i]);
    if (reduced[i]) out.count *= dims[i];
  }
  out.kept = merge(kept);
  out.folded = merge(folded);
  return out;
}

}  // namespace

std::optional<std::vector<bool>> reduced_dims(const Region& region, const Node& node, std::string& why) {
  const Value& x = region.values[node.inputs[0]];
  const auto rank = static_cast<std::int64_t>(x.dims.size());
  std::vector<bool> reduced(x.dims.size(), false);
  const Value* axes = given_input(region, node, 1);
  if (axes && (!axes->is_constant || (axes->dtype != DType::i64 && axes->dtype != DType::i32))) {
    why = "found computed axes, expected an i64 constant";
    return std::nullopt;
  }
  const std::size_t count = axes ? static_cast<std::size_t>(axes->elements()) : 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto axis = static_cast<std::int64_t>(real_element(*axes, i));
    if (axis < -rank || axis >= rank) {
      why = "found axis " + std::to_string(axis) + ", expected one of " + shape_text(x);
      return std::nullopt;
    }
    reduced[static_cast<std::size_t>(axis < 0 ? axis + rank : axis)] = true;
  }
  // No axes: all of them, or with noop_with_empty_axes none.
  if (count == 0 && node.integer("noop_with_empty_axes", 0) == 0) reduced.assign(reduced.size(), true);
  return reduced;
}

namespace {

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  return text;
}

// Sets of dims that computed axes can be, by what the model states of the result; nothing where that does not help.
std::vector<std::vector<bool>> possible_dims(const Region& region, const Node& node) {
  const Value &x = region.values[node.inputs[0]], &y = region.values[node.outputs[0]];
  const Value* axes = given_input(region, node, 1);
  if (axes == nullptr || axes->is_constant || (axes->dtype != DType::i64 && axes->dtype != DType::i32) ||
      axes->elements() == 0 || x.dims.size() > kLoopRank || x.quantised() || !region.symbols.empty())
    return {};
  const bool keep = node.integer("keepdims", 1) != 0;
  std::vector<std::vector<bool>> out;
  for (std::uint32_t set = 0; set < std::uint32_t{1} << x.dims.size(); ++set) {
    if (std::popcount(set) != axes->elements()) continue;
    std::vector<bool> reduced;
    Dims dims;
    for (std::size_t d = 0; d < x.dims.size(); ++d) {
      reduced.push_back((set >> d & 1) != 0);
      if (!reduced[d] || keep) dims.push_back(reduced[d] ? 1 : x.dims[d]);
    }
    if (dims == y.dims) out.push_back(std::move(reduced));
  }
  return out;
}

codegen::Verdict accepts_axes(const Region& region, const Node& node) {
  std::string why;
  if (!region.symbols.empty() && is_identity(region, node))
    return refuse(Reason::unsupported_op, "found no axes, which needs no step");
  if (!possible_dims(region, node).empty() && fits_int32(region, node)) return claim();
  const auto reduced = reduced_dims(region, node, why);
  if (!reduced) return refuse(Reason::unsupported_attribute, why);
  if (const std::size_t rank = split(region.values[node.inputs[0]], *reduced).folded.dims.size(); rank > kLoopRank)
    return refuse(Reason::unsupported_shape, "found " + std::to_string(rank) +
                                                 " reduced dims that do not merge, expected at most " +
                                                 std::to_string(kLoopRank));
  if (!fits_int32(region, node)) return refuse(Reason::unsupported_shape, "a tensor of 2 GiB or more");
  return claim();
}

}  // namespace

codegen::Verdict accepts_reduce(const Region& region, const Node& node, const TargetSpec&) {
  const Value& x = region.values[node.inputs[0]];
  if (x.quantised()) {
    if (auto no = refuse_quantised_reduction(region, node)) return *no;
    return accepts_axes(region, node);
  }
  const bool logical = x.dtype == DType::boolean && reduction_of(node).has_logical;
  if (!is_float_type(x.dtype) && !is_integer_type(x.dtype) && !logical)
    return refuse_dtype(x.dtype, reduction_of(node).has_logical ? "a number or bool" : "a number");
  return accepts_axes(region, node);
}

namespace {

// One set of parameters for each set of axes that the stated shape allows; a run that finds another one fails.
bool lower_reduce_by_axes(Emitter& emitter, const Node& node, const std::vector<std::vector<bool>>& possible) {
  const Value &x = *emitter.input(node, 0), &axes = *emitter.input(node, 1);
  const std::string kernel = emitter.kernel(kernel_of(reduction_of(node), x.dtype, elements(x)));
  const std::string rank = std::to_string(x.dims.size());
  StepBuilder step(emitter, node);
  step.text.includes.insert("byoc_reduce.h");
  step.text.declarations.insert("BYOC_REDUCE(" + kernel + ", " + std::string(c_type(x.dtype)) + ");");
  const std::string from = step.input(0), found = step.input(1), to = step.output(0);
  step.line("uint32_t axes = 0;");
  step.line("for (int32_t i = 0; i < " + std::to_string(axes.elements()) + "; ++i) {");
  step.line("  const int64_t axis = " + found + "[i] < 0 ? " + found + "[i] + " + rank + " : " + found + "[i];");
  step.line("  if (axis < 0 || axis >= " + rank + ") return 1;");
  step.line("  axes |= (uint32_t)1 << axis;");
  step.line("}");
  std::string otherwise;
  for (const std::vector<bool>& reduced : possible) {
    std::uint32_t set = 0;
    for (std::size_t d = 0; d < reduced.size(); ++d) set |= reduced[d] ? std::uint32_t{1} << d : 0;
    const Split parts = split(x, reduced);
    LoopNest kept = parts.kept;
    kept.strides.push_back(dense_strides(kept.dims));  // of y
    ParameterText p;
    add_loops(p, kept, {"stride"});
    add_loops(p, parts.folded, {"folded_stride"}, "folded_");
    p.add("count", parts.count);
    step.line(otherwise + "if (axes == " + std::to_string(set) + "u) {");
    step.line("  " + kernel + "(" + step.parameters("byoc_reduce_t", p) + ", " + from + ", " + to + ");");
    otherwise = "} else ";
  }
  step.line(otherwise + "{");
  step.line("  return 1;");
  step.line("}");
  step.may_fail(reason::kNumbers);
  step.finish(kernel);
  return true;
}

}  // namespace

bool lower_reduce(Emitter& emitter, const Node& node) {
  std::string why;
  if (const auto possible = possible_dims(emitter.region, node); !possible.empty())
    return lower_reduce_by_axes(emitter, node, possible);
  const auto reduced = reduced_dims(emitter.region, node, why);
  if (!reduced) return emitter.error(node, why);
  const Value& x = *emitter.input(node, 0);
  if (is_identity(emitter.region, node)) {
    emitter.alias(node.outputs[0], node.inputs[0]);
    return true;
  }
  if (x.dtype == DType::f32 && elements(x) != 0 && (node.op == "ReduceMean" || node.op == "ReduceSum") &&
      lower_reduce_float(emitter, node, *reduced))
    return true;
  const Split parts = split(x, *reduced);
  const std::string name = stem(emitter, node);
  codegen::Step step;
  step.symbol = emitter.host().claim(name);
  const bool scaled = reduction_has_scales(emitter.region, node);
  step.kernel = emitter.kernel(scaled ? quantised_reduction(emitter.region, node, parts.count.known())
                                      : kernel_of(reduction_of(node), x.dtype, parts.count));
  const std::string from = operand(emitter, step, node.inputs[0], name + "_x");

  LoopNest kept = parts.kept;
  kept.strides.push_back(dense_strides(kept.dims));  // of y
  const PeeledNest nest = peel(kept);
  ParameterText p;
  add_loops(p, nest.inner, {"stride"});
  add_loops(p, parts.folded, {"folded_stride"}, "folded_");
  p.add("count", parts.count);
  if (scaled) add_reduction_scales(p, emitter.region, node, parts.count.known());
  const std::string form(scaled ? quantised_reduction_form(emitter.region) : "reduce");
  StepText text;
  text.includes = {"byoc_" + form + ".h"};
  text.declarations = {"BYOC_" + upper(form) + "(" + step.kernel + ", " + std::string(c_type(x.dtype)) + ");"};
  text.parameters = {p.definition("byoc_" + form + "_t", step.symbol + "_params")};
  text.body = nest.around("  " + step.kernel + "(&" + step.symbol + "_params, " + from + nest.offsets[0] + ", out0" +
                          nest.offsets[1] + ");\n");
  step.outputs = {{node.outputs[0]}};
  step.nodes = {node_id(emitter, node)};
  emitter.step(node, std::move(step), text);
  return true;
}

}  // namespace byoc::c
