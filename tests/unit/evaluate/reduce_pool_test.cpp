// Softmax, pools, means, normalisation.
#include <cmath>

#include <limits>
#include <map>

#include "tests/unit/evaluate/evaluating.hpp"

namespace byoc::test {
namespace {

std::vector<double> softmax_of(const std::vector<double>& x) {
  double sum = 0;
  for (double v : x) sum += std::exp(v);
  std::vector<double> out;
  for (double v : x) out.push_back(std::exp(v) / sum);
  return out;
}

TEST(Softmax, alongAnAxis) {
  const std::string x = "const %x : f32[2,2] = [0, 1, 2, 3] ";
  const auto rows = softmax_of({0, 1});
  const auto columns = softmax_of({0, 2});
  const auto all = softmax_of({0, 1, 2, 3});
  auto near = [](std::vector<double> e) {
    std::vector<testing::Matcher<float>> m;
    for (double v : e) m.push_back(FloatNear(static_cast<float>(v), 1e-7F));
    return m;
  };
  EXPECT_THAT(floats(x + "%y = Softmax.13(%x) output %y"),
              ElementsAreArray(near({rows[0], rows[1], rows[0], rows[1]})));
  EXPECT_THAT(floats(x + "%y = Softmax.13(%x) {axis=0} output %y"),
              ElementsAreArray(near({columns[0], columns[0], columns[1], columns[1]})));
  // Before opset 13: the tensor as a matrix split at the axis.
  EXPECT_THAT(floats(x + "%y = Softmax.11(%x) {axis=0} output %y"), ElementsAreArray(near(all)));
  const auto steep = softmax_of({0, 3});
  EXPECT_THAT(floats("const %x : f32[2] = [0, 1] %y = Softmax.13(%x) {beta=3.0} output %y"),
              ElementsAreArray(near(steep)));
  EXPECT_THAT(error_of(x + "%y = Softmax.13(%x) {axis=2} output %y"), HasSubstr("axis out of range (found 2"));
}

TEST(Softmax, quantisedFollowsTheRealOne) {
  const std::string x = "const %x : i8[1,4] q(0.1, 3) = [3, 23, 33, -128] ";
  const auto real = softmax_of({0, 2, 3, -13.1});
  for (const char* mode : {"tflite", "onnx"}) {
    const auto y = bytes_of(x + "%y : i8[1,4] q(0.00390625, -128) = Softmax.13(%x) output %y", mode);
    ASSERT_EQ(y.size(), 4U);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(y[i] + 128, 256 * real[i], 0.51) << mode;
  }
  const auto wide =
      result_of<std::int16_t>(x + "%y : i16[1,4] q(1.52587890625e-05, -32768) = Softmax.1(%x) output %y", "tflite");
  ASSERT_EQ(wide.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(wide[i] + 32768, 65536 * real[i], 2);
  const auto s16 = result_of<std::int16_t>(
      "const %x : i16[1,3] q(0.001, 0) = [0, 2000, 3000] "
      "%y : i16[1,3] q(3.0517578125e-05, 0) = Softmax.1(%x) output %y",
      "tflite");
  const auto real16 = softmax_of({0, 2, 3});
  ASSERT_EQ(s16.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(s16[i], 32768 * real16[i], 20);
}

TEST(Pools, averageCountsWhatIsInsideTheImage) {
  const std::string x = "const %x : f32[1,1,4] = [1, 2, 3, 6] ";
  EXPECT_THAT(floats(x + "%y = AveragePool.11(%x) {kernel_shape=[2], strides=[2], pads=[1, 1]} output %y"),
              ElementsAre(1, 2.5F, 6));
  EXPECT_THAT(floats(x + "%y = AveragePool.11(%x) {kernel_shape=[2], strides=[2], pads=[1, 1], count_include_pad=1} "
                         "output %y"),
              ElementsAre(0.5F, 2.5F, 3));
  // ceil_mode: the last window hangs over the end; what hangs over does not count.
  EXPECT_THAT(floats(x + "%y = AveragePool.11(%x) {kernel_shape=[3], strides=[2], ceil_mode=1, count_include_pad=1} "
                         "output %y"),
              ElementsAre(2, 4.5F));
  EXPECT_THAT(floats(x + "%y = GlobalAveragePool.1(%x) output %y"), ElementsAre(3));
  EXPECT_THAT(floats("const %x : f32[1,2,2] = [1, 10, 3, 30] %y = GlobalAveragePool.1(%x) {data_layout=\"NHWC\"} "
                     "output %y"),
              ElementsAre(2, 20));
}

TEST(Pools, quantisedAverageRoundsAsItsFramework) {
  // Sums 5 and -5 of 2: TFLite away from zero, ONNX to even.
  const std::string text =
      "const %x : i8[1,2,2] q(0.5, 0) = [2, 3, -2, -3] %y : i8[1,2,1] q(0.5, 0) = AveragePool.11(%x) "
      "{kernel_shape=[2]} "
      "output %y";
  EXPECT_THAT(bytes_of(text, "tflite"), ElementsAre(3, -3));
  EXPECT_THAT(bytes_of(text, "onnx"), ElementsAre(2, -2));
  EXPECT_THAT(error_of("const %x : i8[1,1,2] q(0.5, 0) = [2, 3] %y : i8[1,1,1] q(0.25, 0) = AveragePool.1(%x) "
                       "{kernel_shape=[2]} output %y",
                       "tflite"),
              HasSubstr("must not change the quantisation"));
}

TEST(Pools, maximum) {
  const std::string x = "const %x : f32[1,1,5] = [1, 9, -3, 4, 5] ";
  EXPECT_THAT(floats(x + "%y = MaxPool.12(%x) {kernel_shape=[2], strides=[2]} output %y"), ElementsAre(9, 4));
  EXPECT_THAT(floats(x + "%y = MaxPool.12(%x) {kernel_shape=[2], dilations=[2]} output %y"), ElementsAre(1, 9, 5));
  EXPECT_THAT(floats(x + "%y = MaxPool.12(%x) {kernel_shape=[2], strides=[2], ceil_mode=1} output %y"),
              ElementsAre(9, 4, 5));
  EXPECT_THAT(floats(x + "%y = GlobalMaxPool.1(%x) output %y"), ElementsAre(9));
  EXPECT_THAT(bytes_of("const %x : i8[1,1,2] q(0.5, 0) = [-7, -9] %y : i8[1,1,1] q(0.5, 0) = MaxPool.1(%x) "
                       "{kernel_shape=[2], activation=\"relu\"} output %y",
                       "tflite"),
              ElementsAre(0));
  EXPECT_THAT(error_of("const %x : i32[1,1,2] = [1, 2] %y = MaxPool.12(%x) {kernel_shape=[2]} output %y"),
              HasSubstr("not supported (found i32"));
}

// A NaN is no number; a window without one gives minus infinity.
TEST(Pools, maximumPassesOverNan) {
  const float low = -std::numeric_limits<float>::infinity();
  const std::string x = "const %x : f32[1,1,6] = [nan(0x7fc00000), -2, 3, nan(0x7fc00000), nan(0x7fc00000), -inf] ";
  EXPECT_THAT(floats(x + "%y = MaxPool.12(%x) {kernel_shape=[2], strides=[1]} output %y"),
              ElementsAre(-2, 3, 3, low, low));
  EXPECT_THAT(floats(x + "%y = GlobalMaxPool.1(%x) output %y"), ElementsAre(3));
  EXPECT_THAT(result_of<std::int64_t>(x + "%y, %i = MaxPool.12(%x) {kernel_shape=[2], strides=[1]} output %i"),
              ElementsAre(1, 2, 2, -1, 5));
}

TEST(Reduce, floatAndIntegers) {
  const std::string x = "const %x : f32[2,3] = [1, 2, 3, 4, 5, 9] const %axes : i64[1] = [-1] ";
  EXPECT_THAT(floats(x + "%y : f32[2,1] = ReduceMean.18(%x, %axes) output %y"), ElementsAre(2, 6));
  EXPECT_THAT(floats(x + "%y : f32[2] = ReduceSum.13(%x, %axes) {keepdims=0} output %y"), ElementsAre(6, 18));
  EXPECT_THAT(floats(x + "%y : f32[2] = ReduceMax.18(%x, %axes) {keepdims=0} output %y"), ElementsAre(3, 9));
  EXPECT_THAT(floats(x + "%y : f32[1,1] = ReduceSum.13(%x) output %y"), ElementsAre(24));
  EXPECT_THAT(floats("const %x : f32[2] = [1, 2] %y = ReduceSum.13(%x) {noop_with_empty_axes=1} output %y"),
              ElementsAre(1, 2));
  // Over no axes each element is reduced alone.
  for (const auto& [op, y] : std::map<std::string, std::vector<float>>{{"ReduceL1", {4, 0.25F}},
                                                                       {"ReduceL2", {4, 0.25F}},
                                                                       {"ReduceSumSquare", {16, 0.0625F}},
                                                                       {"ReduceLogSumExp", {-4, 0.25F}},
                                                                       {"ReduceProd", {-4, 0.25F}}})
    EXPECT_THAT(floats("const %x : f32[2] = [-4, 0.25] const %a : i64[0] = [] %y = " + op +
                       ".18(%x, %a) {noop_with_empty_axes=1} output %y"),
                ElementsAreArray(y))
        << op;
  EXPECT_THAT(floats("const %x : f32[1] = [1] %y = ReduceLogSum.18(%x) {noop_with_empty_axes=1} output %y"),
              ElementsAre(0));
  EXPECT_THAT(result_of<std::int32_t>("const %x : i32[3] = [1, 2, -9] %y = ReduceSum.13(%x) output %y"),
              ElementsAre(-6));
  EXPECT_THAT(error_of("const %x : f32[2,2] = zeros const %a : i64[2] = [0, -2] %y = ReduceSum.13(%x, %a) output %y"),
              HasSubstr("an axis is named twice"));
  // Of nothing, the largest element is below all others.
  EXPECT_THAT(floats("const %x : f32[0] = [] %y = ReduceMax.13(%x) output %y"), ElementsAre(-INFINITY));
}

TEST(Reduce, quantisedMean) {
  // 7 values of sum 25 at scale 0.5: mean 25/7 * 0.5 = 1.786 is 7.14 steps of 0.25.
  const std::string text =
      "const %x : i8[7] q(0.5, 0) = [1, 2, 3, 4, 5, 6, 4] const %a : i64[1] = [0] "
      "%y : i8[] q(0.25, -1) = ReduceMean.18(%x, %a) {keepdims=0} output %y";
  EXPECT_THAT(bytes_of(text, "tflite"), ElementsAre(6));
  EXPECT_THAT(bytes_of(text, "onnx"), ElementsAre(6));
  // Halves: 5 / 2 = 2.5.
  const std::string half =
      "const %x : i8[2] q(1.0, 0) = [2, 3] const %a : i64[1] = [0] "
      "%y : i8[] q(1.0, 0) = ReduceMean.18(%x, %a) {keepdims=0} output %y";
  EXPECT_THAT(bytes_of(half, "tflite"), ElementsAre(3));
  EXPECT_THAT(bytes_of(half, "onnx"), ElementsAre(2));
}

TEST(Reduce, quantisedSumsAndExtremes) {
  const std::string x = "const %x : i8[2,3] q(0.5, 1) = [-4, 2, 9, 5, -7, 0] const %a : i64[1] = [1] ";
  // Sums of 7 - 3 and -2 - 3 steps of 0.5, in steps of 2: 1 and -1.25.
  EXPECT_THAT(bytes_of(x + "%y : i8[2] q(2.0, 4) = ReduceSum.18(%x, %a) {keepdims=0} output %y", "tflite"),
              ElementsAre(5, 3));
  EXPECT_THAT(bytes_of(x + "%y : i8[2,1] q(0.5, 1) = ReduceMax.18(%x, %a) output %y", "tflite"), ElementsAre(9, 5));
  EXPECT_THAT(bytes_of(x + "%y : i8[2,1] q(0.5, 1) = ReduceMin.18(%x, %a) output %y", "tflite"), ElementsAre(-4, -7));
  EXPECT_THAT(bytes_of(x + "%y : i8[2,1] q(1.0, 0) = ReduceMin.18(%x, %a) output %y"), ElementsAre(-2, -4));
  EXPECT_THAT(error_of(x + "%y : i8[2,1] q(0.5, 0) = ReduceMin.18(%x, %a) output %y", "tflite"),
              HasSubstr("a maximum or minimum must not change the quantisation"));
  EXPECT_THAT(error_of("const %x : i8[0] q(0.5, 1) = [] %y : i8[1] q(0.5, 1) = ReduceMin.18(%x) output %y", "tflite"),
              HasSubstr("there is no maximum or minimum of an empty set (found i8[0])"));
}

TEST(CumSum, tflite) {
  // Every row starts one zero point below: -2, then 5 - 2, 7 - 2 and 1 - 2 steps of 0.5.
  const std::string x = "const %x : i8[3] q(0.5, 2) = [5, 7, 1] const %a : i64[1] = [0] value %y : i8[3] q(0.25, 10) ";
  EXPECT_THAT(bytes_of(x + "%y = CumSum.14(%x, %a) output %y", "tflite"), ElementsAre(12, 22, 20));
  EXPECT_THAT(bytes_of(x + "%y = CumSum.14(%x, %a) {exclusive=1} output %y", "tflite"), ElementsAre(6, 12, 22));
  EXPECT_THAT(bytes_of(x + "%y = CumSum.14(%x, %a) {reverse=1} output %y", "tflite"), ElementsAre(20, 14, 4));
  EXPECT_THAT(error_of(x + "%y = CumSum.14(%x, %a) output %y"), HasSubstr("a number without quantisation"));
  EXPECT_THAT(error_of("const %x : i16[1] q(0.5, 0) = [5] const %a : i64[1] = [0] value %y : i16[1] q(0.25, 0) "
                       "%y = CumSum.14(%x, %a) output %y",
                       "tflite"),
              HasSubstr("(found i16, expected i8, or a number without quantisation)"));
}

TEST(BatchNormalization, perChannel) {
  EXPECT_THAT(floats(R"(const %x : f32[1,2,2] = [1, 3, 5, 9] const %s : f32[2] = [2, 1] const %b : f32[2] = [10, 20]
    const %m : f32[2] = [1, 5] const %v : f32[2] = [4, 16]
    %y = BatchNormalization.15(%x, %s, %b, %m, %v) {epsilon=0.0} output %y)"),
              ElementsAre(10, 12, 20, 21));
  EXPECT_THAT(error_of(R"(const %x : f32[1,2,2] = zeros const %s : f32[3] = zeros
    %y = BatchNormalization.15(%x, %s, %s, %s, %s) output %y)"),
              HasSubstr("one element for each channel (found f32[3], expected [2])"));
  // In training: the statistics of the input, and what becomes of the running ones.
  const std::string training = R"(const %x : f32[2,1] = [1, 5] const %s : f32[1] = [2] const %b : f32[1] = [10]
    const %m : f32[1] = [1] const %v : f32[1] = [8]
    %y, %rm, %rv = BatchNormalization.15(%x, %s, %b, %m, %v) {epsilon=0.0, momentum=0.5, training_mode=1} output )";
  EXPECT_THAT(floats(training + "%y"), ElementsAre(8, 12));
  EXPECT_THAT(floats(training + "%rm"), ElementsAre(2));
  EXPECT_THAT(floats(training + "%rv"), ElementsAre(6));
}

}  // namespace
}  // namespace byoc::test
