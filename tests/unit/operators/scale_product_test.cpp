// The attribute scale_product, and zero points of weights in TFLite's arithmetic: compiled code beside the evaluator.
#include <gmock/gmock.h>

#include <string>

#include "tests/support/text_bench.hpp"

namespace byoc::test {
namespace {

using ::testing::ElementsAre;

std::vector<std::int8_t> mul_of(const std::string& attributes) {
  Diagnostics diags;
  auto graph = ir::parse(
      "graph \"t\" requant=tflite { const %a : i8[1] q(0.04686, 0) = [12] "
      "const %b : i8[1] q(0.02703, 0) = [111] %y : i8[1] q(0.03278, 0) = Mul.14(%a, %b) {" +
          attributes + "} output %y }",
      "t.byoc", diags);
  EXPECT_TRUE(graph);
  const auto out = evaluate::run(*graph, {}, diags);
  EXPECT_TRUE(out);
  return {static_cast<std::int8_t>((*out)[0].bytes.data()[0])};
}

TEST(ScaleProduct, roundsTheFactorOfAProduct) {
  EXPECT_THAT(mul_of(""), ElementsAre(51));
  EXPECT_THAT(mul_of("scale_product=\"f32\""), ElementsAre(52));
}

TEST(ScaleProduct, compiledPairsAgree) {
  for (const char* node : {"Mul.14(%a, %b) {scale_product=\"f32\"}", "Sub.14(%a, %b) {scale_product=\"f64\"}",
                           "PRelu.16(%a, %b) {scale_product=\"f32\"}"})
    EXPECT_EQ(TextBench("input %a : i8[3,100] q(0.04686, 3) input %b : i8[3,100] q(0.02703, -7) "
                        "%y : i8[3,100] q(0.03278, 5) = " +
                            std::string(node) + " output %y",
                        "i8", "tflite")
                  .check(host_machine()),
              "")
        << node;
}

TEST(ScaleProduct, compiledLayersAgreeWhateverTheZeroPointOfTheirWeights) {
  std::string weights = " = [";
  for (int i = 0; i < 24; ++i) weights += (i == 0 ? "" : ", ") + std::to_string(37 * i % 256 - 128);
  weights += "] ";
  const std::string attributes =
      ", data_layout=\"NHWC\", filter_layout=\"OHWI\", kernel_shape=[2, 2], pads=[0, 0, 0, 0]"
      ", strides=[1, 1], dilations=[1, 1], group=1} output %y";
  for (const char* zero : {"0", "-3", "100"}) {
    const std::string w = "const %w : i8[3,2,2,2] q(0.02703, " + std::string(zero) + ")" + weights;
    EXPECT_EQ(TextBench("input %x : i8[1,4,5,2] q(0.04686, 3) " + w +
                            "%y : i8[1,3,4,3] q(0.13278, 5) = Conv.18(%x, %w) {scale_product=\"f32\"" + attributes,
                        "i8", "tflite")
                  .check(host_machine()),
              "")
        << zero;
    EXPECT_EQ(
        TextBench("input %x : i8[1,4,5,2] q(0.04686, 3) " + w +
                      "%y : i8[1,5,6,3] q(0.13278, 5) = ConvTranspose.18(%x, %w) {scale_product=\"f32\"" + attributes,
                  "i8", "tflite")
            .check(host_machine()),
        "")
        << zero;
  }
}

}  // namespace
}  // namespace byoc::test
