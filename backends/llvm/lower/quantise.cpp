// QuantizeLinear, DequantizeLinear and byoc's forms of them: of floats integers of 8 and 16 bits, and back.
#include <algorithm>
#include <array>
#include <optional>
#include <sstream>

#include "backends/llvm/kernels/nest.hpp"
#include "backends/llvm/lower/lowerings.hpp"
#include "byoc/nodes/quantisation.hpp"
#include "byoc/nodes/scales.hpp"
#include "byoc/nodes/verdict.hpp"

namespace byoc::bitcode {
namespace {

using codegen::Node;
using codegen::Reason;
using codegen::Region;

struct Quantising {
  bool quantises = true;      // else it goes back to floats
  bool away_of_zero = false;  // halves are rounded so, as TFLite does; else to even
  Real whole = Real::i8;
  nodes::Clamp range;
  nodes::AxisScales scales;
};

std::optional<Real> whole_of(DType type) {
  switch (type) {
    case DType::i8: return Real::i8;
    case DType::u8: return Real::u8;
    case DType::i16: return Real::i16;
    case DType::u16: return Real::u16;
    default: return std::nullopt;
  }
}

// Null, with the reason in `why`, for types and parameters that are not compiled.
std::optional<Quantising> read_quantising(const Region& region, const Node& node, codegen::Verdict& why) {
  constexpr std::int64_t kMostQuantised = std::int64_t{1} << 29;
  Quantising out;
  out.quantises = node.op.starts_with("Quantize");
  const codegen::Value &x = region.values[node.inputs[0]], &y = region.values[node.outputs[0]];
  const codegen::Value &real = out.quantises ? x : y, &whole = out.quantises ? y : x;
  const auto format = whole_of(whole.dtype);
  if (real.dtype != DType::f32 || real.quantised()) {
    why = nodes::refuse_dtype(real.dtype, "f32");
    return std::nullopt;
  }
  if (!format) {
    why = nodes::refuse_dtype(whole.dtype, "i8, u8, i16 or u16");
    return std::nullopt;
  }
  if (x.is_constant || x.elements() == 0 || x.elements() >= kMostQuantised) {
    why = nodes::refuse(Reason::unsupported_shape, "found a constant, or none or more than 2^29 - 1 elements");
    return std::nullopt;
  }
  if (node.integer("block_size", 0) != 0 || node.integer("precision", 0) != 0) {
    why = nodes::refuse(Reason::unsupported_attribute, "found block_size or precision, expected neither");
    return std::nullopt;
  }
  const bool is_own = node.domain == "byoc";
  const auto q = is_own ? std::optional(whole.quantisation)
                        : nodes::read_scale_operands(region, node, 1, node.integer("axis", 1), x.dims.size(), why);
  auto scales = q ? nodes::read_axis_scales(*q, whole.dtype, x.dims, why) : std::nullopt;
  if (!scales) return std::nullopt;
  out.away_of_zero = is_own && region.requant == Requant::tflite;
  out.whole = *format;
  out.range = nodes::range_of(whole);
  out.scales = std::move(*scales);
  return out;
}

// Within the range before it is rounded, as bounds are whole; NaN is the lowest one.
Value quantised(Code& code, const Quantising& q, Value x, Value scale, Value zero, std::int64_t lanes) {
  const auto bound = [&](std::int32_t n) { return code.subtract(code.real(static_cast<float>(n), lanes), zero); };
  const Value low = bound(q.range.low), high = bound(q.range.high);
  Value y = code.divide(x, scale);
  y = code.at_most(code.where_less(low, y, y, low), high);
  return code.add(q.away_of_zero ? code.nearest_away(y) : code.nearest(y), zero);
}

Value computed(Code& code, const Quantising& q, Value x, Value scale, Value zero, std::int64_t lanes) {
  return q.quantises ? quantised(code, q, x, scale, zero, lanes) : code.multiply(code.subtract(x, zero), scale);
}

std::string quantising_key(const Quantising& q, const Nest& nest) {
  std::ostringstream out;
  out << q.quantises << q.away_of_zero << ' ' << key_of(nest);
  if (q.scales.channels == 1) out << std::hexfloat << ' ' << q.scales.scales[0] << ' ' << q.scales.zeros[0];
  return out.str();
}

}  // namespace

codegen::Verdict accepts_quantise(const Region& region, const Node& node) {
  codegen::Verdict why;
  return read_quantising(region, node, why) ? nodes::claim() : why;
}

bool lower_quantise(Emitter& emitter, const Node& node) {
  codegen::Verdict why;
  const auto q = read_quantising(emitter.region, node, why);
  if (!q) return emitter.error(node, why.text);
  const std::int64_t channels = q->scales.channels;
  const std::vector<std::int64_t> dims{q->scales.outer, channels, q->scales.inner}, parameters{channels, 1};
  codegen::Step step;
  step.inputs = {{node.inputs[0]}};
  step.outputs = {{node.outputs[0]}};
  Call call{.arguments = {input(0)}};
  if (channels > 1) {
    const std::vector<float> zeros(q->scales.zeros.begin(), q->scales.zeros.end());
    call.arguments.push_back(constant(emitter.floats(emitter.stem(node) + "_scale", q->scales.scales)));
    call.arguments.push_back(constant(emitter.floats(emitter.stem(node) + "_zero", zeros)));
  }
  call.arguments.push_back(output(0));
  Nest nest = channels > 1 ? nest_of(dims, {dims, parameters, parameters}) : nest_of(dims, {dims});
  nest.operands = {q->quantises ? Real::f32 : q->whole};
  nest.out = q->quantises ? q->whole : Real::f32;
  const std::int64_t pieces = pieces_of(emitter.machine, nest);
  nest.by_range = emitter.is_shared(Emitter::Work::elements, emitter.value(node.inputs[0]).elements(), pieces);
  if (nest.by_range) call.pieces = pieces;
  call.kernel =
      emitter.modules().kernel("quantise", quantising_key(*q, nest), [&](Code& code, const std::string& symbol) {
        write_nest(code, symbol, nest, [&](Code& own, const Values& x, std::int64_t lanes) {
          if (channels > 1) return computed(own, *q, x[0], x[1], x[2], lanes);
          const auto zero = static_cast<float>(q->scales.zeros[0]);
          return computed(own, *q, x[0], own.real(q->scales.scales[0], lanes), own.real(zero, lanes), lanes);
        });
      });
  emitter.step(node, std::move(step), {call});
  return true;
}

}  // namespace byoc::bitcode
