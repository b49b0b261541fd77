// Resize: nearest elements are picked by tables; linear and cubic samples are sums along one axis after another, the
// one that shrinks most first, over tables of weights.
#include <algorithm>
#include <array>

#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/sample/resize_axes.hpp"
#include "backends/c/lower/sample/resize_computed.hpp"
#include "backends/c/lower/sample/resize_tflite.hpp"
#include "backends/c/lower/step/element_type.hpp"
#include "backends/c/lower/step/step_builder.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;

// Dims for the pick kernel: axes that stay are joined with their neighbours.
struct Picked {
  Dims dims, strides;
  std::vector<std::optional<std::size_t>> axis;  // the resized one, or nothing
  std::int64_t inner = 1;
};

Picked join(const ResizeNode& r) {
  Picked out;
  std::int64_t stride = 1;
  for (std::size_t d = r.axes.size(); d-- > 0;) {
    const ResizeAxis& a = r.axes[d];
    if (a.resized()) {
      out.dims.push_back(a.out);
      out.strides.push_back(stride);
      out.axis.emplace_back(d);
    } else if (out.dims.empty()) {
      out.inner *= a.in;
    } else if (!out.axis.back()) {
      out.dims.back() *= a.in;
    } else if (a.in != 1) {
      out.dims.push_back(a.in);
      out.strides.push_back(stride);
      out.axis.emplace_back();
    }
    stride *= a.in;
  }
  std::reverse(out.dims.begin(), out.dims.end());
  std::reverse(out.strides.begin(), out.strides.end());
  std::reverse(out.axis.begin(), out.axis.end());
  return out;
}

std::string fill_bits(const ResizeNode& r, DType t) {
  return is_float_type(t) || is_integer_type(t) || t == DType::boolean
             ? c_literal(t, static_cast<double>(r.extrapolation))
             : "0";
}

void emit_nearest(StepBuilder& step, const ResizeNode& r, ComputedAxes* computed, const Value& y) {
  const Picked p = join(r);
  const auto size = element_size(y.dtype);
  const std::string type = "uint" + std::to_string(size * 8) + "_t";
  Kernel kernel{"pick.c", "byoc_pick_" + std::to_string(size), {{"BYOC_ELEMENT", type}}};
  step.emitter().kernel(kernel);
  const auto padded = [](Dims list) {
    list.resize(kLoopRank, 0);
    return list;
  };
  std::string tables, extrapolated = "0";
  for (std::size_t d = 0; d < kLoopRank; ++d) {
    std::string table = "NULL";
    if (d < p.axis.size() && p.axis[d] && computed) {
      table = computed->nearest(*p.axis[d], p.strides[d]);
    } else if (d < p.axis.size() && p.axis[d]) {
      std::vector<std::int32_t> at = nearest_elements(r, r.axes[*p.axis[d]]);
      for (std::int32_t& i : at) i = i < 0 ? -1 : static_cast<std::int32_t>(i * p.strides[d]);
      table = step.table("table", std::span<const std::int32_t>(at));
    }
    tables += (d == 0 ? "{" : ", ") + table;
  }
  step.text.includes.insert("byoc_arrange.h");
  const std::string x = step.input(0), to = step.output(0);
  // The value's bits: floats go through their own type.
  if (r.extrapolation != 0) {
    const ElementType t = *element_type(y.dtype);
    const std::string stored =
        t.store.empty() ? fill_bits(r, y.dtype) : std::string(t.store) + "(" + fill_bits(r, y.dtype) + ")";
    if (!t.store.empty()) step.text.includes.insert("byoc_element.h");
    step.line("const " + std::string(t.storage) + " outside = " + stored + ";");
    step.line(type + " bits;");
    step.line("memcpy(&bits, &outside, sizeof bits);");
    extrapolated = "bits";
  }
  ParameterText text;
  text.add("rank", static_cast<std::int64_t>(p.dims.size())).add("inner", p.inner);
  text.add("dims", padded(p.dims)).add("stride", padded(p.strides)).add("table", tables + "}");
  step.text.declarations.insert("BYOC_PICK(" + kernel.symbol + ", " + type + ");");
  const std::string parameters =
      computed ? computed->parameters("byoc_pick_t", text) : step.parameters("byoc_pick_t", text);
  step.line(kernel.symbol + "(" + parameters + ", " + x + ", " + extrapolated + ", " + to + ");");
}

// The axes that change, in the order in which they are sampled.
std::vector<std::size_t> sampling_order(const ResizeNode& r) {
  std::vector<std::size_t> order;
  for (std::size_t d = 0; d < r.axes.size(); ++d)
    if (r.axes[d].resized()) order.push_back(d);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return r.axes[a].out * r.axes[b].in < r.axes[b].out * r.axes[a].in;
  });
  return order;
}

std::string resample_kernel(StepBuilder& step, DType from, DType to, const std::string& weight) {
  Kernel kernel{"resample.c", "byoc_resample_" + std::string(to_string(from)) + "_" + std::string(to_string(to)), {}};
  define_element(kernel, "BYOC_X", from);
  define_element(kernel, "BYOC_Y", to);
  kernel.defines["BYOC_WEIGHT"] = weight;
  if (is_integer_type(to)) {
    define_arithmetic(kernel, to);
    kernel.defines["BYOC_Y_STORE(v)"] = "byoc_saturatef(rintf(v))";
  }
  step.emitter().kernel(kernel);
  step.text.includes.insert("byoc_resample.h");
  step.text.declarations.insert("BYOC_RESAMPLE(" + kernel.symbol + ", " + std::string(c_type(from)) + ", " +
                                std::string(c_type(to)) + ", " + weight + ");");
  return kernel.symbol;
}

TapTables constant_taps(StepBuilder& step, const ResizeNode& r, std::size_t d, DType work) {
  const ResizeTaps taps = interpolation_taps(r, r.axes[d]);
  const std::vector<float> narrow(taps.weights.begin(), taps.weights.end());
  const std::string weights =
      work == DType::f64 ? step.emitter().constant_bytes(step.symbol() + "_weights", DType::f64,
                                                         std::as_bytes(std::span<const double>(taps.weights)), false, 8)
                         : step.table("weights", std::span<const float>(narrow));
  return {step.table("first", std::span<const std::int32_t>(taps.first)),
          step.table("tap", std::span<const std::int32_t>(taps.tap)), weights};
}

void emit_passes(StepBuilder& step, const ResizeNode& r, ComputedAxes* computed, const Value& x) {
  const std::vector<std::size_t> order = sampling_order(r);
  const DType work = x.dtype == DType::f64 ? DType::f64 : DType::f32;
  const std::string weight(c_type(work));
  Dims dims = x.dims;
  std::string from = step.input(0);
  DType from_type = x.dtype;
  for (std::size_t n = 0; n < order.size(); ++n) {
    const std::size_t d = order[n];
    const TapTables tables = computed ? computed->taps(d, work) : constant_taps(step, r, d, work);
    std::int64_t outer = 1, inner = 1;
    for (std::size_t i = 0; i < dims.size(); ++i)
      if (i != d) (i < d ? outer : inner) *= dims[i];
    ParameterText p;
    p.add("outer", outer).add("in", dims[d]).add("out", r.axes[d].out).add("inner", inner);
    p.add("first", tables.first).add("tap", tables.tap);
    dims[d] = r.axes[d].out;
    const bool last = n + 1 == order.size();
    const DType to_type = last ? x.dtype : work;
    std::string to = last ? step.output(0) : "";
    if (!last) {
      const auto bytes = static_cast<std::uint64_t>(outer * dims[d] * inner) * element_size(work);
      to = "(" + weight + " *)" + step.workspace(bytes, static_cast<std::uint32_t>(element_size(work)));
    }
    const std::string parameters =
        computed ? computed->parameters("byoc_resample_t", p) : step.parameters("byoc_resample_t", p);
    step.line(resample_kernel(step, from_type, to_type, weight) + "(" + parameters + ", " + tables.weights + ", " +
              c_literal(work, static_cast<double>(r.extrapolation)) + ", " +
              (from.starts_with("(") ? "(const " + from.substr(1) : from) + ", " + to + ");");
    from = to;
    from_type = to_type;
  }
}

}  // namespace

codegen::Verdict accepts_resize(const Region& region, const Node& node, const TargetSpec&) {
  const Value& x = region.values[node.inputs[0]];
  std::string why;
  const auto r = read_resize(region, node, why);
  if (!r) return refuse(Reason::unsupported_attribute, why);
  if (element_size(x.dtype) == 0) return refuse_dtype(x.dtype, "elements of 1, 2, 4 or 8 bytes");
  const Value& y = region.values[node.outputs[0]];
  if (r->tflite && r->transform != "half_pixel" && r->transform != "align_corners" && r->transform != "asymmetric")
    return refuse(Reason::unsupported_attribute,
                  "found " + r->transform + ", expected half_pixel, align_corners or asymmetric in a TFLite model");
  if (r->tflite && r->mode == "cubic")
    return refuse(Reason::unsupported_attribute, "found mode cubic, expected nearest or linear in a TFLite model");
  if (r->tflite && (x.dims.size() != 4 || y.dims.size() != 4 || x.dims[0] != y.dims[0] || x.dims[3] != y.dims[3]))
    return refuse(Reason::unsupported_shape,
                  "found " + shape_text(x) + " to " + shape_text(y) + ", expected another height and width");
  if (r->tflite && !std::ranges::all_of(std::array{x.dims[1], x.dims[2], y.dims[1], y.dims[2]},
                                        [](std::int64_t d) { return d >= 1 && d <= 1 << 20; }))
    return refuse(Reason::unsupported_shape,
                  "found " + shape_text(x) + " to " + shape_text(y) + ", expected 1 to 2^20");
  if (r->tflite && r->mode == "linear") return accepts_resize_bilinear(region, node);
  if (!same_quantisation(region, x, y)) return refuse_quantisation();
  if (r->mode != "nearest" && x.quantised())
    return refuse(Reason::unsupported_quantisation, "found mode " + r->mode + " on quantised values, expected nearest");
  if (r->mode != "nearest" && !is_float_type(x.dtype) && !is_integer_type(x.dtype))
    return refuse_dtype(x.dtype, "a number");
  if (join(*r).dims.size() > kLoopRank)
    return refuse(Reason::unsupported_shape, "found more than " + std::to_string(kLoopRank) + " dims to sample");
  if (!fits_int32(region, node)) return refuse(Reason::unsupported_shape, "a tensor of 2 GiB or more");
  return claim();
}

bool lower_resize(Emitter& emitter, const Node& node) {
  std::string why;
  const auto r = read_resize(emitter.region, node, why);
  if (!r) return emitter.error(node, why);
  if (r->tflite && r->mode == "linear") return lower_resize_bilinear(emitter, node);
  const Value& y = emitter.value(node.outputs[0]);
  if (sampling_order(*r).empty()) {
    emitter.alias(node.outputs[0], node.inputs[0]);
    return true;
  }
  StepBuilder step(emitter, node);
  std::optional<ComputedAxes> computed;
  if (r->computed) computed.emplace(step, *r, node);
  ComputedAxes* const axes = computed ? &*computed : nullptr;
  if (y.elements() != 0) {
    if (axes != nullptr && y.dims == emitter.input(node, 0)->dims) axes->copy_what_stays(y.bytes());
    if (r->mode == "nearest")
      emit_nearest(step, *r, axes, y);
    else
      emit_passes(step, *r, axes, *emitter.input(node, 0));
  }
  step.finish(r->mode == "nearest" ? "pick" : "resample");
  return true;
}

}  // namespace byoc::c
