// The shape rules of the operators that infer_shapes_test.cpp leaves out.
#include "tests/unit/prepare/preparing.hpp"

namespace byoc::test {
namespace {

std::string of(const std::string& x, const std::string& node) { return "input %x : " + x + " " + node + " output %y"; }

TEST(ShapeRules, movement) {
  EXPECT_EQ(types_of(of("f32[N,2,3]", "%y = Transpose.13(%x) {perm=[2, 0, 1]}")), "f32[3,N,2]");
  EXPECT_EQ(types_of(of("f32[N,2,3]", "%y = Transpose.13(%x)")), "f32[3,2,N]");
  EXPECT_EQ(types_of(of("f32[N,2,3]", "%y = Flatten.13(%x)")), "f32[N,6]");
  EXPECT_EQ(types_of(of("f32[4,2,3]", "%y = Flatten.13(%x) {axis=0}")), "f32[1,24]");
  EXPECT_EQ(types_of(of("f32[1,N,1]", "const %a : i64[1] = [-1] %y = Squeeze.13(%x, %a)")), "f32[1,N]");
  EXPECT_EQ(types_of(of("f32[1,2,1]", "%y = Squeeze.13(%x)")), "f32[2]");
  EXPECT_EQ(types_of(of("f32[N]", "const %a : i64[2] = [0, -1] %y = Unsqueeze.13(%x, %a)")), "f32[1,N,1]");
  EXPECT_EQ(types_of(of("f32[N,1]", "const %s : i64[3] = [2, 1, 5] %y = Expand.13(%x, %s)")), "f32[2,N,5]");
  EXPECT_EQ(types_of(of("f32[N,2]", "%y = Shape.15(%x) {start=1}")), "i64[1]");
  EXPECT_EQ(types_of(of("f32[N,2]", "%y = Identity.13(%x)")), "f32[N,2]");
  EXPECT_EQ(types_of(of("f32[N,2]", "%y, %m = Dropout.13(%x) output %m")), "bool[N,2] f32[N,2]");
  EXPECT_THAT(inference_error(of("f32[2,3]", "%y = Transpose.13(%x) {perm=[0, 0]}")),
              HasSubstr("perm is not a permutation"));
  EXPECT_THAT(inference_error(of("f32[2,3]", "%y = Flatten.13(%x) {axis=5}")), HasSubstr("axis out of range (found 5"));
  EXPECT_THAT(inference_error(of("f32[2,3]", "const %a : i64[1] = [0] %y = Squeeze.13(%x, %a)")),
              HasSubstr("squeezes a dim that is not 1 (found 2 at axis 0)"));
  EXPECT_THAT(inference_error(of("f32[2]", "const %a : i64[2] = [1, 1] %y = Unsqueeze.13(%x, %a)")),
              HasSubstr("named twice"));
  EXPECT_THAT(inference_error(of("f32[2]", "const %s : i64[1] = [-1] %y = Expand.13(%x, %s)")),
              HasSubstr("negative dim (found -1"));
}

TEST(ShapeRules, pieces) {
  EXPECT_EQ(types_of("input %x : f32[N,2] input %z : f32[N,3] %y = Concat.13(%x, %z) {axis=-1} output %y"), "f32[N,5]");
  EXPECT_EQ(types_of(of("f32[7,2]", "%y, %z = Split.18(%x) output %z")), "f32[3,2] f32[4,2]");
  EXPECT_EQ(types_of(of("f32[7,2]", "const %l : i64[2] = [6, 1] %z, %y = Split.13(%x, %l)")), "f32[1,2]");
  EXPECT_EQ(types_of(of("f32[4,2]", "const %i : i64[3] = [0, 1, 1] %y = Gather.13(%x, %i) {axis=1}")), "f32[4,3]");
  EXPECT_EQ(types_of(of("f32[4,9]",
                        "const %s : i64[1] = [-2] const %e : i64[1] = [-100] const %a : i64[1] = [1] "
                        "const %t : i64[1] = [-3] %y = Slice.13(%x, %s, %e, %a, %t)")),
            "f32[4,3]");
  EXPECT_EQ(types_of(of("f32[N,2]", "const %p : i64[4] = [0, 1, 0, 2] %y = Pad.13(%x, %p)")), "f32[N,5]");
  EXPECT_EQ(types_of(of("f32[2]", "input %p : i64[2] %y = Pad.13(%x, %p)")), "f32?");
  EXPECT_THAT(inference_error("input %x : f32[2,2] input %z : f32[3,2] %y = Concat.13(%x, %z) {axis=1} output %y"),
              HasSubstr("input 1 does not fit the first (found f32[3,2], expected f32[2,2] but for axis 1)"));
  EXPECT_THAT(inference_error("input %x : f32[2,2] input %z : f32[2] %y = Concat.13(%x, %z) {axis=1} output %y"),
              HasSubstr("input 1 has the wrong rank"));
  EXPECT_THAT(inference_error(of("f32[7]", "const %l : i64[2] = [6, 2] %z, %y = Split.13(%x, %l)")),
              HasSubstr("the lengths of the pieces do not fit the axis"));
  EXPECT_THAT(inference_error(of("f32[1]", "%a, %b, %y = Split.13(%x)")), HasSubstr("so many pieces"));
  EXPECT_THAT(inference_error(of("f32[7]", "const %z : i64[1] = [0] %y = Slice.13(%x, %z, %z, %z, %z)")),
              HasSubstr("a step is 0"));
  EXPECT_THAT(inference_error(of("f32[7]", "const %p : i64[1] = [0] %y = Pad.13(%x, %p)")),
              HasSubstr("pads has the wrong length"));
  EXPECT_THAT(inference_error(of("f32[7]", "const %p : i64[2] = [-9, 0] %y = Pad.13(%x, %p)")),
              HasSubstr("negative or too large"));
  EXPECT_THAT(inference_error(of("f32[7]", "const %i : f32[1] = [0] %y = Gather.13(%x, %i)")),
              HasSubstr("expected i64, i32"));
}

TEST(ShapeRules, matrices) {
  EXPECT_EQ(types_of("input %a : f32[N,3] input %b : f32[4,3] %y = Gemm.13(%a, %b) {transB=1} output %y"), "f32[N,4]");
  EXPECT_EQ(types_of("input %a : f32[5,1,N,3] input %b : f32[2,3,4] %y = MatMul.13(%a, %b) output %y"), "f32[5,2,N,4]");
  EXPECT_EQ(types_of("input %a : f32[3] input %b : f32[2,3,4] %y = MatMul.13(%a, %b) output %y"), "f32[2,4]");
  EXPECT_THAT(inference_error("input %a : f32[2,3] input %b : f32[4,3] %y = Gemm.13(%a, %b) output %y"),
              HasSubstr("the matrices do not fit (found f32[2,3] and f32[4,3])"));
  EXPECT_THAT(
      inference_error("input %a : f32[2,3] input %b : f32[3,4] input %c : f32[5] %y = Gemm.13(%a, %b, %c) output %y"),
      HasSubstr("do not broadcast"));
  EXPECT_THAT(
      inference_error("input %a : f32[2,3] input %b : f32[3,1] input %c : f32[2,7] %y = Gemm.13(%a, %b, %c) output %y"),
      HasSubstr("input 2 does not broadcast to the result (found f32[2,7], expected [2,1])"));
  EXPECT_THAT(inference_error("input %a : f32[2,3] input %b : f32[4,3] %y = MatMul.13(%a, %b) output %y"),
              HasSubstr("the matrices do not fit"));
}

TEST(ShapeRules, typesAndConstants) {
  EXPECT_EQ(types_of(of("f32[N]", "%y = Cast.13(%x) {to=7}")), "i64[N]");
  EXPECT_EQ(types_of("const %s : i64[2] = [2, 3] %y = ConstantOfShape.9(%s) {value=tensor(i32[1] = [7])} output %y"),
            "i32[2,3]");
  EXPECT_EQ(types_of("%y = Constant.13() {value=tensor(f32[2] = [1, 2])} output %y"), "f32[2]");
  EXPECT_EQ(types_of(of("f32[N,4]",
                        "const %s : f32[4] = [1, 1, 1, 1] const %z : i8[4] = [0, 0, 0, 0] "
                        "%y = QuantizeLinear.13(%x, %s, %z)")),
            "i8[N,4]");
  EXPECT_EQ(types_of(of("u8[N,4]", "const %s : f32[] = [1] %y = DequantizeLinear.13(%x, %s)")), "f32[N,4]");
  EXPECT_EQ(types_of(of("f32[2]", "%y : i8[2] q(0.5, 0) = byoc.Quantize.1(%x)")), "i8[2]");
  EXPECT_EQ(types_of(of("i8[2] q(0.5, 0)", "%y = byoc.Dequantize.1(%x)")), "f32[2]");
  EXPECT_THAT(inference_error(of("f32[2]", "%y = Cast.13(%x) {to=14}")),
              HasSubstr("not an element type that is supported (found complex64)"));
  EXPECT_THAT(inference_error("const %s : i64[1] = [-2] %y = ConstantOfShape.9(%s) output %y"),
              HasSubstr("negative dim"));
  EXPECT_THAT(inference_error("%y = Constant.13() output %y"), HasSubstr("attribute value is missing"));
  EXPECT_THAT(inference_error(of("f32[2,4]", "const %s : f32[3] = [1, 1, 1] %y = QuantizeLinear.13(%x, %s)")),
              HasSubstr("one element for each index of its axis (found f32[3], expected 4)"));
  EXPECT_THAT(inference_error(of("i8[2,4]",
                                 "const %s : f32[4] = [1, 1, 1, 1] const %z : i8[] = [0] "
                                 "%y = DequantizeLinear.13(%x, %s, %z)")),
              HasSubstr("scale and zero point must have one shape"));
  EXPECT_THAT(inference_error(of("f32[2]", "%y = byoc.Quantize.1(%x)")),
              HasSubstr("must be stated with its element type"));
  EXPECT_THAT(inference_error(of("f32[2]", "%y = byoc.Dequantize.1(%x)")), HasSubstr("input 0 is not quantised"));
}

TEST(ShapeRules, elementwiseAndReductions) {
  EXPECT_EQ(types_of("input %a : f32[N] input %b : f32[2,1] input %c : f32[] %y = Sum.13(%a, %b, %c) output %y"),
            "f32[2,N]");
  EXPECT_EQ(types_of("input %a : f32[N] input %b : i64[] %y = Pow.13(%a, %b) output %y"), "f32[N]");
  EXPECT_EQ(types_of(of("f32[N,3,4]", "const %a : i64[2] = [-1, 1] %y = ReduceMean.18(%x, %a)")), "f32[N,1,1]");
  EXPECT_EQ(types_of(of("f32[N,3,4]", "const %a : i64[2] = [-1, 1] %y = ReduceMax.18(%x, %a) {keepdims=0}")), "f32[N]");
  EXPECT_EQ(types_of(of("f32[N,3]", "%y = ReduceSum.13(%x) {keepdims=0}")), "f32[]");
  EXPECT_EQ(types_of(of("f32[N,3]", "%y = ReduceSum.13(%x) {noop_with_empty_axes=1}")), "f32[N,3]");
  EXPECT_EQ(types_of(of("f32[N,3,4]", "%y = GlobalAveragePool.1(%x)")), "f32[N,3,1]");
  EXPECT_EQ(types_of(of("f32[N,3,4]", "%y = GlobalMaxPool.1(%x) {data_layout=\"NHWC\"}")), "f32[N,1,4]");
  EXPECT_THAT(inference_error(of("f32[2,2]", "const %a : i64[2] = [0, -2] %y = ReduceSum.13(%x, %a)")),
              HasSubstr("named twice"));
  EXPECT_THAT(inference_error(of("f32[2,2]", "%y = Softmax.13(%x) {axis=2}")), HasSubstr("axis out of range"));
  EXPECT_THAT(inference_error(of("f32[2]", "const %lo : i32[] = [0] %y = Clip.13(%x, %lo)")),
              HasSubstr("different element types"));
  EXPECT_THAT(inference_error(
                  "input %x : f32[1,3,2] input %s : f32[2] %y = BatchNormalization.15(%x, %s, %s, %s, %s) output %y"),
              HasSubstr("input 1 must have one element for each channel (found f32[2], expected 3)"));
  EXPECT_THAT(inference_error("input %a : f32[2] %y = Sum.13(%a, _) output %y"), HasSubstr("input 1 is missing"));
}

}  // namespace
}  // namespace byoc::test
