// Convolutions of i16 with constant i8 weights and 64-bit sums, by the DSP extension or MVE. 32 bits are enough for the
// sums of nearly all layers, as their weights prove. The sums of other layers are computed in parts.
#include "backends/c/lower/conv/conv_s16.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "backends/c/lower/conv/conv_plan.hpp"
#include "backends/c/lower/conv/conv_weights.hpp"
#include "backends/c/lower/step/operands.hpp"
#include "backends/layers/in_place.hpp"
#include "backends/layers/weight_packing.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::Value;

constexpr std::int64_t kLargest = 32768;  // |element|
constexpr std::int64_t kMostSum = (std::int64_t{1} << 31) - 1;
constexpr std::int64_t kSpan = 508;    // weights whose sum of absolute values is below 65536 whatever they are
constexpr std::size_t kVector = 16;    // channels at a time, depthwise with MVE
constexpr std::int64_t kPlane = 2048;  // bytes of a channel's plane, whatever they save, unless RAM is short

std::int64_t rounded(std::int64_t n, std::int64_t step) { return (n + step - 1) / step * step; }

bool has_no_zeros(const Value& v) {
  const auto& zeros = v.quantisation.zero_points;
  return std::all_of(zeros.begin(), zeros.end(), [](std::int64_t z) { return z == 0; });
}

std::vector<std::int64_t> bias_s64(const Value* bias, std::int64_t channels) {
  std::vector<std::int64_t> out(static_cast<std::size_t>(channels));
  if (bias && bias->dtype == DType::i64) {
    std::memcpy(out.data(), bias->data.data(), 8 * out.size());
  } else {
    const std::vector<std::int32_t> narrow = bias_s32(bias, channels);
    std::copy(narrow.begin(), narrow.end(), out.begin());
  }
  return out;
}

// The bounds that the layer's weights prove.
struct Sums {
  std::vector<std::int8_t> rows;
  std::vector<std::int64_t> bias;
  SumFactors factors;
  bool narrow = true;       // with the bias they fit in 32 bits, and one rounding multiplication makes results of them
  bool whole_spans = true;  // without it they do

  // A channel's multiplier, for the product's high word rounded, `doubled` beforehand or not.
  [[nodiscard]] std::int32_t scale(std::size_t channel, bool doubled) const {
    const Multiplier& m = factors.multipliers[factors.multipliers.size() == 1 ? 0 : channel];
    return m.q == 0 ? 0 : m.q << ((doubled ? 31 : 32) - m.shift);
  }
};

Sums sums_of(const QuantisedLayer& layer, const Convolution& c) {
  Sums s{filter_rows_of(c, layer.weights), bias_s64(layer.bias, c.out.channels),
         sum_factors(layer.scaling, layer.in, layer.weights, layer.bias, layer.out, c.out.channels)};
  const auto depth = static_cast<std::size_t>(c.depth());
  for (std::size_t channel = 0; channel < s.bias.size(); ++channel) {
    std::int64_t sum = 0;
    for (std::size_t k = 0; k < depth; ++k) sum += std::abs(static_cast<int>(s.rows[channel * depth + k]));
    s.whole_spans &= sum * kLargest <= kMostSum;
    const std::int64_t left = kMostSum - sum * kLargest;
    s.narrow &= left >= 0 && s.bias[channel] <= left && s.bias[channel] >= -left;
  }
  for (const Multiplier& m : s.factors.multipliers) s.narrow &= m.q == 0 || (m.shift >= 17 && m.shift <= 31);
  return s;
}

// The image with strides and channels in bytes.
Image in_bytes(Image m, bool channels) {
  for (std::int64_t* stride : {&m.batch_stride, &m.row, &m.col}) *stride *= 2;
  if (channels)
    m.channels *= 2;
  else
    m.chan *= 2;
  return m;
}

// The call in the step.
struct WideCall {
  std::string kernel;
  Definition definition;
  std::string cast = {};  // of the operands' pointers
  std::uint64_t workspace = 0;
  std::optional<std::uint64_t> lead = {};
};

std::string requant_of(const std::string& bias, const std::string& scale, Clamp clamp) {
  return ParameterText()
      .add("bias", bias)
      .add("scale", scale)
      .add("shift", "0")
      .add("step", 1)
      .add("zero", 0)
      .add("min", clamp.low)
      .add("max", clamp.high)
      .nested("byoc_requant_t");
}

std::string narrow_requant(Emitter& emitter, const std::string& stem, const Sums& s, Clamp clamp, bool doubled) {
  std::vector<std::int32_t> bias, scales;
  for (std::size_t channel = 0; channel < s.bias.size(); ++channel) {
    bias.push_back(static_cast<std::int32_t>(s.bias[channel]));
    scales.push_back(s.scale(channel, doubled));
  }
  return requant_of(emitter.constant<std::int32_t>(stem + "_bias", bias, true),
                    emitter.constant<std::int32_t>(stem + "_multiplier", scales, false), clamp);
}

std::string packed_constant(Emitter& emitter, const std::string& stem, const std::vector<std::int8_t>& packed) {
  return emitter.constant<std::int8_t>(stem + "_weights", packed, true);
}

WideCall call_depthwise(Emitter& emitter, const Convolution& c, const Sums& s, bool mve, const std::string& stem,
                        const std::string& name) {
  WideCall call;
  call.workspace = static_cast<std::uint64_t>(4 * c.taps() + 2 * c.in.channels);
  call.lead = window_lead(c.in, c.out, c.window, Reads::while_writing, 2);
  std::vector<std::int8_t> packed = by_channels(s.rows, c.taps(), mve ? kVector : 4);
  std::string requant;
  if (mve) {
    call.kernel = emitter.kernel({"depthwise_s16_mve.c", "byoc_depthwise_s16_mve", {}});
    std::vector<std::int32_t> records;
    for (std::size_t first = 0; first < s.bias.size(); first += kVector)
      for (const bool scales : {false, true})
        for (const std::size_t quad : {0U, 1U, 8U, 9U})
          for (std::size_t i = first + quad; i < first + quad + 8; i += 2)
            records.push_back(scales ? s.scale(i, true) : static_cast<std::int32_t>(s.bias[i]));
    requant = requant_of(emitter.constant<std::int32_t>(stem + "_channels", records, true), "0", c.clamp);
  } else {
    call.kernel = emitter.kernel({"depthwise_s16_dsp.c", "byoc_depthwise_s16_dsp", {}});
    for (std::size_t i = 0; i < packed.size(); i += 4) std::swap(packed[i + 1], packed[i + 2]);
    requant = narrow_requant(emitter, stem, s, c.clamp, false);
  }
  call.definition =
      conv_parameters(c, packed_constant(emitter, stem, packed), requant, 0, false).definition("byoc_conv_s8_t", name);
  return call;
}

// A depthwise layer as depthwise_s16_mve_planes.c walks it.
struct Planes {
  Convolution c;
  bool turned;  // rows and columns exchanged

  [[nodiscard]] std::int64_t bytes() const { return rounded(2 * (c.out.height + 2) * (c.out.width + 2), 4); }
};

// Instructions of depthwise_s16_mve_planes.c, and of depthwise_s16_mve.c.
std::int64_t by_planes(const Convolution& c) {
  const std::int64_t copied = c.in.height * (6 + rounded(c.in.width, 8) / 2), quads = rounded(c.out.width, 4) / 4;
  const std::int64_t rows = c.out.height / 2 * (15 + 47 * quads) + c.out.height % 2 * (10 + 31 * quads);
  return c.out.batch * c.out.channels * (60 + copied + rows);
}
std::int64_t by_taps(const Convolution& c) {
  return c.out.batch * c.out.height * c.out.width * (25 * c.taps() + (c.out.channels + 15) / 16 * (13 * c.taps() + 35));
}

// The planes, if they are faster.
std::optional<Planes> takes_planes(const Emitter& emitter, const QuantisedLayer& layer, const Convolution& image) {
  Planes planes{transposed(image), true};
  if (by_planes(image) <= by_planes(planes.c)) planes = {image, false};
  const Convolution& c = planes.c;
  const Window& w = c.window;
  const bool plain = w.kernel_h == 3 && w.kernel_w == 3 && w.stride_h == 1 && w.stride_w == 1 && w.dilation_h == 1 &&
                     w.dilation_w == 1;
  if (!plain || 7 * c.in.col > 65535 || 3 * c.out.col + c.out.row > 65535) return std::nullopt;
  if (emitter.objective == Objective::size || by_taps(c) <= by_planes(c)) return std::nullopt;
  // A larger plane has to save as much by the output's lying over the input.
  const auto lead = window_lead(image.in, image.out, image.window, Reads::while_writing, 2);
  const std::int64_t saved = lead ? static_cast<std::int64_t>(*lead) : 2 * c.out.batch * c.out.batch_stride;
  const bool in_place = channels_in_place(image.in, image.out) && is_last_use(emitter.region, layer.input);
  if (planes.bytes() > std::max(emitter.attempt == 0 ? kPlane : 0, in_place ? saved : 0)) return std::nullopt;
  return planes;
}

WideCall call_planes(Emitter& emitter, const Planes& planes, const Sums& s, const std::string& stem,
                     const std::string& name) {
  const Convolution& c = planes.c;
  const Convolution image = planes.turned ? transposed(c) : c;
  const std::vector<std::int8_t> rows = planes.turned ? transposed_rows(image, s.rows) : s.rows;
  std::vector<std::int8_t> packed;
  for (std::size_t at = 0; at < rows.size(); at += 9)
    for (const std::size_t tap : {0U, 1U, 2U, 6U, 7U, 8U, 3U, 4U, 5U}) packed.push_back(rows[at + tap]);
  WideCall call;
  call.kernel = emitter.kernel({"depthwise_s16_mve_planes.c", "byoc_depthwise_s16_mve_planes", {}});
  call.workspace = static_cast<std::uint64_t>(planes.bytes());
  call.lead = channels_in_place(image.in, image.out) ? std::optional<std::uint64_t>(0)
                                                     : channel_lead(c.in, c.out, c.window, 1, 2);
  call.definition = conv_parameters(c, packed_constant(emitter, stem, packed),
                                    narrow_requant(emitter, stem, s, c.clamp, true), 0, false)
                        .definition("byoc_conv_s8_t", name);
  return call;
}

WideCall call_vectors(Emitter& emitter, const Convolution& image, const Convolution& bytes, const Sums& s,
                      const std::string& stem, const std::string& name) {
  const Convolution c = in_one_row(bytes);
  Kernel kernel{"conv_s8_mve.c", "byoc_conv_s16_mve", {{"BYOC_ACTIVATION_BITS", "16"}}};
  if (emitter.objective != Objective::size)
    kernel.defines["BYOC_FEW_BLOCKS"] = emitter.objective == Objective::speed ? "8" : "4";
  WideCall call;
  call.kernel = emitter.kernel(kernel);
  call.cast = "int8_t*)";
  call.workspace = static_cast<std::uint64_t>(patches_workspace(c, rounded(c.depth(), 16)));
  call.lead = group_lead(image.in, image.out, image.window, image.groups, Reads::before_writing, 2);
  const WeightRows rows{s.rows, c.groups, c.group_out(), c.depth() / 2};
  call.definition = conv_parameters(c, packed_constant(emitter, stem, layers::pack_weights(rows, 2, 8)),
                                    narrow_requant(emitter, stem, s, c.clamp, true), 0, true)
                        .definition("byoc_conv_s8_t", name);
  return call;
}

WideCall call_pairs(Emitter& emitter, const QuantisedLayer& layer, const Convolution& c, const Sums& s,
                    const std::string& stem, const std::string& name) {
  WideCall call;
  const std::int64_t padded = rounded(c.depth(), 4);
  const bool copies = may_copy_patches(is_last_use(emitter.region, layer.input), emitter.objective, emitter.attempt);
  if (!c.in_place() || padded != c.depth() || copies) {
    call.workspace = static_cast<std::uint64_t>(4 * padded);
    call.lead = group_lead(c.in, c.out, c.window, c.groups, Reads::before_writing, 2);
  }
  const std::string weights =
      packed_constant(emitter, stem, layers::pack_fours({s.rows, c.groups, c.group_out(), c.depth()}));
  if (s.narrow) {
    call.kernel = emitter.kernel({"conv_s16_dsp.c", "byoc_conv_s16_dsp", {}});
    call.definition = conv_parameters(c, weights, narrow_requant(emitter, stem, s, c.clamp, false), 0, true)
                          .definition("byoc_conv_s8_t", name);
    return call;
  }
  call.kernel = emitter.kernel(requant_kernel(Scaling::wide, "conv_s16_dsp"));
  const std::string requant = emit_scales(emitter, layer.scaling, stem, layer.in, layer.weights, layer.bias, layer.out,
                                          c.clamp, c.out.channels);
  ParameterText p;
  p.add("conv", conv_parameters(c, weights, requant, 0, true).nested("byoc_conv_s8_t"))
      .add("bias", emitter.constant<std::int64_t>(stem + "_bias", s.bias, true))
      .add("span", s.whole_spans ? padded : kSpan);
  call.definition = p.definition("byoc_conv_s16_t", name);
  return call;
}

}  // namespace

bool takes_s16(const QuantisedLayer& layer, const TargetSpec& target) {
  return layer.scaling == Scaling::wide && kernel_path(layer.scaling, target) != Path::portable &&
         layer.in.dtype == DType::i16 && layer.out.dtype == DType::i16 && layer.weights.dtype == DType::i8 &&
         layer.weights.is_constant && (!layer.bias || layer.bias->is_constant) && affine(layer.in).zero == 0 &&
         affine(layer.out).zero == 0 && has_no_zeros(layer.weights);
}

bool lower_s16_conv(Emitter& emitter, const Node& node, const QuantisedLayer& layer, const Convolution& c,
                    const std::string& stem) {
  codegen::Step step;
  step.symbol = emitter.host().claim(stem);
  step.nodes = {node_id(emitter, node)};
  step.inputs = {{layer.input}};
  step.outputs = {{layer.output}};
  step.macs = c.macs();
  const std::string name = step.symbol + "_params";
  const Sums s = sums_of(layer, c);
  Convolution bytes = c;
  bytes.in = in_bytes(c.in, true);
  bytes.out = in_bytes(c.out, false);
  const bool mve = s.narrow && c.in.chan == 1 && patches_path(bytes, layer.scaling, emitter.target) == Path::mve;
  const bool one_each = s.narrow && c.depthwise() && c.group_out() == 1 && c.in.chan == 1 && c.out.chan == 1;
  const bool by_channels = one_each && c.out.channels % 4 == 0;
  const bool vectors = mve && c.out.channels % kVector == 0;
  const std::optional<Planes> planes = mve && one_each ? takes_planes(emitter, layer, c) : std::nullopt;
  const WideCall call = planes        ? call_planes(emitter, *planes, s, stem, name)
                        : by_channels ? call_depthwise(emitter, c, s, vectors, stem, name)
                        : mve         ? call_vectors(emitter, c, bytes, s, stem, name)
                                      : call_pairs(emitter, layer, c, s, stem, name);
  step.kernel = call.kernel;
  if (call.workspace) step.workspaces = {{call.workspace, 4, {}}};
  if (call.lead) step.overlays = {{0, 0, *call.lead}};
  StepText text;
  text.includes = {"byoc_conv_s16.h"};
  text.parameters = {call.definition};
  const std::string in = call.cast.empty() ? "in0" : "(const " + call.cast + "in0";
  const std::string out = call.cast.empty() ? "out0" : "(" + call.cast + "out0";
  text.body =
      "  " + call.kernel + "(&" + name + ", " + in + ", " + out + ", " + (call.workspace ? "ws0" : "0") + ");\n";
  emitter.step(node, std::move(step), text);
  return true;
}

}  // namespace byoc::c
