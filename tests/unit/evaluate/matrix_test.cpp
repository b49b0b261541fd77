// Matrix products: FullyConnected, Gemm, MatMul, and the QLinear operators.
#include "tests/unit/evaluate/evaluating.hpp"

namespace byoc::test {
namespace {

TEST(FullyConnected, floatWithActivation) {
  const std::string head =
      "const %x : f32[2,2] = [1, 2, 3, 4] const %w : f32[3,2] = [1, 0, 0, 1, -1, -1] "
      "const %b : f32[3] = [10, 20, 0] ";
  EXPECT_THAT(floats(head + "%y : f32[2,3] = byoc.FullyConnected.1(%x, %w, %b) output %y"),
              ElementsAre(11, 22, -3, 13, 24, -7));
  EXPECT_THAT(floats(head + "%y = byoc.FullyConnected.1(%x, %w, %b) {activation=\"relu\"} output %y"),
              ElementsAre(11, 22, 0, 13, 24, 0));
  EXPECT_THAT(floats("const %x : f32[1,2,2] = [1, 2, 3, 4] const %w : f32[1,2] = [1, 1] "
                     "%y : f32[1,2,1] = byoc.FullyConnected.1(%x, %w) {keep_num_dims=1} output %y"),
              ElementsAre(3, 7));
}

TEST(FullyConnected, formsItsScaleInDouble) {
  // 0.1 * 0.3 / 160000 makes these two just less than 100 and 100; the float32 product of the first two is a little
  // smaller and would need 530666646.
  auto result = [](const std::string& bias) {
    return bytes_of("const %x : i8[1,1] q(0.1, 0) = [0] const %w : i8[1,1] q(0.3, 0) = [0] const %b : i32[1] = [" +
                        bias + "] %y : i8[1,1] q(160000.0, 0) = byoc.FullyConnected.1(%x, %w, %b) output %y",
                    "tflite");
  };
  EXPECT_THAT(result("530666636"), ElementsAre(99));
  EXPECT_THAT(result("530666637"), ElementsAre(100));
}

TEST(FullyConnected, quantised) {
  // (3 - 1) * (5 - 2) + 4 = 10 at scale 0.5; weights have a zero point.
  const std::string text =
      "const %x : i8[1,1] q(0.5, 1) = [3] const %w : i8[1,1] q(1.0, 2) = [5] const %b : i32[1] = [4] "
      "%y : i8[1,1] q(1.0, -1) = byoc.FullyConnected.1(%x, %w, %b) output %y";
  EXPECT_THAT(bytes_of(text, "tflite"), ElementsAre(4));
  EXPECT_THAT(bytes_of(text, "onnx"), ElementsAre(4));
  // Per unit scales.
  EXPECT_THAT(bytes_of("const %x : i8[1,1] q(1.0, 0) = [10] const %w : i8[2,1] q(axis=0, [1.0, 3.0], [0, 0]) = [1, 1] "
                       "%y : i8[1,2] q(1.0, 0) = byoc.FullyConnected.1(%x, %w) output %y",
                       "tflite"),
              ElementsAre(10, 30));
}

TEST(FullyConnected, sumsAsManyBitsAsItsBiasHas) {
  const std::string head = "const %x : i16[1,1] q(0.5, 0) = [3] const %w : i8[1,1] q(0.3, 0) = [1] ";
  const std::string node = " %y : i16[1,1] q(1.0, 0) = byoc.FullyConnected.1(%x, %w, %b) output %y";
  // 3 * 0.15 = 0.45: one rounding gives 0, two give 1.
  EXPECT_THAT(result_of<std::int16_t>(head + "const %b : i64[1] = [0]" + node, "tflite"), ElementsAre(0));
  EXPECT_THAT(result_of<std::int16_t>(head + "const %b : i32[1] = [0]" + node, "tflite"), ElementsAre(1));
}

TEST(FullyConnected, refusesWhatDoesNotFit) {
  EXPECT_THAT(
      error_of("const %x : f32[1,3] = zeros const %w : f32[1,2] = zeros %y = byoc.FullyConnected.1(%x, %w) output %y"),
      HasSubstr("does not divide into rows"));
  EXPECT_THAT(
      error_of("const %x : f32[1,2] = zeros const %w : f32[2] = zeros %y = byoc.FullyConnected.1(%x, %w) output %y"),
      HasSubstr("the weights must have rank 2"));
  EXPECT_THAT(error_of("const %x : f32[1,2] = zeros const %w : f32[1,2] = zeros const %b : f32[2] = zeros "
                       "%y = byoc.FullyConnected.1(%x, %w, %b) output %y"),
              HasSubstr("one element for each unit"));
}

TEST(Gemm, transposesScalesAndBroadcasts) {
  const std::string head = "const %a : f32[2,2] = [1, 2, 3, 4] const %b : f32[2,2] = [1, 0, 1, 1] ";
  EXPECT_THAT(floats(head + "%y = Gemm.13(%a, %b) output %y"), ElementsAre(3, 2, 7, 4));
  EXPECT_THAT(floats(head + "%y = Gemm.13(%a, %b) {transA=1} output %y"), ElementsAre(4, 3, 6, 4));
  EXPECT_THAT(floats(head + "%y = Gemm.13(%a, %b) {transB=1} output %y"), ElementsAre(1, 3, 3, 7));
  EXPECT_THAT(floats(head + "const %c : f32[2,1] = [10, 20] %y = Gemm.13(%a, %b, %c) {alpha=2.0, beta=0.5} output %y"),
              ElementsAre(11, 9, 24, 18));
  EXPECT_THAT(error_of(head + "const %c : f32[3] = zeros %y = Gemm.13(%a, %b, %c) output %y"),
              HasSubstr("input 2 does not broadcast to the result"));
  EXPECT_THAT(error_of(head + "const %c : f32[3,2] = zeros %y = Gemm.13(%a, %c) output %y"),
              HasSubstr("the matrices do not fit"));
  EXPECT_THAT(
      bytes_of("const %a : i8[1,2] q(0.5, 0) = [1, 2] const %b : i8[2,1] q(1.0, 0) = [3, 4] const %c : i32[1] = [1] "
               "%y : i8[1,1] q(0.5, 0) = Gemm.13(%a, %b, %c) output %y"),
      ElementsAre(12));
}

TEST(MatMul, batchesAndVectors) {
  EXPECT_THAT(floats("const %a : f32[2,1,2] = [1, 2, 3, 4] const %b : f32[2,1] = [10, 1] %y : f32[2,1,1] = "
                     "MatMul.13(%a, %b) output %y"),
              ElementsAre(12, 34));
  EXPECT_THAT(
      floats("const %a : f32[2] = [1, 2] const %b : f32[2,2] = [1, 2, 3, 4] %y : f32[2] = MatMul.13(%a, %b) output %y"),
      ElementsAre(7, 10));
  EXPECT_THAT(floats("const %a : f32[2] = [1, 2] const %b : f32[2] = [3, 4] %y : f32[] = MatMul.13(%a, %b) output %y"),
              ElementsAre(11));
  EXPECT_THAT(result_of<std::int32_t>("const %a : i32[1,2] = [65536, 2] const %b : i32[2,1] = [65536, 3] "
                                      "%y = MatMul.13(%a, %b) output %y"),
              ElementsAre(6));
  EXPECT_THAT(error_of("const %a : f32[2,3] = zeros const %b : f32[2,3] = zeros %y = MatMul.13(%a, %b) output %y"),
              HasSubstr("the matrices do not fit (found f32[2,3] times f32[2,3])"));
  EXPECT_THAT(error_of("const %a : f32[2,1,1] = zeros const %b : f32[3,1,1] = zeros %y = MatMul.13(%a, %b) output %y"),
              HasSubstr("the batches of the matrices do not broadcast"));
  EXPECT_THAT(bytes_of("const %a : i8[1,1] q(1.0, 0) = [5] const %b : i8[1,2] q(axis=1, [1.0, 2.0], [0, 1]) = [2, 3] "
                       "%y : i8[1,2] q(1.0, 0) = MatMul.13(%a, %b) output %y"),
              ElementsAre(10, 20));
}

const char kQLinear[] = R"(const %x : u8[1,1,2] = [130, 126] const %xs : f32[] = [0.5] const %xz : u8[] = [128]
  const %w : i8[1,1,1] = [3] const %ws : f32[] = [0.5] const %wz : i8[] = [0]
  const %ys : f32[] = [1] const %yz : u8[] = [10] )";

TEST(QLinear, convAndMatMulAsOnnxRuntime) {
  // +-6 * 0.25 = +-1.5: to even, 2 and -2.
  EXPECT_THAT(
      result_of<std::uint8_t>(std::string(kQLinear) +
                              "%y : u8[1,1,2] = QLinearConv.10(%x, %xs, %xz, %w, %ws, %wz, %ys, %yz) output %y"),
      ElementsAre(12, 8));
  EXPECT_THAT(
      result_of<std::uint8_t>(std::string(kQLinear) +
                              "const %b : i32[1] = [2] "
                              "%y : u8[1,1,2] = QLinearConv.10(%x, %xs, %xz, %w, %ws, %wz, %ys, %yz, %b) output %y"),
      ElementsAre(12, 9));
  EXPECT_THAT(
      result_of<std::uint8_t>(R"(const %x : u8[1,2] = [130, 126] const %xs : f32[] = [0.5] const %xz : u8[] = [128]
    const %w : i8[2,1] = [3, 1] const %ws : f32[] = [0.5] const %wz : i8[] = [0]
    const %ys : f32[] = [0.25] const %yz : u8[] = [10]
    %y : u8[1,1] = QLinearMatMul.10(%x, %xs, %xz, %w, %ws, %wz, %ys, %yz) output %y)"),
      ElementsAre(14));
  EXPECT_THAT(error_of(std::string(kQLinear) + "const %two : f32[2] = [1, 1] "
                                               "%y = QLinearConv.10(%x, %two, %xz, %w, %ws, %wz, %ys, %yz) output %y"),
              HasSubstr("input 1 must have one element"));
  EXPECT_THAT(error_of(std::string(kQLinear) + "%y = QLinearConv.10(%x, %xs, %wz, %w, %ws, %wz, %ys, %yz) output %y"),
              HasSubstr("different element types"));
}

// 21192 * 0.0020998490 is 44.500001: the float32 product is 44.5, and rounds to 44; exactly, it is 45.
TEST(QLinear, literalProductsRoundTwiceLiftedOnesOnce) {
  const std::string head = R"(const %x : u8[1,1,2] = [1, 0] const %xs : f32[] = [0.00209984904] const %xz : u8[] = [0]
    const %w : i8[1,1,2] = [0, 0] const %ws : f32[] = [1] const %wz : i8[] = [0] const %b : i32[1] = [21192] )";
  const auto literal = result_of<std::uint8_t>(head + R"(const %ys : f32[] = [1] const %yz : u8[] = [0]
    %y : u8[1,1,1] = QLinearConv.10(%x, %xs, %xz, %w, %ws, %wz, %ys, %yz, %b) output %y)");
  const auto exact = result_of<std::uint8_t>(R"(const %x : u8[1,1,2] q(0.00209984904, 0) = [1, 0]
    const %w : i8[1,1,2] q(1.0, 0) = [0, 0] const %b : i32[1] = [21192]
    %y : u8[1,1,1] q(1.0, 0) = Conv.13(%x, %w, %b) output %y)");
  const float product = 21192.0F * 0.00209984904F;
  ASSERT_EQ(product, 44.5F);
  ASSERT_GT(21192.0 * static_cast<double>(0.00209984904F), 44.5);
  EXPECT_THAT(literal, ElementsAre(44));
  EXPECT_THAT(exact, ElementsAre(45));
}

}  // namespace
}  // namespace byoc::test
