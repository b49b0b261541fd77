// Operators whose results are as long as elements say: room for the most there can be, and a count.
#include <gmock/gmock.h>

#include "tests/support/text_bench.hpp"

namespace byoc::test {
namespace {

using ::testing::HasSubstr;

const char* const kSelectTypes[] = {"i8", "bool", "f16", "f32", "u64"};

TEST(Select, nonZero) {
  const std::string text = R"(
    input %x : T[2,3,4] input %scalar : T[] input %none : T[0,3] input %wide : T[1,2,1,3,1,2,2]
    %y : i64[3,24], %n : i32[] = byoc.NonZero.1(%x) output %y output %n
    %ys : i64[1,1], %ns : i32[] = byoc.NonZero.1(%scalar) output %ys output %ns
    %y0 : i64[2,0], %n0 : i32[] = byoc.NonZero.1(%none) output %y0 output %n0
    %y7 : i64[7,24], %n7 : i32[] = byoc.NonZero.1(%wide) output %y7 output %n7)";
  for (const char* type : kSelectTypes) EXPECT_EQ(TextBench(text, type).check(host_machine()), "") << type;
  const std::string sparse = "input %x : i8[2,3] %y : i64[2,6], %n : i32[] = byoc.NonZero.1(%x) output %y output %n";
  EXPECT_EQ(TextBench(sparse).give("x", {0, 5, 0, 0, 0, -1}).check(host_machine()), "");
  EXPECT_EQ(TextBench(sparse).give("x", {0, 0, 0, 0, 0, 0}).check(host_machine()), "");
}

TEST(Select, compress) {
  const std::string text = R"(
    input %x : T[2,3,4] input %three : bool[3] input %two : bool[2] input %all : bool[24]
    %a : T[2,3,4], %na : i32[] = byoc.Compress.1(%x, %three) {axis=1} output %a output %na
    %b : T[2,3,2], %nb : i32[] = byoc.Compress.1(%x, %two) {axis=-1} output %b output %nb
    %c : T[24], %nc : i32[] = byoc.Compress.1(%x, %all) output %c output %nc
    %d : T[2], %nd : i32[] = byoc.Compress.1(%x, %two) output %d output %nd)";
  for (const char* type : {"i8", "i64"})
    for (const std::vector<std::int64_t>& condition : {std::vector<std::int64_t>{0, 0, 0}, {0, 1, 0}, {1, 1, 1}})
      EXPECT_EQ(TextBench(text, type).give("three", condition).check(host_machine()), "") << type;
}

TEST(Select, unique) {
  const std::string text = R"(
    input %x : T[2,3,4] input %few : bool[24] input %none : T[0] %y8 : T[24] = Cast.13(%few) {to=DTYPE}
    %a : T[24], %fa : i64[24], %ia : i64[24], %ca : i64[24], %na : i32[] = byoc.Unique.1(%y8)
    output %a output %fa output %ia output %ca output %na
    %b : T[2,3,4], %fb : i64[3], %ib : i64[3], %cb : i64[3], %nb : i32[] = byoc.Unique.1(%x) {axis=1, sorted=0}
    output %b output %fb output %ib output %cb output %nb
    %c : T[24], _, _, _, %nc : i32[] = byoc.Unique.1(%y8) {sorted=0} output %c output %nc
    _, _, %id : i64[24] = byoc.Unique.1(%x) output %id
    %e : T[0], %fe : i64[0], %ie : i64[0], %ce : i64[0], %ne : i32[] = byoc.Unique.1(%none) output %e output %ie output %ne)";
  const std::map<std::string, std::string> onnx{{"i8", "3"}, {"f16", "10"}, {"f32", "1"}, {"i64", "7"}};
  for (const auto& [type, number] : onnx) {
    std::string t = text;
    t.replace(t.find("DTYPE"), 5, number);
    EXPECT_EQ(TextBench(t, type).check(host_machine()), "") << type;
  }
  const std::string rows = R"(input %x : i8[4,2]
    %y : i8[4,2], %f : i64[4], %i : i64[4], %c : i64[4], %n : i32[] = byoc.Unique.1(%x) {axis=0} output %y output %f output %i output %c
    output %n)";
  EXPECT_EQ(TextBench(rows).give("x", {3, 1, 2, 9, 3, 1, 2, 9}).check(host_machine()), "");
  EXPECT_EQ(TextBench(rows).give("x", {3, 1, 3, 0, 3, 1, 3, 1}).check(host_machine()), "");
}

TEST(Select, nonMaxSuppression) {
  for (const char* attributes : {"", "{center_point_box=1}"})
    for (const std::int64_t most : {-1, 3, 100}) {
      const std::string text = R"(
        input %b : f32[2,9,4] input %s : f32[2,3,9] input %m : i64[] input %o : f32[] input %l : f32[]
        const %half : f32[] = [0.5] const %low : f32[] = [-1.5]
        %y : i64[54,3], %n : i32[] = byoc.NonMaxSuppression.1(%b, %s, %m, %half, %low) )" +
                               std::string(attributes) + R"( output %y output %n
        %z : i64[54,3], %k : i32[] = byoc.NonMaxSuppression.1(%b, %s, %m, %o, %l) output %z output %k
        %u : i64[54,3], %v : i32[] = byoc.NonMaxSuppression.1(%b, %s, %m) output %u output %v
        %w : i64[0,3], %q : i32[] = byoc.NonMaxSuppression.1(%b, %s) output %w output %q)";
      EXPECT_EQ(TextBench(text).give("m", {most}).check(host_machine()), "") << attributes << most;
    }
}

TEST(Select, topK) {
  const std::string text = R"(input %x : T[2,5,3] input %k : i64[1]
    %v : T[2,5,3], %i : i64[2,5,3], %n : i32[] = byoc.TopK.1(%x, %k) {axis=1} output %v output %i output %n
    _, %j : i64[2,5,3], %m : i32[] = byoc.TopK.1(%x, %k) {axis=0, largest=0} output %j output %m
    %w : T[2,5,3], _, %o : i32[] = byoc.TopK.1(%x, %k) output %w output %o)";
  for (const char* type : {"i8", "f32"})
    for (const std::int64_t k : {0, 2})
      EXPECT_EQ(TextBench(text, type).give("k", {k}).check(host_machine()), "") << type << k;
  for (const std::int64_t k : {-1, 3, 4, 1000})
    EXPECT_THAT(TextBench(text).give("k", {k}).run(host_machine()), HasSubstr("a step gave an error code")) << k;
}

// Without a count the length must be the stated one; nothing behind it is written.
TEST(Select, statedLengths) {
  const auto runs = [](const std::string& text, const std::vector<std::int64_t>& x) {
    return TextBench("input %x : i8[2,3] input %m : i64[] input %b : f32[1,3,4] input %s : f32[1,1,3] " + text)
        .give("x", x)
        .give("m", {2})
        .run(host_machine());
  };
  const std::string nz = "%y : i64[2,3] = byoc.NonZero.1(%x) %z : i64[3,2] = Transpose.13(%y) output %z";
  EXPECT_EQ(runs(nz, {1, 0, 2, 0, 0, 3}), "");
  EXPECT_THAT(runs(nz, {1, 0, 2, 0, 0, 0}), HasSubstr("a step gave an error code"));
  EXPECT_THAT(runs(nz, {1, 1, 2, 0, 0, 3}), HasSubstr("a step gave an error code"));
  const std::string unique = "%y : i8[2] = byoc.Unique.1(%x) %z : i8[2] = Neg.13(%y) output %z";
  EXPECT_EQ(runs(unique, {1, 7, 7, 1, 1, 1}), "");
  EXPECT_THAT(runs(unique, {1, 2, 7, 1, 1, 1}), HasSubstr("a step gave an error code"));
  const std::string boxes =
      "%y : i64[1,3] = byoc.NonMaxSuppression.1(%b, %s, %m) %z : i64[3,1] = Transpose.13(%y) "
      "output %z";
  EXPECT_THAT(TextBench("input %x : i8[1] const %b : f32[1,3,4] = [0, 0, 1, 1, 5, 5, 6, 6, 9, 9, 10, 10] const %s : "
                        "f32[1,1,3] = [1, 2, 3] const %m : i64[] = [2] " +
                        boxes + " output %x")
                  .run(host_machine()),
              HasSubstr("a step gave an error code"));
}

TEST(Select, refusals) {
  const auto refusal = [](const std::string& text) { return TextBench(text).refusal(); };
  EXPECT_THAT(refusal("input %x : i4[2] %y : i64[1,2], %n : i32[] = byoc.NonZero.1(%x) output %y output %n"),
              HasSubstr("found i4, expected a type of whole bytes"));
  EXPECT_THAT(
      refusal(
          "input %x : i4[2] input %c : bool[2] %y : i4[2], %n : i32[] = byoc.Compress.1(%x, %c) output %y output %n"),
      HasSubstr("found i4, expected elements of 1, 2, 4 or 8 bytes"));
  EXPECT_THAT(
      refusal(
          "input %x : i8[2] q(0.5, 1) input %c : bool[2] %y : i8[2] q(0.25, 1), %n : i32[] = byoc.Compress.1(%x, %c) "
          "output %y output %n"),
      HasSubstr("different quantisations"));
  EXPECT_THAT(refusal("input %x : i8[2] q(0.5, 1) %y : i8[2] q(0.25, 1), _, _, _, %n : i32[] = byoc.Unique.1(%x) "
                      "output %y output %n"),
              HasSubstr("different quantisations"));
  EXPECT_THAT(refusal("input %x : i4[2] %y : i4[2], _, _, _, %n : i32[] = byoc.Unique.1(%x) output %y output %n"),
              HasSubstr("found i4, expected a type of whole bytes"));
  const std::string boxes = "input %b : f32[1,2,4] input %s : f32[1,1,2] ";
  EXPECT_THAT(
      refusal(boxes +
              "input %m : i32[] %y : i64[2,3], %n : i32[] = byoc.NonMaxSuppression.1(%b, %s, %m) output %y output %n"),
      HasSubstr("found i32, expected i64"));
  EXPECT_THAT(
      refusal(boxes +
              "input %m : i64[2] %y : i64[2,3], %n : i32[] = byoc.NonMaxSuppression.1(%b, %s, %m) output %y output %n"),
      HasSubstr("expected one element"));
  EXPECT_THAT(
      refusal(
          "input %b : f32[1,2,4] input %s : f32[1,1,3] %y : i64[2,3], %n : i32[] = byoc.NonMaxSuppression.1(%b, %s) "
          "output %y output %n"),
      HasSubstr("expected [batch,boxes,4] and [batch,classes,boxes]"));
}

}  // namespace
}  // namespace byoc::test
