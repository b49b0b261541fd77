#include "backends/c/lower/sample/resize_tflite.hpp"

#include <algorithm>
#include <cmath>

#include "backends/c/lower/step/operands.hpp"
#include "backends/c/lower/step/parameter_text.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;

float float_scale(const std::string& transform, std::int64_t in, std::int64_t out) {
  if (transform == "align_corners" && out > 1) return static_cast<float>(in - 1) / static_cast<float>(out - 1);
  return static_cast<float>(in) / static_cast<float>(out);
}

// Positions of one axis between neighbours; what is above the lower one in T.
template <class T>
struct Positions {
  std::vector<std::int32_t> lower, upper;
  std::vector<T> above;
};

Positions<float> real_positions(const std::string& transform, std::int64_t in, std::int64_t out) {
  Positions<float> p;
  const float scale = float_scale(transform, in, out), last = static_cast<float>(in - 1);
  for (std::int64_t i = 0; i < out; ++i) {
    const auto o = static_cast<float>(i);
    const float at = transform == "half_pixel" ? (o + 0.5F) * scale - 0.5F : o * scale;
    const float lower = std::clamp(std::floor(at), 0.0F, last);
    p.lower.push_back(static_cast<std::int32_t>(lower));
    p.upper.push_back(static_cast<std::int32_t>(std::clamp(std::ceil(at), 0.0F, last)));
    p.above.push_back(at - lower);
  }
  return p;
}

// In 1/1024.
Positions<std::int32_t> step_positions(const std::string& transform, std::int64_t in, std::int64_t out) {
  Positions<std::int32_t> p;
  const bool aligns = transform == "align_corners" && out > 1;
  const std::int64_t to = aligns ? out - 1 : out, from = aligns ? in - 1 : in;
  const std::int64_t scale = (1024 * from + to / 2) / to;
  for (std::int64_t i = 0; i < out; ++i) {
    const std::int64_t at = i * scale + (transform == "half_pixel" ? scale / 2 - 512 : 0);
    const std::int64_t lower = std::clamp<std::int64_t>(at / 1024, 0, in - 1);
    p.lower.push_back(static_cast<std::int32_t>(lower));
    p.upper.push_back(static_cast<std::int32_t>(std::clamp<std::int64_t>((at + 1023) / 1024, 0, in - 1)));
    p.above.push_back(static_cast<std::int32_t>(at - 1024 * lower));
  }
  return p;
}

template <class T>
std::string emit_axis(Emitter& emitter, const std::string& name, const Positions<T>& p, std::int64_t in) {
  return ParameterText()
      .add("in", in)
      .add("out", static_cast<std::int64_t>(p.lower.size()))
      .add("lower", emitter.constant<std::int32_t>(name + "_lower", p.lower, false))
      .add("upper", emitter.constant<std::int32_t>(name + "_upper", p.upper, false))
      .add("above", emitter.constant<T>(name + "_above", p.above, false))
      .nested("byoc_resize_axis_t");
}

// The largest sum of the weights' magnitudes along an axis, in 1/1024: more than 1024 where a position is outside.
std::int64_t largest_weight(const Positions<std::int32_t>& p) {
  std::int64_t most = 1024;
  for (const std::int32_t a : p.above)
    most = std::max<std::int64_t>(most, std::abs(std::int64_t{1024} - a) + std::abs(a));
  return most;
}

}  // namespace

std::vector<std::int32_t> nearest_tflite(const std::string& transform, std::int64_t in, std::int64_t out) {
  std::vector<std::int32_t> list;
  const float scale = float_scale(transform, in, out), offset = transform == "half_pixel" ? 0.5F : 0.0F;
  for (std::int64_t i = 0; i < out; ++i) {
    const float at = (static_cast<float>(i) + offset) * scale;
    const float whole = transform == "align_corners" ? std::round(at) : std::floor(at);
    list.push_back(static_cast<std::int32_t>(std::clamp(whole, 0.0F, static_cast<float>(in - 1))));
  }
  return list;
}

codegen::Verdict accepts_resize_bilinear(const Region& region, const Node& node) {
  const Value& x = region.values[node.inputs[0]];
  if (x.dtype != DType::f32 && x.dtype != DType::i8) return refuse_dtype(x.dtype, "f32 or i8");
  if (!fits_int32(region, node)) return refuse(Reason::unsupported_shape, "a tensor of 2 GiB or more");
  return claim();
}

bool lower_resize_bilinear(Emitter& emitter, const Node& node) {
  const Value& x = *emitter.input(node, 0);
  const Value& y = emitter.value(node.outputs[0]);
  const std::string transform = node.text("coordinate_transformation_mode", "half_pixel");
  const std::string name = stem(emitter, node);
  codegen::Step step;
  step.symbol = emitter.host().claim(name);
  ParameterText p;
  p.add("batches", x.dims[0]).add("depth", x.dims[3]);
  Kernel kernel{"resize_bilinear.c", "byoc_resize_bilinear_f32", {{"BYOC_ELEMENT", std::string(c_type(x.dtype))}}};
  if (x.dtype == DType::f32) {
    p.add("height", emit_axis(emitter, name + "_row", real_positions(transform, x.dims[1], y.dims[1]), x.dims[1]));
    p.add("width", emit_axis(emitter, name + "_column", real_positions(transform, x.dims[2], y.dims[2]), x.dims[2]));
  } else {
    const auto rows = step_positions(transform, x.dims[1], y.dims[1]);
    const auto columns = step_positions(transform, x.dims[2], y.dims[2]);
    p.add("height", emit_axis(emitter, name + "_row", rows, x.dims[1]));
    p.add("width", emit_axis(emitter, name + "_column", columns, x.dims[2]));
    const bool is_wide = largest_weight(rows) * largest_weight(columns) > 0x7fffffff / 256;
    kernel.symbol = is_wide ? "byoc_resize_bilinear_s8_wide" : "byoc_resize_bilinear_s8";
    kernel.defines["BYOC_SUM"] = is_wide ? "int64_t" : "int32_t";
  }
  step.kernel = emitter.kernel(kernel);
  const std::string from = operand(emitter, step, node.inputs[0], name + "_x");
  StepText text;
  text.includes = {"byoc_resize_bilinear.h"};
  text.parameters = {p.definition("byoc_resize_bilinear_t", step.symbol + "_params")};
  text.body = "  " + step.kernel + "(&" + step.symbol + "_params, " + from + ", out0);\n";
  step.outputs = {{node.outputs[0]}};
  step.nodes = {node_id(emitter, node)};
  emitter.step(node, std::move(step), text);
  return true;
}

}  // namespace byoc::c
