// What operators refuse: the message names the operator, what was found and what was expected.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/import_tflite/models.hpp"

namespace byoc::test {
namespace {

using testing::HasSubstr;
using Code = BuiltinOperator;
using Conv = schema::Conv2DOptionsT;
using Depthwise = schema::DepthwiseConv2DOptionsT;
using Dense = schema::FullyConnectedOptionsT;
using Pool = schema::Pool2DOptionsT;

class TfliteRefusal : public testing::TestWithParam<Refusal> {};

TEST_P(TfliteRefusal, saysWhatIsWrong) {
  TfliteWriter w = GetParam().make();
  ASSERT_EQ(errors(w.bytes()), "") << "the model is wrong before it is changed";
  GetParam().change(w);
  EXPECT_THAT(errors(w.bytes()), HasSubstr(GetParam().message));
}

TfliteWriter average_pool() { return pool_model(Code::AVERAGE_POOL_2D); }
TfliteWriter max_pool() { return pool_model(Code::MAX_POOL_2D); }
TfliteWriter add() { return elementwise_model<schema::AddOptionsT>(Code::ADD); }
TfliteWriter relu() { return unary_model(Code::RELU, q(0.5f, 0)); }
TfliteWriter logistic() { return unary_model(Code::LOGISTIC, q(1.0f / 256, -128)); }
TfliteWriter tanh() { return unary_model(Code::TANH, q(1.0f / 128, 0)); }
TfliteWriter quantize() { return unary_model(Code::QUANTIZE, q(0.5f, 3), kF32); }
TfliteWriter dequantize() { return unary_model(Code::DEQUANTIZE, {}, kI8, kF32); }
TfliteWriter softmax() {
  TfliteWriter w = unary_model(Code::SOFTMAX, q(1.0f / 256, -128));
  w.op(0).builtin_options.Set(schema::SoftmaxOptionsT());
  return w;
}
TfliteWriter reshape() { return shaping_model(Code::RESHAPE, {2, 3}, {6}, {1}, {6}, schema::ReshapeOptionsT()); }
TfliteWriter squeeze() {
  TfliteWriter w;
  w.add("x", kF32, {1, 3});
  w.add("y", kF32, {3});
  w.add_operator(Code::SQUEEZE, {0}, {1}, schema::SqueezeOptionsT());
  w.boundary({0}, {1});
  return w;
}
TfliteWriter expand_dims() {
  return shaping_model(Code::EXPAND_DIMS, {2, 3}, {1, 2, 3}, {1}, {0}, schema::ExpandDimsOptionsT());
}
TfliteWriter pad() { return shaping_model(Code::PAD, {2, 3}, {3, 3}, {2, 2}, {1, 0, 0, 0}, schema::PadOptionsT()); }
TfliteWriter mean() { return shaping_model(Code::MEAN, {2, 3}, {2}, {1}, {1}, schema::ReducerOptionsT()); }
TfliteWriter reduce_max() {
  TfliteWriter w;
  w.add("x", kI8, {2, 3}, q(0.5f, 3));
  w.constant("axes", kI32, {1}, std::vector<std::int32_t>{1});
  w.add("y", kI8, {2}, q(0.5f, 3));
  w.add_operator(Code::REDUCE_MAX, {0, 1}, {2}, schema::ReducerOptionsT());
  w.boundary({0}, {2});
  return w;
}
TfliteWriter cumsum() { return shaping_model(Code::CUMSUM, {2, 3}, {2, 3}, {1}, {1}, schema::CumsumOptionsT()); }
TfliteWriter transpose() {
  return shaping_model(Code::TRANSPOSE, {2, 3}, {3, 2}, {2}, {1, 0}, schema::TransposeOptionsT());
}
TfliteWriter concatenation() {
  TfliteWriter w;
  w.add("a", kI8, {2, 3}, q(0.5f, 3));
  w.add("b", kI8, {2, 1}, q(0.5f, 3));
  w.add("y", kI8, {2, 4}, q(0.5f, 3));
  schema::ConcatenationOptionsT o;
  o.axis = 1;
  w.add_operator(Code::CONCATENATION, {0, 1}, {2}, o);
  w.boundary({0, 1}, {2});
  return w;
}

// The integers that shaping_model() gives its operator.
void set_integers(TfliteWriter& w, std::vector<std::int32_t> values) {
  auto& data = w.model.buffers[1]->data;
  data.resize(values.size() * 4);
  std::memcpy(data.data(), values.data(), data.size());
}

INSTANTIATE_TEST_SUITE_P(
    AnyOperator, TfliteRefusal,
    testing::Values(
        Refusal{relu, [](auto& w) { w.model.operator_codes[0]->builtin_code = Code::MULTINOMIAL; },
                "'MULTINOMIAL 'y' (#0)': unsupported operator (found MULTINOMIAL version 1)"},
        Refusal{relu, [](auto& w) { w.model.operator_codes[0]->builtin_code = static_cast<Code>(4711); },
                "unsupported operator (found operator number 4711 version 1)"},
        Refusal{relu, [](auto& w) { w.model.operator_codes[0]->builtin_code = Code::CUSTOM; },
                "'CUSTOM '' 'y' (#0)': a CUSTOM operator has no name"},
        Refusal{relu, [](auto& w) { w.model.operator_codes[0]->version = 0; }, "unsupported version of RELU (found 0"},
        Refusal{relu, [](auto& w) { w.op(0).custom_options = {1}; }, "custom options on a builtin operator"},
        Refusal{relu, [](auto& w) { w.op(0).large_custom_options_size = 8; }, "custom options on a builtin operator"},
        Refusal{relu, [](auto& w) { w.op(0).builtin_options_2.Set(schema::UnreadOptionsT()); },
                "options of a newer operator (found options number 255)"},
        Refusal{relu, [](auto& w) { w.op(0).mutating_variable_inputs = {true}; },
                "operators that change their inputs are not supported"},
        Refusal{relu, [](auto& w) { w.op(0).inputs = {0, 0}; }, "wrong number of inputs (found 2, expected 1)"},
        Refusal{conv_model, [](auto& w) { w.op(0).inputs = {0}; }, "wrong number of inputs (found 1, expected 2 to 3)"},
        Refusal{concatenation, [](auto& w) { w.op(0).inputs = {}; },
                "wrong number of inputs (found 0, expected 1 or more)"},
        Refusal{conv_model, [](auto& w) { w.op(0).inputs[1] = -1; }, "input 1 is not given"},
        Refusal{relu,
                [](auto& w) {
                  w.add("z", kI8, {2, 3}, q(0.5f, 0));
                  w.op(0).outputs = {1, 2};
                },
                "wrong number of outputs (found 2, expected 1)"},
        Refusal{relu, [](auto& w) { w.op(0).outputs = {}, w.boundary({0}, {0}); },
                "'RELU (#0)': wrong number of outputs (found 0, expected 1)"},
        Refusal{conv_model, [](auto& w) { w.op(0).builtin_options.Set(Pool()); },
                "'CONV_2D 'y' (#0)': the options are of another operator (found options number 5)"},
        Refusal{conv_model, [](auto& w) { w.op(0).builtin_options.Reset(); }, "the operator has no options"},
        Refusal{relu,
                [](auto& w) {
                  for (const std::size_t i : {0u, 1u}) {
                    w.tensor(i).type = TensorType::UINT8;
                    w.tensor(i).quantization.reset();
                  }
                },
                "uint8 kernels are not supported: input 0 'x' (found u8, expected f32, i8 or i16)"},
        Refusal{relu, [](auto& w) { w.tensor(0).type = TensorType::FLOAT16; },
                "unsupported element type of input 0 'x' (found f16, expected f32, i8 or i16)"},
        Refusal{relu, [](auto& w) { w.tensor(1).type = kF32; },
                "element types of input 0 'x' and the output 'y' differ (found i8 and f32)"},
        Refusal{relu, [](auto& w) { w.tensor(0).quantization.reset(); }, "input 0 'x' has no quantisation (found i8)"},
        Refusal{relu,
                [](auto& w) {
                  w.tensor(0).quantization->scale = {1, 2};
                  w.tensor(0).quantization->zero_point = {0, 0};
                },
                "input 0 'x' is quantised per axis (found 2 scales, expected one scale)"},
        Refusal{relu,
                [](auto& w) {
                  w.tensor(0).type = w.tensor(1).type = kI16;
                  w.tensor(0).quantization->zero_point = {5};
                },
                "unsupported zero point of input 0 'x' (found 5, expected 0 for int16)"},
        Refusal{relu, [](auto& w) { w.tensor(1).quantization->zero_point = {128}; },
                "unsupported zero point of the output 'y' (found 128, expected -128 to 127)"},
        Refusal{relu, [](auto& w) { w.tensor(1).shape = {3, 2}; },
                "the shape of the output 'y' does not fit (found [3,2], expected [2,3])"}));

INSTANTIATE_TEST_SUITE_P(
    Convolutions, TfliteRefusal,
    testing::Values(
        Refusal{conv_model, [](auto& w) { w.tensor(0).shape = {5, 4, 2}; },
                "unsupported shape of input 0 'x' (found [5,4,2], expected 4 dimensions)"},
        Refusal{conv_model, [](auto& w) { w.tensor(0).shape = {1, 5, 4, 3}; },
                "input channels are no multiple of the filter's (found 3 and 2)"},
        Refusal{conv_model, [](auto& w) { w.tensor(0).shape = {1, 5, 4, 6}; },
                "output channels are no multiple of the groups (found 4 and 3)"},
        Refusal{conv_model, [](auto& w) { w.tensor(3).shape = {1, 3, 3, 4}; },
                "the shape of the output 'y' does not fit (found [1,3,3,4], expected [1,3,4,4])"},
        Refusal{conv_model, [](auto& w) { w.template options<Conv>(0).stride_h = 0; },
                "stride out of range (found height 0, expected 1 or more)"},
        Refusal{conv_model, [](auto& w) { w.template options<Conv>(0).dilation_w_factor = -1; },
                "dilation out of range (found width -1, expected 1 or more)"},
        Refusal{conv_model, [](auto& w) { w.tensor(0).shape = {1, 0, 4, 2}; },
                "input size out of range (found height 0, expected 1 or more)"},
        Refusal{max_pool, [](auto& w) { w.template options<Pool>(0).filter_width = 0; },
                "filter size out of range (found width 0, expected 1 or more)"},
        Refusal{conv_model, [](auto& w) { w.template options<Conv>(0).padding = static_cast<Padding>(7); },
                "unknown padding (found 7, expected SAME or VALID)"},
        Refusal{conv_model,
                [](auto& w) {
                  w.template options<Conv>(0).padding = Padding::VALID;
                  w.template options<Conv>(0).dilation_h_factor = 3;
                },
                "the window is larger than its input (found height 7, expected at most 5)"},
        Refusal{conv_model,
                [](auto& w) { w.template options<Conv>(0).fused_activation_function = ActivationFunctionType::TANH; },
                "unsupported fused activation (found TANH, expected NONE, RELU, RELU6 or RELU_N1_TO_1)"},
        Refusal{
            conv_model,
            [](auto& w) { w.template options<Conv>(0).fused_activation_function = ActivationFunctionType::SIGN_BIT; },
            "unsupported fused activation (found SIGN_BIT"},
        Refusal{conv_model,
                [](auto& w) {
                  w.template options<Conv>(0).fused_activation_function = static_cast<ActivationFunctionType>(99);
                },
                "unsupported fused activation (found number 99"},
        Refusal{conv_model,
                [](auto& w) {
                  w.tensor(1).type = TensorType::INT4;
                  w.model.buffers[1]->data.resize(36);
                  for (std::size_t i : {0u, 3u}) {
                    w.tensor(i).type = kI16;
                    w.tensor(i).quantization->zero_point = {0};
                  }
                },
                "unsupported element type of input 1 'w' (found i4, expected i8)"},
        Refusal{conv_model,
                [](auto& w) {
                  w.tensor(1).type = TensorType::INT4;
                  w.tensor(1).buffer = 0;
                  w.boundary({0, 1}, {3});
                },
                "weights of fewer than 8 bits must be constant (found a computed tensor)"},
        Refusal{conv_model, [](auto& w) { w.tensor(1).quantization.reset(); }, "input 1 'w' has no quantisation"},
        Refusal{conv_model,
                [](auto& w) {
                  w.tensor(1).quantization->scale = {1, 2, 3};
                  w.tensor(1).quantization->zero_point = {0, 0, 0};
                  w.tensor(1).quantization->quantized_dimension = 2;
                },
                "unsupported quantised dimension of input 1 'w' (found 2, expected 0)"},
        Refusal{conv_model, [](auto& w) { w.tensor(2).shape = {2, 2}; },
                "the shape of input 2 'b' does not fit (found [2,2], expected [4])"},
        Refusal{conv_model, [](auto& w) { w.tensor(2).type = kF32; },
                "unsupported element type of input 2 'b' (found f32, expected i32)"},
        Refusal{conv_model, [](auto& w) { w.template options<Conv>(0).quantized_bias_type = kI64; },
                "quantized_bias_type is not the type of input 2 'b' (found INT64, expected i32)"},
        Refusal{conv_model, [](auto& w) { w.template options<Conv>(0).quantized_bias_type = kI8; },
                "unsupported quantized_bias_type (found 9, expected INT32, INT64 or none)"},
        Refusal{conv_model,
                [](auto& w) {
                  w.op(0).inputs = {0, 1};
                  w.template options<Conv>(0).quantized_bias_type = kI64;
                },
                "unsupported quantized_bias_type without a bias (found INT64)"},
        Refusal{depthwise_model, [](auto& w) { w.tensor(1).shape = {2, 2, 1, 4}; },
                "the first dimension of a depthwise filter (found 2, expected 1)"},
        Refusal{depthwise_model, [](auto& w) { w.tensor(0).shape = {1, 4, 4, 3}; },
                "output channels are no multiple of the input's (found 4 and 3)"},
        Refusal{depthwise_model, [](auto& w) { w.template options<Depthwise>(0).depth_multiplier = 3; },
                "depth_multiplier does not fit the shapes (found 3, expected 2)"},
        Refusal{depthwise_model, [](auto& w) { w.tensor(2).type = kI32; },
                "unsupported element type of input 2 'b' (found i32, expected f32)"},
        Refusal{average_pool, [](auto& w) { w.tensor(1).quantization->zero_point = {4}; },
                "quantisation of input 0 'x' and the output 'y' must be equal (found scale 0.5 and zero point 3, "
                "expected scale 0.5 and zero point 4)"},
        Refusal{max_pool, [](auto& w) { w.tensor(1).shape = {1, 2, 3, 3}; },
                "the shape of the output 'y' does not fit (found [1,2,3,3], expected [1,2,3,2])"}));

using Transposed = schema::TransposeConvOptionsT;

INSTANTIATE_TEST_SUITE_P(
    TransposedConvolutions, TfliteRefusal,
    testing::Values(
        Refusal{transpose_conv_model,
                [](auto& w) {
                  w.tensor(0).buffer = 0;
                  w.tensor(0).shape = {3};
                  w.boundary({0, 2}, {4});
                },
                "'TRANSPOSE_CONV 'y' (#0)': the shape of input 0 'shape' does not fit (found [3], expected [4])"},
        Refusal{transpose_conv_model, [](auto& w) { w.tensor(0).type = kF32; },
                "unsupported element type of input 0 'shape' (found f32, expected i32 or i64)"},
        Refusal{transpose_conv_model, [](auto& w) { w.model.buffers[1]->data[4] = 5; },
                "the shape of the output 'y' does not fit (found [1,4,9,3], expected [1,5,9,3])"},
        Refusal{transpose_conv_model, [](auto& w) { w.tensor(2).shape = {2, 1, 3, 4}; },
                "the shape of the output 'y' does not fit (found [1,4,9,3], expected [2,4,9,3])"},
        Refusal{transpose_conv_model,
                [](auto& w) {
                  w.tensor(1).shape = {2, 3, 3, 4};
                  w.op(0).inputs = {0, 1, 2};
                },
                "the shape of the output 'y' does not fit (found [1,4,9,3], expected [1,4,9,2])"},
        Refusal{transpose_conv_model, [](auto& w) { w.tensor(2).shape = {1, 3, 2, 2}; },
                "the filter does not fit the input's channels (found 4, expected 2)"},
        Refusal{transpose_conv_model, [](auto& w) { w.tensor(1).shape = {3, 6, 4}; },
                "unsupported shape of input 1 'w' (found [3,6,4], expected 4 dimensions)"},
        Refusal{transpose_conv_model, [](auto& w) { w.tensor(2).shape = {1, 0, 3, 4}; },
                "input size out of range (found height 0, expected 1 or more)"},
        Refusal{transpose_conv_model, [](auto& w) { w.template options<Transposed>(0).stride_w = 0; },
                "stride out of range (found width 0, expected 1 or more)"},
        Refusal{transpose_conv_model,
                [](auto& w) { w.template options<Transposed>(0).padding = static_cast<Padding>(7); },
                "unknown padding (found 7, expected SAME or VALID)"},
        Refusal{
            transpose_conv_model,
            [](auto& w) { w.template options<Transposed>(0).fused_activation_function = ActivationFunctionType::TANH; },
            "unsupported fused activation (found TANH, expected NONE, RELU, RELU6 or RELU_N1_TO_1)"},
        Refusal{transpose_conv_model, [](auto& w) { w.op(0).builtin_options.Reset(); }, "the operator has no options"},
        Refusal{transpose_conv_model,
                [](auto& w) {
                  w.tensor(1).type = TensorType::INT4;
                  w.model.buffers[2]->data.resize(36);
                },
                "unsupported element type of input 1 'w' (found i4, expected i8)"},
        Refusal{transpose_conv_model,
                [](auto& w) {
                  w.tensor(3).type = kI16;
                  w.model.buffers[3]->data.resize(6);
                  for (std::size_t i : {2u, 4u}) {
                    w.tensor(i).type = kI16;
                    w.tensor(i).quantization->zero_point = {0};
                  }
                },
                "unsupported element type of input 3 'b' (found i16, expected i64 or i32)"},
        Refusal{transpose_conv_model, [](auto& w) { w.tensor(3).quantization->scale = {1}; },
                "the scale of input 3 'b' is not that of its input and weights"}));

INSTANTIATE_TEST_SUITE_P(
    FullyConnected, TfliteRefusal,
    testing::Values(
        Refusal{fully_connected_model,
                [](auto& w) { w.template options<Dense>(0).weights_format = schema::WeightsFormat::SHUFFLED4x16INT8; },
                "unsupported weights format (found SHUFFLED4x16INT8, expected DEFAULT)"},
        Refusal{fully_connected_model, [](auto& w) { w.tensor(0).shape = {2, 3, 3}; },
                "input elements are no multiple of the weights' depth (found 18 and 4)"},
        Refusal{fully_connected_model,
                [](auto& w) {
                  w.tensor(1).quantization->scale = {1, 2, 3, 4, 5};
                  w.tensor(1).quantization->zero_point = {0, 1, 0, 0, 0};
                },
                "unsupported zero point of input 1 'w' (found one that is not 0, expected 0)"},
        Refusal{fully_connected_model,
                [](auto& w) {
                  w.template options<Dense>(0).keep_num_dims = true;
                  w.tensor(0).shape = {12, 2};
                },
                "keep_num_dims needs the weights' depth as last dimension of input 0 'x' (found 2, expected 4)"},
        Refusal{fully_connected_model, [](auto& w) { w.template options<Dense>(0).keep_num_dims = true; },
                "the shape of the output 'y' does not fit (found [6,5], expected [2,3,5])"},
        Refusal{fully_connected_model, [](auto& w) { w.tensor(2).quantization->scale = {0.2f}; },
                "the scale of input 2 'b' is not that of its input and weights (found 0.200000, expected 0.125000)"},
        Refusal{fully_connected_model,
                [](auto& w) {
                  w.op(0).inputs = {0, 1};
                  w.template options<Dense>(0).quantized_bias_type = kI64;
                },
                "unsupported quantized_bias_type without a bias (found INT64)"}));

INSTANTIATE_TEST_SUITE_P(
    OtherOperators, TfliteRefusal,
    testing::Values(
        Refusal{add, [](auto& w) { w.tensor(1).shape = {2}; },
                "shapes of the inputs do not broadcast (found 3 against 2)"},
        Refusal{add, [](auto& w) { w.tensor(2).shape = {3}; }, "the shape of the output 'y' does not fit"},
        Refusal{softmax, [](auto& w) { w.tensor(1).quantization->scale = {1.0f / 128}; },
                "unsupported quantisation of the output 'y' (found scale 0.0078125 and zero point -128, expected scale "
                "0.00390625 and zero point -128)"},
        Refusal{softmax, [](auto& w) { w.tensor(0).shape = w.tensor(1).shape = {}; },
                "unsupported shape of input 0 'x' (found a scalar, expected 1 dimension or more)"},
        Refusal{logistic, [](auto& w) { w.tensor(1).quantization->zero_point = {0}; },
                "unsupported quantisation of the output 'y'"},
        Refusal{tanh, [](auto& w) { w.tensor(1).quantization->scale = {1.0f / 256}; },
                "unsupported quantisation of the output 'y'"},
        Refusal{quantize, [](auto& w) { w.tensor(1).type = kF32; },
                "unsupported element types of input 0 'x' and the output 'y' (found f32 to f32, expected"},
        Refusal{dequantize, [](auto& w) { w.tensor(0).type = kI64; },
                "unsupported element type of input 0 'x' (found i64, expected i8, u8, i16, i32 or f16)"},
        Refusal{dequantize, [](auto& w) { w.tensor(0).quantization.reset(); }, "input 0 'x' has no quantisation"},
        Refusal{reshape, [](auto& w) { set_integers(w, {5}); }, "the new shape is not that of the output 'y'"},
        Refusal{reshape, [](auto& w) { w.op(0).inputs = {0, 0}; },
                "unsupported element type of input 0 'x' (found f32, expected i32 or i64)"},
        Refusal{pad,
                [](auto& w) {
                  w.tensor(1).buffer = 0;
                  w.boundary({0, 1}, {2});
                },
                "the paddings must be constant (found a computed tensor)"},
        Refusal{reshape,
                [](auto& w) {
                  w.tensor(0).shape = {5};
                  set_integers(w, {-1});
                },
                "the shapes of input 0 'x' and the output 'y' have different sizes (found 5 and 6 elements)"},
        Refusal{reshape, [](auto& w) { w.tensor(0).type = kI32; },
                "element types of input 0 'x' and the output 'y' differ (found i32 and f32)"},
        Refusal{squeeze, [](auto& w) { w.template options<schema::SqueezeOptionsT>(0).squeeze_dims = {1}; },
                "squeeze_dims names no dimension of 1 (found 1)"},
        Refusal{squeeze, [](auto& w) { w.template options<schema::SqueezeOptionsT>(0).squeeze_dims = {2}; },
                "squeeze_dims names no dimension of 1 (found 2)"},
        Refusal{expand_dims, [](auto& w) { set_integers(w, {3}); }, "axis out of range (found 3, expected -3 to 2)"},
        Refusal{expand_dims,
                [](auto& w) {
                  w.tensor(1).shape = {2};
                  set_integers(w, {0, 0});
                },
                "axis out of range (found not one integer"},
        Refusal{pad, [](auto& w) { set_integers(w, {-1, 2, 0, 0}); },
                "negative padding (found -1, expected 0 or more)"},
        Refusal{pad, [](auto& w) { w.tensor(1).shape = {4}; },
                "the shape of input 1 'integers' does not fit (found [4], expected [2,2])"},
        Refusal{mean, [](auto& w) { w.tensor(0).shape = {2, 0}; },
                "'MEAN 'y' (#0)': there is no element to reduce (found a dimension of 0, expected 1 or more)"},
        Refusal{mean, [](auto& w) { w.tensor(0).type = TensorType::BOOL; },
                "unsupported element type of input 0 'x' (found bool, expected f32, i8, i16, i32 or i64)"},
        Refusal{reduce_max, [](auto& w) { w.tensor(2).quantization->zero_point = {4}; },
                "'REDUCE_MAX 'y' (#0)': scale and zero point of the output 'y' must be those of input 0 'x'"},
        Refusal{reduce_max, [](auto& w) { w.tensor(0).type = w.tensor(2).type = kBool; },
                "unsupported element type of input 0 'x' (found bool, expected f32, i8, i16, i32 or i64)"},
        Refusal{cumsum, [](auto& w) { w.tensor(2).shape = {6}; }, "the shape of the output 'y' does not fit"},
        Refusal{cumsum, [](auto& w) { w.tensor(0).type = kI16; },
                "unsupported element type of input 0 'x' (found i16, expected f32, i8, i32 or i64)"},
        Refusal{cumsum, [](auto& w) { set_integers(w, {2}); }, "axis out of range (found 2, expected -2 to 1)"},
        Refusal{mean, [](auto& w) { set_integers(w, {2}); }, "axis out of range (found 2, expected -2 to 1)"},
        Refusal{mean, [](auto& w) { w.tensor(2).shape = {2, 1}; }, "the shape of the output 'y' does not fit"},
        Refusal{transpose, [](auto& w) { set_integers(w, {1, 1}); }, "not a permutation"},
        Refusal{transpose,
                [](auto& w) {
                  w.tensor(1).shape = {1};
                  set_integers(w, {1});
                },
                "not a permutation"},
        Refusal{concatenation, [](auto& w) { w.template options<schema::ConcatenationOptionsT>(0).axis = 2; },
                "axis out of range (found 2, expected -2 to 1)"},
        Refusal{concatenation, [](auto& w) { w.op(0).inputs = {0, -1}; }, "input 1 is not given"},
        Refusal{concatenation, [](auto& w) { w.tensor(1).quantization->scale = {0.25f}; },
                "quantisation of input 1 'b' and the output 'y' must be equal"},
        Refusal{concatenation, [](auto& w) { w.tensor(1).shape = {3, 1}; },
                "the shape of input 1 'b' does not fit (found [3,1], expected [2,1])"},
        Refusal{concatenation, [](auto& w) { w.tensor(2).shape = {2, 5}; },
                "the shape of the output 'y' does not fit (found [2,5], expected [2,4])"},
        Refusal{concatenation,
                [](auto& w) {
                  w.template options<schema::ConcatenationOptionsT>(0).fused_activation_function =
                      ActivationFunctionType::RELU;
                },
                "unsupported fused activation (found RELU, expected NONE)"}));

TEST(TfliteRefusals, severalInOneRun) {
  TfliteWriter w = unary_model(Code::HASHTABLE, q(0.5f, 0));
  w.add("z", kI8, {2, 3}, q(0.5f, 0));
  w.add_operator(Code::MULTINOMIAL, {1}, {2});
  const std::string found = errors(w.bytes());
  EXPECT_THAT(found, HasSubstr("'HASHTABLE 'y' (#0)': unsupported operator"));
  EXPECT_THAT(found, HasSubstr("'MULTINOMIAL 'z' (#1)': unsupported operator"));
}

}  // namespace
}  // namespace byoc::test
