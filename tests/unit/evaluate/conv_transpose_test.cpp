// ConvTranspose against sums written out by hand.
#include "tests/unit/evaluate/evaluating.hpp"

namespace byoc::test {
namespace {

TEST(ConvTranspose, spreadsEveryElement) {
  const std::string head =
      "const %x : f32[1,1,2] = [1, 2] const %w : f32[1,1,3] = [1, 10, 100] const %b : f32[1] = [0.5]\n";
  EXPECT_THAT(floats(head + "%y = ConvTranspose.11(%x, %w) {strides=[2]} output %y"), ElementsAre(1, 10, 102, 20, 200));
  EXPECT_THAT(floats(head + "%y = ConvTranspose.11(%x, %w) {strides=[2], pads=[1, 1]} output %y"),
              ElementsAre(10, 102, 20));
  EXPECT_THAT(floats(head + "%y = ConvTranspose.11(%x, %w, %b) {output_padding=[2], dilations=[2]} output %y"),
              ElementsAre(1.5F, 2.5F, 10.5F, 20.5F, 100.5F, 200.5F, 0.5F, 0.5F));
}

TEST(ConvTranspose, readsEveryLayout) {
  EXPECT_THAT(floats(R"(const %x : f32[1,2,2] = [1, 3, 2, 4]
    const %w : f32[2,1,2] = [1, 100, 10, 1000]
    %y = ConvTranspose.11(%x, %w) {filter_layout="IOHW"}
    output %y)"),
              ElementsAre(21, 2143, 4300));
  EXPECT_THAT(floats(R"(const %x : f32[1,2,2] = [1, 2, 3, 4]
    const %w : f32[1,2,2] = [1, 10, 100, 1000]
    %y = ConvTranspose.11(%x, %w) {data_layout="NHWC", filter_layout="OHWI"}
    output %y)"),
              ElementsAre(21, 2143, 4300));
  // Two groups of one input and two output channels each.
  EXPECT_THAT(floats(R"(const %x : f32[1,1,2] = [3, 5]
    const %w : f32[2,1,2] = [1, 10, 100, 1000]
    %y = ConvTranspose.11(%x, %w) {data_layout="NHWC", filter_layout="OHWI", group=2}
    output %y)"),
              ElementsAre(3, 300, 50, 5000));
}

TEST(ConvTranspose, clampsWithTheFusedActivation) {
  const std::string head = "const %x : f32[1,1,3] = [-2, 3, 9] const %w : f32[1,1,1] = [1]\n";
  EXPECT_THAT(floats(head + "%y = ConvTranspose.11(%x, %w) {activation=\"relu6\"} output %y"), ElementsAre(0, 3, 6));
  EXPECT_THAT(error_of(head + "%y = ConvTranspose.11(%x, %w) {activation=\"swish\"} output %y"),
              HasSubstr("unknown fused activation (found swish"));
}

constexpr const char* kLayouts = " {data_layout=\"NHWC\", filter_layout=\"OHWI\"} output %y";

TEST(ConvTranspose, requantisesLikeTflite) {
  // (x - 1) * w at scale 0.15, rounded twice, plus the zero point 3.
  auto result = [](const std::string& zero_point, const std::string& mode) {
    return bytes_of(R"(
    const %x : i8[1,1,3,1] q(0.5, 1) = [11, 4, -2]
    const %w : i8[1,1,1,1] q(0.3, )" +
                        zero_point + ") = [1]\n%y : i8[1,1,3,1] q(1.0, 3) = ConvTranspose.11(%x, %w)" + kLayouts,
                    mode);
  };
  EXPECT_THAT(result("0", "tflite"), ElementsAre(5, 4, 2));
  EXPECT_THAT(result("1", "tflite"), ElementsAre(3, 3, 3));
  EXPECT_THAT(result("0", "onnx"), ElementsAre(5, 3, 3));
  EXPECT_THAT(result("1", "onnx"), ElementsAre(3, 3, 3));
}

TEST(ConvTranspose, scalesEachOutputChannelAndGivesTheBiasWhereNothingReaches) {
  EXPECT_THAT(bytes_of(R"(
    const %x : i8[1,1,1,1] q(1.0, 0) = [10]
    const %w : i8[2,1,1,1] q(axis=0, [1.0, 2.0], [0, 0]) = [1, 3]
    const %b : i32[2] = [5, -1]
    %y : i8[1,1,2,2] q(1.0, -10) = ConvTranspose.11(%x, %w, %b)
        {data_layout="NHWC", filter_layout="OHWI", strides=[1, 2], output_padding=[0, 1], activation="relu"}
    output %y)",
                       "tflite"),
              ElementsAre(5, 48, -5, -10));
}

TEST(ConvTranspose, sumsSixteenBitsInSixtyFour) {
  const std::string head = R"(
    const %x : i16[1,1,1,1] q(0.5, 0) = [3]
    const %w : i8[1,1,1,1] q(0.3, 0) = [1]
    const %narrow : i32[1] = [0]
    const %huge : i64[1] = [1099511627773]
)";
  // 3 * 0.15 = 0.45: one rounding gives 0, two would give 1. An int32 bias does not make the sum narrower.
  EXPECT_THAT(result_of<std::int16_t>(
                  head + "%y : i16[1,1,1,1] q(1.0, 0) = ConvTranspose.11(%x, %w, %narrow)" + kLayouts, "tflite"),
              ElementsAre(0));
  // 0.15 / 2^24 in 16 bits is 19661 / 2^41, times 2^40 is a half, which goes up.
  EXPECT_THAT(result_of<std::int16_t>(
                  head + "%y : i16[1,1,1,1] q(16777216.0, 0) = ConvTranspose.11(%x, %w, %huge)" + kLayouts, "tflite"),
              ElementsAre(9831));
}

TEST(ConvTranspose, refusesWhatDoesNotFit) {
  const std::string x = "const %x : f32[1,2,3] = zeros\n";
  auto error = [&](const std::string& w, const std::string& attributes = "") {
    return error_of(x + "const %w : " + w + " = zeros %y = ConvTranspose.11(%x, %w) {" + attributes + "} output %y");
  };
  EXPECT_THAT(error("f32[3,1,1]"), HasSubstr("the filter does not fit the input's channels and group"));
  EXPECT_THAT(error("f32[2,1,1]", "filter_layout=\"OHWI\""), HasSubstr("the filter does not fit the input's channels"));
  EXPECT_THAT(error("f32[2,1,1]", "group=0"), HasSubstr("the filter does not fit the input's channels and group"));
  EXPECT_THAT(error("f32[2,1]"), HasSubstr("the filter must have the rank of the input"));
  EXPECT_THAT(error("f32[2,1,1]", "filter_layout=\"OIHW\""),
              HasSubstr("unknown filter_layout (found OIHW, expected IOHW or OHWI)"));
  EXPECT_THAT(error("f32[2,1,1]", "data_layout=\"CHW\""), HasSubstr("unknown data_layout (found CHW"));
  EXPECT_THAT(error("f32[2,1,1]", "auto_pad=\"VALID\""), HasSubstr("has not been resolved into pads"));
  EXPECT_THAT(error("f32[2,1,1]", "output_shape=[9]"), HasSubstr("has not been resolved into pads"));
  EXPECT_THAT(error("f32[2,1,1]", "output_padding=[1, 1]"), HasSubstr("output_padding has the wrong length"));
  EXPECT_THAT(error("f32[2,1,1]", "output_padding=[-1]"), HasSubstr("the result is too large"));
  EXPECT_THAT(error("f32[2,1,1]", "pads=[2, 2]"), HasSubstr("the pads leave nothing of the result"));
  EXPECT_THAT(error("f64[2,1,1]"), HasSubstr("different element types (found f64, expected f32)"));
  EXPECT_THAT(error_of("const %x : i8[1,1,1] = zeros %y = ConvTranspose.11(%x, %x) output %y"),
              HasSubstr("element type of input 0 is not supported (found i8"));
  EXPECT_THAT(error_of(x + "const %w : f32[2,1,1] = zeros const %b : f32[2] = zeros "
                           "%y = ConvTranspose.11(%x, %w, %b) output %y"),
              HasSubstr("the bias must have one element for each output channel"));
  EXPECT_THAT(error_of("const %x : i8[1,1,1] q(1.0, 0) = zeros const %w : i8[1,2,1] q(axis=0, [1.0], [0]) = zeros "
                       "%y : i8[1,2,1] q(1.0, 0) = ConvTranspose.11(%x, %w) output %y"),
              HasSubstr("along the wrong axis (found 0, expected 1)"));
}

}  // namespace
}  // namespace byoc::test
