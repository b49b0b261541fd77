// byoc.UnidirectionalSequenceLstm: weights by reference, y holds the hidden state from step to step.
#include <algorithm>
#include <cmath>
#include <optional>

#include "backends/c/lower/quantise/requantise.hpp"
#include "backends/c/lower/recurrent/stateful.hpp"
#include "backends/c/lower/step/element_type.hpp"
#include "backends/c/lower/step/operands.hpp"
#include "byoc/nodes/fixed_point.hpp"
#include "byoc/tflite.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;

constexpr std::size_t kX = 0, kInputWeights = 1, kRecurrentWeights = 5, kBiases = 9, kHidden = 13, kCell = 14;

struct LstmFactors {
  Multiplier of_x[4], of_hidden[4];
  tflite::LstmCellParameters cell;
};

LstmFactors lstm_factors(const Region& region, const Node& node) {
  const auto scale = [&](std::size_t i) { return affine(region.values[node.inputs[i]]); };
  LstmFactors f;
  for (std::size_t k = 0; k < 4; ++k) {
    f.of_x[k] = tflite::lstm_gate_multiplier(scale(kX), scale(kInputWeights + k));
    f.of_hidden[k] = tflite::lstm_gate_multiplier(scale(kHidden), scale(kRecurrentWeights + k));
  }
  f.cell = tflite::lstm_cell_parameters(scale(kCell), scale(kHidden));
  return f;
}

std::optional<int> power_of_two(float scale) {
  const float log = std::log(scale) * (1.0F / std::log(2.0F));
  if (!(std::abs(log - std::round(log)) < 1e-3F)) return std::nullopt;
  return static_cast<int>(std::round(log));
}

codegen::Verdict accepts_lstm_integers(const Region& region, const Node& node) {
  if (region.requant != Requant::tflite)
    return refuse(Reason::unsupported_quantisation, "found a quantised model of ONNX, expected TFLite's");
  const auto value = [&](std::size_t i) -> const Value& { return region.values[node.inputs[i]]; };
  const DType type = value(kX).dtype;
  if (type != DType::i8 && type != DType::i16) return refuse_dtype(type, "f32, or quantised i8 or i16");
  if (auto no = refuse_unless_quantised(value(kX), "input")) return *no;
  if (auto no = refuse_unless_quantised(value(kHidden), "hidden state")) return *no;
  if (value(kHidden).dtype != type) return refuse_dtype(value(kHidden).dtype, to_string(type));
  if (region.values[node.outputs[0]].dtype != type)
    return refuse_dtype(region.values[node.outputs[0]].dtype, to_string(type));
  if (auto no = refuse_unless_quantised(value(kCell), "cell")) return *no;
  if (value(kCell).dtype != DType::i16) return refuse_dtype(value(kCell).dtype, "a cell of i16");
  const auto power = power_of_two(affine(value(kCell)).scale);
  if (!power || *power > 0 || *power < -30 || affine(value(kCell)).zero != 0)
    return refuse(Reason::unsupported_quantisation, "found a cell of scale " +
                                                        std::to_string(affine(value(kCell)).scale) +
                                                        ", expected a power of two, 2^-30 to 1");
  for (std::size_t k = 0; k < 4; ++k) {
    for (const std::size_t i : {kInputWeights + k, kRecurrentWeights + k})
      if (auto no = refuse_unless_s8(value(i), "weights")) return *no;
    const DType bias = type == DType::i8 ? DType::i32 : DType::i64;
    if (value(kBiases + k).dtype != bias) return refuse_dtype(value(kBiases + k).dtype, to_string(bias));
  }
  const LstmFactors f = lstm_factors(region, node);
  const int most = type == DType::i16 ? 7 : 30;
  bool fits = f.cell.input.shift <= 30 && f.cell.output.shift <= 30;
  for (std::size_t k = 0; k < 4; ++k) fits = fits && f.of_x[k].shift <= most && f.of_hidden[k].shift <= most;
  if (!fits) return refuse(Reason::unsupported_quantisation, "found a factor between scales that is too large");
  return claim();
}

std::string factor_text(const Multiplier& m) {
  return "{" + std::to_string(m.q) + ", " + std::to_string(m.shift) + "}";
}

std::string factors_text(const Multiplier* four, bool wide) {
  std::string text;
  for (std::size_t k = 0; k < 4; ++k) text += (k ? ", " : "{") + factor_text(wide ? nodes::narrowed(four[k]) : four[k]);
  return text + "}";
}

// const <type>* const <name>[4] = {...};
std::string array_of_four(TypedStep& s, std::size_t first, const std::string& type, const char* name) {
  std::string text = "  const " + type + "* const " + name + "[4] = {";
  for (std::size_t k = 0; k < 4; ++k) text += (k ? ", " : "") + s.in(first + k);
  return text + "};\n";
}

// True if rows of int8 may be multiplied without their zero points, which go into the biases.
bool is_corrected(Emitter& emitter, const Node& node) {
  if (emitter.objective == Objective::size || emitter.input(node, kX)->dtype != DType::i8) return false;
  for (std::size_t k = 0; k < 4; ++k)
    for (const std::size_t i : {kInputWeights + k, kRecurrentWeights + k, kBiases + k})
      if (!emitter.input(node, i)->is_constant) return false;
  return true;
}

// const int32_t* const <name>[4]: of each gate and unit `bias`, 0 without one, less `zero` times the sum of the
// weights.
std::string corrected_biases(TypedStep& s, Emitter& emitter, const Node& node, std::size_t weights,
                             const Value* bias[4], std::int32_t zero, const std::string& name) {
  std::vector<std::int32_t> all;
  const std::int64_t units = emitter.input(node, weights)->dims[0];
  for (std::size_t k = 0; k < 4; ++k) {
    const std::vector<std::int8_t> w = constant_elements<std::int8_t>(*emitter.input(node, weights + k));
    const std::size_t depth = w.size() / static_cast<std::size_t>(units);
    const std::vector<std::int32_t> given = bias[k] == nullptr
                                                ? std::vector<std::int32_t>(static_cast<std::size_t>(units), 0)
                                                : constant_elements<std::int32_t>(*bias[k]);
    for (std::size_t u = 0; u < static_cast<std::size_t>(units); ++u) {
      std::uint32_t sum = 0;  // sums wrap, as the kernel's do
      for (std::size_t i = 0; i < depth; ++i) sum += static_cast<std::uint32_t>(w[u * depth + i]);
      all.push_back(
          static_cast<std::int32_t>(static_cast<std::uint32_t>(given[u]) - static_cast<std::uint32_t>(zero) * sum));
    }
  }
  const std::string symbol = emitter.constant<std::int32_t>(s.name + "_" + name, all, true);
  std::string text = "  const int32_t* const " + name + "[4] = {" + symbol;
  for (std::int64_t k = 1; k < 4; ++k) text += ", " + symbol + " + " + std::to_string(k * units);
  s.text.body += text + "};\n";
  return name;
}

ParameterText shape_parameters(Emitter& emitter, const Node& node) {
  const Value& x = *emitter.input(node, kX);
  const bool time_major = node.integer("time_major", 0) != 0;
  const std::int64_t steps = x.dims[time_major ? 0 : 1], batch = x.dims[time_major ? 1 : 0], depth = x.dims[2];
  const std::int64_t units = emitter.input(node, kRecurrentWeights)->dims[0];
  const float clip = node.real("cell_clip", 0.0f);
  ParameterText p;
  p.add("steps", steps).add("batch", batch).add("depth", depth).add("units", units);
  const std::int64_t way = node.integer("reverse", 0) != 0 ? -1 : 1, rows = time_major ? batch : 1;
  p.add("x_time", way * rows * depth).add("x_batch", time_major ? depth : steps * depth);
  p.add("y_time", way * rows * units).add("y_batch", time_major ? units : steps * units);
  p.add("clips", clip > 0 ? 1 : 0).add("clip", c_literal(DType::f32, static_cast<double>(clip)));
  return p;
}

ParameterText integer_parameters(Emitter& emitter, const Node& node) {
  const Value &x = *emitter.input(node, kX), &hidden = *emitter.input(node, kHidden);
  const float cell_scale = affine(*emitter.input(node, kCell)).scale;
  const bool wide = x.dtype == DType::i16;
  const LstmFactors f = lstm_factors(emitter.region, node);
  const int shift = 12 + *power_of_two(cell_scale);
  const float clip = node.real("cell_clip", 0.0f);
  const auto table = sigmoid_table();
  ParameterText p;
  p.add("shape", shape_parameters(emitter, node).nested("byoc_lstm_shape_t"));
  p.add("x_zero", affine(x).zero).add("hidden_zero", affine(hidden).zero);
  p.add("low", wide ? -32768 : -128).add("high", wide ? 32767 : 127);
  p.add("of_x", factors_text(f.of_x, wide)).add("of_hidden", factors_text(f.of_hidden, wide));
  p.add("forget", factor_text(f.cell.forget))
      .add("input", factor_text(f.cell.input))
      .add("output", factor_text(f.cell.output));
  p.add("cell_multiplier", std::int64_t{3} << std::max(shift, 0)).add("cell_shift", std::max(-shift, 0));
  p.add("clip", static_cast<std::int64_t>(
                    std::clamp(static_cast<double>(clip) / static_cast<double>(cell_scale), -32768.0, 32767.0)));
  p.add("table", emitter.constant<std::uint16_t>("sigmoid_table", table, false));
  return p;
}

// The offset of the pointer of x or y, whose rows have `width` elements, to the first step.
std::string first_step(Emitter& emitter, const Node& node, std::int64_t width) {
  const Dims& x = emitter.input(node, kX)->dims;
  const bool time_major = node.integer("time_major", 0) != 0;
  const std::int64_t steps = x[time_major ? 0 : 1], rows = time_major ? x[1] : 1;
  if (node.integer("reverse", 0) == 0 || steps < 2) return {};
  return " + " + std::to_string((steps - 1) * rows * width);
}

}  // namespace

codegen::Verdict accepts_unidirectional_sequence_lstm(const Region& region, const Node& node, const TargetSpec&) {
  const Value& x = region.values[node.inputs[kX]];
  if (!all_outputs_wanted(node)) return refuse(Reason::unsupported_attribute, "found an output that is not wanted");
  if (!fits_int32(region, node)) return refuse(Reason::unsupported_shape, "a tensor of 2 GiB or more");
  if (x.quantised()) return accepts_lstm_integers(region, node);
  for (const codegen::ValueId v : node.inputs)
    if (region.values[v].dtype != DType::f32)
      return refuse_dtype(region.values[v].dtype, "f32, or quantised i8 or i16");
  return claim();
}

bool lower_unidirectional_sequence_lstm(Emitter& emitter, const Node& node) {
  const Value& x = *emitter.input(node, kX);
  const bool integers = x.quantised(), wide = x.dtype == DType::i16;
  Kernel kernel{"unidirectional_sequence_lstm_f32.c", "byoc_unidirectional_sequence_lstm_f32", {}};
  std::vector<std::string> types;
  if (integers) {
    types = {wide ? "int16_t" : "int8_t", wide ? "int64_t" : "int32_t"};
    kernel = {"unidirectional_sequence_lstm_integers.c",
              wide ? "byoc_unidirectional_sequence_lstm_s16" : "byoc_unidirectional_sequence_lstm_s8",
              {{"BYOC_X", types[0]}, {"BYOC_BIAS", types[1]}}};
    if (wide) kernel.defines["BYOC_WIDE"] = "1";
  }
  TypedStep s(emitter, node);
  const std::string parameters = integers ? s.parameters(integer_parameters(emitter, node), "byoc_lstm_integers_t")
                                          : s.parameters(shape_parameters(emitter, node), "byoc_lstm_shape_t");
  const std::string weights = integers ? "int8_t" : "float";
  s.text.body += array_of_four(s, kInputWeights, weights, "w");
  s.text.body += array_of_four(s, kRecurrentWeights, weights, "r");
  const bool corrected = integers && is_corrected(emitter, node);
  std::vector<std::string> biases{"bias"};
  if (corrected) {
    kernel.symbol += "_corrected";
    kernel.defines["BYOC_CORRECTED"] = "1";
    types = {};
    const Value *given[4], *none[4] = {};
    for (std::size_t k = 0; k < 4; ++k) given[k] = emitter.input(node, kBiases + k);
    corrected_biases(s, emitter, node, kInputWeights, given, affine(x).zero, "bias");
    biases.push_back(corrected_biases(s, emitter, node, kRecurrentWeights, none,
                                      affine(*emitter.input(node, kHidden)).zero, "state_bias"));
  } else {
    s.text.body += array_of_four(s, kBiases, integers ? types[1] : "float", "bias");
  }
  const std::int64_t units = emitter.input(node, kRecurrentWeights)->dims[0];
  const std::string hidden = s.in(kHidden), cell = s.in(kCell), y = s.out(0), next_h = s.out(1), next_c = s.out(2);
  std::vector<std::string> arguments{parameters, s.in(kX) + first_step(emitter, node, x.dims[2]), "w", "r"};
  arguments.insert(arguments.end(), biases.begin(), biases.end());
  for (const std::string& a : {hidden, cell, y + first_step(emitter, node, units), next_h, next_c})
    arguments.push_back(a);
  s.call(kernel, "byoc_unidirectional_sequence_lstm.h",
         corrected  ? "BYOC_LSTM_CORRECTED"
         : integers ? "BYOC_LSTM_INTEGERS"
                    : "BYOC_LSTM_F32",
         types, arguments);
  overlay_state(s, hidden, next_h);
  overlay_state(s, cell, next_c);
  s.step.macs = static_cast<std::uint64_t>(x.dims[0] * x.dims[1] * 4 * units * (x.dims[2] + units));
  return s.emit();
}

}  // namespace byoc::c
