// Types of operators that move, index, sample or contract elements.
#include "tests/unit/prepare/preparing.hpp"

namespace byoc::test {
namespace {

std::string of_type(const std::string& type, const std::string& rest) {
  return "input %x : " + type + " " + rest + " output %y";
}

TEST(MovementRules, movement) {
  EXPECT_EQ(types_of(of_type("f32[N,3]", "const %r : i64[2] = [1, 2] %y = Tile.13(%x, %r)")), "f32[N,6]");
  EXPECT_EQ(types_of(of_type("f32[N,8,2,3]", "%y = DepthToSpace.13(%x) {blocksize=2}")), "f32[N,2,4,6]");
  EXPECT_EQ(types_of(of_type("f32[N,2,4,6]", "%y = SpaceToDepth.13(%x) {blocksize=2}")), "f32[N,8,2,3]");
  EXPECT_EQ(types_of(of_type("u8[N,3]",
                             "const %d : f32[] = [4] const %v : i8[2] = [0, 1] "
                             "%y = OneHot.11(%x, %d, %v) {axis=1}")),
            "i8[N,4,3]");
  EXPECT_EQ(types_of(of_type("f32[N,3]", "const %s : i64[1] = [7] %y = CenterCropPad.18(%x, %s) {axes=[-1]}")),
            "f32[N,7]");
  EXPECT_EQ(types_of(of_type("f32[4,3]", "const %k : i64[1] = [2] %v, %y = TopK.11(%x, %k) {axis=0}")), "i64[2,3]");
  EXPECT_THAT(inference_error(of_type("f32[2,3]", "const %r : i64[1] = [1] %y = Tile.13(%x, %r)")),
              HasSubstr("needs one repeat for each dim"));
  EXPECT_THAT(inference_error(of_type("f32[1,6,2,3]", "%y = DepthToSpace.13(%x) {blocksize=2}")),
              HasSubstr("the channels do not divide by blocksize squared (found f32[1,6,2,3], expected 2)"));
  EXPECT_THAT(inference_error(of_type("f32[1,6,2,3]", "%y = SpaceToDepth.13(%x) {blocksize=2}")),
              HasSubstr("height and width do not divide by blocksize"));
  EXPECT_THAT(inference_error(of_type("f32[4,3]", "const %k : i64[1] = [5] %y = TopK.11(%x, %k) {axis=0}")),
              HasSubstr("k does not fit the axis (found 5, expected f32[4,3])"));
  EXPECT_THAT(inference_error(of_type("f32[4]", "%y = Trilu.14(%x)")), HasSubstr("wrong rank"));
  EXPECT_THAT(inference_error(of_type("f32[4,2]", "const %l : i64[3] = [1, 1, 1] %y = ReverseSequence.10(%x, %l)")),
              HasSubstr("needs one length for each batch"));
  EXPECT_THAT(inference_error(of_type("f32[4]", "const %s : i64[1] = [-1] %y = CenterCropPad.18(%x, %s)")),
              HasSubstr("a length is negative"));
}

TEST(MovementRules, dynamicUpdateSlice) {
  EXPECT_EQ(
      types_of(of_type("f32[N,3]", "input %u : f32[2,3] input %s : i64[2] %y = byoc.DynamicUpdateSlice.1(%x, %u, %s)")),
      "f32[N,3]");
  EXPECT_THAT(inference_error(of_type("f32[4,3]",
                                      "input %u : f32[2,4] input %s : i64[2] "
                                      "%y = byoc.DynamicUpdateSlice.1(%x, %u, %s)")),
              HasSubstr("the update or its place does not fit the input (found f32[2,4] at i64[2]"));
  EXPECT_THAT(inference_error(of_type("f32[4,3]",
                                      "input %u : f32[2,3] input %s : i64[3] "
                                      "%y = byoc.DynamicUpdateSlice.1(%x, %u, %s)")),
              HasSubstr("the update or its place does not fit the input"));
}

TEST(MovementRules, indexing) {
  EXPECT_EQ(types_of(of_type("f32[4,3]", "input %i : i64[2,3] %y = GatherElements.13(%x, %i)")), "f32[2,3]");
  EXPECT_EQ(types_of(of_type("f32[N,3,5]", "input %i : i64[N,2,1] %y = GatherND.13(%x, %i) {batch_dims=1}")),
            "f32[N,2,5]");
  EXPECT_EQ(types_of(of_type("f32[4,3]", "input %i : i64[2,1] input %u : f32[2,3] %y = ScatterND.16(%x, %i, %u)")),
            "f32[4,3]");
  EXPECT_THAT(inference_error(of_type("f32[4,3]", "input %i : i64[2,4] %y = GatherElements.13(%x, %i)")),
              HasSubstr("the indices do not fit the data"));
  EXPECT_THAT(inference_error(of_type("f32[4]", "input %i : i64[2,2] %y = GatherND.13(%x, %i)")),
              HasSubstr("the tuples of indices do not fit the data"));
  EXPECT_THAT(
      inference_error(of_type("f32[4]", "input %i : i64[2,1] input %u : f32[2,1] %y = ScatterND.16(%x, %i, %u)")),
      HasSubstr("input 2 has the wrong rank"));
  EXPECT_THAT(
      inference_error(of_type("f32[4]", "input %i : i64[2] input %u : f32[1] %y = ScatterElements.16(%x, %i, %u)")),
      HasSubstr("indices and updates differ in shape"));
}

TEST(MovementRules, sampling) {
  EXPECT_EQ(types_of(of_type("f32[N,3,5]", "const %s : f32[3] = [1, 1, 1.7] %y = Resize.13(%x, _, %s)")), "f32[N,3,8]");
  EXPECT_EQ(types_of(of_type("f32[N,4,6]",
                             "const %s : i64[2] = [7, 8] "
                             "%y = Resize.18(%x, _, _, %s) {axes=[1, 2], "
                             "keep_aspect_ratio_policy=\"not_larger\"}")),
            "f32[N,5,8]");
  EXPECT_EQ(types_of(of_type("f32[N,3,5,5]", "input %g : f32[N,7,8,2] %y = GridSample.20(%x, %g)")), "f32[N,3,7,8]");
  EXPECT_EQ(types_of(of_type("f32[2,2,3]", "const %s : i64[4] = [2, 3, 4, 5] %y = AffineGrid.20(%x, %s)")),
            "f32[2,4,5,2]");
  EXPECT_EQ(types_of(of_type("f32[N,3,5,5]",
                             "input %r : f32[M,4] input %b : i64[M] "
                             "%y = RoiAlign.16(%x, %r, %b) {output_height=2}")),
            "f32[M,3,2,1]");
  EXPECT_EQ(types_of(of_type("f32[1,2,3,3]",
                             "input %i : i64[1,2,3,3] "
                             "%y = MaxUnpool.11(%x, %i) {kernel_shape=[2, 2], strides=[2, 2]}")),
            "f32[1,2,6,6]");
  EXPECT_EQ(types_of(of_type("f32[N,12,6]",
                             "const %i : i64[2] = [4, 5] const %b : i64[2] = [2, 3] "
                             "%y = Col2Im.18(%x, %i, %b)")),
            "f32[N,2,4,5]");
  EXPECT_THAT(
      inference_error(of_type("f32[1,3,5,5]", "input %r : f32[4,4] input %b : i64[3] %y = RoiAlign.16(%x, %r, %b)")),
      AllOf(HasSubstr("each region has one batch index"), HasSubstr("[3]"), HasSubstr("expected 4")));
  EXPECT_THAT(
      inference_error(of_type("f32[1,3,5,5]", "input %r : f32[4,3] input %b : i64[4] %y = RoiAlign.16(%x, %r, %b)")),
      HasSubstr("a region has another number of values"));
  EXPECT_THAT(
      inference_error(of_type("f32[1,3,5,5]", "input %r : f32[2,4] %y = MaxRoiPool.1(%x, %r) {pooled_shape=[2, 2]}")),
      AllOf(HasSubstr("a region has another number of values"), HasSubstr("5 in a row")));
  EXPECT_THAT(inference_error(of_type("f32[2,3]", "input %r : i64[1] %y = Tile.13(%x, %r)")),
              HasSubstr("needs one repeat for each dim"));
  EXPECT_THAT(inference_error(of_type("f32[1,3,3]", "input %s : i64[4] %y = AffineGrid.20(%x, %s)")),
              HasSubstr("theta does not fit the size"));
  EXPECT_THAT(inference_error(of_type("f32[1,2,3]", "input %s : i64[6] %y = AffineGrid.20(%x, %s)")),
              HasSubstr("theta does not fit the size"));
  EXPECT_THAT(inference_error(of_type("f32[1,6,4]", "input %s : f32[1,1,5] %y = NonMaxSuppression.11(%x, %s)")),
              HasSubstr("boxes and scores do not fit"));
  EXPECT_THAT(inference_error(of_type("f32[1,2,3,3]",
                                      "input %i : i64[1,2,3,3] const %o : i64[4] = [1, 3, 6, 6] "
                                      "%y = MaxUnpool.11(%x, %i, %o) {kernel_shape=[2, 2], strides=[2, 2]}")),
              HasSubstr("output_shape is of another batch or other channels"));
  EXPECT_THAT(inference_error(of_type("f32[4]", "const %s : f32[1] = [0] %y = Resize.13(%x, _, %s)")),
              HasSubstr("scale out of range"));
  EXPECT_THAT(inference_error(of_type("f32[0]", "const %s : i64[1] = [8] %y = Resize.13(%x, _, _, %s)")),
              HasSubstr("cannot sample an empty dim"));
  EXPECT_THAT(inference_error(of_type("f32[4]", "%y = Resize.13(%x)")), HasSubstr("needs either scales or sizes"));
  EXPECT_THAT(inference_error(of_type("f32[1,1,2,2]", "input %g : f32[1,1,1,3] %y = GridSample.20(%x, %g)")),
              HasSubstr("the grid does not fit the input"));
  EXPECT_THAT(inference_error(of_type("f32[1,12,6]",
                                      "const %i : i64[1] = [4] const %b : i64[1] = [5] "
                                      "%y = Col2Im.18(%x, %i, %b)")),
              HasSubstr("the columns do not fit block_shape"));
}

TEST(MovementRules, einsum) {
  EXPECT_EQ(
      types_of(of_type("f32[N,3,4]", "input %b : f32[4,5] %y = Einsum.12(%x, %b) {equation=\"...ij, jk -> ...ik\"}")),
      "f32[N,3,5]");
  EXPECT_EQ(types_of(of_type("f32[3,3]", "%y = Einsum.12(%x) {equation=\"ii\"}")), "f32[]");
  EXPECT_EQ(types_of(of_type("f32[3,4]", "%y = Einsum.12(%x) {equation=\"ba\"}")), "f32[4,3]");
  for (const char* equation : {"ij", "i->", "ijk,k->ij", "i.jk->i", "ijk->iil"})
    EXPECT_THAT(
        inference_error(of_type("f32[2,3,4]", "%y = Einsum.12(%x) {equation=\"" + std::string(equation) + "\"}")),
        HasSubstr("not well formed or does not fit"))
        << equation;
}

}  // namespace
}  // namespace byoc::test
