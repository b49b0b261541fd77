// Operators that move elements, and those that make constants and change types.
#include "tests/unit/evaluate/evaluating.hpp"

namespace byoc::test {
namespace {

const std::string kMoved = "const %x : f32[2,3] = [1, 2, 3, 4, 5, 6] ";

TEST(Movement, shapes) {
  EXPECT_THAT(floats(kMoved + "%y : f32[3,2] = Transpose.13(%x) output %y"), ElementsAre(1, 4, 2, 5, 3, 6));
  EXPECT_THAT(floats("const %x : f32[1,2,3] = [1, 2, 3, 4, 5, 6] %y : f32[3,1,2] = Transpose.13(%x) {perm=[2, 0, 1]} "
                     "output %y"),
              ElementsAre(1, 4, 2, 5, 3, 6));
  EXPECT_THAT(floats(kMoved + "%y : f32[1,6] = Flatten.13(%x) {axis=0} output %y"), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(floats(kMoved + "%y : f32[6,1] = Flatten.13(%x) {axis=2} output %y"), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(
      floats("const %x : f32[1,2,1] = [1, 2] const %a : i64[1] = [-1] %y : f32[1,2] = Squeeze.13(%x, %a) output %y"),
      ElementsAre(1, 2));
  EXPECT_THAT(floats("const %x : f32[1,2,1] = [1, 2] %y : f32[2] = Squeeze.13(%x) output %y"), ElementsAre(1, 2));
  EXPECT_THAT(floats("const %x : f32[2] = [1, 2] const %a : i64[2] = [-1, 0] %y : f32[1,2,1] = Unsqueeze.13(%x, %a) "
                     "output %y"),
              ElementsAre(1, 2));
  EXPECT_THAT(
      floats("const %x : f32[2,1] = [1, 2] const %s : i64[2] = [1, 3] %y : f32[2,3] = Expand.13(%x, %s) output %y"),
      ElementsAre(1, 1, 1, 2, 2, 2));
  EXPECT_THAT(floats(kMoved + "%y = Identity.13(%x) output %y"), ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(Movement, pieces) {
  EXPECT_THAT(floats(kMoved + "const %b : f32[2,1] = [7, 8] %y : f32[2,4] = Concat.13(%x, %b) {axis=-1} output %y"),
              ElementsAre(1, 2, 3, 7, 4, 5, 6, 8));
  EXPECT_THAT(floats(kMoved + "const %i : i64[2] = [-1, 0] %y : f32[2,2] = Gather.13(%x, %i) {axis=1} output %y"),
              ElementsAre(3, 1, 6, 4));
  EXPECT_THAT(floats(kMoved + "%a : f32[2,2], %y : f32[2,1] = Split.18(%x) {axis=1} output %y"), ElementsAre(3, 6));
  EXPECT_THAT(floats(kMoved + "const %l : i64[2] = [1, 2] %a, %y = Split.13(%x, %l) {axis=1} output %y"),
              ElementsAre(2, 3, 5, 6));
  EXPECT_THAT(floats(kMoved + "const %s : i64[2] = [1, -1] const %e : i64[2] = [2, -9223372036854775807] "
                              "const %a : i64[2] = [0, 1] const %t : i64[2] = [1, -2] "
                              "%y : f32[1,2] = Slice.13(%x, %s, %e, %a, %t) output %y"),
              ElementsAre(6, 4));
  EXPECT_THAT(
      floats(kMoved + "const %s : i64[1] = [5] const %e : i64[1] = [9] %y : f32[0,3] = Slice.13(%x, %s, %e) output %y"),
      ElementsAre());
}

TEST(Movement, slicesBackwards) {
  const auto backwards = [](const std::string& start, const std::string& end, const std::string& step) {
    return floats("const %x : f32[3] = [1, 2, 3] const %s : i64[1] = [" + start + "] const %e : i64[1] = [" + end +
                  "] const %a : i64[1] = [0] const %t : i64[1] = [" + step +
                  "] %y = Slice.13(%x, %s, %e, %a, %t) output %y");
  };
  // A start before the first element is the first.
  EXPECT_THAT(backwards("-9", "-9", "-1"), ElementsAre(1));
  EXPECT_THAT(backwards("9", "0", "-1"), ElementsAre(3, 2));
  EXPECT_THAT(backwards("0", "2", "-1"), ElementsAre());
  // The largest numbers are no bound.
  EXPECT_THAT(backwards("-1", "9223372036854775807", "-2"), ElementsAre(3, 1));
  EXPECT_THAT(backwards("1", "2147483647", "-1"), ElementsAre(2, 1));
  EXPECT_THAT(backwards("-9223372036854775808", "9223372036854775807", "-9223372036854775808"), ElementsAre(1));
}

TEST(Movement, pads) {
  const std::string x = "const %x : f32[3] = [1, 2, 3] const %p : i64[2] = [2, 1] ";
  EXPECT_THAT(floats(x + "%y = Pad.13(%x, %p) output %y"), ElementsAre(0, 0, 1, 2, 3, 0));
  EXPECT_THAT(floats(x + "const %v : f32[] = [7] %y = Pad.13(%x, %p, %v) output %y"), ElementsAre(7, 7, 1, 2, 3, 7));
  EXPECT_THAT(floats(x + "%y = Pad.13(%x, %p) {mode=\"edge\"} output %y"), ElementsAre(1, 1, 1, 2, 3, 3));
  EXPECT_THAT(floats(x + "%y = Pad.13(%x, %p) {mode=\"reflect\"} output %y"), ElementsAre(3, 2, 1, 2, 3, 2));
  EXPECT_THAT(floats("const %x : f32[3] = [1, 2, 3] const %p : i64[2] = [-1, -1] %y = Pad.13(%x, %p) output %y"),
              ElementsAre(2));
  EXPECT_THAT(bytes_of("const %x : i8[1] q(0.5, -3) = [5] const %p : i64[2] = [1, 0] "
                       "%y : i8[2] q(0.5, -3) = Pad.1(%x, %p) output %y",
                       "tflite"),
              ElementsAre(-3, 5));
}

TEST(Movement, refusesWhatDoesNotFit) {
  EXPECT_THAT(error_of(kMoved + "%y = Transpose.13(%x) {perm=[0, 0]} output %y"),
              HasSubstr("perm is not a permutation"));
  EXPECT_THAT(error_of(kMoved + "%y = Flatten.13(%x) {axis=3} output %y"), HasSubstr("axis out of range (found 3"));
  EXPECT_THAT(error_of(kMoved + "const %a : i64[1] = [0] %y = Squeeze.13(%x, %a) output %y"),
              HasSubstr("squeezes a dim that is not 1 (found 2 at axis 0)"));
  EXPECT_THAT(error_of(kMoved + "const %a : i64[2] = [0, 0] %y = Unsqueeze.13(%x, %a) output %y"),
              HasSubstr("named twice"));
  EXPECT_THAT(error_of(kMoved + "const %s : i64[2] = [2, 2] %y = Expand.13(%x, %s) output %y"),
              HasSubstr("does not broadcast"));
  EXPECT_THAT(error_of(kMoved + "const %s : i64[1] = [-2] %y = Expand.13(%x, %s) output %y"),
              HasSubstr("negative dim"));
  EXPECT_THAT(error_of(kMoved + "const %b : f32[3,1] = zeros %y = Concat.13(%x, %b) {axis=1} output %y"),
              HasSubstr("input 1 does not fit the first (found f32[3,1], expected f32[2,3] but for axis 1)"));
  EXPECT_THAT(error_of(kMoved + "const %i : i64[1] = [3] %y = Gather.13(%x, %i) {axis=1} output %y"),
              HasSubstr("index out of range (found 3"));
  EXPECT_THAT(error_of(kMoved + "const %i : f32[1] = [3] %y = Gather.13(%x, %i) output %y"), HasSubstr("i64 or i32"));
  EXPECT_THAT(error_of(kMoved + "const %l : i64[2] = [1, 1] %a, %y = Split.13(%x, %l) {axis=1} output %y"),
              HasSubstr("the lengths of the pieces do not fit the axis"));
  EXPECT_THAT(error_of(kMoved + "%a, %b, %c, %d, %y = Split.13(%x) {axis=0} output %y"), HasSubstr("so many pieces"));
  EXPECT_THAT(error_of(kMoved + "const %s : i64[1] = [0] %y = Slice.13(%x, %s, %s, %s, %s) output %y"),
              HasSubstr("a step is 0"));
  EXPECT_THAT(error_of(kMoved + "const %p : i64[3] = [0, 0, 0] %y = Pad.13(%x, %p) output %y"),
              HasSubstr("pads has the wrong length (found 3, expected 4)"));
  EXPECT_THAT(error_of(kMoved + "const %p : i64[4] = [-3, 0, 0, 0] %y = Pad.13(%x, %p) output %y"),
              HasSubstr("negative or too large"));
  EXPECT_THAT(error_of(kMoved + "const %p : i64[4] = [0, 0, 0, 0] %y = Pad.13(%x, %p) {mode=\"mirror\"} output %y"),
              HasSubstr("unknown mode (found mirror"));
  EXPECT_THAT(error_of("const %x : i8[1] q(0.5, 0) = [1] %y : i8[1] q(0.25, 0) = Identity.13(%x) output %y"),
              HasSubstr("moves elements between different quantisations"));
  EXPECT_THAT(error_of(kMoved + "const %s : i64[2] = [-1, -1] %y = Reshape.13(%x, %s) output %y"),
              HasSubstr("more than one -1"));
  EXPECT_THAT(error_of(kMoved + "const %s : i64[1] = [7] %y = Reshape.13(%x, %s) output %y"),
              HasSubstr("does not hold the input's elements"));
}

TEST(Constants, ofShapeAndCast) {
  EXPECT_THAT(result_of<std::int64_t>(kMoved + "%y = Shape.15(%x) output %y"), ElementsAre(2, 3));
  EXPECT_THAT(result_of<std::int64_t>(kMoved + "%y = Shape.15(%x) {start=-1} output %y"), ElementsAre(3));
  EXPECT_THAT(floats("const %s : i64[2] = [2, 2] %y : f32[2,2] = ConstantOfShape.9(%s) output %y"),
              ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(result_of<std::int32_t>("const %s : i64[1] = [5] %y = ConstantOfShape.9(%s) {value=tensor(i32[1] = [7])} "
                                      "output %y"),
              ElementsAre(7, 7, 7, 7, 7));
  EXPECT_THAT(floats("%y = Constant.13() {value=tensor(f32[2] = [1, 2])} output %y"), ElementsAre(1, 2));
  EXPECT_THAT(error_of("const %s : i64[2] = [4294967296, 4294967296] %y = ConstantOfShape.9(%s) output %y"),
              HasSubstr("the result is too large or has a negative dimension"));
  EXPECT_THAT(error_of("const %s : i64[1] = [-1] %y = ConstantOfShape.9(%s) output %y"),
              HasSubstr("negative dimension"));
  EXPECT_THAT(error_of("const %s : i64[1] = [1000000000] %y = ConstantOfShape.9(%s) output %y"),
              HasSubstr("at most 2 GiB"));
  EXPECT_THAT(result_of<std::int8_t>("const %x : f32[3] = [1.9, -1.9, 300] %y = Cast.13(%x) {to=3} output %y"),
              ElementsAre(1, -1, 127));
  EXPECT_THAT(result_of<std::uint8_t>("const %x : i32[2] = [257, -1] %y = Cast.13(%x) {to=2} output %y"),
              ElementsAre(1, 255));
  EXPECT_THAT(result_of<std::uint8_t>("const %x : f32[2] = [0.5, 0] %y = Cast.13(%x) {to=9} output %y"),
              ElementsAre(1, 0));
  // 1/3 in binary16 is 0x3555; 65520 rounds to infinity.
  EXPECT_THAT(result_of<std::uint16_t>(
                  "const %x : f32[3] = [0.33333334, 65520, -5.9604645e-08] %y = Cast.13(%x) {to=10} output %y"),
              ElementsAre(0x3555, 0x7c00, 0x8001));
  EXPECT_THAT(error_of(kMoved + "%y = Cast.13(%x) {to=14} output %y"),
              HasSubstr("not an element type that is supported (found complex64)"));
}

TEST(Quantize, bothWays) {
  EXPECT_THAT(
      bytes_of("const %x : f32[4] = [0.25, 0.75, -0.25, 1000] %y : i8[4] q(0.5, 1) = byoc.Quantize.1(%x) output %y",
               "tflite"),
      ElementsAre(2, 3, 0, 127));
  EXPECT_THAT(
      bytes_of("const %x : f32[4] = [0.25, 0.75, -0.25, 1000] %y : i8[4] q(0.5, 1) = byoc.Quantize.1(%x) output %y"),
      ElementsAre(1, 3, 1, 127));
  // A factor of exactly a half takes no second rounding: ties go up.
  EXPECT_THAT(
      bytes_of("const %x : i8[2] q(0.5, 0) = [3, -3] %y : i8[2] q(1.0, 0) = byoc.Quantize.1(%x) output %y", "tflite"),
      ElementsAre(2, -1));
  EXPECT_THAT(floats("const %x : i8[2,2] q(axis=1, [0.5, 2.0], [1, 0]) = [1, 2, 3, 4] "
                     "%y : f32[2,2] = byoc.Dequantize.1(%x) output %y"),
              ElementsAre(0, 4, 1, 8));
  EXPECT_THAT(result_of<std::uint8_t>(
                  "const %x : f32[2] = [0.5, 300] const %s : f32[] = [1] %y = QuantizeLinear.13(%x, %s) output %y"),
              ElementsAre(0, 255));
  EXPECT_THAT(floats("const %x : i8[2,2] = [1, 2, 3, 4] const %s : f32[2] = [0.5, 2] const %z : i8[2] = [1, 0] "
                     "%y = DequantizeLinear.13(%x, %s, %z) {axis=0} output %y"),
              ElementsAre(0, 0.5F, 6, 8));
  EXPECT_THAT(
      error_of("const %x : i8[2,2] = zeros const %s : f32[3] = [1, 1, 1] %y = DequantizeLinear.13(%x, %s) output %y"),
      HasSubstr("the scale must have one element for each index of its axis"));
  EXPECT_THAT(error_of("const %x : f32[1] = zeros const %s : f32[] = [0] %y = QuantizeLinear.13(%x, %s) output %y"),
              HasSubstr("a scale is out of range (found 0.000000, expected a finite number other than 0)"));
  // Negative scales turn the order round: 3 / -0.5 = -6, (7 - 1) * -0.5 = -3.
  EXPECT_THAT(result_of<std::int8_t>("const %x : f32[2] = [3, -3] const %s : f32[] = [-0.5] const %z : i8[] = [1] "
                                     "%y = QuantizeLinear.21(%x, %s, %z) output %y"),
              ElementsAre(-5, 7));
  EXPECT_THAT(floats("const %x : i8[2] = [7, -5] const %s : f32[] = [-0.5] const %z : i8[] = [1] "
                     "%y = DequantizeLinear.21(%x, %s, %z) output %y"),
              ElementsAre(-3, 3));
  // All weights of a block are 0: its scale is 0, too.
  EXPECT_THAT(floats("const %x : i8[2] = [7, -5] const %s : f32[] = [0] "
                     "%y = DequantizeLinear.21(%x, %s) output %y"),
              ElementsAre(0, 0));
  EXPECT_THAT(error_of("const %x : f32[1] = zeros %y = byoc.Quantize.1(%x) output %y"),
              HasSubstr("output 0 is not quantised"));
  EXPECT_THAT(error_of("const %x : f32[1] = zeros %y = byoc.Dequantize.1(%x) output %y"),
              HasSubstr("input 0 is not quantised"));
}

}  // namespace
}  // namespace byoc::test
