#include "backends/c/lower/quantise/rescale.hpp"

#include <algorithm>

#include "backends/c/lower/elementwise/lookup_quantised.hpp"
#include "backends/c/lower/quantise/axis_scales.hpp"
#include "backends/c/lower/quantise/requantise.hpp"
#include "backends/c/lower/step/operands.hpp"
#include "backends/c/lower/step/parameter_text.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;
using codegen::Verdict;

struct Rescale {
  Affine in, out;
  ElementRange from, to;
  Multiplier multiplier;  // TFLite: of in.scale / out.scale

  // Computes a table entry of 8 bits as the kernel for 16 bits does.
  [[nodiscard]] std::int64_t operator()(std::int64_t q, Requant requant) const {
    std::int64_t v = 0;
    if (requant == Requant::onnx) {
      v = onnx::quantise(onnx::dequantise(q, in), out);
    } else {
      v = std::int64_t{multiply(static_cast<std::int32_t>(q - in.zero), multiplier)} + out.zero;
    }
    return std::clamp(v, to.low, to.high);
  }
};

std::optional<Rescale> read_rescale(const Region& region, const Node& node, Verdict& why) {
  const Value& x = region.values[node.inputs[0]];
  const Value& y = region.values[node.outputs[0]];
  for (const Value* v : {&x, &y}) {
    if (v->dtype == DType::i32 && region.requant != Requant::tflite) {
      why = refuse_dtype(v->dtype, "i8, u8, i16 or u16");
      return std::nullopt;
    }
    const auto scales = read_axis_scales(v->quantisation, v->dtype, v->dims, why);
    if (!scales) return std::nullopt;
    if (scales->channels != 1 || scales->scales.size() != 1) {
      why = refuse(Reason::unsupported_quantisation,
                   "found " + std::to_string(scales->scales.size()) + " scales, expected one");
      return std::nullopt;
    }
  }
  Rescale r{affine(x), affine(y), *element_range(x.dtype), *element_range(y.dtype), {}};
  r.multiplier = tflite::rescale_multiplier(r.in, r.out);
  // The reference shifts an int32 left by this and leaves what overflows undefined.
  const int most = x.dtype == DType::i32 ? 31 : 31 - (bit_width(x.dtype) == 8 ? 9 : 17);
  if (region.requant == Requant::tflite && r.multiplier.shift > most) {
    why = refuse(Reason::unsupported_quantisation, "found an output multiplier of 2^" +
                                                       std::to_string(r.multiplier.shift) + ", expected at most 2^" +
                                                       std::to_string(most));
    return std::nullopt;
  }
  if (!fits_int32(region, node)) {
    why = refuse(Reason::unsupported_shape, "a tensor of 2 GiB or more");
    return std::nullopt;
  }
  return r;
}

// Results of the 256 elements of 8 bits, by their bits.
template <class T>
std::string emit_table(Emitter& emitter, const std::string& stem, const Rescale& r) {
  std::vector<T> table(256);
  for (std::int64_t q = r.from.low; q <= r.from.high; ++q)
    table[static_cast<std::uint8_t>(q)] = static_cast<T>(r(q, emitter.region.requant));
  return emitter.constant<T>(stem + "_table", table, false);
}

}  // namespace

Verdict accepts_rescale(const Region& region, const Node& node) {
  Verdict why;
  return read_rescale(region, node, why) ? claim() : why;
}

bool lower_rescale(Emitter& emitter, const Node& node) {
  Verdict why;
  const auto r = read_rescale(emitter.region, node, why);
  if (!r) return emitter.error(node, why.text);
  if (bit_width(emitter.input(node, 0)->dtype) == 8 && bit_width(emitter.value(node.outputs[0]).dtype) == 8)
    return lower_lookup(emitter, node, [&](std::int32_t q) { return (*r)(q, emitter.region.requant); });
  const Value& x = *emitter.input(node, 0);
  const Value& y = emitter.value(node.outputs[0]);
  codegen::Step step;
  const std::string name = stem(emitter, node);
  step.symbol = emitter.host().claim(name);
  StepText text;
  text.includes = {"byoc_quantise.h"};
  const std::string in = operand(emitter, step, node.inputs[0], name + "_x");
  if (bit_width(x.dtype) == 8) {
    const bool is_wide = y.dtype == DType::i32;
    const std::string bits = is_wide ? "32" : "16", type = "uint" + bits + "_t";
    step.kernel = emitter.kernel({"lookup.c", "byoc_lookup_" + bits, {{"BYOC_TO", type}}});
    const std::string table =
        is_wide ? emit_table<std::uint32_t>(emitter, name, *r) : emit_table<std::uint16_t>(emitter, name, *r);
    text.body = "  " + step.kernel + "(" + std::to_string(x.elements()) + ", " + table + ", " + in + ", (" + type +
                " *)out0);\n";
  } else {
    Kernel kernel{"rescale.c",
                  "byoc_rescale_" + std::string(to_string(x.dtype)) + "_" + std::string(to_string(y.dtype)),
                  {{"BYOC_FROM", std::string(c_type(x.dtype))}, {"BYOC_TO", std::string(c_type(y.dtype))}}};
    kernel.symbol += requant_suffix(emitter.region);
    if (emitter.region.requant == Requant::onnx) kernel.defines["BYOC_REQUANT_ONNX"] = "1";
    if (x.dtype == DType::i32 || y.dtype == DType::i32) kernel.defines["BYOC_RESCALE_WIDE"] = "1";
    step.kernel = emitter.kernel(kernel);
    text.parameters = {ParameterText()
                           .add("count", x.elements())
                           .add("in_zero", r->in.zero)
                           .add("zero", r->out.zero)
                           .add("min", r->to.low)
                           .add("max", r->to.high)
                           .add("in_scale", c_float(r->in.scale))
                           .add("out_scale", c_float(r->out.scale))
                           .add("multiplier", r->multiplier.q)
                           .add("shift", r->multiplier.shift)
                           .definition("byoc_rescale_t", step.symbol + "_params")};
    text.body = "  " + step.kernel + "(&" + step.symbol + "_params, " + in + ", out0);\n";
  }
  step.nodes = {node_id(emitter, node)};
  step.outputs = {{node.outputs[0]}};
  emitter.step(node, std::move(step), text);
  return true;
}

}  // namespace byoc::c
