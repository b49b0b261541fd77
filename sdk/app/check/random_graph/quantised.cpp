// Entries of operators on quantised values.
#include <cmath>

#include "sdk/app/check/random_graph/builder.hpp"
#include "sdk/app/check/random_graph/windows.hpp"

namespace byoc::check {
namespace {

const std::vector<std::string> kQuantisedActivations = {"none", "none", "relu", "relu6", "relu_n1_to_1"};

// The output of a layer that sums about `depth` products: scaled so that it covers the range, and at times not.
std::optional<ir::TensorType> layer_output(Builder& b, DType dtype, float in_scale, float weight_scale, double depth) {
  Quantisation q = b.per_tensor(dtype);
  const float factor = b.choice.one_in(4) ? b.choice.real(0.1f, 40) : b.choice.real(3, 12);
  q.scales[0] =
      in_scale * weight_scale * factor * static_cast<float>(std::sqrt(depth + 1)) * (dtype == DType::i16 ? 0.3f : 8.0f);
  return Builder::as(dtype, q);
}

Quantisation weight_scales(Builder& b, std::int64_t channels, std::int32_t axis) {
  Quantisation q;
  const bool per_axis = b.choice.one_in(2);
  for (std::int64_t i = 0; i < (per_axis ? channels : 1); ++i) q.scales.push_back(b.choice.real(0.002f, 0.03f));
  q.zero_points.assign(q.scales.size(), 0);
  q.axis = per_axis ? axis : -1;
  return q;
}

Quantisation bias_scales(float in_scale, const Quantisation& weights) {
  Quantisation q;
  for (const float s : weights.scales) q.scales.push_back(in_scale * s);
  q.zero_points.assign(q.scales.size(), 0);
  q.axis = weights.per_axis() ? 0 : -1;
  return q;
}

ir::ValueId quantised_bias(Builder& b, ir::ValueId x, std::int64_t channels, const Quantisation& weights) {
  const DType dtype = b.dtype(x) == DType::i16 && !b.choice.one_in(4) ? DType::i64 : DType::i32;
  return b.quantised_constant(dtype, {channels}, bias_scales(b.type(x).quantisation->scales[0], weights), -3000, 3000);
}

void quantised_conv(Builder& b, const std::string& op) {
  const ir::ValueId x = b.any_quantised(4, 4);
  const ConvShape shape = conv_shape(b, b.dims(x));
  if (shape.attributes.empty()) return;
  const Quantisation scales = weight_scales(b, shape.out_channels, shape.channel_axis);
  std::vector<ir::ValueId> inputs{x, b.quantised_constant(DType::i8, shape.weights, scales, -127, 127)};
  if (!b.choice.one_in(4)) inputs.push_back(quantised_bias(b, x, shape.out_channels, scales));
  Builder::Attributes attributes = shape.attributes;
  attributes["activation"] = b.choice.of(kQuantisedActivations);
  double depth = 1;
  for (const std::int64_t d : shape.weights) depth *= static_cast<double>(d);
  b.add(op, std::move(inputs), std::move(attributes),
        {layer_output(b, b.dtype(x), b.type(x).quantisation->scales[0], scales.scales[0],
                      depth / static_cast<double>(shape.out_channels))});
}

void quantised_dense(Builder& b, const std::string& op) {
  const ir::ValueId x = b.any_quantised(1, 4);
  const std::int64_t units = b.choice.integer(1, 9), depth = b.dims(x).back();
  const Quantisation scales = weight_scales(b, units, 0);
  std::vector<ir::ValueId> inputs{x, b.quantised_constant(DType::i8, {units, depth}, scales, -127, 127)};
  if (!b.choice.one_in(4)) inputs.push_back(quantised_bias(b, x, units, scales));
  Builder::Attributes attributes{{"activation", b.choice.of(kQuantisedActivations)}};
  if (b.choice.one_in(3)) attributes["keep_num_dims"] = std::int64_t{1};
  b.add(op, std::move(inputs), std::move(attributes),
        {layer_output(b, b.dtype(x), b.type(x).quantisation->scales[0], scales.scales[0], static_cast<double>(depth))});
}

void binary(Builder& b, const std::string& op) {
  const ir::ValueId x = b.any_quantised(0, 5);
  ir::TensorType other = b.type(x);
  if (b.choice.one_in(2)) other.quantisation = b.per_tensor(other.dtype);
  if (b.choice.one_in(3))
    for (std::int64_t& d : *other.dims)
      if (b.choice.one_in(2)) d = 1;
  if (b.choice.one_in(6)) other.dims = Dims{};
  const ir::ValueId y = b.choice.one_in(10) ? x : b.same_type(other);
  Quantisation q = b.per_tensor(b.dtype(x));
  if (b.dtype(x) == DType::i16 && b.choice.one_in(2)) q.scales[0] = 1.0f / 4096;
  b.add(op, {x, y}, {{"activation", b.choice.of(kQuantisedActivations)}}, {Builder::as(b.dtype(x), q)});
}

// In TFLite the output's quantisation is the input's.
void quantised_pool(Builder& b, const std::string& op) {
  const ir::ValueId x = b.any_quantised(4, 4);
  const bool nhwc = b.choice.one_in(2);
  const Dims& d = b.dims(x);
  Builder::Attributes attributes = window(b, nhwc ? Dims{d[1], d[2]} : Dims{d[2], d[3]}, false);
  if (attributes.empty()) return;
  if (nhwc) attributes["data_layout"] = std::string("NHWC");
  if (b.choice.one_in(3)) attributes["activation"] = b.choice.of(kQuantisedActivations);
  b.add(op, {x}, std::move(attributes), {like(b, x)});
}

void quantised_global_pool(Builder& b, const std::string& op) {
  const ir::ValueId x = b.any_quantised(4, 4);
  b.add(op, {x}, {}, {like(b, x)});
}

void mean(Builder& b, const std::string& op) {
  const ir::ValueId x = b.any_quantised(1, 4);
  const auto rank = static_cast<std::int64_t>(b.dims(x).size());
  Dims axes;
  for (std::int64_t i = 0; i < rank; ++i)
    if (b.choice.one_in(2)) axes.push_back(i);
  if (axes.empty()) axes.push_back(rank - 1);
  const Quantisation q = b.choice.one_in(2) ? *b.type(x).quantisation : b.per_tensor(b.dtype(x));
  b.add(op, {x, b.integers(axes)}, {{"keepdims", std::int64_t{b.choice.one_in(2) ? 1 : 0}}},
        {Builder::as(b.dtype(x), q)}, 18);
}

void fixed_output(Builder& b, const std::string& op) {
  const ir::ValueId x = b.any_quantised(1, 4);
  const DType t = b.dtype(x);
  Quantisation q;
  if (op == "Tanh") {
    q = {{t == DType::i16 ? 1.0f / 32768 : 1.0f / 128}, {t == DType::u8 ? 128 : 0}, -1};
  } else {
    q = {{t == DType::i16 ? 1.0f / 32768 : 1.0f / 256}, {t == DType::i8 ? -128 : 0}, -1};
  }
  Builder::Attributes attributes;
  if (op == "Softmax") attributes["axis"] = std::int64_t{-1};
  if (op == "Softmax" && b.choice.one_in(3)) attributes["beta"] = b.choice.real(0.3f, 2);
  b.add(op, {x}, std::move(attributes), {Builder::as(t, q)});
}

void table(Builder& b, const std::string& op) {
  const ir::ValueId x = b.any_quantised(0, 5);
  const Quantisation q = b.choice.one_in(3) ? *b.type(x).quantisation : b.per_tensor(b.dtype(x));
  Builder::Attributes attributes;
  if (op == "LeakyRelu") attributes["alpha"] = b.choice.real(0.01f, 0.5f);
  b.add(op, {x}, std::move(attributes), {Builder::as(b.dtype(x), q)});
}

void quantised_clip(Builder& b, const std::string& op) {
  const ir::ValueId x = b.any_quantised(0, 5);
  const float low = b.choice.one_in(2) ? 0.0f : -1.0f;
  b.add(op, {x, b.scalar(low), b.scalar(b.choice.one_in(2) ? 6.0f : 1.0f)}, {}, {like(b, x)});
}

void extreme(Builder& b, const std::string& op) {
  const ir::ValueId x = b.any_quantised(0, 5);
  b.add(op, {x, b.same_type(b.type(x))}, {}, {like(b, x)});
}

void quantize(Builder& b, const std::string& op) {
  const ir::ValueId x = b.choice.one_in(2) ? b.any_real() : b.any_quantised(0, 5);
  const DType t = b.quantised_dtype();
  b.add(op, {x}, {}, {Builder::as(t, b.per_tensor(t))});
}

void dequantize(Builder& b, const std::string& op) {
  b.add(op, {b.any_quantised(0, 5)}, {}, {Builder::as(DType::f32, std::nullopt)});
}

// ONNX's own forms, with scales as operands.
ir::ValueId random_zero_point(Builder& b, DType dtype) {
  return b.graph.add_constant("", {dtype, Dims{}, std::nullopt},
                              Blob::own({static_cast<std::byte>(b.choice.integer(dtype == DType::u8 ? 0 : -20, 20))}));
}

// Quantises to a small type and back; any of its elements may be the zero point.
void quantize_small(Builder& b, const std::string& op) {
  if (b.graph.requant != Requant::onnx) return;
  static const std::vector<DType> kTypes = {DType::i4,     DType::u4,         DType::i2,
                                            DType::u2,     DType::f8e4m3fn,   DType::f8e4m3fnuz,
                                            DType::f8e5m2, DType::f8e5m2fnuz, DType::f4e2m1};
  const DType t = b.choice.of(kTypes);
  const ir::ValueId zero = b.choice.one_in(2) ? b.constant(t, {}) : ir::kNoValue;
  const ir::ValueId scale = b.scalar(b.choice.real(0.05f, 2.0f));
  if (op == "DequantizeLinear") {
    b.add(op, {b.any_of(t), scale, zero}, {}, {std::nullopt}, 23);
    return;
  }
  Builder::Attributes attributes;
  if (b.choice.one_in(3)) attributes["saturate"] = std::int64_t{0};
  if (b.choice.one_in(3)) attributes["precision"] = std::int64_t{b.choice.one_in(2) ? 10 : 16};
  b.add(op, {b.any_real(), scale, b.constant(t, {})}, std::move(attributes), {std::nullopt}, 23);
}

void quantize_linear(Builder& b, const std::string& op) {
  if (b.graph.requant != Requant::onnx) return;
  const ir::ValueId x = b.any_real();
  const DType t = b.choice.one_in(2) ? DType::i8 : DType::u8;
  b.add(op, {x, b.scalar(b.choice.real(0.005f, 0.1f)), random_zero_point(b, t)}, {}, {Builder::as(t, std::nullopt)},
        13);
}

void dequantize_linear(Builder& b, const std::string& op) {
  if (b.graph.requant != Requant::onnx) return;
  const DType t = b.choice.one_in(2) ? DType::i8 : DType::u8;
  const ir::ValueId x = b.any_of(t);
  b.add(op, {x, b.scalar(b.choice.real(0.005f, 0.1f)), random_zero_point(b, t)}, {}, {std::nullopt}, 13);
}

void qlinear_matmul(Builder& b, const std::string& op) {
  if (b.graph.requant != Requant::onnx) return;
  const DType t = b.choice.one_in(2) ? DType::i8 : DType::u8;
  const ir::ValueId x = b.any_of(t, 2, 2);
  const Dims weights{b.dims(x)[1], b.choice.integer(1, 9)};
  b.add(op,
        {x, b.scalar(0.02f), random_zero_point(b, t), b.constant(DType::i8, weights), b.scalar(0.01f),
         random_zero_point(b, DType::i8), b.scalar(b.choice.real(0.02f, 0.3f)), random_zero_point(b, t)},
        {}, {Builder::as(t, std::nullopt)}, 13);
}

void qlinear_conv(Builder& b, const std::string& op) {
  if (b.graph.requant != Requant::onnx) return;
  const DType t = b.choice.one_in(2) ? DType::i8 : DType::u8;
  const ir::ValueId x = b.any_of(t, 4, 4);
  Builder::Attributes attributes = window(b, {b.dims(x)[2], b.dims(x)[3]}, true);
  if (attributes.empty() || b.dims(x)[1] == 0) return;
  const Dims kernel = std::get<Dims>(attributes["kernel_shape"]);
  const std::int64_t channels = b.choice.integer(1, 5);
  std::vector<ir::ValueId> inputs{x,
                                  b.scalar(0.02f),
                                  random_zero_point(b, t),
                                  b.constant(DType::i8, {channels, b.dims(x)[1], kernel[0], kernel[1]}),
                                  b.scalar(0.01f),
                                  random_zero_point(b, DType::i8),
                                  b.scalar(b.choice.real(0.02f, 0.3f)),
                                  random_zero_point(b, t)};
  if (b.choice.one_in(2)) inputs.push_back(b.constant(DType::i32, {channels}));
  b.add(op, std::move(inputs), std::move(attributes), {Builder::as(t, std::nullopt)}, 13);
}

}  // namespace

void add_quantised(std::vector<Generator>& out) {
  out.push_back({"Conv", 8, quantised_conv});
  out.push_back({"byoc.FullyConnected", 5, quantised_dense});
  for (const char* op : {"Add", "Sub", "Mul"}) out.push_back({op, 4, binary});
  for (const char* op : {"AveragePool", "MaxPool"}) out.push_back({op, 3, quantised_pool});
  for (const char* op : {"GlobalAveragePool", "GlobalMaxPool"}) out.push_back({op, 1, quantised_global_pool});
  out.push_back({"ReduceMean", 2, mean});
  for (const char* op : {"Sigmoid", "Tanh", "Softmax"}) out.push_back({op, 2, fixed_output});
  for (const char* op : {"Relu", "LeakyRelu", "HardSwish", "Abs", "Exp", "Sqrt"}) out.push_back({op, 1, table});
  out.push_back({"Clip", 2, quantised_clip});
  for (const char* op : {"Max", "Min"}) out.push_back({op, 1, extreme});
  out.push_back({"byoc.Quantize", 8, quantize});
  out.push_back({"byoc.Dequantize", 6, dequantize});
  out.push_back({"QuantizeLinear", 1, quantize_linear});
  out.push_back({"DequantizeLinear", 1, dequantize_linear});
  for (const char* op : {"QuantizeLinear", "DequantizeLinear"}) out.push_back({op, 1, quantize_small});
  out.push_back({"QLinearMatMul", 1, qlinear_matmul});
  out.push_back({"QLinearConv", 1, qlinear_conv});
}

}  // namespace byoc::check
