// Add: of floats one of the element-wise functions, of signed bytes a sum of both operands brought to one scale.
#include <algorithm>
#include <array>
#include <sstream>

#include "backends/llvm/kernels/pixels.hpp"
#include "backends/llvm/lower/lowerings.hpp"
#include "byoc/nodes/fixed_point.hpp"
#include "byoc/nodes/quantisation.hpp"
#include "byoc/nodes/verdict.hpp"

namespace byoc::bitcode {
namespace {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using nodes::Affine;
using nodes::Multiplier;

// Reference: tensorflow/lite/micro/kernels/add_common.cc. `in` and `out` are of TFLite, `scale` of ONNX.
struct SumS8 {
  bool tflite = true;
  std::array<Affine, 2> in;
  Affine out;
  std::array<Multiplier, 2> factors{};
  Multiplier result{};
  nodes::Clamp clamp;
};

constexpr std::int32_t kHeadroom = 20;  // bits that TFLite's operands are shifted up by

SumS8 read(const Region& region, const Node& node) {
  SumS8 s;
  const codegen::Value& y = region.values[node.outputs[0]];
  s.tflite = region.requant == Requant::tflite;
  for (std::size_t i = 0; i < 2; ++i) s.in[i] = nodes::affine(region.values[node.inputs[i]]);
  s.out = nodes::affine(y);
  s.clamp = nodes::activation_clamp(region, node, y).value_or(nodes::Clamp{});
  const double a = static_cast<double>(s.in[0].scale), b = static_cast<double>(s.in[1].scale),
               twice = 2 * std::max(a, b);
  s.factors = {nodes::quantise_multiplier(a / twice), nodes::quantise_multiplier(b / twice)};
  s.result = nodes::quantise_multiplier(twice / ((1 << kHeadroom) * static_cast<double>(s.out.scale)));
  return s;
}

// The arguments of Code::requantised for a multiplier of at most 1: two roundings, as in TFLite.
Code::Requantisation two_roundings(Code& code, const Multiplier& m, std::int64_t lanes, const SumS8& s) {
  const std::int32_t right = -m.shift;
  const std::int64_t half = right > 0 ? std::int64_t{1} << (30 + right) : 0;
  return {code.longs(m.q, lanes),
          code.longs((std::int64_t{1} << 30) + half, lanes),
          right > 0 ? code.longs(std::int64_t{1} << 31, lanes) : nullptr,
          code.longs(31 + right, lanes),
          nullptr,
          s.clamp.low,
          s.clamp.high,
          s.out.zero};
}

Value sum_tflite(Code& code, const SumS8& s, const Values& x, std::int64_t lanes) {
  Values terms;
  for (std::size_t i = 0; i < 2; ++i) {
    const Value real =
        code.multiply_words(code.add_words(x[i], code.word(-s.in[i].zero, lanes)), code.word(1 << kHeadroom, lanes));
    terms.push_back(code.scaled(real, two_roundings(code, s.factors[i], lanes, s)));
  }
  return code.requantised(code.add_words(terms[0], terms[1]), two_roundings(code, s.result, lanes, s));
}

// In floats, rounded once to even. Bounds are whole numbers, so that what is within them before is so after.
Value sum_onnx(Code& code, const SumS8& s, const Values& x, std::int64_t lanes) {
  const auto real = [&](std::size_t i) {
    return code.multiply(code.words_as_reals(code.add_words(x[i], code.word(-s.in[i].zero, lanes))),
                         code.real(s.in[i].scale, lanes));
  };
  Value y = code.divide(code.add(real(0), real(1)), code.real(s.out.scale, lanes));
  y = clamped(code, y, {static_cast<float>(s.clamp.low - s.out.zero), static_cast<float>(s.clamp.high - s.out.zero)},
              lanes);
  return code.words_as_bytes(code.add_words(code.nearest_words(y), code.word(s.out.zero, lanes)));
}

// void symbol(a, b, y) over `count` bytes.
void write_sum(Code& code, const std::string& symbol, const SumS8& s, std::int64_t count) {
  code.begin_function(symbol, 3, false, false);
  for_pieces(code, count, code.machine().lanes, [&](Value start, std::int64_t valid) {
    const std::int64_t lanes = code.machine().lanes;
    Values x;
    for (std::size_t i = 0; i < 2; ++i)
      x.push_back(code.load_bytes(code.at_byte(code.argument(i), start), lanes, valid));
    const Value y = s.tflite ? sum_tflite(code, s, x, lanes) : sum_onnx(code, s, x, lanes);
    code.store_bytes(y, code.at_byte(code.argument(2), start), valid);
  });
  code.end_function();
}

std::string key_of(const SumS8& s, std::int64_t count) {
  std::ostringstream out;
  out << count << ' ' << s.tflite << std::hexfloat << ' ' << s.out.scale << ' ' << s.out.zero << ' ' << s.clamp.low
      << ' ' << s.clamp.high;
  for (const Affine& a : s.in) out << ' ' << a.scale << ' ' << a.zero;
  return out.str();
}

codegen::Verdict accepts_s8(const Region& region, const Node& node) {
  const codegen::Value& y = region.values[node.outputs[0]];
  for (const codegen::ValueId id : {node.inputs[0], node.inputs[1], node.outputs[0]}) {
    const codegen::Value& v = region.values[id];
    if (const auto no = nodes::refuse_unless_s8(v, "operand")) return *no;
    if (v.dims != y.dims || v.is_constant)
      return nodes::refuse(Reason::unsupported_shape, "found operands of i8 that broadcast, or constants");
  }
  if (!nodes::activation_clamp(region, node, y))
    return nodes::refuse(Reason::unsupported_attribute, "found activation " + node.text("activation", ""));
  if (region.requant == Requant::tflite && read(region, node).result.shift > 0)
    return nodes::refuse(Reason::unsupported_quantisation, "found an output multiplier above 1, expected at most 1");
  return nodes::claim();
}

}  // namespace

codegen::Verdict accepts_add(const Region& region, const Node& node) {
  return region.values[node.inputs[0]].quantised() ? accepts_s8(region, node) : accepts_elementwise(region, node);
}

bool lower_add(Emitter& emitter, const Node& node) {
  if (!emitter.value(node.inputs[0]).quantised()) return lower_elementwise(emitter, node);
  const SumS8 s = read(emitter.region, node);
  const std::int64_t count = emitter.value(node.outputs[0]).elements();
  codegen::Step step;
  step.inputs = {{node.inputs[0]}, {node.inputs[1]}};
  step.outputs = {{node.outputs[0]}};
  step.overlays = {{.output = 0, .input = 0}, {.output = 0, .input = 1}};
  const std::string kernel = emitter.modules().kernel(
      "add_s8", key_of(s, count), [&](Code& code, const std::string& symbol) { write_sum(code, symbol, s, count); });
  emitter.step(node, std::move(step), {{kernel, {input(0), input(1), output(0)}}});
  return true;
}

}  // namespace byoc::bitcode
