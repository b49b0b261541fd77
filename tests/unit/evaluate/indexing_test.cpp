// Operators that index, rearrange, sort and contract, by values from their definitions.
#include "tests/unit/evaluate/evaluating.hpp"

namespace byoc::test {
namespace {

std::vector<std::int64_t> integers(const std::string& statements) { return result_of<std::int64_t>(statements); }

const std::string kX = "const %x : f32[2,3] = [1, 2, 3, 4, 5, 6] ";

TEST(Indexing, gathers) {
  EXPECT_THAT(floats(kX + "const %i : i64[1,3] = [1, 0, -1] %y = GatherElements.13(%x, %i) output %y"),
              ElementsAre(4, 2, 6));
  EXPECT_THAT(floats(kX + "const %i : i32[2,2] = [1, 2, 0, -3] %y : f32[2] = GatherND.13(%x, %i) output %y"),
              ElementsAre(6, 1));
  EXPECT_THAT(floats(kX + "const %i : i64[2,1] = [2, 0] %y : f32[2] = GatherND.13(%x, %i) {batch_dims=1} output %y"),
              ElementsAre(3, 4));
}

TEST(Indexing, scattersInTheOrderOfTheIndices) {
  const std::string operands = "const %i : i64[1,2] = [1, 1] const %u : f32[1,2] = [10, 20] ";
  const auto scatter = [&](const std::string& reduction) {
    return floats(kX + operands + "%y = ScatterElements.18(%x, %i, %u) {axis=1, reduction=\"" + reduction +
                  "\"} output %y");
  };
  EXPECT_THAT(scatter("none"), ElementsAre(1, 20, 3, 4, 5, 6));
  EXPECT_THAT(scatter("add"), ElementsAre(1, 32, 3, 4, 5, 6));
  EXPECT_THAT(scatter("mul"), ElementsAre(1, 400, 3, 4, 5, 6));
  EXPECT_THAT(scatter("min"), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(scatter("max"), ElementsAre(1, 20, 3, 4, 5, 6));
  EXPECT_THAT(floats(kX + "const %i : i64[1,1] = [-1] const %u : f32[1,3] = [7, 8, 9] "
                          "%y = ScatterND.18(%x, %i, %u) {reduction=\"add\"} output %y"),
              ElementsAre(1, 2, 3, 11, 13, 15));
  EXPECT_THAT(bytes_of("const %x : i8[2] = [100, 1] const %i : i64[1,1] = [0] const %u : i8[1] = [100] "
                       "%y = ScatterND.18(%x, %i, %u) {reduction=\"add\"} output %y"),
              ElementsAre(-56, 1));
}

TEST(Indexing, updatesABlock) {
  const auto update = [](const std::string& starts) {
    return floats(kX + "const %u : f32[1,2] = [10, 20] const %s : i32[2] = " + starts +
                  " %y = byoc.DynamicUpdateSlice.1(%x, %u, %s) output %y");
  };
  EXPECT_THAT(update("[0, 1]"), ElementsAre(1, 10, 20, 4, 5, 6));
  EXPECT_THAT(update("[-7, -1]"), ElementsAre(10, 20, 3, 4, 5, 6));
  EXPECT_THAT(update("[2, 9]"), ElementsAre(1, 2, 3, 4, 10, 20));
  EXPECT_THAT(error_of(kX + "const %u : f32[1,4] = zeros const %s : i32[2] = [0, 0] "
                            "%y = byoc.DynamicUpdateSlice.1(%x, %u, %s) output %y"),
              HasSubstr("the update or its place does not fit the input (found f32[1,4] at i32[2], expected inside"));
}

TEST(Indexing, refusesIndicesOutOfRange) {
  for (const std::string node :
       {"const %i : i64[1,1] = [3] %y = GatherElements.13(%x, %i) {axis=1}",
        "const %i : i64[1,2] = [0, -4] %y = GatherND.13(%x, %i)",
        "const %i : i64[1,1] = [2] const %u : f32[1,1] = [0] %y = ScatterElements.18(%x, %i, %u)",
        "const %i : i64[1,1] = [2] const %u : f32[1,3] = [0, 0, 0] %y = ScatterND.18(%x, %i, %u)"})
    EXPECT_THAT(error_of(kX + node + " output %y"), HasSubstr("index out of range")) << node;
  EXPECT_THAT(error_of(kX + "const %i : i64[1,1] = [0] const %u : f32[1,1] = [0] "
                            "%y = ScatterElements.18(%x, %i, %u) {reduction=\"mean\"} output %y"),
              HasSubstr("unknown reduction (found mean"));
}

TEST(Indexing, rearranges) {
  EXPECT_THAT(floats("const %x : f32[2] = [1, 2] const %r : i64[1] = [3] %y = Tile.13(%x, %r) output %y"),
              ElementsAre(1, 2, 1, 2, 1, 2));
  const std::string image = "const %x : f32[1,4,1,2] = [1, 2, 3, 4, 5, 6, 7, 8] ";
  EXPECT_THAT(floats(image + "%y = DepthToSpace.13(%x) {blocksize=2} output %y"), ElementsAre(1, 3, 2, 4, 5, 7, 6, 8));
  EXPECT_THAT(floats("const %x : f32[1,8,1,1] = [1, 2, 3, 4, 5, 6, 7, 8] "
                     "%y = DepthToSpace.13(%x) {blocksize=2} output %y"),
              ElementsAre(1, 3, 5, 7, 2, 4, 6, 8));
  EXPECT_THAT(floats("const %x : f32[1,8,1,1] = [1, 2, 3, 4, 5, 6, 7, 8] "
                     "%y = DepthToSpace.13(%x) {blocksize=2, mode=\"CRD\"} output %y"),
              ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
  EXPECT_THAT(floats("const %x : f32[1,1,2,2] = [1, 2, 3, 4] %y = SpaceToDepth.13(%x) {blocksize=2} output %y"),
              ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(floats(kX + "%y = Trilu.14(%x) output %y"), ElementsAre(1, 2, 3, 0, 5, 6));
  EXPECT_THAT(floats(kX + "const %k : i64[] = [-1] %y = Trilu.14(%x, %k) {upper=0} output %y"),
              ElementsAre(0, 0, 0, 4, 0, 0));
  EXPECT_THAT(floats("const %x : f32[3,2] = [1, 2, 3, 4, 5, 6] const %l : i64[2] = [3, 2] "
                     "%y = ReverseSequence.10(%x, %l) output %y"),
              ElementsAre(5, 4, 3, 2, 1, 6));
  EXPECT_THAT(floats(kX + "const %s : i64[2] = [4, 2] %y = CenterCropPad.18(%x, %s) output %y"),
              ElementsAre(0, 0, 1, 2, 4, 5, 0, 0));
  EXPECT_THAT(floats("const %x : f32[3] = [1, 2, 3] const %p : i64[2] = [4, 1] "
                     "%y = Pad.19(%x, %p) {mode=\"wrap\"} output %y"),
              ElementsAre(3, 1, 2, 3, 1, 2, 3, 1));
  EXPECT_THAT(floats("const %x : f32[3] = [1, 2, 3] const %p : i64[2] = [-1, 3] "
                     "%y = Pad.19(%x, %p) {mode=\"reflect\"} output %y"),
              ElementsAre(2, 3, 2, 3, 2));
  EXPECT_THAT(bytes_of("const %i : i64[3] = [-1, 2, 3] const %d : i64[] = [3] const %v : i8[2] = [5, 9] "
                       "%y = OneHot.11(%i, %d, %v) output %y"),
              ElementsAre(5, 5, 9, 5, 5, 9, 5, 5, 5));
}

TEST(Indexing, sortsAndFinds) {
  const std::string x = "const %x : f32[5] = [2, 7, 2, nan, 7] const %k : i64[1] = [5] ";
  EXPECT_THAT(integers(x + "%v, %y = TopK.11(%x, %k) output %y"), ElementsAre(3, 1, 4, 0, 2));
  EXPECT_THAT(integers(x + "%v, %y = TopK.11(%x, %k) {largest=0} output %y"), ElementsAre(0, 2, 1, 4, 3));
  EXPECT_THAT(integers("const %x : bool[2,2] = [0, 1, 1, 1] %y = NonZero.13(%x) output %y"),
              ElementsAre(0, 1, 1, 1, 0, 1));
  EXPECT_THAT(integers("const %x : i32[5] = [3, 1, 3, 2, 1] %v, %f, %y, %c = Unique.11(%x) output %y"),
              ElementsAre(2, 0, 2, 1, 0));
  EXPECT_THAT(integers("const %x : i32[5] = [3, 1, 3, 2, 1] %v, %f, %i, %y = Unique.11(%x) {sorted=0} output %y"),
              ElementsAre(2, 2, 1));
  EXPECT_THAT(floats(kX + "const %c : bool[2] = [0, 1] %y = Compress.11(%x, %c) {axis=1} output %y"),
              ElementsAre(2, 5));
  EXPECT_THAT(integers("const %b : f32[1,3,4] = [0, 0, 1, 1, 0, 0.1, 1, 1.1, 5, 5, 6, 6] "
                       "const %s : f32[1,1,3] = [0.9, 0.75, 0.6] const %m : i64[] = [3] const %o : f32[] = [0.5] "
                       "%y = NonMaxSuppression.11(%b, %s, %m, %o) output %y"),
              ElementsAre(0, 0, 0, 0, 0, 2));
}

TEST(Indexing, contracts) {
  EXPECT_THAT(floats(kX + "%y = Einsum.12(%x, %x) {equation=\"ij,kj->ik\"} output %y"), ElementsAre(14, 32, 32, 77));
  EXPECT_THAT(floats(kX + "%y = Einsum.12(%x) {equation=\"ba\"} output %y"), ElementsAre(1, 4, 2, 5, 3, 6));
  EXPECT_THAT(floats("const %x : f32[2,2] = [1, 2, 3, 4] %y = Einsum.12(%x) {equation=\"ii\"} output %y"),
              ElementsAre(5));
  EXPECT_THAT(error_of(kX + "%y = Einsum.12(%x) {equation=\"ii->i\"} output %y"), HasSubstr("a label has two lengths"));
  EXPECT_THAT(floats("const %x : f32[1,2,2] = [1, 2, 3, 4] const %i : i64[1] = [3] const %b : i64[1] = [2] "
                     "%y = Col2Im.18(%x, %i, %b) output %y"),
              ElementsAre(1, 5, 4));
}

TEST(Indexing, samples) {
  const std::string line = "const %x : f32[2] = [0, 4] ";
  EXPECT_THAT(floats(line + "const %s : f32[1] = [2] %y = Resize.13(%x, _, %s) {mode=\"linear\"} output %y"),
              ElementsAre(0, 1, 3, 4));
  EXPECT_THAT(floats(line + "const %s : f32[1] = [2] %y = Resize.13(%x, _, %s) {mode=\"linear\", "
                            "coordinate_transformation_mode=\"asymmetric\"} output %y"),
              ElementsAre(0, 2, 4, 4));
  EXPECT_THAT(floats("const %x : f32[4] = [1, 2, 3, 4] const %s : f32[1] = [0.5] "
                     "%y = Resize.18(%x, _, %s) {mode=\"linear\", antialias=1} output %y"),
              ElementsAre(1.625, 3.375));
  EXPECT_THAT(bytes_of("const %x : i8[2] = [-3, 4] const %s : f32[1] = [2] "
                       "%y = Resize.13(%x, _, %s) {mode=\"linear\"} output %y"),
              ElementsAre(-3, -1, 2, 4));
  EXPECT_THAT(floats("const %x : f32[1,1,2,2] = [1, 2, 3, 4] const %g : f32[1,1,3,2] = [0, 0, -1, -1, 2, 2] "
                     "%y = GridSample.20(%x, %g) {align_corners=1} output %y"),
              ElementsAre(2.5, 1, 1));
  // Beyond the border, a quarter before the next one: the elements 3, 4, 4, 4.
  EXPECT_THAT(floats("const %x : f32[1,1,1,4] = [1, 2, 3, 4] const %g : f32[1,1,1,2] = [1.5, 0] %y = "
                     "GridSample.20(%x, %g) {align_corners=1, mode=\"cubic\", padding_mode=\"border\"} output %y"),
              ElementsAre(4.03515625));
  EXPECT_THAT(floats("const %x : f32[1,1,2,2] = [1, 2, 3, 4] const %i : i64[1,1,2,2] = [0, 3, 8, 15] "
                     "%y : f32[1,1,4,4] = MaxUnpool.11(%x, %i) {kernel_shape=[2, 2], strides=[2, 2]} output %y"),
              ElementsAre(1, 0, 0, 2, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 4));
  EXPECT_THAT(floats("const %x : f32[1,1,2,2] = [1, 2, 3, 4] const %r : f32[1,5] = [0, 0, 0, 1, 1] "
                     "%y = MaxRoiPool.1(%x, %r) {pooled_shape=[1, 2]} output %y"),
              ElementsAre(3, 4));
  EXPECT_THAT(error_of(line + "const %s : f32[1] = [2] %y = Resize.13(%x, _, %s) {mode=\"area\"} output %y"),
              HasSubstr("unknown mode (found area"));
}

}  // namespace
}  // namespace byoc::test
