// Networks of uint8, and layers of floats with int8 weights.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/import_tflite/models.hpp"

namespace byoc::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using Code = BuiltinOperator;

constexpr auto kU8 = TensorType::UINT8;

TfliteWriter in_uint8(TfliteWriter w, const std::vector<std::size_t>& tensors) {
  for (const std::size_t i : tensors) {
    w.tensor(i).type = kU8;
    for (auto& zero : w.tensor(i).quantization->zero_point) zero += 128;
  }
  return w;
}

TEST(TfliteUint8, layersBecomeInt8BetweenEdgesOfUint8) {
  TfliteWriter w = in_uint8(fully_connected_model(), {0, 1, 3});
  w.tensor(1).quantization->zero_point = {140};
  w.model.buffers[1]->data.assign(20, 0x85);
  const std::string text = imported(w);
  EXPECT_THAT(text, HasSubstr(R"(input %0 "x" : u8[2,3,4] q(0.5, 129) #0)"));
  EXPECT_THAT(text, HasSubstr(R"("x_int8" : i8[2,3,4] q(0.5, 1) = byoc.Quantize.1(%0))"));
  EXPECT_THAT(text, HasSubstr(R"("w" : i8[5,4] q(0.25, 12) #1 = [5, 5,)"));
  EXPECT_THAT(text, HasSubstr(R"(scale_product="f32")"));
  EXPECT_THAT(text, HasSubstr(R"("y" : u8[6,5] q(1.0, 130) #3 = byoc.Quantize.1()"));
}

TEST(TfliteUint8, convolutionsSubtractTheZeroPointOfTheirWeights) {
  TfliteWriter w = conv_model();
  w.tensor(1).quantization->scale = {0.1F};
  w.tensor(1).quantization->zero_point = {7};
  // Kernels of int8 ignore it.
  EXPECT_THAT(imported(w), HasSubstr(R"("w" : i8[4,3,3,2] q(0.1, 0) = hex)"));
  EXPECT_THAT(imported(in_uint8(std::move(w), {0, 1, 3})), HasSubstr(R"("w" : i8[4,3,3,2] q(0.1, 7) #1 = hex"8181)"));
}

TEST(TfliteUint8, meansAreOfUint8) {
  const std::string text = imported(in_uint8(pool_model(Code::AVERAGE_POOL_2D), {0, 1}));
  EXPECT_THAT(text, HasSubstr(R"("y" : u8[1,2,3,2] q(0.5, 131) #1 = AveragePool)"));
  EXPECT_THAT(text, Not(HasSubstr("Quantize")));
  EXPECT_THAT(imported(in_uint8(pool_model(Code::MAX_POOL_2D), {0, 1})), HasSubstr("i8[1,2,3,2] q(0.5, 3) = MaxPool"));
}

TEST(TfliteUint8, operatorsThatWantUint8StandBetweenOthers) {
  TfliteWriter w;
  w.add("x", kU8, {1, 4, 4, 2}, q(0.5F, 131));
  w.add("m", kU8, {1, 2, 2, 2}, q(0.5F, 131));
  w.add("a", kU8, {1, 1, 1, 2}, q(0.5F, 131));
  w.add("y", kU8, {1, 1, 1, 2}, q(0.5F, 131));
  schema::Pool2DOptionsT o;
  o.stride_h = o.stride_w = o.filter_height = o.filter_width = 2;
  o.padding = Padding::VALID;
  w.add_operator(Code::MAX_POOL_2D, {0}, {1}, o);
  w.add_operator(Code::AVERAGE_POOL_2D, {1}, {2}, o);
  w.add_operator(Code::RELU, {2}, {3});
  w.boundary({0}, {3});
  EXPECT_THAT(imported(w), AllOf(HasSubstr(R"("m" : u8[1,2,2,2] q(0.5, 131) = byoc.Quantize.1(%1))"),
                                 HasSubstr(R"("a" : i8[1,1,1,2] q(0.5, 3) #2 = byoc.Quantize.1()"),
                                 HasSubstr("i8[1,1,1,2] q(0.5, 3) = Relu.18(%2)")));
}

TEST(TfliteUint8, functionsAreLookedUp) {
  EXPECT_THAT(imported(unary_model(Code::LOGISTIC, q(1.0F / 256, 0), kU8, kU8, q(0.5F, 128))),
              HasSubstr("byoc.Lookup.1("));
  EXPECT_THAT(imported(unary_model(Code::TANH, q(1.0F / 128, 128), kU8, kU8, q(0.5F, 128))),
              HasSubstr("byoc.Lookup.1("));
  for (const Code code : {Code::EXP, Code::LOG, Code::GELU})
    EXPECT_THAT(imported(unary_model(code, q(0.1F, -3))), HasSubstr("byoc.Lookup.1(%0,"));
}

TEST(TfliteUint8, joinedPartsGetTheScaleOfTheResult) {
  TfliteWriter w;
  w.add("a", kU8, {1, 2}, q(0.5F, 100));
  w.add("b", kU8, {1, 3}, q(0.25F, 30));
  w.add("y", kU8, {1, 5}, q(0.25F, 30));
  schema::ConcatenationOptionsT o;
  o.axis = 1;
  w.add_operator(Code::CONCATENATION, {0, 1}, {2}, o);
  w.boundary({0, 1}, {2});
  EXPECT_THAT(imported(w), AllOf(HasSubstr(" : i8[1,2] q(0.25, -98) = byoc.Lookup.1("), HasSubstr("Concat.18(")));
}

TEST(TfliteUint8, quantises) {
  EXPECT_THAT(imported(unary_model(Code::QUANTIZE, q(0.5F, 7), kF32, kU8)),
              HasSubstr(R"("y" : u8[2,3] q(0.5, 7) #1 = byoc.Quantize.1(%0))"));
}

TEST(TfliteUint8, imagesAreInterpolatedInFloats) {
  TfliteWriter w;
  w.add("x", kU8, {1, 2, 2, 3}, q(0.5F, 100));
  w.constant("size", kI32, {2}, std::vector<std::int32_t>{3, 5});
  w.add("y", kU8, {1, 3, 5, 3}, q(0.5F, 100));
  w.add_operator(Code::RESIZE_BILINEAR, {0, 1}, {2}, schema::ResizeBilinearOptionsT());
  w.boundary({0}, {2});
  EXPECT_THAT(imported(w), AllOf(HasSubstr(": f32[1,2,2,3] = Cast.18("), HasSubstr("f32[1,3,5,3] = Resize.18("),
                                 HasSubstr(R"("y" : u8[1,3,5,3] q(0.5, 100) #2 = Reshape.18()")));
}

class TfliteUint8Refusal : public testing::TestWithParam<Refusal> {};

TEST_P(TfliteUint8Refusal, namesWhatIsWrong) {
  TfliteWriter w = GetParam().make();
  GetParam().change(w);
  EXPECT_THAT(errors(w.bytes()), HasSubstr(GetParam().message));
}

TfliteWriter uint8_conv() { return in_uint8(conv_model(), {0, 1, 3}); }
TfliteWriter hybrid_product() {
  TfliteWriter w = fully_connected_model();
  for (const std::size_t i : {0u, 2u, 3u}) {
    w.tensor(i).type = kF32;
    w.tensor(i).quantization.reset();
  }
  return w;
}
TfliteWriter hybrid_convolution() {
  TfliteWriter w = conv_model();
  for (const std::size_t i : {0u, 2u, 3u}) w.tensor(i).type = kF32;
  w.options<schema::Conv2DOptionsT>(0).fused_activation_function = ActivationFunctionType::RELU_N1_TO_1;
  return w;
}
TfliteWriter computed_weights(TfliteWriter w) {
  w.tensor(1).buffer = 0;
  w.boundary({0, 1}, {3});
  return w;
}
TfliteWriter by_columns() {
  TfliteWriter w;
  w.add("x", kI16, {1, 2, 3}, q(0.5F, 0));
  w.constant("w", kI8, {1, 3, 2}, std::vector<std::int8_t>{1, 2, 3, 4, 5, 6}, {{0.25F, 0.5F}, {0, 0}, 2});
  w.add("y", kI16, {1, 2, 2}, q(0.5F, 0));
  w.add_operator(Code::BATCH_MATMUL, {0, 1}, {2}, schema::BatchMatMulOptionsT());
  w.boundary({0}, {2});
  return w;
}

TEST(TfliteUint8, computedWeightsOfADenseLayerKeepTheirZeroPoint) {
  TfliteWriter w = computed_weights(fully_connected_model());
  w.tensor(1).quantization->zero_point = {3};
  EXPECT_THAT(imported(w), HasSubstr(R"("w" : i8[5,4] q(0.25, 3))"));
}

INSTANTIATE_TEST_SUITE_P(
    All, TfliteUint8Refusal,
    testing::Values(
        Refusal{uint8_conv, [](auto&) {},
                "input 1 'w' is quantised per axis (found 4 scales of uint8, expected one scale)"},
        Refusal{[] { return computed_weights(conv_model()); },
                [](auto& w) { w.tensor(1).quantization->zero_point = {0, 0, 1, 0}; },
                "unsupported zero point of input 1 'w' (found one that is not 0, expected 0)"},
        Refusal{[] { return computed_weights(hybrid_product()); }, [](auto&) {},
                "int8 weights of float activations must be constant (found a computed tensor)"},
        Refusal{hybrid_product, [](auto& w) { w.tensor(1).quantization->zero_point = {1}; },
                "unsupported zero point of input 1 'w'"},
        Refusal{hybrid_convolution,
                [](auto& w) {
                  w.tensor(1).quantization->quantized_dimension = 3;
                  w.tensor(1).quantization->scale = {1, 1};
                  w.tensor(1).quantization->zero_point = {0, 0};
                },
                "unsupported quantised dimension of input 1 'w' (found 3, expected 0)"},
        Refusal{hybrid_product,
                [](auto& w) {
                  w.template options<schema::FullyConnectedOptionsT>(0).fused_activation_function =
                      ActivationFunctionType::TANH;
                },
                "unsupported fused activation (found TANH, expected NONE, RELU, RELU6 or RELU_N1_TO_1)"},
        Refusal{hybrid_convolution, [](auto& w) { w.tensor(0).shape[0] = w.tensor(3).shape[0] = 2; },
                "several images with zero points of their own are not supported (found 2 images, expected 1)"},
        Refusal{by_columns, [](auto& w) { w.tensor(1).quantization->zero_point = {0, 1}; },
                "input 1 'w' is quantised per axis (found 2 scales, expected one scale, or a constant matrix"},
        Refusal{by_columns, [](auto& w) { w.tensor(0).shape = {1, 2, 4}; },
                "the matrices do not fit (found 4 columns by 3 rows"}));

TEST(TfliteHybrid, productsAreOfIntegersOfRows) {
  TfliteWriter w = hybrid_product();
  w.model.buffers[2]->data.assign(20, 0);
  EXPECT_THAT(imported(w), AllOf(HasSubstr("byoc.DynamicQuantize.1(%"), HasSubstr("symmetric=1"),
                                 HasSubstr("i32[6,5] = MatMulInteger.18(%"), HasSubstr("f32[6,5] = Mul.18(")));
  w.options<schema::FullyConnectedOptionsT>(0).asymmetric_quantize_inputs = true;
  EXPECT_THAT(imported(w), HasSubstr("symmetric=0"));
}

TEST(TfliteHybrid, convolutionsAreOfIntegersOfImages) {
  EXPECT_THAT(imported(hybrid_convolution()),
              AllOf(HasSubstr("symmetric=0"), HasSubstr("i32[1,3,4,4] = ConvInteger.18(%"), HasSubstr("Clip.18(")));
  TfliteWriter w = hybrid_convolution();
  w.tensor(1).quantization->scale = {0.5F};
  w.tensor(1).quantization->zero_point = {0};
  w.options<schema::Conv2DOptionsT>(0).fused_activation_function = ActivationFunctionType::RELU;
  EXPECT_THAT(imported(w), AllOf(HasSubstr("symmetric=1"), HasSubstr("Relu.18(")));
}

TEST(TfliteHybrid, otherWeightsAreDequantisedWithAWarning) {
  TfliteWriter w = transpose_conv_model();
  for (const std::size_t i : {2u, 3u, 4u}) {
    w.tensor(i).type = kF32;
    w.tensor(i).quantization.reset();
  }
  Diagnostics diags;
  const auto graph = import_bytes(w.bytes(), diags);
  ASSERT_TRUE(graph);
  EXPECT_THAT(ir::print(*graph), HasSubstr("f32[3,3,2,4] = byoc.Dequantize.1("));
  ASSERT_EQ(diags.all().size(), 1u);
  EXPECT_THAT(to_string(diags.all()[0]), HasSubstr("int8 weights of float activations are dequantised"));
}

TEST(TfliteBatchMatMul, constantColumnsWithAScaleEachAreWeights) {
  EXPECT_THAT(imported(by_columns()),
              AllOf(HasSubstr(R"("w" : i8[2,3] q(axis=0, [0.25, 0.5], [0, 0]) = [1, 3, 5, 2, 4, 6])"),
                    HasSubstr("byoc.FullyConnected.1(%0, %3) {keep_num_dims=1}")));
}

}  // namespace
}  // namespace byoc::test
