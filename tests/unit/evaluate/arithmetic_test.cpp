// Element-wise operators: float, plain integers, and both rounding rules on quantised tensors.
#include <cmath>

#include "tests/unit/evaluate/evaluating.hpp"

namespace byoc::test {
namespace {

std::string binary(const std::string& op, const std::string& a, const std::string& b, const std::string& more = "") {
  return "const %a : " + a + " const %b : " + b + " %y = " + op + ".14(%a, %b) " + more + " output %y";
}

TEST(Arithmetic, floatsWithBroadcasting) {
  EXPECT_THAT(floats(binary("Add", "f32[2,1] = [1, 2]", "f32[3] = [10, 20, 30]")), ElementsAre(11, 21, 31, 12, 22, 32));
  EXPECT_THAT(floats(binary("Sub", "f32[2] = [1, 2]", "f32[] = [3]")), ElementsAre(-2, -1));
  EXPECT_THAT(floats(binary("Mul", "f32[2] = [1.5, -2]", "f32[2] = [2, 0.25]")), ElementsAre(3, -0.5F));
  EXPECT_THAT(floats(binary("Div", "f32[2] = [1, -1]", "f32[2] = [3, 0]")), ElementsAre(1.0F / 3, -INFINITY));
  EXPECT_THAT(floats(binary("Add", "f32[2] = [-1, 9]", "f32[1] = [0]", "{activation=\"relu6\"}")), ElementsAre(0, 6));
  EXPECT_THAT(floats(binary("Pow", "f32[3] = [2, 3, 4]", "i64[1] = [2]")), ElementsAre(4, 9, 16));
}

TEST(Arithmetic, integersWrapAndTruncate) {
  EXPECT_THAT(result_of<std::int32_t>(binary("Add", "i32[1] = [2147483647]", "i32[1] = [1]")),
              ElementsAre(-2147483647 - 1));
  EXPECT_THAT(result_of<std::uint8_t>(binary("Sub", "u8[1] = [1]", "u8[1] = [2]")), ElementsAre(255));
  EXPECT_THAT(result_of<std::int64_t>(binary("Mul", "i64[1] = [3000000000]", "i64[1] = [3]")), ElementsAre(9000000000));
  EXPECT_THAT(result_of<std::int32_t>(binary("Div", "i32[2] = [-7, -2147483648]", "i32[2] = [2, -1]")),
              ElementsAre(-3, -2147483647 - 1));
  EXPECT_THAT(error_of(binary("Div", "i32[1] = [1]", "i32[1] = [0]")), HasSubstr("divides an integer by zero"));
}

TEST(Arithmetic, refusesWhatDoesNotFit) {
  EXPECT_THAT(error_of(binary("Add", "f32[2] = zeros", "f32[3] = zeros")),
              HasSubstr("do not broadcast (found f32[2] and f32[3])"));
  EXPECT_THAT(error_of(binary("Add", "f32[2] = zeros", "i32[2] = zeros")), HasSubstr("different element types"));
  EXPECT_THAT(error_of(binary("Mul", "bool[1] = [1]", "bool[1] = [1]")), HasSubstr("not supported (found bool"));
}

TEST(Arithmetic, quantisedAddOfTflite) {
  // Scales 0.5 and 0.25 to 1: (3 * 0.5) + (-5 * 0.25) = 0.25 and (3 * 0.5) + (2 * 0.25) = 2.
  EXPECT_THAT(bytes_of("const %a : i8[2] q(0.5, 1) = [4, 4] const %b : i8[2] q(0.25, -1) = [-6, 1] "
                       "%y : i8[2] q(1.0, 10) = Add.1(%a, %b) output %y",
                       "tflite"),
              ElementsAre(10, 12));
  // Halves round away from zero in TFLite, to even in ONNX: 0.5 * 1 + 0 = 0.5 and -0.5.
  const std::string half =
      "const %a : i8[2] q(0.5, 0) = [1, -1] const %b : i8[2] q(0.5, 0) = [0, 0] %y : i8[2] q(1.0, 0) = Add.14(%a, %b) "
      "output %y";
  EXPECT_THAT(bytes_of(half, "tflite"), ElementsAre(1, -1));
  EXPECT_THAT(bytes_of(half, "onnx"), ElementsAre(0, 0));
}

TEST(Arithmetic, quantisedSubMulDiv) {
  const std::string head = "const %a : i8[2] q(0.5, 0) = [100, -100] const %b : i8[2] q(0.1, 0) = [10, 20] ";
  // 50 - 1, -50 - 2 at scale 0.5.
  EXPECT_THAT(bytes_of(head + "%y : i8[2] q(0.5, 0) = Sub.1(%a, %b) output %y", "tflite"), ElementsAre(98, -104));
  EXPECT_THAT(bytes_of(head + "%y : i8[2] q(0.5, 0) = Sub.14(%a, %b) output %y", "onnx"), ElementsAre(98, -104));
  // 50, -100 at scale 1.
  EXPECT_THAT(bytes_of(head + "%y : i8[2] q(1.0, 0) = Mul.1(%a, %b) output %y", "tflite"), ElementsAre(50, -100));
  EXPECT_THAT(bytes_of(head + "%y : i8[2] q(1.0, 0) = Mul.14(%a, %b) output %y", "onnx"), ElementsAre(50, -100));
  EXPECT_THAT(bytes_of(head + "%y : i8[2] q(1.0, 0) = Div.14(%a, %b) output %y", "onnx"), ElementsAre(50, -25));
  EXPECT_THAT(bytes_of(head + "%y : i8[2] q(1.0, 0) = Div.1(%a, %b) output %y", "tflite"), ElementsAre(50, -25));
  // The fused activation clamps integers: 6 at scale 1 with zero point -20.
  EXPECT_THAT(bytes_of(head + "%y : i8[2] q(1.0, -20) = Mul.1(%a, %b) {activation=\"relu6\"} output %y", "tflite"),
              ElementsAre(-14, -20));
}

TEST(Variadic, sumMinMaxMean) {
  const std::string head = "const %a : f32[2] = [1, 5] const %b : f32[1] = [3] const %c : f32[2] = [-1, 7] ";
  EXPECT_THAT(floats(head + "%y = Sum.13(%a, %b, %c) output %y"), ElementsAre(3, 15));
  EXPECT_THAT(floats(head + "%y = Mean.13(%a, %b, %c) output %y"), ElementsAre(1, 5));
  EXPECT_THAT(floats(head + "%y = Min.13(%a, %b, %c) output %y"), ElementsAre(-1, 3));
  EXPECT_THAT(floats(head + "%y = Max.13(%a, %b, %c) output %y"), ElementsAre(3, 7));
  EXPECT_THAT(floats(head + "%y = Max.13(%a) output %y"), ElementsAre(1, 5));
  EXPECT_THAT(result_of<std::int64_t>("const %a : i64[1] = [9007199254740993] const %b : i64[1] = [1] "
                                      "%y = Max.13(%a, %b) output %y"),
              ElementsAre(9007199254740993));
  EXPECT_THAT(error_of("const %a : f32[2] = zeros const %b : f32[3] = zeros %y = Sum.13(%a, %b) output %y"),
              HasSubstr("do not broadcast"));
  EXPECT_THAT(error_of("const %a : f32[2] = zeros %y = Sum.13(%a, _) output %y"), HasSubstr("input 1 is missing"));
  EXPECT_THAT(error_of("const %a : i32[2] = zeros %y = Mean.13(%a, %a) output %y"), HasSubstr("not supported"));
}

TEST(Unary, floats) {
  auto of = [](const std::string& op, const std::string& x) {
    return floats("const %x : f32[2] = [" + x + "] %y = " + op + ".13(%x) output %y");
  };
  EXPECT_THAT(of("Abs", "-1.5, 2"), ElementsAre(1.5F, 2));
  EXPECT_THAT(of("Neg", "-1.5, 2"), ElementsAre(1.5F, -2));
  EXPECT_THAT(of("Ceil", "-1.5, 1.2"), ElementsAre(-1, 2));
  EXPECT_THAT(of("Floor", "-1.5, 1.2"), ElementsAre(-2, 1));
  EXPECT_THAT(of("Sqrt", "4, 2"), ElementsAre(2, std::sqrt(2.0F)));
  EXPECT_THAT(of("Reciprocal", "4, 3"), ElementsAre(0.25F, 1.0F / 3));
  EXPECT_THAT(of("Exp", "0, 1"), ElementsAre(1, static_cast<float>(std::exp(1.0))));
  EXPECT_THAT(of("Log", "1, 2"), ElementsAre(0, static_cast<float>(std::log(2.0))));
  EXPECT_THAT(of("Erf", "0, 1"), ElementsAre(0, static_cast<float>(std::erf(1.0))));
  EXPECT_THAT(of("Relu", "-3, 2"), ElementsAre(0, 2));
  EXPECT_THAT(of("Sigmoid", "0, 100"), ElementsAre(0.5F, 1));
  EXPECT_THAT(of("Tanh", "0, 1"), ElementsAre(0, static_cast<float>(std::tanh(1.0))));
  EXPECT_THAT(floats("const %x : f32[2] = [-4, 4] %y = LeakyRelu.6(%x) {alpha=0.25} output %y"), ElementsAre(-1, 4));
  EXPECT_THAT(result_of<std::int32_t>("const %x : i32[2] = [-4, 4] %y = Neg.13(%x) output %y"), ElementsAre(4, -4));
  EXPECT_THAT(result_of<std::int32_t>("const %x : i32[2] = [-4, 4] %y = Abs.13(%x) output %y"), ElementsAre(4, 4));
  EXPECT_THAT(error_of("const %x : i32[1] = [1] %y = Exp.13(%x) output %y"), HasSubstr("not supported (found i32"));
  EXPECT_THAT(error_of("const %x : i8[1] q(1.0, 0) = [1] %y : i8[1] q(1.0, 0) = Exp.1(%x) output %y", "tflite"),
              HasSubstr("TFLite has no such kernel for integers"));
}

TEST(Unary, quantisedOnnxIsDequantiseComputeQuantise) {
  EXPECT_THAT(bytes_of("const %x : i8[3] q(0.5, 0) = [0, 2, -2] %y : i8[3] q(0.01, 0) = Tanh.13(%x) output %y"),
              ElementsAre(0, 76, -76));
  EXPECT_THAT(bytes_of("const %x : i8[2] q(0.5, 0) = [-8, 8] %y : i8[2] q(0.25, 1) = LeakyRelu.13(%x) {alpha=0.5} "
                       "output %y"),
              ElementsAre(-7, 17));
  // 0.25 / 0.5 = 0.5 rounds to even.
  EXPECT_THAT(bytes_of("const %x : i8[2] q(0.25, 0) = [1, 3] %y : i8[2] q(0.5, 0) = Relu.13(%x) output %y"),
              ElementsAre(0, 2));
}

TEST(Unary, quantisedTfliteRelus) {
  // Relu requantises: 3 * 0.5 / 0.25 and below zero.
  EXPECT_THAT(bytes_of("const %x : i8[2] q(0.5, 1) = [4, -9] %y : i8[2] q(0.25, -3) = Relu.1(%x) output %y", "tflite"),
              ElementsAre(3, -3));
  // Clip (RELU6) clamps in the input's units and does not requantise: 6 is 12 steps above 1.
  EXPECT_THAT(bytes_of("const %x : i8[3] q(0.5, 1) = [100, -9, 5] const %lo : f32[] = [0] const %hi : f32[] = [6] "
                       "%y : i8[3] q(0.25, 0) = Clip.1(%x, %lo, %hi) output %y",
                       "tflite"),
              ElementsAre(13, 1, 5));
  EXPECT_THAT(bytes_of("const %x : i8[2] q(0.5, 0) = [100, -9] const %hi : f32[] = [6] "
                       "%y : i8[2] q(0.25, 0) = Clip.13(%x, _, %hi) output %y"),
              ElementsAre(24, -18));
  // A negative alpha turns the sign: -8 * 0.5 * -0.5 = 2.
  EXPECT_THAT(bytes_of("const %x : i8[2] q(0.5, 0) = [-8, 8] %y : i8[2] q(0.25, 0) = LeakyRelu.1(%x) {alpha=-0.5} "
                       "output %y",
                       "tflite"),
              ElementsAre(8, 16));
}

TEST(Clip, keepsEveryType) {
  EXPECT_THAT(floats("const %x : f32[3] = [-2, 0.5, 9] const %lo : f32[] = [-1] const %hi : f32[] = [1] "
                     "%y = Clip.13(%x, %lo, %hi) output %y"),
              ElementsAre(-1, 0.5F, 1));
  EXPECT_THAT(
      result_of<std::int64_t>("const %x : i64[2] = [9007199254740993, 5] const %hi : i64[] = [9007199254740992] "
                              "%y = Clip.13(%x, _, %hi) output %y"),
      ElementsAre(9007199254740992, 5));
  EXPECT_THAT(error_of("const %x : f32[1] = [1] const %lo : f32[2] = [1, 2] %y = Clip.13(%x, %lo) output %y"),
              HasSubstr("a bound must have one element"));
}

// 8 bits: the fixed point is good to a step of the curve itself.
TEST(Logistic, eightBitsFollowTheCurve) {
  std::string x;
  for (int i = -128; i < 128; ++i) x += (i == -128 ? "" : ",") + std::to_string(i);
  const auto s =
      bytes_of("const %x : i8[256] q(0.05, 0) = [" + x + "] %y : i8[256] q(0.00390625, -128) = Sigmoid.1(%x) output %y",
               "tflite");
  const auto t = bytes_of(
      "const %x : i8[256] q(0.05, 0) = [" + x + "] %y : i8[256] q(0.0078125, 0) = Tanh.1(%x) output %y", "tflite");
  for (int i = 0; i < 256; ++i) {
    const double v = (i - 128) * 0.05;
    EXPECT_NEAR(s[static_cast<std::size_t>(i)] + 128, std::min(255.0, 256 / (1 + std::exp(-v))), 0.51) << v;
    EXPECT_NEAR(t[static_cast<std::size_t>(i)], std::min(127.0, 128 * std::tanh(v)), 0.51) << v;
  }
  EXPECT_THAT(error_of("const %x : i8[1] q(0.05, 0) = [1] %y : i8[1] q(0.5, 0) = Sigmoid.1(%x) output %y", "tflite"),
              HasSubstr("is not the one that TFLite fixes"));
}

TEST(Logistic, sixteenBitsFollowTheCurve) {
  std::string x;
  for (int i = -32768; i < 32768; i += 257) x += (x.empty() ? "" : ",") + std::to_string(i);
  const std::size_t n = 256;
  for (const char* scale : {"0.000244140625", "0.0003", "0.00048828125"}) {  // 1/4096, not a power of two, 1/2048
    const auto of = [&](const std::string& op) {
      return result_of<std::int16_t>("const %x : i16[" + std::to_string(n) + "] q(" + scale + ", 0) = [" + x +
                                         "] %y : i16[" + std::to_string(n) + "] q(3.0517578125e-05, 0) = " + op +
                                         ".1(%x) output %y",
                                     "tflite");
    };
    const auto s = of("Sigmoid");
    const auto t = of("Tanh");
    ASSERT_EQ(s.size(), n);
    for (std::size_t i = 0; i < n; ++i) {
      const double v = (-32768.0 + 257.0 * static_cast<double>(i)) * std::stod(scale);
      EXPECT_NEAR(s[i], 32768 / (1 + std::exp(-v)), 8) << v;
      EXPECT_NEAR(t[i], 32768 * std::tanh(v), 16) << v;
    }
  }
  EXPECT_THAT(error_of("const %x : i16[1] q(0.05, 3) = [1] %y : i16[1] q(3.0517578125e-05, 0) = Tanh.1(%x) output %y",
                       "tflite"),
              HasSubstr("is not the one that TFLite fixes"));
}

}  // namespace
}  // namespace byoc::test
