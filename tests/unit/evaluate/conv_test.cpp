// Conv against sums written out by hand, and against a second formulation that scatters instead of gathering.
#include "tests/unit/evaluate/evaluating.hpp"

namespace byoc::test {
namespace {

TEST(Conv, sumsProductsUnderTheFilter) {
  EXPECT_THAT(floats(R"(
    const %x : f32[1,1,3,3] = [1, 2, 3, 4, 5, 6, 7, 8, 9]
    const %w : f32[1,1,2,2] = [1, 0, 0, -1]
    const %b : f32[1] = [0.5]
    %y = Conv.13(%x, %w, %b)
    output %y)"),
              ElementsAre(-3.5F, -3.5F, -3.5F, -3.5F));
}

TEST(Conv, padsStridesAndDilates) {
  // x is 1..4; windows at -1, 1, 3 with taps 2 apart.
  EXPECT_THAT(floats(R"(
    const %x : f32[1,1,4] = [1, 2, 3, 4]
    const %w : f32[1,1,2] = [1, 10]
    %y = Conv.13(%x, %w) {pads=[1, 2], strides=[2], dilations=[2]}
    output %y)"),
              ElementsAre(20.0F, 42.0F, 4.0F));
}

TEST(Conv, keepsGroupsApart) {
  EXPECT_THAT(floats(R"(
    const %x : f32[1,4,1,1] = [1, 2, 3, 4]
    const %w : f32[2,2,1,1] = [1, 10, 1, 10]
    %y = Conv.13(%x, %w) {group=2}
    output %y)"),
              ElementsAre(21.0F, 43.0F));
}

TEST(Conv, readsEveryLayout) {
  const std::string x = "const %x : f32[1,2,2,2] = [1, 2, 3, 4, 5, 6, 7, 8]\n";  // NHWC
  // One output channel: the sum of channel 0 minus the sum of channel 1.
  EXPECT_THAT(floats(x + R"(const %w : f32[1,2,2,2] = [1, -1, 1, -1, 1, -1, 1, -1]
    %y = Conv.13(%x, %w) {data_layout="NHWC", filter_layout="OHWI"}
    output %y)"),
              ElementsAre(-4.0F));
  // Depthwise with a multiplier of 2: channels 0, 0, 1, 1.
  EXPECT_THAT(floats(x + R"(const %w : f32[1,2,2,4] = [1, 0, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]
    %y = Conv.13(%x, %w) {data_layout="NHWC", filter_layout="IHWO", group=2}
    output %y)"),
              ElementsAre(1.0F, 3.0F, 2.0F, 4.0F));
}

TEST(Conv, clampsWithTheFusedActivation) {
  const std::string head = "const %x : f32[1,1,3] = [-2, 3, 9]\nconst %w : f32[1,1,1] = [1]\n%y = Conv.13(%x, %w)";
  EXPECT_THAT(floats(head + "{activation=\"relu\"} output %y"), ElementsAre(0, 3, 9));
  EXPECT_THAT(floats(head + "{activation=\"relu6\"} output %y"), ElementsAre(0, 3, 6));
  EXPECT_THAT(floats(head + "{activation=\"relu_n1_to_1\"} output %y"), ElementsAre(-1, 1, 1));
  EXPECT_THAT(error_of(head + "{activation=\"swish\"} output %y"), HasSubstr("unknown fused activation (found swish"));
}

TEST(Conv, requantisesLikeTflite) {
  // (x - 1) * w = 10, 5, -5 at scale 0.15 (0.6 * 2^-2, rounded twice): 1.5, 0.75 ..., plus the zero point 3.
  const std::string text = R"(
    const %x : i8[1,1,1,3] q(0.5, 1) = [11, 4, -2]
    const %w : i8[1,1,1,1] q(0.3, 0) = [1]
    %y : i8[1,1,1,3] q(1.0, 3) = Conv.13(%x, %w)
    output %y)";
  // 10: 6 then 1.5 to 2; 3: 1.8 to 2 then 0.5 to 1; -3: -1.8 to -2 then -0.5 to -1.
  EXPECT_THAT(bytes_of(text, "tflite"), ElementsAre(5, 4, 2));
  // ONNX rounds 1.5, 0.45 and -0.45 once, half to even.
  EXPECT_THAT(bytes_of(text, "onnx"), ElementsAre(5, 3, 3));
}

TEST(Conv, padsWithTheZeroPoint) {
  EXPECT_THAT(bytes_of(R"(
    const %x : i8[1,1,2] q(1.0, 7) = [8, 9]
    const %w : i8[1,1,3] q(1.0, 0) = [1, 1, 1]
    const %b : i32[1] q(1.0, 0) = [100]
    %y : i8[1,1,2] q(1.0, 0) = Conv.13(%x, %w, %b) {pads=[1, 1]}
    output %y)",
                       "tflite"),
              ElementsAre(103, 103));
}

TEST(Conv, scalesEachOutputChannel) {
  EXPECT_THAT(bytes_of(R"(
    const %x : i8[1,1,1] q(1.0, 0) = [10]
    const %w : i8[3,1,1] q(axis=0, [1.0, 2.0, 100.0], [0, 0, 0]) = [1, 1, 1]
    %y : i8[1,3,1] q(1.0, -10) = Conv.13(%x, %w) {activation="relu6"}
    output %y)",
                       "tflite"),
              ElementsAre(-4, -4, -4));
  EXPECT_THAT(bytes_of(R"(
    const %x : i8[1,1,1] q(1.0, 0) = [10]
    const %w : i8[3,1,1] q(axis=0, [1.0, 2.0, 100.0], [0, 0, 0]) = [1, 1, 1]
    %y : i8[1,3,1] q(1.0, -10) = Conv.13(%x, %w)
    output %y)",
                       "tflite"),
              ElementsAre(0, 10, 127));
}

TEST(Conv, usesTheWideRoundingForSixteenBits) {
  const std::string head = R"(
    const %x : i16[1,1,1] q(0.5, 0) = [3]
    const %w : i8[1,1,1] q(0.3, 0) = [1]
)";
  // 3 * 0.15 = 0.45: one rounding gives 0, two give 1.
  EXPECT_THAT(result_of<std::int16_t>(head + "%y : i16[1,1,1] q(1.0, 0) = Conv.13(%x, %w) output %y", "tflite"),
              ElementsAre(0));
  EXPECT_THAT(result_of<std::int16_t>(head + R"(const %b : i32[1] = [0]
    %y : i16[1,1,1] q(1.0, 0) = Conv.13(%x, %w, %b) output %y)",
                                      "tflite"),
              ElementsAre(1));
}

// y[o] of a 2-D convolution by scattering every input element to the outputs it reaches.
std::vector<float> scatter(int size, int kernel, int stride, int dilation, int begin, int end) {
  const int out = (size + begin + end - (kernel - 1) * dilation - 1) / stride + 1;
  std::vector<float> y(static_cast<std::size_t>(out * out), 0);
  for (int iy = 0; iy < size; ++iy)
    for (int ix = 0; ix < size; ++ix)
      for (int ky = 0; ky < kernel; ++ky)
        for (int kx = 0; kx < kernel; ++kx) {
          const int ty = iy + begin - ky * dilation;
          const int tx = ix + begin - kx * dilation;
          if (ty < 0 || tx < 0 || ty % stride != 0 || tx % stride != 0 || ty / stride >= out || tx / stride >= out)
            continue;
          y[static_cast<std::size_t>(ty / stride * out + tx / stride)] +=
              static_cast<float>((iy * size + ix) * (ky * kernel + kx + 1));
        }
  return y;
}

TEST(Conv, agreesWithScattering) {
  for (int kernel : {1, 2, 3})
    for (int stride : {1, 2, 3})
      for (int dilation : {1, 2})
        for (int begin : {0, 1, 2})
          for (int end : {0, 2}) {
            const int size = 6;
            std::string x, w;
            for (int i = 0; i < size * size; ++i) x += (i ? "," : "") + std::to_string(i);
            for (int i = 0; i < kernel * kernel; ++i) w += (i ? "," : "") + std::to_string(i + 1);
            const std::string k = std::to_string(kernel), b = std::to_string(begin), e = std::to_string(end);
            const std::string s = std::to_string(stride), d = std::to_string(dilation);
            EXPECT_EQ(floats("const %x : f32[1,1,6,6] = [" + x + "] const %w : f32[1,1," + k + "," + k + "] = [" + w +
                             "] %y = Conv.13(%x, %w) {pads=[" + b + "," + b + "," + e + "," + e + "], strides=[" + s +
                             "," + s + "], dilations=[" + d + "," + d + "]} output %y"),
                      scatter(size, kernel, stride, dilation, begin, end));
          }
}

TEST(Conv, refusesWhatDoesNotFit) {
  const std::string x = "const %x : f32[1,2,3] = zeros\n";
  EXPECT_THAT(error_of(x + "const %w : f32[1,3,1] = zeros %y = Conv.13(%x, %w) @\"c\" #4 output %y"),
              HasSubstr("Conv 'c' (#4)': the filter does not fit the input's channels (found 3 filter channels in 1 "
                        "groups, expected 2 input channels)"));
  EXPECT_THAT(error_of(x + "const %w : f32[1,2,1,1] = zeros %y = Conv.13(%x, %w) output %y"),
              HasSubstr("the filter must have the rank of the input (found f32[1,2,1,1], expected f32[1,2,3])"));
  EXPECT_THAT(error_of(x + "const %w : f32[1,2,4] = zeros %y = Conv.13(%x, %w) output %y"),
              HasSubstr("the window does not fit"));
  EXPECT_THAT(error_of(x + "const %w : f32[3,1,1] = zeros %y = Conv.13(%x, %w) {group=2} output %y"),
              HasSubstr("not a multiple of group (found 3"));
  EXPECT_THAT(error_of(x + "const %w : f32[1,2,1] = zeros %y = Conv.13(%x, %w) {group=0} output %y"),
              HasSubstr("group is out of range"));
  EXPECT_THAT(error_of(x + "const %w : f32[1,2,1] = zeros %y = Conv.13(%x, %w) {strides=[0]} output %y"),
              HasSubstr("attribute strides is out of range (found 0"));
  EXPECT_THAT(error_of(x + "const %w : f32[1,2,1] = zeros %y = Conv.13(%x, %w) {pads=[0]} output %y"),
              HasSubstr("attribute pads has the wrong length (found 1, expected 2)"));
  EXPECT_THAT(error_of(x + "const %w : f32[1,2,1] = zeros %y = Conv.13(%x, %w) {auto_pad=\"SAME_UPPER\"} output %y"),
              HasSubstr("auto_pad has not been resolved"));
  EXPECT_THAT(error_of(x + "const %w : f32[1,2,1] = zeros %y = Conv.13(%x, %w) {data_layout=\"CHWN\"} output %y"),
              HasSubstr("unknown data_layout (found CHWN"));
  EXPECT_THAT(error_of(x + "const %w : f32[1,2,1] = zeros %y = Conv.13(%x, %w) {filter_layout=\"HWIO\"} output %y"),
              HasSubstr("unknown filter_layout (found HWIO"));
  EXPECT_THAT(error_of(x + "const %w : f32[1,2,1] = zeros %y = Conv.13(%x, %w) {kernel_shape=[2]} output %y"),
              HasSubstr("kernel_shape is not the filter's"));
  EXPECT_THAT(error_of(x + "const %w : f64[1,2,1] = zeros %y = Conv.13(%x, %w) output %y"),
              HasSubstr("different element types (found f64, expected f32)"));
  EXPECT_THAT(
      error_of(x + "const %w : f32[1,2,1] = zeros const %b : f32[2] = zeros %y = Conv.13(%x, %w, %b) output %y"),
      HasSubstr("the bias must have one element for each output channel"));
  EXPECT_THAT(error_of("const %x : i32[1,1,1] = zeros %y = Conv.13(%x, %x) output %y"),
              HasSubstr("element type of input 0 is not supported (found i32"));
  EXPECT_THAT(error_of("const %x : f32[1] = zeros %y = Conv.13(%x, %x) output %y"), HasSubstr("rank 3 to 5"));
  EXPECT_THAT(error_of("const %x : f32[1,1,1] = zeros %y = Conv.13(%x, %x) {pads=[2000000000, 2000000000]} output %y"),
              HasSubstr("the result is too large"));
}

TEST(Conv, refusesQuantisationThatDoesNotFit) {
  auto error = [](const std::string& w, const std::string& y) {
    return error_of("const %x : i8[1,1,1] q(1.0, 0) = zeros const %w : i8[2,1,1] " + w + " = zeros %y : i8[1,2,1] " +
                    y + " = Conv.13(%x, %w) output %y");
  };
  EXPECT_THAT(error("", "q(1.0, 0)"), HasSubstr("input 1 is not quantised"));
  EXPECT_THAT(error("q(axis=0, [1.0], [0])", "q(1.0, 0)"), HasSubstr("quantisation of input 1 does not fit (found 1"));
  EXPECT_THAT(error("q(axis=1, [1.0, 1.0], [0, 0])", "q(1.0, 0)"),
              HasSubstr("along the wrong axis (found 1, expected 0)"));
  EXPECT_THAT(error("q(-1.0, 0)", "q(1.0, 0)"), HasSubstr("scale of input 1 is out of range"));
  EXPECT_THAT(error("q(1.0, 0)", "q(0.0, 0)"), HasSubstr("scale of output 0 is out of range"));
  EXPECT_THAT(error("q(1.0, 0)", "q(1.0, 200)"), HasSubstr("zero point of output 0 is outside its element type"));
  EXPECT_THAT(error("q(1.0, 0)", "q(axis=0, [1.0], [0])"), HasSubstr("output 0 must be quantised per tensor"));
  EXPECT_THAT(error("q(1.0, 0)", ""), HasSubstr("element type of input 0 is not supported"));
}

}  // namespace
}  // namespace byoc::test
