// Quantised values, layers and what sums are multiplied by.
#include "byoc/nodes/quantisation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "byoc/nodes/activation.hpp"
#include "byoc/nodes/quantised_layer.hpp"
#include "byoc/nodes/scales.hpp"
#include "tests/unit/nodes/node_bench.hpp"

namespace byoc::nodes {
namespace {

using testing::ElementsAre;

codegen::Value quantised(DType dtype, Quantisation q, std::vector<std::int64_t> dims = {4}) {
  codegen::Value v;
  v.dtype = dtype;
  v.dims = std::move(dims);
  v.quantisation = std::move(q);
  return v;
}

std::string text(const std::optional<codegen::Verdict>& no) { return no ? no->text : ""; }

TEST(Refusals, ofActivations) {
  EXPECT_FALSE(refuse_unless_quantised(quantised(DType::i16, per_tensor(0.5F, 0)), "input"));
  EXPECT_EQ(text(refuse_unless_quantised(quantised(DType::i32, per_tensor(0.5F, 0)), "input")),
            "input: found i32, expected i8, u8 or i16");
  EXPECT_EQ(text(refuse_unless_8bit(quantised(DType::i16, per_tensor(0.5F, 0)), "output")),
            "output: found i16, expected i8 or u8");
  EXPECT_EQ(text(refuse_unless_s8(quantised(DType::u8, per_tensor(0.5F, 0)), "input")), "input: found u8, expected i8");
  EXPECT_EQ(text(refuse_unless_quantised(quantised(DType::i8, {{1, 2}, {0, 0}, 0}), "input")),
            "input: found 2 scales, expected one");
  EXPECT_EQ(text(refuse_unless_quantised(quantised(DType::u8, per_tensor(0.5F, -1)), "input")),
            "input: found scale 0.500000 and zero point -1, expected a scale > 0 and a zero point in [0, 255]");
  EXPECT_EQ(text(refuse_unless_quantised(quantised(DType::i8, per_tensor(0, 0)), "input")),
            "input: found scale 0.000000 and zero point 0, expected a scale > 0 and a zero point in [-128, 127]");
  EXPECT_EQ(text(refuse_unless_quantised(quantised(DType::i8, per_tensor(1, 0), {0}), "input")),
            "input: found shape [0], expected 1 to 2^31 - 1 elements");
}

TEST(Refusals, ofWeights) {
  codegen::Value w = quantised(DType::i8, {{1, 2}, {0, 0}, 0}, {2, 3});
  EXPECT_FALSE(refuse_weights(w, 0));
  EXPECT_EQ(text(refuse_weights(w, 1)),
            "weights: found 2 scales on axis 0, expected one, or one for each output channel on axis 1");
  w.quantisation.scales[1] = -1;
  EXPECT_EQ(text(refuse_weights(w, 0)), "weights: found a scale that is not above 0");
  w.quantisation = {{1, 2}, {0, 0, 0}, 0};
  EXPECT_EQ(text(refuse_weights(w, 0)), "weights: found 3 zero points for 2 scales");
  w.quantisation = {{1, 2}, {0, 200}, 0};
  EXPECT_EQ(text(refuse_weights(w, 0)), "weights: found zero point 200, expected one of i8");
  w.dtype = DType::u8;
  EXPECT_EQ(text(refuse_weights(w, 0)), "weights: found computed u8, expected i8");
  w.is_constant = true;
  EXPECT_FALSE(refuse_weights(w, 0));
  w.dtype = DType::i16;
  EXPECT_EQ(text(refuse_weights(w, 0)), "weights: found i16, expected i8 or u8");
}

TEST(Refusals, ofABias) {
  EXPECT_FALSE(refuse_bias(nullptr, 4));
  const codegen::Value bias = quantised(DType::i32, {});
  EXPECT_FALSE(refuse_bias(&bias, 4));
  EXPECT_EQ(text(refuse_bias(&bias, 3)), "bias: found shape [4], expected 3 elements");
  const codegen::Value floats = quantised(DType::f32, {});
  EXPECT_EQ(text(refuse_bias(&floats, 4)), "bias: found f32, expected i32 or i64");
}

TEST(Weights, loseTheirZeroPoints) {
  NodeBench b("Conv");
  codegen::Value& w = b.constant<std::uint8_t>(DType::u8, {2, 2}, {128, 255, 0, 10});
  w.quantisation = {{1, 1}, {128, 5}, 0};
  EXPECT_TRUE(weights_fit_s8(w, 0));
  EXPECT_THAT(weights_s8(w, [](std::size_t i) { return static_cast<std::int64_t>(i / 2); }),
              ElementsAre(0, 127, -5, 5));
  w.quantisation.zero_points = {128, 255};
  EXPECT_FALSE(weights_fit_s8(w, 0));  // 0 - 255
}

TEST(Weights, ofTwoDtypesMoveToOne) {
  NodeBench b("Conv");
  codegen::Value& w = b.constant<std::uint8_t>(DType::u8, {2}, {0, 255});
  w.quantisation = per_tensor(1, 128);
  EXPECT_THAT(offset_weights(w, 1).elements, ElementsAre(-128, 127));
  EXPECT_TRUE(offset_weights(w, 1).zeros.empty());
  w.quantisation = per_tensor(1, 130);
  EXPECT_THAT(offset_weights(w, 2).zeros, ElementsAre(2, 2));
}

TEST(Bias, wrapsLikeItsSum) {
  NodeBench b("Conv");
  const codegen::Value bias = b.constant<std::int64_t>(DType::i64, {2}, {5, (std::int64_t{1} << 32) + 7});
  EXPECT_THAT(bias_s32(&bias, 2), ElementsAre(5, 7));
  EXPECT_THAT(bias_s32(nullptr, 2), ElementsAre(0, 0));
  EXPECT_THAT(folded_bias(&bias, -3, std::vector<std::int64_t>{10, -1}), ElementsAre(35, 4));
  EXPECT_THAT(row_sums(std::vector<std::int8_t>{1, 2, 3, -4}, 2), ElementsAre(3, -1));
}

TEST(Activation, boundsOfFloats) {
  EXPECT_EQ(activation_bounds(NodeBench("Conv").node), Bounds{});
  EXPECT_EQ(activation_bounds(NodeBench("Conv").text("activation", "relu6").node), (Bounds{0, 6}));
  EXPECT_EQ(activation_bounds(NodeBench("Conv").text("activation", "relu_n1_to_1").node), (Bounds{-1, 1}));
  EXPECT_FALSE(activation_bounds(NodeBench("Conv").text("activation", "tanh").node));
}

TEST(Activation, boundsOfAClip) {
  NodeBench b("Clip");
  b.input(DType::f32, {4});
  b.constant<float>(DType::f32, {}, {-0.5F});
  b.output(DType::f32, {4});
  EXPECT_EQ(clamp_bounds(b.region, b.node)->lo, -0.5F);
  EXPECT_EQ(clamp_bounds(b.region, b.node)->hi, Bounds{}.hi);
  b.region.values[1].is_constant = false;
  EXPECT_FALSE(clamp_bounds(b.region, b.node));
  b.node.op = "Relu";
  EXPECT_EQ(clamp_bounds(b.region, b.node)->lo, 0.0F);
  b.node.op = "Abs";
  EXPECT_FALSE(clamp_bounds(b.region, b.node));
}

TEST(Activation, boundsOnIntegersRoundAsTheFrameworkDoes) {
  NodeBench b("Conv");
  b.text("activation", "relu_n1_to_1");
  // 1 / 0.4 = 2.5: away from zero on TFLite, to even on ONNX.
  const codegen::Value y = quantised(DType::i8, per_tensor(0.4F, 3));
  EXPECT_EQ(activation_clamp(b.region, b.node, y), (Clamp{0, 6}));
  b.region.requant = Requant::onnx;
  EXPECT_EQ(activation_clamp(b.region, b.node, y), (Clamp{1, 5}));
  b.text("activation", "relu6");
  EXPECT_EQ(activation_clamp(b.region, b.node, quantised(DType::u8, per_tensor(0.01F, 0))), (Clamp{0, 255}));
  b.text("activation", "none");
  EXPECT_EQ(activation_clamp(b.region, b.node, quantised(DType::i16, per_tensor(1, 0))), (Clamp{-32768, 32767}));
  b.text("activation", "tanh");
  EXPECT_FALSE(activation_clamp(b.region, b.node, y));
}

TEST(Scales, alongAnAxis) {
  codegen::Verdict why;
  const auto s = read_axis_scales({{1, 2, 3}, {0, 1, 2}, 1}, DType::u8, {2, 3, 5}, why);
  ASSERT_TRUE(s) << why.text;
  EXPECT_THAT((std::vector{s->outer, s->channels, s->inner}), ElementsAre(2, 3, 5));
  EXPECT_THAT(s->zeros, ElementsAre(0, 1, 2));
  EXPECT_FALSE(read_axis_scales({{1, 2}, {}, 1}, DType::u8, {2, 3, 5}, why));
  EXPECT_EQ(why.text, "found 2 scales and 2 zero points, expected 3");
  EXPECT_FALSE(read_axis_scales({{1, 2}, {}, 7}, DType::u8, {2, 3, 5}, why));
  EXPECT_EQ(why.text, "found axis 7 of a tensor of rank 3");
  EXPECT_FALSE(read_axis_scales(per_tensor(1, 300), DType::u8, {2}, why));
  EXPECT_EQ(why.text, "found zero point 300, expected one of u8");
  EXPECT_FALSE(read_axis_scales(per_tensor(0, 0), DType::u8, {2}, why));
  EXPECT_EQ(why.text, "found scale 0.000000, expected a finite number above 0");
  EXPECT_FALSE(read_axis_scales(per_tensor(1, 0), DType::f32, {2}, why));
  EXPECT_EQ(why.text, "found f32 quantised, expected i8, u8, i16, u16 or i32");
}

TEST(Scales, thatAreOperands) {
  NodeBench b("DequantizeLinear");
  b.input(DType::i8, {2, 3});
  b.constant<float>(DType::f32, {3}, {0.5F, 0.25F, 1});
  codegen::Verdict why;
  const auto q = read_scale_operands(b.region, b.node, 1, -1, 2, why);
  ASSERT_TRUE(q) << why.text;
  EXPECT_EQ(q->axis, 1);
  EXPECT_THAT(q->zero_points, ElementsAre(0, 0, 0));
  EXPECT_FALSE(read_scale_operands(b.region, b.node, 1, 2, 2, why));
  EXPECT_EQ(why.text, "found axis 2 of a tensor of rank 2");
  b.constant<float>(DType::f32, {3}, {0, 0, 0});
  EXPECT_FALSE(read_scale_operands(b.region, b.node, 1, 1, 2, why));
  EXPECT_EQ(why.text, "zero point: found f32, expected i8, u8, i16, u16 or i32");
  b.region.values[1].is_constant = false;
  EXPECT_FALSE(read_scale_operands(b.region, b.node, 1, 1, 2, why));
  EXPECT_EQ(why.text, "found a computed scale or zero point, expected constants of one dim at most");
}

// x i8[1,4], weights i8[2,4] with two scales, y i8[1,2].
NodeBench layer_bench(Requant requant) {
  NodeBench b("FullyConnected", requant);
  b.input(DType::i8, {1, 4}).quantisation = per_tensor(0.5F, 1);
  b.constant<std::int8_t>(DType::i8, {2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}).quantisation = {{0.25F, 0.5F}, {0, 0}, 0};
  b.output(DType::i8, {1, 2}).quantisation = per_tensor(1, 0);
  return b;
}

TEST(Layer, scalesByItsFramework) {
  const NodeBench tflite = layer_bench(Requant::tflite), onnx = layer_bench(Requant::onnx);
  const QuantisedLayer t = lifted_layer(tflite.region, tflite.node), o = lifted_layer(onnx.region, onnx.node);
  EXPECT_EQ(t.scaling, Scaling::tflite);
  EXPECT_EQ(o.scaling, Scaling::exact);
  const SumFactors f = sum_factors(t.scaling, t.in, t.weights, t.bias, t.out, 2);
  EXPECT_THAT(f.multipliers, ElementsAre(quantise_multiplier(0.125), quantise_multiplier(0.25)));
  EXPECT_TRUE(f.ties.empty());
  // 4 * 0.125 is half way between two results.
  EXPECT_THAT(sum_factors(o.scaling, o.in, o.weights, o.bias, o.out, 2).ties, ElementsAre(true, true));
  EXPECT_THAT(sum_factors(Scaling::onnx, o.in, o.weights, o.bias, o.out, 2).scales, ElementsAre(0.125F, 0.25F));
  EXPECT_FALSE(refuse_layer(tflite.region, t, 0, 2));
  EXPECT_TRUE(is_s8_layer(t, 0));
}

TEST(Layer, of16BitsSumsIn64) {
  NodeBench b = layer_bench(Requant::tflite);
  b.region.values[0].dtype = DType::i16;
  EXPECT_EQ(lifted_layer(b.region, b.node).scaling, Scaling::wide);
  EXPECT_FALSE(is_s8_layer(lifted_layer(b.region, b.node), 0));
}

TEST(Layer, of16BitsSumsIn32WithABiasOf32) {
  NodeBench b = layer_bench(Requant::tflite);
  b.region.values[0].dtype = DType::i16;
  b.constant<std::int32_t>(DType::i32, {2}, {0, 0});
  EXPECT_EQ(lifted_layer(b.region, b.node).scaling, Scaling::tflite);
  b.region.values[b.node.inputs[2]].dtype = DType::i64;
  EXPECT_EQ(lifted_layer(b.region, b.node).scaling, Scaling::wide);
}

TEST(Layer, unpacksFourBits) {
  NodeBench b("FullyConnected");
  b.input(DType::i8, {1, 4}).quantisation = per_tensor(1, 0);
  b.constant<std::uint8_t>(DType::i4, {1, 4}, {0x21, 0xF8}).quantisation = per_tensor(1, 0);
  b.output(DType::i8, {1, 1}).quantisation = per_tensor(1, 0);
  const QuantisedLayer l = lifted_layer(b.region, b.node);
  EXPECT_EQ(l.weights.dtype, DType::i8);
  EXPECT_THAT(constant_elements<std::int8_t>(l.weights), ElementsAre(1, 2, -8, -1));
}

TEST(Layer, refusesMultipliersThatTFLiteLeavesUndefined) {
  NodeBench b = layer_bench(Requant::tflite);
  b.region.values[1].quantisation.scales = {0.5F, 1e10F};
  const QuantisedLayer l = lifted_layer(b.region, b.node);
  EXPECT_EQ(text(refuse_scales(l.scaling, l.in, l.weights, l.out)),
            "found an output multiplier of 2^33, expected below 2^30");
  EXPECT_FALSE(refuse_scales(Scaling::exact, l.in, l.weights, l.out));
}

TEST(Layer, thatHasItsScalesAsOperands) {
  NodeBench b("QLinearMatMul", Requant::onnx);
  b.input(DType::u8, {1, 4});
  b.constant<float>(DType::f32, {}, {0.5F});
  b.constant<std::uint8_t>(DType::u8, {}, {128});
  b.constant<std::int8_t>(DType::i8, {4, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  b.constant<float>(DType::f32, {2}, {0.25F, 1});
  b.constant<std::int8_t>(DType::i8, {2}, {0, 0});
  b.constant<float>(DType::f32, {}, {1});
  b.constant<std::uint8_t>(DType::u8, {}, {7});
  b.output(DType::u8, {1, 2});
  codegen::Verdict why;
  const auto l = qlinear_layer(b.region, b.node, 1, why);
  ASSERT_TRUE(l) << why.text;
  EXPECT_EQ(l->scaling, Scaling::onnx);
  EXPECT_EQ(affine(l->in).zero, 128);
  EXPECT_EQ(affine(l->out).zero, 7);
  EXPECT_EQ(l->weights.quantisation.axis, 1);
}

}  // namespace
}  // namespace byoc::nodes
