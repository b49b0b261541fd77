// Conv between DequantizeLinear and QuantizeLinear, and QLinearConv, with groups.
#include "tests/e2e/layers/onnx/families.hpp"
#include "tests/e2e/layers/onnx/products.hpp"
#include "tests/e2e/layers/onnx/window.hpp"

namespace byoc::test {
namespace {

struct Convolution {
  Windows windows;
  std::int32_t batch = 1, groups = 1, channels = 1, outputs = 1;  // channels and outputs of one group
};

std::int32_t elements(const Shape& shape) {
  std::int32_t n = 1;
  for (const std::int32_t d : shape) n *= d;
  return n;
}

void convolve(OnnxProduct& p, const Convolution& c) {
  const std::int64_t x_zero = p.x.zero_point();
  for_each_index(p.shape, [&](const Index& y) {
    std::int64_t sum = 0, size = 0;
    c.windows.for_each_tap({y.begin() + 2, y.end()}, [&](const Index& position, const Index& tap) {
      for (std::size_t d = 0; d < position.size(); ++d)
        if (!c.windows.dims[d].is_inside(position[d])) return;
      for (std::int32_t i = 0; i < c.channels; ++i) {
        const Index from = behind({y[0], y[1] / c.outputs * c.channels + i}, position);
        const std::int64_t term =
            (p.x.ints[place(p.x.shape, from)] - x_zero) *
            (p.weights.ints[place(p.weights.shape, behind({y[1], i}, tap))] - zero_point(p.weights, y[1]));
        sum += term;
        size += std::abs(term);
      }
    });
    p.largest = std::max(p.largest, size);
    p.sums.push_back(sum);
  });
}

OnnxProduct product_of(Random& random, const OnnxProductTypes& types, const Convolution& c) {
  OnnxProduct p;
  p.types = types;
  p.x = random_activations(random, types, behind({c.batch, c.groups * c.channels}, c.windows.in()));
  p.weights = random_weights(random, types, behind({c.groups * c.outputs, c.channels}, c.windows.kernel()), 0);
  p.shape = behind({c.batch, c.groups * c.outputs}, c.windows.out());
  p.channels = c.groups * c.outputs;
  p.run = elements(c.windows.out());
  p.depth = c.channels * elements(c.windows.kernel());
  convolve(p, c);
  return p;
}

std::string convolution_text(const OnnxProductTypes& types, const Convolution& c, const char* form) {
  return std::string(form) + " " + text(types) + ", batch " + std::to_string(c.batch) + ", groups " +
         std::to_string(c.groups) + " of " + std::to_string(c.channels) + " -> " + std::to_string(c.outputs) +
         c.windows.text();
}

void set_attributes(onnx::NodeProto& node, Random& random, const Convolution& c) {
  c.windows.set_attributes(node, random);
  if (c.groups != 1 || random.chance(50)) set(node, "group", std::int64_t{c.groups});
}

void add_convolution(OnnxModel& model, Random& random, const OnnxProductTypes& types, const Convolution& c,
                     bool is_qlinear, SumRounding rounding) {
  model.add_text(convolution_text(types, c, is_qlinear ? "QLinearConv" : "Conv"));
  OnnxProduct p = product_of(random, types, c);
  // Only images are lifted.
  const bool is_image = c.windows.dims.size() <= 2;
  p.is_real = !is_image;
  if (!is_image) rounding = SumRounding::literal;
  if (is_qlinear)
    add_qlinear_product(model, random, std::move(p), rounding, true,
                        [&](const OnnxModel::Names& inputs, const std::string& y) {
                          set_attributes(model.node("QLinearConv", inputs, {y}), random, c);
                        });
  else
    add_dequantised_product(model, random, std::move(p), {c.groups * c.outputs}, [&](const OnnxModel::Names& inputs) {
      const std::string y = model.between();
      set_attributes(model.node("Conv", inputs, {y}), random, c);
      return y;
    });
}

Convolution random_convolution(Random& random, const OnnxProductTypes& types) {
  Convolution c;
  c.channels = random_channels(random, 9);
  c.outputs = random_channels(random, 6);
  const bool many = c.channels > 9 || c.outputs > 6;
  c.groups = random.chance(25) ? random.size(2, 4) : 1;
  c.batch = random.chance(25) ? 2 : 1;
  c.windows = random_windows(random, 3, many);
  c.channels = std::min(c.channels, std::max(largest_depth(types) / elements(c.windows.kernel()), 1));
  return c;
}

Convolution random_depthwise(Random& random) {
  Convolution c;
  c.groups = random_channels(random, 9);
  c.outputs = random.chance(60) ? 1 : random.size(2, 4);
  c.batch = random.chance(25) ? 2 : 1;
  c.windows = random_windows(random, 3, c.groups > 9);
  return c;
}

struct ConvolutionVariant {
  OnnxProductTypes types;
  bool is_qlinear;
};

// All types between DequantizeLinear and QuantizeLinear, those of 8 bits as QLinearConv.
constexpr std::size_t kConvolutionVariants = std::size(kProductTypes) + kByteTypes;
ConvolutionVariant variant(std::size_t index) {
  const std::size_t i = index % kConvolutionVariants;
  const bool is_qlinear = i >= std::size(kProductTypes);
  return {kProductTypes[is_qlinear ? i - std::size(kProductTypes) : i], is_qlinear};
}

}  // namespace

void make_onnx_conv(OnnxModel& model, Random& random, std::size_t index) {
  const auto [types, is_qlinear] = variant(index);
  add_convolution(model, random, types, random_convolution(random, types), is_qlinear, SumRounding::exact);
}

void make_onnx_depthwise_conv(OnnxModel& model, Random& random, std::size_t index) {
  const auto [types, is_qlinear] = variant(index);
  add_convolution(model, random, types, random_depthwise(random), is_qlinear, SumRounding::exact);
}

void make_onnx_conv_literal(LiteralOnnxModel& model, Random& random, std::size_t index) {
  const OnnxProductTypes& types = kProductTypes[index % kByteTypes];
  const Convolution c = index / kByteTypes % 3 == 2 ? random_depthwise(random) : random_convolution(random, types);
  add_convolution(model, random, types, c, true, SumRounding::literal);
}

}  // namespace byoc::test
