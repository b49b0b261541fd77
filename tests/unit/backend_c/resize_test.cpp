// Resize: positions from constants, and from numbers that a run gives.
#include <gmock/gmock.h>

#include <regex>

#include "tests/support/text_bench.hpp"

namespace byoc::test {
namespace {

using ::testing::HasSubstr;

// `given`: "const", or "input" where a run gives the numbers.
std::string all_resizes(const std::string& given = "const") {
  std::string out = R"(
  input %x : T[2,3,5,4]
  const %up : f32[4] = [1, 1, 1.7, 2]
  const %down : f32[4] = [1, 1, 0.6, 0.8]
  const %sizes : i64[4] = [2, 3, 3, 9]
  const %roi : f32[8] = [0, 0, 0.2, -0.3, 1, 1, 0.7, 1.2]
)";
  int n = 0;
  const auto add = [&](const std::string& dims, const std::string& operands, const std::string& attributes) {
    const std::string name = "%r" + std::to_string(n++);
    out += name + " : T[" + dims + "] = Resize.19(" + operands + ") {" + attributes + "} output " + name + "\n";
  };
  const std::string up = "%x, _, %up", down = "%x, _, %down", sized = "%x, _, _, %sizes";
  for (const std::string mode : {"nearest", "linear", "cubic"})
    for (const std::string how : {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners",
                                  "asymmetric", "tf_half_pixel_for_nn"}) {
      const std::string both = "mode=\"" + mode + "\", coordinate_transformation_mode=\"" + how + "\"";
      add("2,3,8,8", up, both);
      add("2,3,3,3", down, both);
    }
  for (const std::string mode : {"nearest", "linear", "cubic"}) {
    const std::string m = "mode=\"" + mode + "\"";
    add("2,3,3,9", "%x, %roi, _, %sizes",
        m + ", coordinate_transformation_mode=\"tf_crop_and_resize\", extrapolation_value=3.5");
    add("2,3,3,9", sized, m);
    if (mode == "nearest") continue;
    add("2,3,3,3", down, m + ", antialias=1");
    add("2,3,3,3", down, m + ", antialias=1, exclude_outside=1");
    add("2,3,8,8", up, m + ", exclude_outside=1, cubic_coeff_a=-0.5");
  }
  for (const std::string how : {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil", "simple"}) {
    add("2,3,8,8", up, "nearest_mode=\"" + how + "\"");
    add("2,3,3,3", down, "nearest_mode=\"" + how + "\", coordinate_transformation_mode=\"asymmetric\"");
  }
  out += R"(
  const %two : i64[2] = [7, 7]
  %p0 : T[2,3,7,6] = Resize.18(%x, _, _, %two) {axes=[2, 3], keep_aspect_ratio_policy="not_larger", mode="linear"}
  %p1 : T[2,3,9,7] = Resize.18(%x, _, _, %two) {axes=[-2, 3], keep_aspect_ratio_policy="not_smaller"}
  const %same : f32[4] = [1, 1, 1, 1]
  %p2 : T[2,3,5,4] = Resize.18(%x, _, %same) {mode="cubic"}
  const %batch : f32[4] = [2, 1, 1, 1.5]
  %p3 : T[4,3,5,6] = Resize.18(%x, _, %batch) {mode="linear"}
  output %p0 output %p1 output %p2 output %p3
)";
  if (given == "const") return out;
  return std::regex_replace(out, std::regex("const (%[a-z]+ : [a-z0-9]+\\[[0-9]+\\]) = \\[[^\\]]*\\]"), given + " $1");
}

TEST(Samples, resize) {
  for (const char* type : {"f32", "i8", "u8", "i32", "f64"})
    EXPECT_EQ(TextBench(all_resizes(), type).check(host_machine()), "") << type;
  EXPECT_EQ(TextBench(all_resizes(), "f16").check(host_machine(), 1e-3), "");
}

TEST(Samples, resizeOnCortexM4) { EXPECT_EQ(TextBench(all_resizes()).check(cortex_m4f(), 1e-6), ""); }

TEST(Samples, resizeInCxxAndByClang) {
  Machine cxx = host_machine("gcc");
  cxx.is_cxx = true;
  EXPECT_EQ(TextBench(all_resizes(), "u8").check(cxx), "");
  EXPECT_EQ(TextBench(all_resizes()).check(host_machine("clang-19")), "");
}

TextBench computed_resizes(const std::string& type) {
  TextBench bench(all_resizes("input"), type);
  bench.give_reals("up", {1, 1, 1.7F, 2}).give_reals("down", {1, 1, 0.6F, 0.8F}).give("sizes", {2, 3, 3, 9});
  bench.give_reals("roi", {0, 0, 0.2F, -0.3F, 1, 1, 0.7F, 1.2F}).give("two", {7, 7});
  bench.give_reals("same", {1, 1, 1, 1}).give_reals("batch", {2, 1, 1, 1.5F});
  return bench;
}

TEST(Resize, byNumbersOfARun) {
  for (const char* type : {"f32", "i32", "f64"}) EXPECT_EQ(computed_resizes(type).check(host_machine()), "") << type;
  EXPECT_EQ(computed_resizes("f16").check(host_machine(), 1e-3), "");
  Machine cxx = host_machine("gcc");
  cxx.is_cxx = true;
  EXPECT_EQ(computed_resizes("i8").check(cxx), "");
  EXPECT_EQ(computed_resizes("f32").check(cortex_m4f(), 1e-6), "");
}

TEST(Resize, byARegionOfAnotherType) {
  const std::string text =
      "input %x : f32[1,4] const %r : f64[4] = [0, 0.25, 1, 0.75] input %s : f32[2] %y : f32[1,5] = "
      "Resize.13(%x, %r, %s) {mode=\"linear\", coordinate_transformation_mode=\"tf_crop_and_resize\"} output %y";
  EXPECT_EQ(TextBench(text).give_reals("s", {1, 1.25F}).check(host_machine(), 1e-6), "");
}

// Also a scale that leaves the length as it is, yet moves positions.
TEST(Resize, numbersThatGiveAnotherShapeEndTheRun) {
  const auto scaled = [](float scale) {
    return std::move(TextBench("input %x : f32[1,4] input %s : f32[2] %y : f32[1,4] = Resize.13(%x, _, %s) "
                               "{mode=\"linear\"} output %y")
                         .give_reals("s", {1, scale}));
  };
  for (const float scale : {1.0F, 1.2F}) EXPECT_EQ(scaled(scale).check(host_machine(), 1e-6), "") << scale;
  for (const float scale : {0.9F, 1.3F, -1.0F, std::nanf("")})
    EXPECT_THAT(scaled(scale).run(host_machine()), HasSubstr("a step gave an error code")) << scale;
  const auto sized = [](const std::vector<std::int64_t>& sizes, const std::string& policy) {
    return TextBench(
               "input %x : f32[2,4] input %s : i64[2] %y : f32[3,6] = Resize.18(%x, _, _, %s) "
               "{keep_aspect_ratio_policy=\"" +
               policy + "\"} output %y")
        .give("s", sizes)
        .run(host_machine());
  };
  EXPECT_EQ(sized({3, 6}, "stretch"), "");
  EXPECT_EQ(sized({3, 9}, "not_larger"), "");
  EXPECT_EQ(sized({1, 6}, "not_smaller"), "");
  for (const auto& [sizes, policy] : {std::pair(std::vector<std::int64_t>{3, 5}, "stretch"),
                                      {{2, 9}, "not_larger"},
                                      {{3, 9}, "not_smaller"},
                                      {{-3, 6}, "not_smaller"}})
    EXPECT_THAT(sized(sizes, policy), HasSubstr("a step gave an error code")) << policy;
}

TEST(Resize, refusesNumbersOfOtherTypes) {
  const auto refusal = [](const std::string& operands, const std::string& requant = "onnx") {
    return TextBench(
               "input %x : f32[1,4] input %s : f64[2] input %i : i32[2] input %r : i32[4] input %f : f32[2] "
               "input %l : i64[2] %y : f32[1,5] = Resize.19(%x, " +
                   operands + " output %y",
               "f32", requant)
        .refusal();
  };
  const std::string crops = ") {coordinate_transformation_mode=\"tf_crop_and_resize\"}";
  EXPECT_THAT(refusal("_, %s)"), HasSubstr("found computed scales of another type, expected f32"));
  EXPECT_THAT(refusal("_, _, %i)"), HasSubstr("found computed sizes of another type, expected i64"));
  EXPECT_THAT(refusal("%r, %f" + crops), HasSubstr("found a computed roi of another type, expected a float"));
  EXPECT_THAT(refusal("_, _, %l)", "tflite"), HasSubstr("found computed sizes, expected constants in a TFLite model"));
  EXPECT_THAT(TextBench("input %x : f32[0] input %s : f32[1] %y : f32[2] = Resize.19(%x, _, %s) output %y").refusal(),
              HasSubstr("found an empty dim, expected elements to sample"));
}

}  // namespace
}  // namespace byoc::test
