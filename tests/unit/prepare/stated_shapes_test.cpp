// Shapes that the model states behind the nodes that need them.
#include "sdk/model/prepare/stated_shapes.hpp"
#include "sdk/model/shapes/infer_shapes.hpp"

#include "tests/unit/prepare/preparing.hpp"

namespace byoc::test {
namespace {

const std::string kSums = "input %x : f32[3,4] input %a : i64[1] input %b : f32[4] %s = ReduceSum.13(%x, %a) ";

// The type of %s after the pass.
std::string taken(const std::string& statements) {
  ir::Graph g = graph_of(kSums + statements);
  Diagnostics diags;
  EXPECT_TRUE(infer_shapes(g, diags)) << all_errors(diags);
  const bool changed = take_stated_shapes(g);
  for (const ir::Value& v : g.values)
    if (v.name == "s") {
      EXPECT_EQ(v.type.dims.has_value(), changed);
      return v.type.dims ? to_string(v.type, g) : "";
    }
  return "no %s";
}

TEST(StatedShapes, goBackThroughElementwiseOperators) {
  EXPECT_EQ(taken("%y : f32[1,4] = Sqrt.13(%s) output %y"), "f32[1,4]");
  EXPECT_EQ(taken("%d = Cast.13(%s) {to=11} %l = Log.13(%d) %y : f32[3,1] = Cast.13(%l) {to=1} output %y"), "f32[3,1]");
  EXPECT_EQ(taken("const %c : f32[] = [2] %y : f32[1,1] = Mul.13(%c, %s) output %y"), "f32[1,1]");
  EXPECT_EQ(taken("%y : f32[3,1] = CastLike.15(%s, %x) output %y"), "f32[3,1]");
  EXPECT_EQ(taken("%y : f32[1,4] = Mul.13(%s, %s) output %y"), "f32[1,4]");
  EXPECT_EQ(
      taken("const %c : f32[] = [2] %p = Mul.13(%s, %c) %q = Sqrt.13(%p) %y : f32[1,4] = Sub.13(%q, %p) output %y"),
      "f32[1,4]");
}

TEST(StatedShapes, whatBroadcastingLeavesOpenStays) {
  EXPECT_EQ(taken("%y : f32[1,4] = Add.13(%s, %b) output %y"), "");
  EXPECT_EQ(taken("const %c : f32[1,1] = [2] %y : f32[1,4] = Add.13(%s, %c) output %y"), "");
  EXPECT_EQ(taken("%t = ReduceMax.18(%x, %a) %y : f32[1,4] = Add.13(%s, %t) output %y"), "");
  EXPECT_EQ(taken("%y = Sqrt.13(%s) output %y"), "");
  EXPECT_EQ(taken("%y : f32[1,N] = Sqrt.13(%s) output %y"), "");
}

TEST(StatedShapes, letNumbersBeLookedAt) {
  ir::Graph g = graph_of(kSums + "%y : f32[1,4] = Sqrt.13(%s) output %y");
  Diagnostics diags;
  EXPECT_TRUE(prepare(g, {}, diags)) << all_errors(diags);
  EXPECT_THAT(ir::print(g), HasSubstr("byoc.Expect.1(%0, %1) {expected=[0], rank=2}"));
}

}  // namespace
}  // namespace byoc::test
