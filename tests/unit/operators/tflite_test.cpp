// Operators of domain byoc that TensorFlow Lite's models have: numbers worked out by hand, code beside the evaluator,
// and what each layer refuses. tests/e2e/layers has random cases.
#include <gmock/gmock.h>

#include "sdk/model/prepare/prepare.hpp"
#include "sdk/model/shapes/infer_shapes.hpp"
#include "tests/support/text_bench.hpp"

namespace byoc::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

ir::Graph graph_of(const std::string& text) {
  Diagnostics diags;
  auto graph = ir::parse("graph \"t\" requant=tflite {\n" + text + "\n}", "t.byoc", diags);
  EXPECT_TRUE(graph) << text << (diags.all().empty() ? "" : to_string(diags.all()[0]));
  return graph ? std::move(*graph) : ir::Graph();
}

// The first output of a graph without inputs.
template <class T>
std::vector<T> result(const std::string& text) {
  Diagnostics diags;
  const auto out = evaluate::run(graph_of(text), {}, diags);
  EXPECT_TRUE(out) << text << (diags.all().empty() ? "" : to_string(diags.all()[0]));
  if (!out) return {};
  const auto* all = reinterpret_cast<const T*>((*out)[0].bytes.data());
  return {all, all + (*out)[0].bytes.size() / sizeof(T)};
}

std::string evaluation_error(const std::string& text) {
  Diagnostics diags;
  EXPECT_FALSE(evaluate::run(graph_of(text), {}, diags)) << text;
  return diags.all().empty() ? "" : to_string(diags.all()[0]);
}

std::string shape_error(const std::string& text) {
  Diagnostics diags;
  ir::Graph graph = graph_of(text);
  EXPECT_FALSE(infer_shapes(graph, diags)) << text;
  return diags.all().empty() ? "" : to_string(diags.all()[0]);
}

std::string refusal(const std::string& text) { return TextBench(text).refusal(); }

TEST(TfliteOperators, rightShiftRoundsDownAndClampsTheCount) {
  EXPECT_THAT(result<std::int8_t>("const %a : i8[5] = [-7, -7, 127, -128, 5] const %b : i8[5] = [1, 100, 3, 7, -4] "
                                  "%y = byoc.RightShift.1(%a, %b) output %y"),
              ElementsAre(-4, -1, 15, -1, 5));
  EXPECT_THAT(result<std::uint16_t>("const %a : u16[3] = [65535, 65535, 8] const %b : u16[3] = [15, 16, 2] "
                                    "%y = byoc.RightShift.1(%a, %b) output %y"),
              ElementsAre(1, 1, 2));
  for (const char* type : {"i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64"})
    EXPECT_EQ(TextBench("input %a : T[3,4] input %b : T[4] %y : T[3,4] = byoc.RightShift.1(%a, %b) output %y", type)
                  .check(host_machine()),
              "")
        << type;
  EXPECT_THAT(shape_error("input %a : f32[2] %y = byoc.RightShift.1(%a, %a) output %y"), HasSubstr("f32"));
  EXPECT_THAT(evaluation_error("const %a : f32[2] = [1, 2] %y : f32[2] = byoc.RightShift.1(%a, %a) output %y"),
              HasSubstr("an integer"));
}

TEST(TfliteOperators, atan2HasTheQuadrantOfThePoint) {
  const auto angles = result<double>(
      "const %y : f64[4] = [1, 1, -1, 0] const %x : f64[4] = [1, -1, -1, -2] "
      "%a = byoc.Atan2.1(%y, %x) output %a");
  EXPECT_THAT(angles, testing::Pointwise(testing::DoubleEq(), {0.78539816339744828, 2.3561944901923448,
                                                               -2.3561944901923448, 3.1415926535897931}));
  EXPECT_THAT(shape_error("input %a : i32[2] %y = byoc.Atan2.1(%a, %a) output %y"), HasSubstr("i32"));
  EXPECT_THAT(evaluation_error("const %a : i32[2] = [1, 2] %y : i32[2] = byoc.Atan2.1(%a, %a) output %y"),
              HasSubstr("a float"));
}

TEST(TfliteOperators, bucketizeCountsTheBoundariesBelow) {
  const std::string b = "const %b : f32[3] = [-1, 2, 2] ";
  EXPECT_THAT(result<std::int32_t>("const %x : f32[5] = [-2, -1, 1.5, 2, nan] " + b +
                                   "%y = byoc.Bucketize.1(%x, %b) output %y"),
              ElementsAre(0, 1, 1, 3, 3));
  // As float32, 16777217 is 16777216.
  EXPECT_THAT(result<std::int32_t>("const %x : i32[2] = [16777217, -5] const %b : f32[1] = [16777216] "
                                   "%y = byoc.Bucketize.1(%x, %b) output %y"),
              ElementsAre(1, 0));
  for (const char* type : {"f32", "f64", "i32", "i64"})
    EXPECT_EQ(TextBench("input %x : T[40] const %b : f32[5] = [-1, -0.5, 0, 0.5, 1.25] %y : i32[40] = "
                        "byoc.Bucketize.1(%x, %b) input %n : f32[0] %z : i32[40] = byoc.Bucketize.1(%x, %n) "
                        "output %y output %z",
                        type)
                  .check(host_machine()),
              "")
        << type;
  EXPECT_THAT(
      evaluation_error("const %x : f32[1] = [0] const %b : f32[2] = [1, 0] %y = byoc.Bucketize.1(%x, %b) output %y"),
      HasSubstr("the boundaries do not ascend"));
  EXPECT_THAT(shape_error("input %x : i8[2] const %b : f32[1] = [1] %y = byoc.Bucketize.1(%x, %b) output %y"),
              HasSubstr("i8"));
  EXPECT_THAT(refusal("input %x : i8[2] const %b : f32[1] = [1] %y : i32[2] = byoc.Bucketize.1(%x, %b) output %y"),
              HasSubstr("found i8, expected f32, f64, i32, i64"));
  EXPECT_THAT(refusal("input %x : f32[2] const %b : f64[1] = [1] %y : i32[2] = byoc.Bucketize.1(%x, %b) output %y"),
              HasSubstr("found f64, expected f32"));
}

TEST(TfliteOperators, fakeQuantizeRoundsHalvesAwayFromTheOffset) {
  EXPECT_THAT(result<float>("const %x : f32[4] = [0.25, -0.25, 0.75, 1.1] %y = byoc.FakeQuantize.1(%x) "
                            "{offset=-0.5, scale=0.5} output %y"),
              ElementsAre(0.5F, 0.0F, 1.0F, 1.0F));
  for (const char* type : {"f16", "bf16", "f32", "f64"})
    EXPECT_EQ(
        TextBench("input %x : T[50] %y : T[50] = byoc.FakeQuantize.1(%x) {offset=0.3, scale=0.07} output %y", type)
            .check(host_machine()),
        "")
        << type;
  EXPECT_THAT(evaluation_error("const %x : f32[1] = [0] %y = byoc.FakeQuantize.1(%x) {scale=0.0} output %y"),
              HasSubstr("attribute scale is out of range"));
}

// Boxes 0 and 1 cover each other by 1 / 3, box 2 is apart, box 3 has no area.
const char kSuppressed[] =
    "const %b : f32[4,4] = [0, 0, 2, 2,  0, 1, 2, 3,  9, 9, 8, 8,  5, 5, 5, 7] const %s : f32[4] = [0.9, 0.8, 0.5, "
    "0.1] "
    "const %o : f32[] = [0.25] const %l : f32[] = [0.3] ";
const char kSoft[] = "const %h : f32[] = [0.5] const %g : f32[] = [0.5] ";

TEST(TfliteOperators, softNonMaxSuppression) {
  const std::string hard = std::string(kSuppressed) +
                           "%i, %v, %n = byoc.SoftNonMaxSuppression.1(%b, %s, %o, %l) "
                           "{max_output_size=3} output ";
  EXPECT_THAT(result<std::int32_t>(hard + "%i"), ElementsAre(0, 2, 0));
  EXPECT_THAT(result<float>(hard + "%v"), ElementsAre(0.9F, 0.5F, 0));
  EXPECT_THAT(result<std::int32_t>(hard + "%n"), ElementsAre(2));
  // 0.8 * exp(-0.5 / 0.5 / 9): still above the third
  const std::string soft = std::string(kSuppressed) + kSoft +
                           "%i, %v, %n = byoc.SoftNonMaxSuppression.1(%b, %s, %h, %l, %g) "
                           "{max_output_size=3} output ";
  EXPECT_THAT(result<std::int32_t>(soft + "%i"), ElementsAre(0, 1, 2));
  EXPECT_THAT(result<float>(soft + "%v"), testing::Pointwise(testing::FloatNear(1e-6F), {0.9F, 0.71587133F, 0.5F}));
  // What has no area does not cover itself: as in TensorFlow Lite it is chosen as long as there is room.
  EXPECT_THAT(
      result<std::int32_t>("const %b : f32[2,4] = [1, 1, 1, 2,  0, 0, 1, 1] const %s : f32[2] = [0.9, 0.8] "
                           "const %o : f32[] = [0.5] const %l : f32[] = [0] "
                           "%i, %v, %n = byoc.SoftNonMaxSuppression.1(%b, %s, %o, %l) {max_output_size=5} output %i"),
      ElementsAre(0, 0, 0, 0, 0));
}

TEST(TfliteOperators, softNonMaxSuppressionRefuses) {
  EXPECT_THAT(shape_error("input %b : f32[3,4] input %s : f32[2] input %o : f32[] %i, %v, %n = "
                          "byoc.SoftNonMaxSuppression.1(%b, %s, %o, %o) {max_output_size=3} output %i"),
              HasSubstr("boxes and scores do not fit"));
  EXPECT_THAT(shape_error("input %b : f32[3,4] input %s : f32[3] input %o : f32[] %i, %v, %n = "
                          "byoc.SoftNonMaxSuppression.1(%b, %s, %o, %o) {max_output_size=-1} output %i"),
              HasSubstr("max_output_size is out of range"));
  EXPECT_THAT(
      evaluation_error("const %b : f32[1,4] = [0, 0, 1, 1] const %s : f32[2] = [1, 2] const %o : f32[] = [0] %i : "
                       "i32[1], %v, %n = byoc.SoftNonMaxSuppression.1(%b, %s, %o, %o) {max_output_size=1} output %i"),
      HasSubstr("boxes and scores do not fit"));
  EXPECT_THAT(
      evaluation_error("const %b : f32[1,4] = [0, 0, 1, 1] const %s : f32[1] = [1] const %o : f32[] = [0] %i : "
                       "i32[1], %v, %n = byoc.SoftNonMaxSuppression.1(%b, %s, %o, %o) {max_output_size=-1} output %i"),
      HasSubstr("max_output_size is negative"));
  EXPECT_THAT(refusal("input %b : f32[3,4] input %s : f32[3] input %o : f32[] %i : i32[3], %v : f32[3], _ = "
                      "byoc.SoftNonMaxSuppression.1(%b, %s, %o, %o) {max_output_size=3} output %i"),
              HasSubstr("found an output that is not wanted"));
  EXPECT_THAT(refusal("input %b : f64[3,4] input %s : f32[3] input %o : f32[] %i : i32[3], %v : f32[3], %n : i32[] = "
                      "byoc.SoftNonMaxSuppression.1(%b, %s, %o, %o) {max_output_size=3} output %i output %n"),
              HasSubstr("found f64, expected f32"));
}

// The matrix takes (column, row) to (row, column): the image's transpose; then half a step to the right.
TEST(TfliteOperators, affineSample) {
  const std::string image = "const %x : f32[1,2,3,1] = [1, 2, 3, 4, 5, 6] ";
  EXPECT_THAT(result<float>(image + "const %m : f32[4,4] = [0, 1, 0, 0,  1, 0, 0, 0,  0, 0, 0, 0,  0, 0, 0, 0] "
                                    "%y = byoc.AffineSample.1(%x, %m) {output_height=3, output_width=2} output %y"),
              ElementsAre(1, 4, 2, 5, 3, 6));
  EXPECT_THAT(result<float>(image + "const %m : f32[1,4,4] = [1, 0, 0, 0.5,  0, 1, 0, 0,  0, 0, 0, 0,  0, 0, 0, 0] "
                                    "%y = byoc.AffineSample.1(%x, %m) {output_height=1, output_width=3} output %y"),
              ElementsAre(1.5F, 2.5F, 0));
  EXPECT_EQ(TextBench("input %x : f32[1,5,4,3] input %m : f32[1,4,4] %y : f32[1,6,7,3] = byoc.AffineSample.1(%x, %m) "
                      "{output_height=6, output_width=7} output %y")
                .check(host_machine()),
            "");
  EXPECT_THAT(shape_error("input %x : f32[2,5,4,3] input %m : f32[1,4,4] %y = byoc.AffineSample.1(%x, %m) output %y"),
              HasSubstr("the image or the matrix does not fit"));
  EXPECT_THAT(shape_error("input %x : f32[1,5,4,3] input %m : f32[1,4,4] %y = byoc.AffineSample.1(%x, %m) "
                          "{output_height=0} output %y"),
              HasSubstr("output_height or output_width is not positive"));
  EXPECT_THAT(
      evaluation_error(image + "const %m : f32[2] = [1, 2] %y : f32[1,1,1,1] = byoc.AffineSample.1(%x, %m) output %y"),
      HasSubstr("the image or the matrix does not fit"));
  EXPECT_THAT(
      refusal(
          "input %x : f64[1,5,4,3] input %m : f32[1,4,4] %y : f64[1,1,1,3] = byoc.AffineSample.1(%x, %m) output %y"),
      HasSubstr("found f64, expected f32"));
}

TEST(TfliteOperators, nonZeroHasAPlaceInARow) {
  EXPECT_THAT(result<std::int64_t>("const %x : i8[2,3] = [0, 5, 0, 1, 0, -1] %y = NonZero.13(%x) {rows=1} output %y"),
              ElementsAre(0, 1, 1, 0, 1, 2));
  for (const char* type : {"bool", "f32", "i64"})
    EXPECT_EQ(
        TextBench("input %x : T[2,3,2] %y : i64[12,3], %n : i32[] = byoc.NonZero.1(%x) {rows=1} output %y output %n",
                  type)
            .check(host_machine()),
        "")
        << type;
}

TEST(TfliteOperators, lstmFromTheEnd) {
  std::string operands, inputs = "input %x : f32[2,5,3] ";
  for (int i = 1; i <= 12; ++i) {
    inputs += "input %i" + std::to_string(i) + " : f32[" + (i < 5 ? "4,3" : i < 9 ? "4,4" : "4") + "] ";
    operands += ", %i" + std::to_string(i);
  }
  inputs += "input %h : f32[2,4] input %c : f32[2,4] ";
  EXPECT_EQ(TextBench(inputs + "%y : f32[2,5,4], %n : f32[2,4], %m : f32[2,4] = byoc.UnidirectionalSequenceLstm.1(%x" +
                      operands + ", %h, %c) {reverse=1} output %y output %n output %m")
                .check(host_machine(), 1e-5),
            "");
}

}  // namespace
}  // namespace byoc::test
