// Operators that sample at computed positions, and sums of products.
#include <gmock/gmock.h>

#include "tests/support/text_bench.hpp"

namespace byoc::test {
namespace {

using ::testing::HasSubstr;

std::string all_grids() {
  std::string out = R"(
  input %x : T[2,3,4,5]
  input %grid : f32[2,3,4,2]
  input %volume : T[1,2,3,4,5]
  input %points : f32[1,2,2,3,3]
)";
  int n = 0;
  for (const std::string mode : {"nearest", "linear", "cubic"})
    for (const std::string padding : {"zeros", "border", "reflection"})
      for (const std::string align : {"0", "1"}) {
        const std::string a = " {mode=\"" + mode + "\", padding_mode=\"" + padding + "\", align_corners=" + align + "}";
        const std::string y = "%y" + std::to_string(n), z = "%z" + std::to_string(n);
        out += y + " : T[2,3,3,4] = GridSample.20(%x, %grid)" + a + " output " + y + "\n";
        out += z + " : T[1,2,2,2,3] = GridSample.20(%volume, %points)" + a + " output " + z + "\n";
        ++n;
      }
  return out;
}

TEST(Samples, grids) {
  for (const char* type : {"f32", "f64"})
    EXPECT_EQ(TextBench(all_grids(), type).check(host_machine(), 1e-6), "") << type;
  EXPECT_EQ(TextBench(all_grids(), "f16").check(host_machine(), 1e-3), "");
  Machine cxx = host_machine("gcc");
  cxx.is_cxx = true;
  EXPECT_EQ(TextBench(all_grids()).check(cxx, 1e-6), "");
  EXPECT_EQ(TextBench(R"(
  input %t : f32[2,2,3]
  const %s : i64[4] = [2, 1, 3, 4]
  %a : f32[2,3,4,2] = AffineGrid.20(%t, %s)
  %b : f32[2,3,4,2] = AffineGrid.20(%t, %s) {align_corners=1}
  input %t3 : f32[1,3,4]
  const %s3 : i64[5] = [1, 1, 1, 2, 3]
  %c : f32[1,1,2,3,3] = AffineGrid.20(%t3, %s3) {align_corners=1}
  output %a output %b output %c)")
                .check(host_machine(), 1e-6),
            "");
}

TEST(Samples, regions) {
  std::string text = R"(
  input %x : f32[2,2,6,5]
  const %rois : f32[3,4] = [0, 0, 4, 5, 1.3, 0.7, 3.1, 2.2, -3, 2, 9, 7.5]
  const %known : i64[3] = [0, 1, 1]
  input %images : i64[3]
  const %boxes : f32[2,5] = [0, 0, 0, 4, 5, 1, 1.5, 0.6, 3.2, 9]
  %pool : f32[2,2,3,2] = MaxRoiPool.1(%x, %boxes) {pooled_shape=[3, 2], spatial_scale=0.9}
  output %pool
)";
  int n = 0;
  for (const std::string mode : {"avg", "max"})
    for (const std::string how : {"half_pixel", "output_half_pixel"})
      for (const std::string ratio : {"0", "2"}) {
        const std::string y = "%y" + std::to_string(n++);
        text += y + " : f32[3,2,2,3] = RoiAlign.16(%x, %rois, " + (n % 2 == 0 ? "%images" : "%known") + ") {mode=\"" +
                mode + "\", coordinate_transformation_mode=\"" + how +
                "\", output_height=2, output_width=3, spatial_scale=0.8, sampling_ratio=" + ratio + "} output " + y +
                "\n";
      }
  EXPECT_EQ(TextBench(text).give("images", {1, 0, 1}).check(host_machine(), 1e-6), "");
  Machine cxx = host_machine("gcc");
  cxx.is_cxx = true;
  EXPECT_EQ(TextBench(text).give("images", {1, 0, 1}).check(cxx, 1e-6), "");
}

// The root of a negative number is a NaN, which a pool passes over.
TEST(Samples, maximumOfNan) {
  const std::string text = R"(
  input %x : T[2,3,7,5]
  %r : T[2,3,7,5] = Sqrt.13(%x)
  %a : T[2,3,4,5] = MaxPool.12(%r) {kernel_shape=[3,2], strides=[2,1], pads=[1,0,1,1], dilations=[1,1]}
  %b : T[2,3,5,4], %i : i64[2,3,5,4] = MaxPool.12(%r) {kernel_shape=[2,2], strides=[1,1], pads=[0,0,0,0], dilations=[2,1]}
  %c : T[2,3,1,1] = GlobalMaxPool.1(%r)
  %d : T[2,3,7,5] = MaxPool.12(%r) {kernel_shape=[1,1], strides=[1,1], pads=[0,0,0,0], dilations=[1,1]}
  output %a output %b output %i output %c output %d
)";
  for (const std::string type : {"f32", "f16", "bf16", "f64"})
    EXPECT_EQ(TextBench(text, type).check(host_machine()), "") << type;
}

// Planes beyond the reach of 16-bit offsets, by which vectors of results are stored.
TEST(Samples, convolvesIntoPlanesThatAreFarApart) {
  EXPECT_EQ(TextBench(R"(
  input %x : i8[1,1,257,256] q(0.02, -5)
  const %w : i8[2,1,3,3] q(0.01, 0) = [1, -20, 35, 4, 127, -60, 7, 8, -9, 70, 1, 12, -13, 14, -127, 16, 17, 100]
  const %b : i32[2] = [40, -300]
  %y : i8[1,2,257,256] q(0.05, 3) = Conv.11(%x, %w, %b) {kernel_shape=[3,3], pads=[1,1,1,1]}
  output %y)")
                .check(cortex_m55()),
            "");
}

// Whatever it may ask of its operands otherwise.
TEST(Samples, takesANodeThatComputesNothing) {
  EXPECT_EQ(TextBench(R"(
  input %x : u8[0,4] q(0.02, 5)
  const %w : i8[6,4] q(0.01, 1) = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24]
  %y : u8[0,6] q(0.1, 3) = byoc.FullyConnected.1(%x, %w)
  output %y)")
                .check(host_machine()),
            "");
}

TEST(Samples, averagesOfNothing) {
  for (const std::string type : {"f32", "f64"})
    EXPECT_EQ(TextBench(R"(
  input %e : T[2,3,0,5]
  %g : T[2,3,1,1] = GlobalAveragePool.17(%e)
  input %x : T[1,2,4,3]
  %p : T[1,2,11,3] = AveragePool.17(%x) {kernel_shape=[2,1], pads=[5,0,3,0]}
  output %g output %p
)",
                        type)
                  .check(host_machine()),
              "")
        << type;
}

TEST(Samples, maximaOfQuantisedValuesWithTheirPlaces) {
  for (const std::string type : {"i8", "u8"})
    EXPECT_EQ(TextBench("input %x : " + type + "[2,3,5,4] q(0.5, 7) %y : " + type +
                        "[2,3,4,3] q(0.5, 7), %i : i64[2,3,4,3] = MaxPool.12(%x) {kernel_shape=[2,2]} "
                        "output %y output %i")
                  .check(host_machine()),
              "")
        << type;
}

TEST(Samples, einsum) {
  const std::string nodes = R"(
  input %a : T[2,3,4]
  input %b : T[2,4,5]
  input %m : T[3,3]
  input %v : T[3]
  input %square : T[2,3,3]
  %y0 : T[2,3,5] = Einsum.12(%a, %b) {equation="bij, bjk -> bik"}
  %y1 : T[3] = Einsum.12(%m) {equation="ii->i"}
  %y2 : T[] = Einsum.12(%m) {equation="ii"}
  %y3 : T[2,3] = Einsum.12(%square) {equation="...ii->...i"}
  %y4 : T[2,4,3] = Einsum.12(%a) {equation="...jk->...kj"}
  %y5 : T[4,2] = Einsum.12(%a, %v) {equation="bij,i->jb"}
  %y6 : T[2,3,3] = Einsum.12(%square, %m) {equation="...ij,...jk"}
  %y7 : T[3,3,3] = Einsum.12(%v, %v, %v) {equation="i,j,k"}
  %y8 : T[2,3] = Einsum.12(%square, %m, %v) {equation="Zij,jk,k->Zi"}
  output %y0 output %y1 output %y2 output %y3 output %y4 output %y5 output %y6 output %y7 output %y8
)";
  for (const char* type : {"f32", "f64", "i8", "u16", "i32", "i64"})
    EXPECT_EQ(TextBench(nodes, type).check(host_machine()), "") << type;
  EXPECT_EQ(TextBench(nodes, "bf16").check(host_machine(), 1e-2), "");
  EXPECT_EQ(TextBench(nodes).check(cortex_m4f()), "");
}

TEST(Samples, columnsAndGrams) {
  const std::string nodes = R"(
  input %x : T[2,12,9]
  const %image : i64[2] = [5, 4]
  const %block : i64[2] = [2, 3]
  %y : T[2,2,5,4] = Col2Im.18(%x, %image, %block) {strides=[2, 1], pads=[0, 1, 1, 0]}
  output %y
  input %line : T[1,2,3]
  const %length : i64[1] = [5]
  const %two : i64[1] = [2]
  %z : T[1,1,5] = Col2Im.18(%line, %length, %two) {dilations=[2]}
  output %z
)";
  for (const char* type : {"f32", "f64", "i8", "i64"})
    EXPECT_EQ(TextBench(nodes, type).check(host_machine()), "") << type;
  EXPECT_EQ(TextBench(nodes, "f16").check(host_machine(), 1e-3), "");
  const std::string pool =
      " ngram_counts=[0, 4], ngram_indexes=[0, 1, 2, 3, 4, 5, 6], "
      "pool_int64s=[2, 3, 5, 4, 5, 6, 7, 8, 6, 7], min_gram_length=1, max_gram_length=2, "
      "weights=[1.5, 2.0, 0.5, 1.0, 3.0, 0.25, 7.0]}";
  std::string grams = "const %x : T[2,6] = [1, 1, 3, 3, 3, 7, 8, 6, 7, 5, 6, 8] ";
  for (const std::string mode : {"TF", "IDF", "TFIDF"})
    for (const std::string skip : {"0", "5"})
      grams += "%" + mode + skip + " : f32[2,7] = TfIdfVectorizer.9(%x) {mode=\"" + mode +
               "\", max_skip_count=" + skip + "," + pool + " output %" + mode + skip + "\n";
  for (const char* type : {"i32", "i64"}) EXPECT_EQ(TextBench(grams, type).check(host_machine()), "") << type;
}

TEST(Samples, refusals) {
  const auto refusal = [](const std::string& text) { return TextBench(text).refusal(); };
  const std::string x = "input %x : f32[1,1,2,2] ";
  EXPECT_THAT(refusal(x + "const %s : f32[4] = [1, 1, 2, 2] %y : f32[1,1,4,4] = Resize.13(%x, _, %s) {mode=\"area\"} "
                          "output %y"),
              HasSubstr("found mode area"));
  EXPECT_THAT(refusal("input %x : i8[2] q(0.5, 0) const %s : f32[1] = [2] "
                      "%y : i8[4] q(0.5, 0) = Resize.13(%x, _, %s) {mode=\"linear\"} output %y"),
              HasSubstr("found mode linear on quantised values, expected nearest"));
  EXPECT_THAT(
      refusal(x + "input %g : f32[1,1,1,2] %y : f32[1,1,1,1] = GridSample.20(%x, %g) {mode=\"area\"} output %y"),
      HasSubstr("found mode area"));
  EXPECT_THAT(refusal(x + "input %r : f32[1,4] const %b : i64[1] = [1] %y : f32[1,1,1,1] = RoiAlign.16(%x, %r, %b) "
                          "output %y"),
              HasSubstr("found image 1, expected less than 1"));
  EXPECT_THAT(refusal("input %x : f32[2,3] %y : f32[2] = Einsum.12(%x) {equation=\"i->i\"} output %y"),
              HasSubstr("which does not fit the operands"));
  EXPECT_THAT(refusal("input %x : f32[1,2,3] input %i : i64[1] const %b : i64[1] = [2] "
                      "%y : f32[1,1,4] = Col2Im.18(%x, %i, %b) output %y"),
              HasSubstr("found a computed image_shape"));
  const auto of_tflite = [](const std::string& from, const std::string& to, const std::string& attributes) {
    return TextBench("input %x : f32[" + from + "] const %s : i64[4] = [" + to + "] %y : f32[" + to +
                         "] = Resize.18(%x, _, _, %s) {" + attributes + "} output %y",
                     "f32", "tflite")
        .refusal();
  };
  for (const std::string mode : {"nearest", "linear"}) {
    const std::string m = "mode=\"" + mode + "\"";
    EXPECT_THAT(of_tflite("1,2,2,3", "1,2,2,6", m), HasSubstr("expected another height and width"));
    EXPECT_THAT(of_tflite("1,0,2,3", "1,2,2,3", m), HasSubstr("expected 1 to 2^20"));
    EXPECT_THAT(of_tflite("1,2,2,3", "1,4,4,3", m + ", coordinate_transformation_mode=\"pytorch_half_pixel\""),
                HasSubstr("found pytorch_half_pixel, expected half_pixel, align_corners or asymmetric"));
  }
  EXPECT_THAT(of_tflite("1,2,2,3", "1,4,4,3", "mode=\"cubic\""),
              HasSubstr("found mode cubic, expected nearest or linear"));
}

}  // namespace
}  // namespace byoc::test
