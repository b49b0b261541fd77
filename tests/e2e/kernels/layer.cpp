#include "tests/e2e/kernels/layer.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>

namespace byoc::test {
namespace {

using codegen::Attribute;
using codegen::Node;
using codegen::Value;

std::int64_t uniform(Random& r, std::int64_t low, std::int64_t high) {
  return std::uniform_int_distribution<std::int64_t>(low, high)(r);
}
bool chance(Random& r, int percent) { return uniform(r, 1, 100) <= percent; }
float log_uniform(Random& r, double low, double high) {
  return static_cast<float>(std::exp2(std::uniform_real_distribution<double>(std::log2(low), std::log2(high))(r)));
}

std::vector<std::int8_t> random_bytes(Random& r, std::size_t n) {
  std::vector<std::int8_t> out(n);
  const bool extreme = chance(r, 20);
  for (auto& x : out) x = static_cast<std::int8_t>(extreme ? (chance(r, 50) ? -128 : 127) : uniform(r, -128, 127));
  return out;
}

std::size_t product(const std::vector<std::int64_t>& dims) {
  std::size_t n = 1;
  for (const auto d : dims) n *= static_cast<std::size_t>(d);
  return n;
}

Value tensor(const char* name, std::vector<std::int64_t> dims, float scale, std::int64_t zero) {
  Value v;
  v.name = name;
  v.dtype = DType::i8;
  v.dims = std::move(dims);
  v.quantisation = {{scale}, {zero}, -1};
  return v;
}

template <class T>
Value constant(Layer& layer, const char* name, DType dtype, std::vector<std::int64_t> dims,
               const std::vector<T>& data) {
  Value v;
  v.name = name;
  v.dtype = dtype;
  v.dims = std::move(dims);
  v.is_constant = true;
  const auto bytes = std::as_bytes(std::span(data));
  layer.storage.emplace_back(bytes.begin(), bytes.end());
  v.data = layer.storage.back();
  return v;
}

void finish(Layer& layer, Node node) {
  node.name = layer.text;
  node.outputs = {static_cast<codegen::ValueId>(layer.region.values.size() - 1)};
  layer.region.outputs = node.outputs;
  layer.region.nodes.push_back(std::move(node));
}

// TFLite's arithmetic, from its documentation (and gemmlowp's): QuantizeMultiplier, then
// RoundingDivideByPOT(SaturatingRoundingDoublingHighMul(x << left, q), right).
std::int64_t tflite_multiply(std::int64_t x, double factor) {
  if (factor == 0) return 0;
  int shift = 0;
  auto q = static_cast<std::int64_t>(std::round(std::frexp(factor, &shift) * 2147483648.0));
  if (q == 2147483648) q /= 2, ++shift;
  if (shift < -31) return 0;
  const std::int64_t a = static_cast<std::int32_t>(static_cast<std::uint64_t>(x) << std::max(shift, 0));
  const std::int64_t ab = a * q;
  const std::int64_t high = (ab + (ab >= 0 ? 1073741824 : 1 - 1073741824)) / 2147483648;
  const int right = std::max(-shift, 0);
  const std::int64_t mask = (std::int64_t{1} << right) - 1, rest = high & mask;
  return (high >> right) + (rest > (mask >> 1) + (high < 0 ? 1 : 0) ? 1 : 0);
}

std::int64_t onnx_round(float x) { return static_cast<std::int64_t>(std::nearbyint(std::clamp(x, -1e9F, 1e9F))); }

struct Out {
  float scale;
  std::int64_t zero, low = -128, high = 127;
};

std::int64_t requantise(Requant mode, std::int64_t acc, float in, float weight, const Out& out) {
  const auto wrapped = static_cast<std::int32_t>(acc);
  std::int64_t y = 0;
  if (mode == Requant::tflite) {
    y = tflite_multiply(wrapped,
                        static_cast<double>(in) * static_cast<double>(weight) / static_cast<double>(out.scale));
  } else {
    // 31 bits by 24: exact.
    const auto factor = static_cast<long double>(in * weight / out.scale);
    y = static_cast<std::int64_t>(std::nearbyint(std::clamp(static_cast<long double>(wrapped) * factor, -1e9L, 1e9L)));
  }
  return std::clamp(y + out.zero, out.low, out.high);
}

// A fused activation, as the integers it clamps to.
std::string random_activation(Random& r, Out& out) {
  static const char* const names[] = {"none", "none", "relu", "relu6", "relu_n1_to_1"};
  const std::string name = names[uniform(r, 0, 4)];
  const auto q = [&](float real) {
    return std::clamp<std::int64_t>(
        out.zero + static_cast<std::int64_t>(std::round(std::clamp(real / out.scale, -1e6F, 1e6F))), -1000000, 1000000);
  };
  if (name == "relu" || name == "relu6") out.low = std::max<std::int64_t>(q(0), -128);
  if (name == "relu6") out.high = std::min<std::int64_t>(q(6), 127);
  if (name == "relu_n1_to_1") {
    out.low = std::max<std::int64_t>(q(-1), -128);
    out.high = std::min<std::int64_t>(q(1), 127);
  }
  return name;
}

struct Weights {
  std::vector<float> scales;
  std::vector<std::int32_t> bias;
  Out out;
  float in_scale;
};

// Scales so that results spread over the range mostly, with channels near constants and huge biases among them.
Weights random_scales(Random& r, std::int64_t channels, std::int64_t depth) {
  Weights w;
  w.in_scale = log_uniform(r, 1e-3, 1);
  w.out = {log_uniform(r, 1e-3, 1), uniform(r, -128, 127)};
  if (chance(r, 40)) w.out.zero = -128;
  const double spread = 5000 * std::sqrt(static_cast<double>(depth));
  // Powers of two, which make ties.
  const bool ties = chance(r, 25);
  if (ties) w.in_scale = w.out.scale = 1;
  const std::int64_t scales = chance(r, 70) ? channels : 1;
  for (std::int64_t c = 0; c < scales; ++c) {
    double factor = 60 / spread * std::exp2(static_cast<double>(uniform(r, -2, 2)));
    if (chance(r, 12)) factor = static_cast<double>(log_uniform(r, 1e-11, 4.0));
    if (ties) factor = std::exp2(std::round(std::log2(factor)));
    w.scales.push_back(static_cast<float>(factor * static_cast<double>(w.out.scale) / static_cast<double>(w.in_scale)));
  }
  for (std::int64_t c = 0; c < channels; ++c) {
    const double limit = chance(r, 10) ? 1073741823.0 : spread;
    w.bias.push_back(
        static_cast<std::int32_t>(uniform(r, static_cast<std::int64_t>(-limit), static_cast<std::int64_t>(limit))));
  }
  return w;
}

struct Axis {
  std::int64_t in, out, kernel, stride, dilation, before, after;
};

Axis random_axis(Random& r, bool convolution) {
  for (;;) {
    Axis a{};
    a.in = uniform(r, 1, 14);
    a.kernel = chance(r, 40) ? 3 : uniform(r, 1, 5);
    a.stride = chance(r, 50) ? 1 : uniform(r, 1, 3);
    a.dilation = convolution && chance(r, 20) ? 2 : 1;
    a.before = uniform(r, 0, a.kernel - 1);
    a.after = uniform(r, 0, a.kernel - 1);
    const std::int64_t reach = (a.kernel - 1) * a.dilation + 1, room = a.in + a.before + a.after - reach;
    if (room < 0) continue;
    a.out = room / a.stride + 1;
    return a;
  }
}

struct Images {
  std::int64_t batch, in_c, out_c;
  Axis h, w;
  bool nhwc;

  [[nodiscard]] std::vector<std::int64_t> dims(bool in) const {
    const std::int64_t hh = in ? h.in : h.out, ww = in ? w.in : w.out, c = in ? in_c : out_c;
    return nhwc ? std::vector{batch, hh, ww, c} : std::vector{batch, c, hh, ww};
  }
  [[nodiscard]] std::size_t at(bool in, std::int64_t b, std::int64_t y, std::int64_t x, std::int64_t c) const {
    const std::int64_t hh = in ? h.in : h.out, ww = in ? w.in : w.out, cc = in ? in_c : out_c;
    return static_cast<std::size_t>(nhwc ? ((b * hh + y) * ww + x) * cc + c : ((b * cc + c) * hh + y) * ww + x);
  }
  void attributes(Node& node) const {
    node.attributes["data_layout"] = std::string(nhwc ? "NHWC" : "NCHW");
    node.attributes["kernel_shape"] = std::vector{h.kernel, w.kernel};
    node.attributes["strides"] = std::vector{h.stride, w.stride};
    node.attributes["dilations"] = std::vector{h.dilation, w.dilation};
    node.attributes["pads"] = std::vector{h.before, w.before, h.after, w.after};
  }
};

Layer convolution(Random& r, Requant mode, Images m, std::int64_t groups, const char* kind) {
  const std::int64_t group_in = m.in_c / groups, group_out = m.out_c / groups, taps = m.h.kernel * m.w.kernel;
  const std::int64_t depth = group_in * taps;
  Weights w = random_scales(r, m.out_c, depth);
  const std::int64_t in_zero = uniform(r, -128, 127);
  Node node;
  node.op = "Conv";
  node.attributes["group"] = groups;
  m.attributes(node);
  node.attributes["activation"] = random_activation(r, w.out);
  const char* layouts[] = {"OIHW", "OHWI", "IHWO"};
  const std::string layout = layouts[uniform(r, 0, group_in == 1 ? 2 : 1)];
  node.attributes["filter_layout"] = layout;

  Layer layer;
  layer.region.requant = mode;
  layer.inputs.push_back(random_bytes(r, product(m.dims(true))));
  std::vector<std::int8_t> filter = random_bytes(r, static_cast<std::size_t>(m.out_c * depth));
  std::vector<std::int64_t> filter_dims;
  if (layout == "OIHW") filter_dims = {m.out_c, group_in, m.h.kernel, m.w.kernel};
  if (layout == "OHWI") filter_dims = {m.out_c, m.h.kernel, m.w.kernel, group_in};
  if (layout == "IHWO") filter_dims = {1, m.h.kernel, m.w.kernel, m.out_c};
  const auto tap = [&](std::int64_t o, std::int64_t i, std::int64_t ky, std::int64_t kx) -> std::int64_t {
    const std::int64_t t = ky * m.w.kernel + kx;
    if (layout == "OIHW") return filter[static_cast<std::size_t>((o * group_in + i) * taps + t)];
    if (layout == "OHWI") return filter[static_cast<std::size_t>((o * taps + t) * group_in + i)];
    return filter[static_cast<std::size_t>(t * m.out_c + o)];
  };

  layer.expected.resize(product(m.dims(false)));
  for (std::int64_t b = 0; b < m.batch; ++b)
    for (std::int64_t oy = 0; oy < m.h.out; ++oy)
      for (std::int64_t ox = 0; ox < m.w.out; ++ox)
        for (std::int64_t o = 0; o < m.out_c; ++o) {
          std::int64_t acc = w.bias[static_cast<std::size_t>(o)];
          for (std::int64_t ky = 0; ky < m.h.kernel; ++ky)
            for (std::int64_t kx = 0; kx < m.w.kernel; ++kx) {
              const std::int64_t y = oy * m.h.stride - m.h.before + ky * m.h.dilation;
              const std::int64_t x = ox * m.w.stride - m.w.before + kx * m.w.dilation;
              if (y < 0 || y >= m.h.in || x < 0 || x >= m.w.in) continue;
              for (std::int64_t i = 0; i < group_in; ++i) {
                const std::int64_t value = layer.inputs[0][m.at(true, b, y, x, o / group_out * group_in + i)];
                acc += tap(o, i, ky, kx) * (value - in_zero);
              }
            }
          const float scale = w.scales[w.scales.size() == 1 ? 0 : static_cast<std::size_t>(o)];
          layer.expected[m.at(false, b, oy, ox, o)] =
              static_cast<std::int8_t>(requantise(mode, acc, w.in_scale, scale, w.out));
        }

  layer.text = std::string(kind) + " " + (m.nhwc ? "NHWC " : "NCHW ") + layout + " in " + std::to_string(m.h.in) + "x" +
               std::to_string(m.w.in) + "x" + std::to_string(m.in_c) + " out " + std::to_string(m.h.out) + "x" +
               std::to_string(m.w.out) + "x" + std::to_string(m.out_c) + " kernel " + std::to_string(m.h.kernel) + "x" +
               std::to_string(m.w.kernel) + " stride " + std::to_string(m.h.stride) + "," + std::to_string(m.w.stride) +
               " dilation " + std::to_string(m.h.dilation) + "," + std::to_string(m.w.dilation) + " group " +
               std::to_string(groups);
  auto& values = layer.region.values;
  values.push_back(tensor("x", m.dims(true), w.in_scale, in_zero));
  values.push_back(constant(layer, "w", DType::i8, filter_dims, filter));
  values.back().quantisation = {w.scales, std::vector<std::int64_t>(w.scales.size(), 0),
                                w.scales.size() == 1 ? -1
                                : layout == "IHWO"   ? 3
                                                     : 0};
  values.push_back(constant(layer, "b", DType::i32, {m.out_c}, w.bias));
  values.push_back(tensor("y", m.dims(false), w.out.scale, w.out.zero));
  layer.region.inputs = {0};
  node.inputs = {0, 1, 2};
  finish(layer, std::move(node));
  return layer;
}

}  // namespace

Layer random_conv(Random& r, Requant mode) {
  const std::int64_t groups = chance(r, 15) ? uniform(r, 2, 3) : 1;
  Images m{uniform(r, 1, 2), 0, 0, random_axis(r, true), random_axis(r, true), chance(r, 60)};
  m.in_c = groups * (chance(r, 30) ? uniform(r, 1, 4) : chance(r, 25) ? 16 * uniform(r, 1, 4) : uniform(r, 1, 37));
  m.out_c = groups * uniform(r, 1, 21);
  // Then their results may lie over the image.
  if (groups > 1 && chance(r, 50)) m.out_c = m.in_c;
  if (chance(r, 35)) m.h = m.w = Axis{uniform(r, 1, 6), 0, 1, 1, 1, 0, 0};
  if (m.h.out == 0) m.h.out = m.h.in, m.w.out = m.w.in;
  return convolution(r, mode, m, groups, "conv");
}

Layer random_depthwise(Random& r, Requant mode) {
  Images m{uniform(r, 1, 2), uniform(r, 2, 21), 0, random_axis(r, true), random_axis(r, true), chance(r, 60)};
  if (chance(r, 50))
    m.w.kernel = 3, m.w.dilation = 1, m.w.before = m.w.after = 1, m.w.out = (m.w.in - 1) / m.w.stride + 1;
  m.out_c = m.in_c * (chance(r, 25) ? uniform(r, 2, 3) : 1);
  return convolution(r, mode, m, m.in_c, "depthwise");
}

Layer random_dense(Random& r, Requant mode) {
  const std::int64_t rows = chance(r, 60) ? 1 : uniform(r, 2, 9);
  const std::int64_t depth = chance(r, 15) ? uniform(r, 500, 1300) : uniform(r, 1, 150), units = uniform(r, 1, 40);
  const char* ops[] = {"FullyConnected", "Gemm", "MatMul"};
  const std::string op = ops[uniform(r, 0, 2)];
  const bool transposed = op == "FullyConnected" || (op == "Gemm" && chance(r, 50));
  Weights w = random_scales(r, units, depth);
  const std::int64_t in_zero = uniform(r, -128, 127);
  Node node;
  node.op = op;
  node.domain = op == "FullyConnected" ? "byoc" : "";
  if (op == "Gemm") node.attributes["transB"] = static_cast<std::int64_t>(transposed);
  node.attributes["activation"] = random_activation(r, w.out);
  if (op == "MatMul") std::fill(w.bias.begin(), w.bias.end(), 0);

  Layer layer;
  layer.region.requant = mode;
  layer.text = op + " " + std::to_string(rows) + "x" + std::to_string(depth) + "x" + std::to_string(units);
  layer.inputs.push_back(random_bytes(r, static_cast<std::size_t>(rows * depth)));
  const std::vector<std::int8_t> matrix = random_bytes(r, static_cast<std::size_t>(units * depth));
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t u = 0; u < units; ++u) {
      std::int64_t acc = w.bias[static_cast<std::size_t>(u)];
      for (std::int64_t k = 0; k < depth; ++k)
        acc += static_cast<std::int64_t>(matrix[static_cast<std::size_t>(transposed ? u * depth + k : k * units + u)]) *
               (layer.inputs[0][static_cast<std::size_t>(row * depth + k)] - in_zero);
      const float scale = w.scales[w.scales.size() == 1 ? 0 : static_cast<std::size_t>(u)];
      layer.expected.push_back(static_cast<std::int8_t>(requantise(mode, acc, w.in_scale, scale, w.out)));
    }
  auto& values = layer.region.values;
  values.push_back(tensor("x", {rows, depth}, w.in_scale, in_zero));
  values.push_back(
      constant(layer, "w", DType::i8, transposed ? std::vector{units, depth} : std::vector{depth, units}, matrix));
  values.back().quantisation = {w.scales, {}, w.scales.size() == 1 ? -1 : transposed ? 0 : 1};
  node.inputs = {0, 1};
  if (op != "MatMul") {
    values.push_back(constant(layer, "b", DType::i32, {units}, w.bias));
    node.inputs.push_back(2);
  }
  values.push_back(tensor("y", {rows, units}, w.out.scale, w.out.zero));
  layer.region.inputs = {0};
  finish(layer, std::move(node));
  return layer;
}

Layer random_average_pool(Random& r, Requant mode) {
  Images m{uniform(r, 1, 2), uniform(r, 1, 21), 0, random_axis(r, false), random_axis(r, false), chance(r, 60)};
  m.out_c = m.in_c;
  Node node;
  node.op = chance(r, 30) ? "GlobalAveragePool" : "AveragePool";
  const bool global = node.op == "GlobalAveragePool";
  if (global) m.h = {m.h.in, 1, m.h.in, 1, 1, 0, 0}, m.w = {m.w.in, 1, m.w.in, 1, 1, 0, 0};
  const bool with_pad = mode == Requant::onnx && !global && chance(r, 40);
  const float in_scale = log_uniform(r, 1e-3, 1);
  const std::int64_t in_zero = uniform(r, -128, 127);
  Out out{in_scale, in_zero};
  if (mode == Requant::onnx) out = {in_scale * log_uniform(r, 0.3, 3), uniform(r, -128, 127)};
  m.attributes(node);
  if (global) node.attributes.clear(), node.attributes["data_layout"] = std::string(m.nhwc ? "NHWC" : "NCHW");
  if (!global) node.attributes["activation"] = random_activation(r, out);
  if (with_pad) node.attributes["count_include_pad"] = std::int64_t{1};

  Layer layer;
  layer.region.requant = mode;
  layer.text = node.op + (m.nhwc ? " NHWC " : " NCHW ") + std::to_string(m.h.in) + "x" + std::to_string(m.w.in) + "x" +
               std::to_string(m.in_c) + " kernel " + std::to_string(m.h.kernel) + "x" + std::to_string(m.w.kernel);
  layer.inputs.push_back(random_bytes(r, product(m.dims(true))));
  layer.expected.resize(product(m.dims(false)));
  for (std::int64_t b = 0; b < m.batch; ++b)
    for (std::int64_t oy = 0; oy < m.h.out; ++oy)
      for (std::int64_t ox = 0; ox < m.w.out; ++ox)
        for (std::int64_t c = 0; c < m.in_c; ++c) {
          std::int64_t sum = 0, count = 0;
          float real = 0;
          for (std::int64_t ky = 0; ky < m.h.kernel; ++ky)
            for (std::int64_t kx = 0; kx < m.w.kernel; ++kx) {
              const std::int64_t y = oy * m.h.stride - m.h.before + ky, x = ox * m.w.stride - m.w.before + kx;
              if (y < 0 || y >= m.h.in || x < 0 || x >= m.w.in) continue;
              const std::int64_t q = layer.inputs[0][m.at(true, b, y, x, c)];
              const volatile float element = static_cast<float>(q - in_zero) * in_scale;
              real += element;
              sum += q;
              ++count;
            }
          std::int64_t y = 0;
          if (mode == Requant::tflite) {
            y = static_cast<std::int64_t>(std::round(static_cast<double>(sum) / static_cast<double>(count)));
          } else {
            const float mean = real / static_cast<float>(with_pad ? m.h.kernel * m.w.kernel : count);
            y = onnx_round(mean / out.scale) + out.zero;
          }
          layer.expected[m.at(false, b, oy, ox, c)] = static_cast<std::int8_t>(std::clamp(y, out.low, out.high));
        }
  auto& values = layer.region.values;
  values.push_back(tensor("x", m.dims(true), in_scale, in_zero));
  values.push_back(tensor("y", m.dims(false), out.scale, out.zero));
  layer.region.inputs = {0};
  node.inputs = {0};
  finish(layer, std::move(node));
  return layer;
}

Layer random_sum(Random& r, Requant mode) {
  const std::vector<std::int64_t> dims = {uniform(r, 1, 3), uniform(r, 1, 5), uniform(r, 1, 5), uniform(r, 1, 20)};
  std::vector<std::int64_t> shapes[2] = {dims, dims};
  if (chance(r, 40)) {
    std::vector<std::int64_t>& s = shapes[uniform(r, 0, 1)];
    for (auto& d : s)
      if (chance(r, 40)) d = 1;
    if (chance(r, 30)) s.erase(s.begin(), s.begin() + 2);
  }
  const bool subtract = chance(r, 40);
  const float scale[2] = {log_uniform(r, 1e-2, 1), log_uniform(r, 1e-2, 1)};
  const std::int64_t zero[2] = {uniform(r, -128, 127), uniform(r, -128, 127)};
  Out out{log_uniform(r, 5e-3, 2), uniform(r, -128, 127)};
  Node node;
  node.op = subtract ? "Sub" : "Add";
  node.attributes["activation"] = random_activation(r, out);
  Layer layer;
  layer.region.requant = mode;
  layer.text = node.op;
  for (const auto& s : shapes) {
    layer.inputs.push_back(random_bytes(r, product(s)));
    for (const auto d : s) layer.text += " " + std::to_string(d);
    layer.text += ";";
  }
  const auto index = [&](const std::vector<std::int64_t>& s, std::size_t flat) {
    std::size_t at = 0, stride = 1;
    for (std::size_t i = dims.size(); i-- > 0;) {
      const std::size_t digit = flat % static_cast<std::size_t>(dims[i]);
      flat /= static_cast<std::size_t>(dims[i]);
      if (i < dims.size() - s.size()) continue;
      const std::int64_t d = s[i - (dims.size() - s.size())];
      at += (d == 1 ? 0 : digit) * stride;
      stride *= static_cast<std::size_t>(d);
    }
    return at;
  };
  // Reference: ADD combines its scales in double, SUB in float32.
  double factor0, factor1, factor_out;
  if (subtract) {
    const float twice = 2 * std::max(scale[0], scale[1]);
    factor0 = static_cast<double>(scale[0] / twice);
    factor1 = static_cast<double>(scale[1] / twice);
    factor_out = static_cast<double>(twice / (1048576.0F * out.scale));
  } else {
    const double twice = 2 * std::max(static_cast<double>(scale[0]), static_cast<double>(scale[1]));
    factor0 = static_cast<double>(scale[0]) / twice;
    factor1 = static_cast<double>(scale[1]) / twice;
    factor_out = twice / (1048576.0 * static_cast<double>(out.scale));
  }
  for (std::size_t i = 0; i < product(dims); ++i) {
    const std::int64_t a = layer.inputs[0][index(shapes[0], i)] - zero[0],
                       b = layer.inputs[1][index(shapes[1], i)] - zero[1];
    std::int64_t y = 0;
    if (mode == Requant::tflite) {
      const std::int64_t s0 = tflite_multiply(a * 1048576, factor0), s1 = tflite_multiply(b * 1048576, factor1);
      y = tflite_multiply(subtract ? s0 - s1 : s0 + s1, factor_out);
    } else {
      const volatile float fa = static_cast<float>(a) * scale[0], fb = static_cast<float>(b) * scale[1];
      y = onnx_round((subtract ? fa - fb : fa + fb) / out.scale);
    }
    layer.expected.push_back(static_cast<std::int8_t>(std::clamp(y + out.zero, out.low, out.high)));
  }
  auto& values = layer.region.values;
  values.push_back(tensor("a", shapes[0], scale[0], zero[0]));
  values.push_back(tensor("b", shapes[1], scale[1], zero[1]));
  values.push_back(tensor("y", dims, out.scale, out.zero));
  layer.region.inputs = {0, 1};
  node.inputs = {0, 1};
  finish(layer, std::move(node));
  return layer;
}

namespace {

// gemmlowp's fixed point, with rationals that say what each step means: F<n> is raw / 2^(31 - n).
std::int64_t mul(std::int64_t a, std::int64_t b) {
  return (a * b + (a * b >= 0 ? 1073741824 : 1 - 1073741824)) / 2147483648;
}
std::int64_t pot(std::int64_t x, int n) {  // x / 2^n, halves away from zero
  const std::int64_t d = std::int64_t{1} << n;
  return x >= 0 ? (x + d / 2) / d : -((-x + d / 2) / d);
}
std::int64_t saturate(std::int64_t x) { return std::clamp<std::int64_t>(x, INT32_MIN, INT32_MAX); }

std::int64_t exponential(std::int64_t a) {  // F<5> <= 0 to F<0>
  if (a == 0) return INT32_MAX;
  const std::int64_t quarter = std::int64_t{1} << 24;
  const std::int64_t within = (a & (quarter - 1)) - quarter;
  const std::int64_t x = within * 32 + (std::int64_t{1} << 28);
  const std::int64_t x2 = mul(x, x), x3 = mul(x2, x), x4 = mul(x2, x2);
  const std::int64_t inner = pot(mul(pot(x4, 2) + x3, 715827883) + x2, 1);
  std::int64_t result = 1895147668 + mul(1895147668, x + inner);
  const std::int64_t remainder = within - a;
  for (int exponent = -2; exponent <= 4; ++exponent)
    if (remainder & (std::int64_t{1} << (26 + exponent)))
      result = mul(result, static_cast<std::int64_t>(std::llround(std::exp(-std::exp2(exponent)) * 2147483648.0)));
  return result;
}

}  // namespace

Layer random_softmax(Random& r) {
  const std::int64_t rows = uniform(r, 1, 4), depth = chance(r, 20) ? uniform(r, 100, 700) : uniform(r, 1, 30);
  const float scale = log_uniform(r, 1e-3, 10), beta = chance(r, 70) ? 1.0F : log_uniform(r, 0.1, 4);
  Layer layer;
  layer.region.requant = Requant::tflite;
  layer.text = "Softmax " + std::to_string(rows) + "x" + std::to_string(depth) + " scale " + std::to_string(scale);
  layer.inputs.push_back(random_bytes(r, static_cast<std::size_t>(rows * depth)));
  const double factor = std::min(static_cast<double>(beta) * static_cast<double>(scale) * 67108864.0, 2147483647.0);
  int shift = 0;
  (void)std::frexp(factor, &shift);
  const auto least = static_cast<std::int64_t>(-std::floor(31.0 * 67108864.0 / std::exp2(shift)));
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int8_t* x = layer.inputs[0].data() + row * depth;
    const std::int64_t most = *std::max_element(x, x + depth);
    std::int64_t sum = 0;
    for (std::int64_t i = 0; i < depth; ++i)
      if (x[i] - most >= least) sum += pot(exponential(tflite_multiply(x[i] - most, factor)), 12);
    int headroom = 0;
    while (((sum << headroom) & 0x80000000) == 0) ++headroom;
    const std::int64_t fraction = (sum << headroom) - 0x80000000LL;
    const std::int64_t half = (fraction + INT32_MAX + 1) / 2;
    std::int64_t inverse = 1515870810 + mul(half, -1010580540);
    for (int i = 0; i < 3; ++i) inverse += saturate(mul(inverse, 536870912 - mul(half, inverse)) * 4);
    inverse = saturate(inverse * 2);
    for (std::int64_t i = 0; i < depth; ++i) {
      std::int64_t y = -128;
      if (x[i] - most >= least)
        y = pot(mul(inverse, exponential(tflite_multiply(x[i] - most, factor))), 12 - headroom + 23) - 128;
      layer.expected.push_back(static_cast<std::int8_t>(std::clamp<std::int64_t>(y, -128, 127)));
    }
  }
  layer.region.values.push_back(tensor("x", {rows, depth}, scale, uniform(r, -128, 127)));
  layer.region.values.push_back(tensor("y", {rows, depth}, 1.0F / 256, -128));
  layer.region.inputs = {0};
  Node node;
  node.op = "Softmax";
  node.attributes["beta"] = beta;
  node.inputs = {0};
  finish(layer, std::move(node));
  return layer;
}

Layer random_quantize(Random& r, Requant mode) {
  const char* const ops[] = {"Quantize", "Requantize", "Dequantize", "Relu", "Clip"};
  const std::string kind = ops[uniform(r, 0, 4)];
  const std::vector<std::int64_t> dims = {uniform(r, 1, 3), uniform(r, 1, 90)};
  const float in_scale = log_uniform(r, 1e-3, 10);
  const float out_scale = chance(r, 30) ? in_scale : in_scale * log_uniform(r, 0.1, 10);
  const std::int64_t in_zero = uniform(r, -128, 127), out_zero = uniform(r, -128, 127);
  const float low = -in_scale * static_cast<float>(uniform(r, 0, 100)),
              high = in_scale * static_cast<float>(uniform(r, 0, 100));
  Layer layer;
  layer.region.requant = mode;
  layer.text = kind + " scale " + std::to_string(in_scale) + " to " + std::to_string(out_scale);
  Node node;
  node.op = kind == "Requantize" ? "Quantize" : kind;
  node.domain = kind == "Relu" || kind == "Clip" ? "" : "byoc";
  node.inputs = {0};
  auto& values = layer.region.values;
  const std::size_t n = product(dims);
  const auto quantise = [&](float real) {
    const float q = real / out_scale;
    return (mode == Requant::onnx ? onnx_round(q) : static_cast<std::int64_t>(std::round(std::clamp(q, -1e9F, 1e9F)))) +
           out_zero;
  };
  const auto store = [&](std::int64_t q) {
    layer.expected.push_back(static_cast<std::int8_t>(std::clamp<std::int64_t>(q, -128, 127)));
  };
  if (kind == "Quantize") {
    values.push_back(tensor("x", dims, 1, 0));
    values.back().dtype = DType::f32;
    values.back().quantisation = {};
    layer.inputs.emplace_back(4 * n);
    for (std::size_t i = 0; i < n; ++i) {
      // Halves, so that ties occur; and numbers far outside.
      float x = out_scale * static_cast<float>(uniform(r, -600, 600)) / 2;
      if (chance(r, 5)) x *= log_uniform(r, 1, 1e30);
      std::memcpy(layer.inputs[0].data() + 4 * i, &x, 4);
      store(quantise(x));
    }
  } else {
    values.push_back(tensor("x", dims, in_scale, in_zero));
    layer.inputs.push_back(random_bytes(r, n));
  }
  if (kind == "Clip")
    for (const float bound : {low, high}) {
      values.push_back(constant(layer, "bound", DType::f32, {}, std::vector<float>{bound}));
      node.inputs.push_back(static_cast<codegen::ValueId>(values.size() - 1));
    }
  values.push_back(tensor("y", dims, out_scale, out_zero));
  const bool tflite = mode == Requant::tflite;
  for (const std::int8_t q : layer.inputs[0]) {
    const std::int64_t x = q - in_zero;
    const volatile float rounded = static_cast<float>(x) * in_scale;  // never contracted
    const float real = rounded;
    if (kind == "Requantize")
      store(tflite ? tflite_multiply(x, static_cast<double>(in_scale) / static_cast<double>(out_scale)) + out_zero
                   : quantise(real));
    if (kind == "Relu")
      store(tflite ? std::max<std::int64_t>(tflite_multiply(x, static_cast<double>(in_scale / out_scale)), 0) + out_zero
                   : quantise(std::max(real, 0.0F)));
    if (kind == "Clip")
      store(tflite ? std::clamp<std::int64_t>(q, static_cast<std::int64_t>(std::round(low / in_scale)) + in_zero,
                                              static_cast<std::int64_t>(std::round(high / in_scale)) + in_zero)
                   : quantise(std::clamp(real, low, high)));
    if (kind == "Dequantize") {
      const float y = real;
      const auto* bytes = reinterpret_cast<const std::int8_t*>(&y);
      layer.expected.insert(layer.expected.end(), bytes, bytes + 4);
    }
  }
  if (kind == "Dequantize") {
    values.back().dtype = DType::f32;
    values.back().quantisation = {};
  }
  layer.region.inputs = {0};
  finish(layer, std::move(node));
  return layer;
}

}  // namespace byoc::test
