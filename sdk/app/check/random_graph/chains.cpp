// Entries that add several nodes as real models have them: the blocks of quantised networks of both formats, residuals.
#include "sdk/app/check/random_graph/builder.hpp"

namespace byoc::check {
namespace {

Quantisation one(float scale, std::int64_t zero) { return {{scale}, {zero}, -1}; }

Quantisation channel_scales(Builder& b, std::int64_t channels, std::int32_t axis) {
  Quantisation q;
  for (std::int64_t i = 0; i < channels; ++i) q.scales.push_back(b.choice.real(0.002f, 0.03f));
  q.zero_points.assign(q.scales.size(), 0);
  q.axis = axis;
  return q;
}

ir::ValueId bias(Builder& b, float in_scale, const Quantisation& weights) {
  Quantisation q = weights;
  for (float& s : q.scales) s *= in_scale;
  q.axis = 0;
  return b.quantised_constant(DType::i32, {static_cast<std::int64_t>(q.scales.size())}, q, -3000, 3000);
}

ir::ValueId last(const Builder& b) { return b.graph.nodes.back().outputs[0]; }

// 3x3 or 1x1, NHWC; the output has the height and width of the input.
bool conv_i8(Builder& b, ir::ValueId x, std::int64_t channels, bool depthwise, const Quantisation& out) {
  const std::int64_t in = b.dims(x)[3], k = b.choice.one_in(2) ? 3 : 1, pad = k / 2;
  if (depthwise) channels = in;
  const Quantisation scales = channel_scales(b, channels, depthwise ? 3 : 0);
  const ir::ValueId w = b.quantised_constant(DType::i8, depthwise ? Dims{1, k, k, channels} : Dims{channels, k, k, in},
                                             scales, -127, 127);
  const ir::ValueId c = bias(b, b.type(x).quantisation->scales[0], scales);
  return b.add("Conv", {x, w, c},
               {{"data_layout", std::string("NHWC")},
                {"filter_layout", std::string(depthwise ? "IHWO" : "OHWI")},
                {"kernel_shape", Dims{k, k}},
                {"strides", Dims{1, 1}},
                {"pads", Dims{pad, pad, pad, pad}},
                {"dilations", Dims{1, 1}},
                {"group", depthwise ? in : std::int64_t{1}},
                {"activation", std::string(b.choice.one_in(2) ? "relu6" : "none")}},
               {Builder::as(DType::i8, out)});
}

// TFLite: convolutions with a residual, a pool over everything, a classifier.
void int8_network(Builder& b, const std::string&) {
  const std::int64_t side = b.choice.integer(2, 7), channels = b.choice.integer(1, 6);
  const Quantisation q = one(b.choice.real(0.02f, 0.1f), b.choice.integer(-128, 20));
  const ir::ValueId x = b.same_type({DType::i8, Dims{1, side, side + b.choice.integer(0, 2), channels}, q});
  if (!conv_i8(b, x, channels, b.choice.one_in(2), q)) return;
  ir::ValueId y = last(b);
  if (b.choice.one_in(2) && conv_i8(b, y, channels, b.choice.one_in(2), q)) y = last(b);
  if (b.add("Add", {x, y}, {{"activation", std::string(b.choice.one_in(2) ? "relu" : "none")}},
            {Builder::as(DType::i8, q)}))
    y = last(b);
  if (b.choice.one_in(2)) {
    if (b.add("Concat", {x, y, b.choice.one_in(2) ? x : y}, {{"axis", std::int64_t{3}}}, {Builder::as(DType::i8, q)}))
      y = last(b);
  }
  const Dims d = b.dims(y);
  if (b.choice.one_in(2)) {
    if (!b.add("AveragePool", {y},
               {{"data_layout", std::string("NHWC")},
                {"kernel_shape", Dims{d[1], d[2]}},
                {"strides", Dims{d[1], d[2]}},
                {"pads", Dims{0, 0, 0, 0}},
                {"count_include_pad", std::int64_t{0}}},
               {Builder::as(DType::i8, q)}))
      return;
  } else if (!b.add("ReduceMean", {y, b.integers({1, 2})}, {{"keepdims", std::int64_t{0}}}, {Builder::as(DType::i8, q)},
                    18)) {
    return;
  }
  if (!b.add("Reshape", {last(b), b.integers({1, d[3]})}, {}, {Builder::as(DType::i8, q)})) return;
  const std::int64_t units = b.choice.integer(1, 10);
  const Quantisation scales = one(b.choice.real(0.002f, 0.03f), 0);
  const ir::ValueId w = b.quantised_constant(DType::i8, {units, d[3]}, scales, -127, 127);
  std::vector<std::int64_t> length{units};
  Quantisation sums = one(q.scales[0] * scales.scales[0], 0);
  const ir::ValueId c = b.quantised_constant(DType::i32, length, sums, -3000, 3000);
  if (b.add("byoc.FullyConnected", {last(b), w, c}, {}, {Builder::as(DType::i8, one(0.1f, 5))}))
    b.add("Softmax", {last(b)}, {{"axis", std::int64_t{-1}}}, {Builder::as(DType::i8, one(1.0f / 256, -128))});
}

ir::ValueId zero_point(Builder& b, DType dtype, std::int64_t zero) {
  return b.graph.add_constant("", {dtype, Dims{}, std::nullopt}, Blob::own({static_cast<std::byte>(zero)}));
}

// ONNX: an operator on reals between DequantizeLinear and QuantizeLinear.
void qdq_layer(Builder& b, const std::string&) {
  if (b.graph.requant != Requant::onnx) return;
  const DType t = b.choice.one_in(2) ? DType::i8 : DType::u8;
  const std::int64_t channels = b.choice.integer(1, 5), side = b.choice.integer(2, 7);
  const ir::ValueId x = b.same_type({t, Dims{1, channels, side, side}, {}});
  const ir::ValueId scale = b.scalar(b.choice.real(0.01f, 0.1f)), zero = zero_point(b, t, b.choice.integer(0, 20));
  if (!b.add("DequantizeLinear", {x, scale, zero}, {}, {std::nullopt}, 13)) return;
  const ir::ValueId real = last(b);
  const std::int64_t out = b.choice.one_in(2) ? channels : b.choice.integer(1, 5);
  const ir::ValueId stored = b.constant(DType::i8, {out, channels, 3, 3});
  if (!b.add("DequantizeLinear",
             {stored, b.reals({out}, 0.005f, 0.02f),
              b.graph.add_constant("", {DType::i8, Dims{out}, {}},
                                   Blob::own(std::vector<std::byte>(static_cast<std::size_t>(out))))},
             {{"axis", std::int64_t{0}}}, {std::nullopt}, 13))
    return;
  const ir::ValueId w = last(b);
  if (!b.add("Conv", {real, w, b.reals({out}, -1, 1)},
             {{"kernel_shape", Dims{3, 3}},
              {"strides", Dims{1, 1}},
              {"pads", Dims{1, 1, 1, 1}},
              {"dilations", Dims{1, 1}},
              {"group", std::int64_t{1}}}))
    return;
  if (b.choice.one_in(2)) b.add("Relu", {last(b)});
  if (out == channels && b.choice.one_in(2)) b.add("Add", {last(b), real});
  b.add("QuantizeLinear", {last(b), b.choice.one_in(3) ? scale : b.scalar(b.choice.real(0.01f, 0.2f)), zero}, {},
        {Builder::as(t, std::nullopt)}, 13);
}

// y = f(x) + x, and both y and f(x) may be read further.
void residual(Builder& b, const std::string&) {
  const ir::ValueId x = b.any_real(1);
  static const std::vector<std::string> kSteps = {"Relu", "Sigmoid", "Tanh", "Neg", "Softsign", "Identity"};
  ir::ValueId y = x;
  const std::int64_t steps = b.choice.integer(1, 3);
  for (std::int64_t i = 0; i < steps; ++i)
    if (b.add(b.choice.of(kSteps), {y})) y = last(b);
  b.choice.one_in(2) ? b.add("Add", {x, y}) : b.add("Add", {y, x});
}

}  // namespace

void add_chains(std::vector<Generator>& out) {
  out.push_back({"", 6, int8_network});
  out.push_back({"", 6, qdq_layer});
  out.push_back({"", 5, residual});
}

}  // namespace byoc::check
