// Operands that are computed and say a shape, a length or an axis that the stated types tell.
#include "sdk/model/prepare/expect_parameters.hpp"
#include "sdk/model/shapes/infer_shapes.hpp"

#include "sdk/model/evaluate/evaluate.hpp"
#include "tests/unit/prepare/preparing.hpp"

namespace byoc::test {
namespace {

const std::string kX = "input %x : f32[3,1,4] input %p : i64[1] input %pp : i64[2] input %ppp : i64[3] ";

// The attributes of the node that looks at the operand; "" where there is none.
std::string expected(const std::string& statements) {
  ir::Graph g = graph_of(kX + statements);
  Diagnostics diags;
  EXPECT_TRUE(infer_shapes(g, diags)) << all_errors(diags);
  const bool changed = expect_parameters(g);
  const std::string text = ir::print(g);
  const std::size_t at = text.find("byoc.Expect.1(");
  EXPECT_EQ(at != std::string::npos, changed);
  if (!changed) return "";
  const std::size_t begin = text.find('{', at), end = text.find('}', at);
  return text.substr(begin, end - begin + 1);
}

TEST(ExpectParameters, areWhatStatedTypesSay) {
  EXPECT_EQ(expected("%y : f32[2,6] = Reshape.13(%x, %pp) output %y"), "{expected=[2, 6], from=[3, 1, 4]}");
  EXPECT_EQ(expected("%y : f32[2,6] = Reshape.14(%x, %pp) {allowzero=1} output %y"), "{expected=[2, 6], from=[]}");
  EXPECT_EQ(expected("%y : f32[3,5,4] = Expand.13(%x, %ppp) output %y"), "{expected=[3, 5, 4], or=[1, 5, 1]}");
  EXPECT_EQ(expected("%y : f32[3,5,4] = Expand.13(%x, %pp) output %y"), "{expected=[5, 4], or=[5, 1]}");
  EXPECT_EQ(expected("%y : f32[6,1,4] = Tile.13(%x, %ppp) output %y"), "{expected=[2, 1, 1]}");
  EXPECT_EQ(expected("%y : f32[3,1,1], %z : f32[3,1,3] = Split.13(%x, %pp) {axis=-1} output %y output %z"),
            "{expected=[1, 3]}");
  EXPECT_EQ(expected("_, %y : i64[2,1,4] = TopK.11(%x, %p) {axis=0} output %y"), "{expected=[2]}");
  EXPECT_EQ(expected("%y : f32[1,1,4] = ReduceSum.13(%x, %p) output %y"), "{expected=[0], rank=3}");
  EXPECT_EQ(expected("%y : f32[4] = ReduceMax.18(%x, %pp) {keepdims=0} output %y"), "{expected=[0, 1], rank=3}");
  EXPECT_EQ(expected("%y : f32[3,4] = Squeeze.13(%x, %p) output %y"), "{expected=[1], rank=3}");
  EXPECT_EQ(expected("%y : f32[3,1,4,1] = Unsqueeze.13(%x, %p) output %y"), "{expected=[3], rank=4}");
  EXPECT_EQ(expected("%y : f32[3,2,4] = CenterCropPad.18(%x, %p) {axes=[1]} output %y"), "{expected=[2]}");
  EXPECT_EQ(expected("%y : f32[3,2,8] = Resize.13(%x, _, _, %ppp) output %y"), "{expected=[3, 2, 8]}");
  EXPECT_EQ(expected("input %t : f32[2,2,3] input %s : i64[4] %y : f32[2,5,6,2] = AffineGrid.20(%t, %s) output %y"),
            "{any=[1], expected=[2, 0, 5, 6]}");
  EXPECT_EQ(
      expected("input %i : i64[2] input %d : i64[] const %v : f32[2] = [0, 1] %y : f32[2,7] = OneHot.11(%i, %d, %v) "
               "output %y"),
      "{expected=[7]}");
  EXPECT_EQ(expected("%y : f32[2,5] = ConstantOfShape.9(%pp) output %y"), "{expected=[2, 5]}");
  EXPECT_EQ(expected("input %n : i32[] %y : f32[5] = HannWindow.17(%n) output %y"), "{expected=[5]}");
}

TEST(ExpectParameters, noNumbersNeedNoLook) {
  ir::Graph g = graph_of("input %x : f32[3,4] input %p : i64[0] %y : f32[1,1] = ReduceSum.13(%x, %p) output %y");
  EXPECT_TRUE(expect_parameters(g));
  EXPECT_EQ(g.nodes.size(), 1U);
  EXPECT_TRUE(g.is_constant(g.nodes[0].inputs[1]));
}

TEST(ExpectParameters, whatTypesLeaveOpenStays) {
  EXPECT_EQ(expected("input %s : f32[3,3] %y : f32[3] = ReduceSum.13(%s, %p) {keepdims=0} output %y"), "");
  EXPECT_EQ(expected("%y = Reshape.13(%x, %pp) output %y"), "");
  EXPECT_EQ(expected("%y : f32[3,2,8] = Resize.18(%x, _, _, %ppp) {keep_aspect_ratio_policy=\"not_larger\"} output %y"),
            "");
  EXPECT_EQ(expected("input %z : f32[0,1] %y : f32[0,1] = Tile.13(%z, %pp) output %y"), "");
  EXPECT_EQ(expected("%y : f32[3,1,1], _ = Split.13(%x, %pp) {axis=-1} output %y"), "");
}

// Through bodies, and only where bounds are wanted.
TEST(ExpectParameters, isAPartOfPreparing) {
  const std::string branch =
      "graph \"b\" requant=onnx { input %x : f32[3,1,4] input %p : i64[2] %y : f32[2,6] = "
      "Reshape.13(%x, %p) output %y }";
  ir::Graph g = graph_of(kX + "input %c : bool[] %y : f32[2,6] = If.16(%c, %x, %pp) {then_branch=" + branch +
                         ", else_branch=" + branch + "} output %y");
  ir::Graph open = g;
  PrepareOptions unbounded;
  unbounded.bound_shapes = false;
  Diagnostics diags;
  ASSERT_TRUE(prepare(g, {}, diags)) << all_errors(diags);
  EXPECT_THAT(ir::print(g), HasSubstr("byoc.Expect"));
  ASSERT_TRUE(prepare(open, unbounded, diags)) << all_errors(diags);
  EXPECT_THAT(ir::print(open), testing::Not(HasSubstr("byoc.Expect")));
}

}  // namespace
}  // namespace byoc::test
