// What each operator becomes, as graph text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/import_tflite/models.hpp"

namespace byoc::test {
namespace {

using testing::HasSubstr;
using Code = BuiltinOperator;

TEST(TfliteOperators, conv2d) {
  EXPECT_EQ(
      imported(conv_model()), R"(graph "model" requant=tflite {
  input %0 "x" : i8[1,5,4,2] q(0.5, 3) #0
  const %1 "w" : i8[4,3,3,2] q(axis=0, [0.1, 0.2, 0.3, 0.4], [0, 0, 0, 0]) #1 = hex")" +
                                  [] {
                                    std::string ones;
                                    for (int i = 0; i < 72; ++i) ones += "01";
                                    return ones;
                                  }() +
                                  R"("
  const %2 "b" : i32[4] #2 = [1, 2, 3, 4]
  %3 "y" : i8[1,3,4,4] q(0.25, -128) #3 = Conv.18(%0, %1, %2) {activation="relu6", data_layout="NHWC", dilations=[1, 1], filter_layout="OHWI", group=1, kernel_shape=[3, 3], pads=[1, 1, 1, 1], strides=[2, 1]} @"y" #0
  output %3
}
)");
}

TEST(TfliteOperators, conv2dPadsWithDilationAndPutsTheOddOneAfter) {
  TfliteWriter w = conv_model();
  w.options<schema::Conv2DOptionsT>(0).dilation_w_factor = 3;
  w.options<schema::Conv2DOptionsT>(0).stride_w = 2;
  w.tensor(3).shape = {1, 3, 2, 4};
  // Wide: out 2, reach 7, total (2 - 1) * 2 + 7 - 4 = 5.
  EXPECT_THAT(imported(w), HasSubstr("dilations=[1, 3]"));
  EXPECT_THAT(imported(w), HasSubstr("pads=[1, 2, 1, 3], strides=[2, 2]"));
}

TEST(TfliteOperators, conv2dOfGroups) {
  TfliteWriter w = conv_model();
  w.tensor(0).shape = {1, 5, 4, 4};
  EXPECT_THAT(imported(w), HasSubstr("group=2"));
}

TEST(TfliteOperators, conv2dOfOtherTypes) {
  TfliteWriter w = conv_model();
  for (std::size_t i : {0u, 3u}) {
    w.tensor(i).type = kI16;
    w.tensor(i).quantization->zero_point = {0};
  }
  EXPECT_THAT(imported(w), HasSubstr("i16[1,3,4,4] q(0.25, 0)"));
  w.options<schema::Conv2DOptionsT>(0).quantized_bias_type = kI32;
  EXPECT_THAT(imported(w), HasSubstr("Conv.18(%0, %1, %2)"));
  w.options<schema::Conv2DOptionsT>(0).quantized_bias_type = kI64;
  w.tensor(2).type = kI64;
  w.model.buffers[2]->data.resize(32);
  EXPECT_THAT(imported(w), HasSubstr("Conv.18(%0, %1, %2)"));
  w.op(0).inputs = {0, 1, -1};
  EXPECT_THAT(imported(w), HasSubstr("Conv.18(%0, %1) {"));
  w.op(0).inputs = {0, 1};
  EXPECT_THAT(imported(w), HasSubstr("Conv.18(%0, %1) {"));
}

TEST(TfliteOperators, conv2dOf16BitsWithoutABiasSumsAsItsOptionSays) {
  TfliteWriter w = conv_model();
  for (std::size_t i : {0u, 3u}) {
    w.tensor(i).type = kI16;
    w.tensor(i).quantization->zero_point = {0};
  }
  w.op(0).inputs = {0, 1};
  w.options<schema::Conv2DOptionsT>(0).quantized_bias_type = kI32;
  EXPECT_THAT(imported(w), HasSubstr("i64[1] = [4]"));
  EXPECT_THAT(imported(w), HasSubstr(": i32[4] = ConstantOfShape.18("));
  EXPECT_THAT(imported(w), HasSubstr("Conv.18(%0, %1, %"));
}

TEST(TfliteOperators, transposeConv) {
  TfliteWriter w = transpose_conv_model();
  EXPECT_THAT(imported(w),
              HasSubstr("ConvTranspose.18(%2, %1, %3) {data_layout=\"NHWC\", dilations=[1, 1], filter_layout=\"OHWI\", "
                        "group=1, kernel_shape=[3, 2], output_padding=[0, 1], pads=[0, 0, 1, 0], strides=[2, 3]} "
                        "@\"y\" #0"));
  w.op(0).inputs = {0, 1, 2};
  EXPECT_THAT(imported(w), HasSubstr("ConvTranspose.18(%2, %1) {"));
  w.options<schema::TransposeConvOptionsT>(0).padding = Padding::VALID;
  w.tensor(4).shape = {1, 5, 8, 3};
  w.model.buffers[1]->data[4] = 5;
  w.model.buffers[1]->data[8] = 8;
  EXPECT_THAT(imported(w), HasSubstr("output_padding=[0, 0], pads=[0, 0, 0, 0]"));
  // Half of what a convolution from 3 rows of the output to 2 of the input lacks comes off in front, the rest behind.
  w.options<schema::TransposeConvOptionsT>(0).padding = Padding::SAME;
  w.tensor(4).shape[1] = w.model.buffers[1]->data[4] = 3;
  EXPECT_THAT(imported(w), HasSubstr("output_padding=[0, 0], pads=[1, 0, 1, 0]"));
  // A VALID output that is shorter than the filter: (1 + 8 - 16) / 8 windows are 0, as the fraction is dropped.
  w.options<schema::TransposeConvOptionsT>(0).padding = Padding::VALID;
  w.options<schema::TransposeConvOptionsT>(0).stride_h = 8;
  w.tensor(1).shape[1] = 16;
  w.model.buffers[2]->data.resize(384);
  w.tensor(4).shape[1] = w.model.buffers[1]->data[4] = 1;
  EXPECT_THAT(imported(w), HasSubstr("pads=[3, 0, 20, 0]"));
}

// A run checks a shape that only it knows.
TEST(TfliteOperators, transposeConvOfComputedShape) {
  TfliteWriter w = transpose_conv_model();
  w.tensor(0).buffer = 0;
  w.boundary({0, 2}, {4});
  EXPECT_THAT(imported(w), HasSubstr("= byoc.Expect.1(%2, %0) {expected=[1, 4, 9, 3], open=[1, 2], what="));
  EXPECT_THAT(imported(w), HasSubstr("#0 of \"TRANSPOSE_CONV\""));
  EXPECT_THAT(imported(w), HasSubstr("= ConvTranspose.18(%5, %1, %3) {"));
}

TEST(TfliteOperators, transposeConvOfOtherTypes) {
  TfliteWriter w = transpose_conv_model();
  w.options<schema::TransposeConvOptionsT>(0).fused_activation_function = ActivationFunctionType::RELU;
  EXPECT_THAT(imported(w), HasSubstr("ConvTranspose.18(%2, %1, %3) {activation=\"relu\", data_layout"));
  for (std::size_t i : {2u, 4u}) {
    w.tensor(i).type = kI16;
    w.tensor(i).quantization->zero_point = {0};
  }
  EXPECT_THAT(imported(w),
              HasSubstr("i16[1,4,9,3] q(0.25, 0) #4 = ConvTranspose.18(%2, %1, %3) {activation=\"relu\", data_layout"));
  w.options<schema::TransposeConvOptionsT>(0).quantized_bias_type = kI64;
  w.tensor(3).type = kI64;
  w.model.buffers[3]->data.resize(24);
  EXPECT_THAT(imported(w), HasSubstr("ConvTranspose.18(%2, %1, %3) {activation=\"relu\", data_layout"));
  w.options<schema::TransposeConvOptionsT>(0).quantized_bias_type = kI32;
  w.op(0).inputs = {0, 1, 2, -1};
  EXPECT_THAT(imported(w), HasSubstr("ConvTranspose.18(%2, %1) {activation=\"relu\", data_layout"));
  for (std::size_t i : {1u, 2u, 4u}) {
    w.tensor(i).type = kF32;
    w.tensor(i).quantization.reset();
  }
  w.tensor(1).buffer = 0;
  w.boundary({1, 2}, {4});
  EXPECT_THAT(imported(w), HasSubstr("ConvTranspose.18(%2, %1) {activation=\"relu\", data_layout"));
}

TEST(TfliteOperators, conv2dOf4BitWeights) {
  TfliteWriter w = conv_model();
  w.tensor(1).type = TensorType::INT4;
  w.model.buffers[1]->data.resize(36);
  EXPECT_THAT(imported(w), HasSubstr("const %1 \"w\" : i4[4,3,3,2] q(axis=0"));
}

TEST(TfliteOperators, conv2dOf2BitWeights) {
  TfliteWriter w = conv_model();
  w.tensor(1).type = TensorType::INT2;
  w.model.buffers[1]->data.resize(18);
  EXPECT_THAT(imported(w), HasSubstr("const %1 \"w\" : i2[4,3,3,2] q(axis=0"));
}

TEST(TfliteOperators, fullyConnectedOf4BitWeightsWithAScaleForEachUnit) {
  TfliteWriter w = fully_connected_model();
  w.tensor(1).type = TensorType::INT4;
  w.model.buffers[1]->data.resize(10);
  w.tensor(1).quantization->scale = {1, 2, 3, 4, 5};
  w.tensor(1).quantization->zero_point = {0, 0, 0, 0, 0};
  EXPECT_THAT(imported(w), HasSubstr("const %1 \"w\" : i4[5,4] q(axis=0"));
}

TEST(TfliteOperators, conv2dWhoseKernelIgnoresZeroPointsOfWeights) {
  TfliteWriter w = conv_model();
  w.tensor(1).quantization->zero_point = {0, 0, 1, 0};
  EXPECT_THAT(imported(w), HasSubstr("q(axis=0, [0.1, 0.2, 0.3, 0.4], [0, 0, 0, 0]) = hex"));
  EXPECT_THAT(imported(w), HasSubstr("Conv.18(%0, %4, %2)"));
}

TEST(TfliteOperators, depthwiseConv2d) {
  TfliteWriter w = depthwise_model();
  const std::string expected =
      "%3 \"y\" : f32[1,3,3,4] #3 = Conv.18(%0, %1, %2) {data_layout=\"NHWC\", dilations=[1, 1], "
      "filter_layout=\"IHWO\", group=2, kernel_shape=[2, 2], pads=[0, 0, 0, 0], strides=[1, 1]} @\"y\" #0\n";
  EXPECT_THAT(imported(w), HasSubstr(expected));
  w.options<schema::DepthwiseConv2DOptionsT>(0).depth_multiplier = 0;
  EXPECT_THAT(imported(w), HasSubstr(expected));
  w.op(0).inputs = {0, 1};
  EXPECT_THAT(imported(w), HasSubstr("Conv.18(%0, %1) {"));
}

TEST(TfliteOperators, fullyConnected) {
  TfliteWriter w = fully_connected_model();
  EXPECT_THAT(imported(w), HasSubstr("byoc.FullyConnected.1(%0, %1, %2) {keep_num_dims=0} @\"y\" #0"));
  w.options<schema::FullyConnectedOptionsT>(0).keep_num_dims = true;
  w.options<schema::FullyConnectedOptionsT>(0).fused_activation_function = ActivationFunctionType::RELU_N1_TO_1;
  w.tensor(3).shape = {2, 3, 5};
  w.tensor(1).quantization->zero_point = {4};
  EXPECT_THAT(imported(w), HasSubstr("i8[5,4] q(0.25, 4)"));
  EXPECT_THAT(imported(w), HasSubstr("{activation=\"relu_n1_to_1\", keep_num_dims=1}"));
  w.op(0).builtin_options.Reset();
  w.tensor(3).shape = {6, 5};
  EXPECT_THAT(imported(w), HasSubstr("{keep_num_dims=0}"));
}

TEST(TfliteOperators, fullyConnectedOf16Bits) {
  TfliteWriter w = fully_connected_model();
  for (const std::size_t i : {0u, 3u}) {
    w.tensor(i).type = kI16;
    w.tensor(i).quantization->zero_point = {0};
  }
  EXPECT_THAT(imported(w), HasSubstr("i16[6,5] q(1.0, 0) #3 = byoc.FullyConnected.1(%0, %1, %2)"));
  w.op(0).inputs = {0, 1};
  EXPECT_THAT(imported(w), HasSubstr("byoc.FullyConnected.1(%0, %1) {"));
  // Zeros of 32 bits: sums have as many.
  w.options<schema::FullyConnectedOptionsT>(0).quantized_bias_type = kI32;
  EXPECT_THAT(imported(w), HasSubstr("i32[5] = ConstantOfShape.18("));
  EXPECT_THAT(imported(w), HasSubstr("byoc.FullyConnected.1(%0, %1, %4) {"));
}

TEST(TfliteOperators, pools) {
  EXPECT_THAT(imported(pool_model(Code::AVERAGE_POOL_2D)),
              HasSubstr("AveragePool.18(%0) {count_include_pad=0, data_layout=\"NHWC\", kernel_shape=[3, 2], "
                        "pads=[0, 0, 1, 1], strides=[2, 2]}"));
  TfliteWriter w = pool_model(Code::MAX_POOL_2D);
  w.options<schema::Pool2DOptionsT>(0).fused_activation_function = ActivationFunctionType::RELU;
  w.options<schema::Pool2DOptionsT>(0).padding = Padding::VALID;
  w.tensor(1).shape = {1, 1, 2, 2};
  EXPECT_THAT(imported(w), HasSubstr("MaxPool.18(%0) {activation=\"relu\", data_layout=\"NHWC\", dilations=[1, 1], "
                                     "kernel_shape=[3, 2], pads=[0, 0, 0, 0], strides=[2, 2]}"));
}

TEST(TfliteOperators, elementwise) {
  EXPECT_THAT(imported(elementwise_model<schema::AddOptionsT>(Code::ADD)),
              HasSubstr("i8[2,3] q(1.0, -5) #2 = Add.18(%0, %1) {activation=\"relu\"}"));
  EXPECT_THAT(imported(elementwise_model<schema::SubOptionsT>(Code::SUB)),
              HasSubstr("Sub.18(%0, %1) {activation=\"relu\"}"));
  TfliteWriter w = elementwise_model<schema::MulOptionsT>(Code::MUL);
  EXPECT_THAT(imported(w), HasSubstr("Mul.18(%0, %1) {activation=\"relu\"}"));
  w.op(0).builtin_options.Reset();
  EXPECT_THAT(imported(w), HasSubstr("Mul.18(%0, %1) @"));
}

TEST(TfliteOperators, softmax) {
  TfliteWriter w = unary_model(Code::SOFTMAX, q(1.0f / 256, -128));
  schema::SoftmaxOptionsT o;
  o.beta = 0.5f;
  w.op(0).builtin_options.Set(o);
  EXPECT_THAT(imported(w), HasSubstr("Softmax.18(%0) {axis=-1, beta=0.5}"));
}

TEST(TfliteOperators, activations) {
  EXPECT_THAT(imported(unary_model(Code::RELU, q(0.25f, 1))), HasSubstr("Relu.18(%0) @\"y\" #0"));
  const std::string six = imported(unary_model(Code::RELU6, q(0.25f, 1)));
  EXPECT_THAT(six, HasSubstr("const %2 : f32[] = [0.0]\n  const %3 : f32[] = [6.0]\n"));
  EXPECT_THAT(six, HasSubstr("Clip.18(%0, %2, %3)"));
  EXPECT_THAT(imported(unary_model(Code::RELU_N1_TO_1, {}, kF32, kF32)),
              HasSubstr("const %2 : f32[] = [-1.0]\n  const %3 : f32[] = [1.0]\n"));
  EXPECT_THAT(imported(unary_model(Code::LOGISTIC, q(1.0f / 256, -128))), HasSubstr("Sigmoid.18(%0)"));
  EXPECT_THAT(imported(unary_model(Code::LOGISTIC, {}, kF32, kF32)), HasSubstr("Sigmoid.18(%0)"));
  EXPECT_THAT(imported(unary_model(Code::TANH, q(1.0f / 128, 0))), HasSubstr("Tanh.18(%0)"));
  EXPECT_THAT(imported(unary_model(Code::TANH, q(1.0f / 32768, 0), kI16, kI16)), HasSubstr("Tanh.18(%0)"));
}

TEST(TfliteOperators, quantizeAndDequantize) {
  EXPECT_THAT(imported(unary_model(Code::QUANTIZE, q(0.5f, 3), kF32)), HasSubstr("byoc.Quantize.1(%0)"));
  EXPECT_THAT(imported(unary_model(Code::QUANTIZE, q(0.1f, 0), kI8, kI16)), HasSubstr("byoc.Quantize.1(%0)"));
  EXPECT_THAT(imported(unary_model(Code::DEQUANTIZE, {}, kI8, kF32)), HasSubstr("byoc.Dequantize.1(%0)"));
  EXPECT_THAT(imported(unary_model(Code::DEQUANTIZE, {}, kI8, kF32, {{0.5f, 0.25f, 1.0f}, {0, 1, 2}, 1})),
              HasSubstr("byoc.Dequantize.1(%0)"));
}

TEST(TfliteOperators, reshape) {
  TfliteWriter w = shaping_model(Code::RESHAPE, {2, 3, 4}, {6, 4}, {2}, {-1, 4}, schema::ReshapeOptionsT());
  EXPECT_THAT(imported(w), HasSubstr("const %3 : i64[2] = [6, 4]"));
  EXPECT_THAT(imported(w), HasSubstr("Reshape.18(%0, %3)"));
  // The option alone, and nothing but the shape of the output.
  w.op(0).inputs = {0};
  w.options<schema::ReshapeOptionsT>(0).new_shape = {6, -1};
  EXPECT_THAT(imported(w), HasSubstr("Reshape.18(%0, %3)"));
  w.op(0).builtin_options.Reset();
  EXPECT_THAT(imported(w), HasSubstr("Reshape.18(%0, %3)"));
  // To a scalar: the shape is a tensor of no elements and has no buffer.
  TfliteWriter scalar = shaping_model(Code::RESHAPE, {1, 1}, {}, {0}, {}, schema::ReshapeOptionsT());
  EXPECT_THAT(imported(scalar), HasSubstr("const %3 : i64[0] = []"));
  TfliteWriter empty = shaping_model(Code::RESHAPE, {0, 3}, {3, 0}, {2}, {3, 0}, schema::ReshapeOptionsT());
  EXPECT_THAT(imported(empty), HasSubstr("{allowzero=1}"));
}

TEST(TfliteOperators, squeezeAndExpandDims) {
  TfliteWriter w;
  w.add("x", kF32, {1, 3, 1});
  w.add("y", kF32, {1, 3});
  schema::SqueezeOptionsT o;
  o.squeeze_dims = {-1};
  w.add_operator(Code::SQUEEZE, {0}, {1}, o);
  w.boundary({0}, {1});
  EXPECT_THAT(imported(w), HasSubstr("i64[2] = [1, 3]"));
  w.options<schema::SqueezeOptionsT>(0).squeeze_dims = {};
  w.tensor(1).shape = {3};
  EXPECT_THAT(imported(w), HasSubstr("i64[1] = [3]"));
  EXPECT_THAT(imported(shaping_model(Code::EXPAND_DIMS, {2, 3}, {2, 3, 1}, {}, {-1}, schema::ExpandDimsOptionsT())),
              HasSubstr("i64[3] = [2, 3, 1]"));
  EXPECT_THAT(imported(shaping_model(Code::EXPAND_DIMS, {2, 3}, {1, 2, 3}, {1}, {0}, schema::ExpandDimsOptionsT())),
              HasSubstr("i64[3] = [1, 2, 3]"));
}

TEST(TfliteOperators, pad) {
  const std::string text =
      imported(shaping_model(Code::PAD, {2, 3}, {5, 4}, {2, 2}, {1, 2, 0, 1}, schema::PadOptionsT()));
  EXPECT_THAT(text, HasSubstr("const %3 : i64[4] = [1, 0, 2, 1]"));
  EXPECT_THAT(text, HasSubstr("Pad.18(%0, %3) {mode=\"constant\"}"));
}

TEST(TfliteOperators, mean) {
  schema::ReducerOptionsT keep;
  keep.keep_dims = true;
  const std::string kept = imported(shaping_model(Code::MEAN, {2, 3, 4}, {2, 1, 1}, {3}, {-1, 1, 2}, keep));
  EXPECT_THAT(kept, HasSubstr("i64[2] = [1, 2]"));
  EXPECT_THAT(kept, HasSubstr("ReduceMean.18(%0, %3) {keepdims=1}"));
  const schema::ReducerOptionsT drop;
  EXPECT_THAT(imported(shaping_model(Code::MEAN, {2, 3, 4}, {2, 4}, {}, {1}, drop)), HasSubstr("{keepdims=0}"));
  EXPECT_THAT(imported(shaping_model(Code::MEAN, {2, 3}, {2, 3}, {0}, {}, drop)),
              HasSubstr("{keepdims=0, noop_with_empty_axes=1}"));
  // A scalar has no axis that could be wrong.
  EXPECT_THAT(imported(shaping_model(Code::SUM, {}, {}, {1}, {7}, keep)),
              HasSubstr("ReduceSum.18(%0, %3) {keepdims=1, noop_with_empty_axes=1}"));
}

TEST(TfliteOperators, cumsum) {
  schema::CumsumOptionsT o;
  o.reverse = true;
  EXPECT_THAT(imported(shaping_model(Code::CUMSUM, {2, 3}, {2, 3}, {}, {-1}, o)),
              AllOf(HasSubstr("i64[1] = [1]"), HasSubstr("CumSum.18(%0, %3) {exclusive=0, reverse=1}")));
}

TEST(TfliteOperators, concatenation) {
  TfliteWriter w;
  w.add("a", kI8, {2, 3}, q(0.5f, 3));
  w.add("b", kI8, {2, 1}, q(0.5f, 3));
  w.add("y", kI8, {2, 7}, q(0.5f, 3));
  schema::ConcatenationOptionsT o;
  o.axis = -1;
  w.add_operator(Code::CONCATENATION, {0, 1, 0}, {2}, o);
  w.boundary({0, 1}, {2});
  EXPECT_THAT(imported(w), HasSubstr("Concat.18(%0, %1, %0) {axis=1}"));
}

TEST(TfliteOperators, transpose) {
  EXPECT_THAT(
      imported(shaping_model(Code::TRANSPOSE, {2, 3, 4}, {4, 2, 3}, {3}, {2, 0, 1}, schema::TransposeOptionsT())),
      HasSubstr("Transpose.18(%0) {perm=[2, 0, 1]}"));
}

}  // namespace
}  // namespace byoc::test
