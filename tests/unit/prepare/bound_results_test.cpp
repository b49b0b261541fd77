// Results whose length only a run tells: bounds, counts, and lengths that a model states.
#include "sdk/model/prepare/bound_results.hpp"

#include "tests/unit/prepare/preparing.hpp"

namespace byoc::test {
namespace {

// The types of all outputs, counts among them, and which counts which: "i64[2,6] i32[] 0.1<-1".
std::string bounded(const std::string& statements) {
  ir::Graph g = graph_of(statements);
  Diagnostics diags;
  EXPECT_TRUE(prepare(g, {}, diags)) << all_errors(diags) << statements;
  std::string out;
  for (const ir::ValueId v : g.outputs) out += to_string(g.values[v].type, g) + " ";
  for (const ir::CountedDim& c : g.counted)
    out += std::to_string(c.output) + "." + std::to_string(c.dim) + "<-" + std::to_string(c.count) + " ";
  return out;
}

const std::string kInput = "input %x : f32[2,3,4] ";
const std::string kBoxes = "input %b : f32[2,5,4] input %s : f32[2,3,5] ";

TEST(BoundResults, boundsAreWhatShapesAndConstantsSay) {
  EXPECT_EQ(bounded(kInput + "%y = NonZero.13(%x) output %y"), "i64[3,24] i32[] 0.1<-1 ");
  EXPECT_EQ(bounded("input %x : f32[] %y = NonZero.13(%x) output %y"), "i64[1,1] i32[] 0.1<-1 ");
  EXPECT_EQ(bounded(kInput + "input %c : bool[2] %y = Compress.11(%x, %c) {axis=-2} output %y"),
            "f32[2,2,4] i32[] 0.1<-1 ");
  EXPECT_EQ(bounded(kInput + "input %c : bool[99] %y = Compress.11(%x, %c) output %y"), "f32[24] i32[] 0.0<-1 ");
  EXPECT_EQ(bounded(kInput + "%y, %f, %i, %n = Unique.11(%x) {axis=1} output %y output %f output %i output %n"),
            "f32[2,3,4] i64[3] i64[3] i64[3] i32[] 0.1<-4 1.0<-4 3.0<-4 ");
  EXPECT_EQ(bounded(kInput + "input %k : i64[1] %y, %i = TopK.11(%x, %k) {axis=0} output %i output %y"),
            "i64[2,3,4] f32[2,3,4] i32[] 1.0<-2 0.0<-2 ");
  EXPECT_EQ(bounded(kBoxes + "%y = NonMaxSuppression.11(%b, %s) output %y"), "i64[0,3] i32[] 0.0<-1 ");
  EXPECT_EQ(bounded(kBoxes + "const %m : i64[] = [2] %y = NonMaxSuppression.11(%b, %s, %m) output %y"),
            "i64[12,3] i32[] 0.0<-1 ");
  EXPECT_EQ(bounded(kBoxes + "input %m : i64[] %y = NonMaxSuppression.11(%b, %s, %m) output %y"),
            "i64[30,3] i32[] 0.0<-1 ");
}

TEST(BoundResults, aStatedLengthOfAnOutputIsThatOfOneRun) {
  EXPECT_EQ(bounded(kInput + "%y : i64[3,7] = NonZero.13(%x) output %y"), "i64[3,24] i32[] 0.1<-1 ");
}

TEST(BoundResults, countsFollowTheOutputsOfTheModel) {
  EXPECT_EQ(bounded(kInput + "%y = NonZero.13(%x) output %y output %x output %y %z = NonZero.13(%x) output %z"),
            "i64[3,24] f32[2,3,4] i64[3,24] i64[3,24] i32[] i32[] 0.1<-4 2.1<-4 3.1<-5 ");
}

TEST(BoundResults, aStatedLengthThatIsReadIsMeant) {
  ir::Graph g = graph_of(kInput + "%y : i64[3,7] = NonZero.13(%x) %z = Transpose.13(%y) output %z");
  Diagnostics diags;
  ASSERT_TRUE(prepare(g, {}, diags)) << all_errors(diags);
  EXPECT_EQ(g.nodes[0].domain, "byoc");
  EXPECT_EQ(g.nodes[0].outputs.size(), 1U);
  EXPECT_TRUE(g.counted.empty());
  EXPECT_EQ(to_string(g.values[g.outputs[0]].type, g), "i64[7,3]");
}

TEST(BoundResults, aConstantConditionTellsTheLength) {
  EXPECT_EQ(bounded(kInput + "const %c : bool[3] = [1, 0, 1] %y = Compress.11(%x, %c) {axis=1} output %y"),
            "f32[2,2,4] ");
}

TEST(BoundResults, onlyTheInverseNeedsNoCount) {
  EXPECT_EQ(bounded(kInput + "_, _, %i, _ = Unique.11(%x) output %i"), "i64[24] ");
}

TEST(BoundResults, countsAreThoseOfWhatIsMadeOfResults) {
  EXPECT_EQ(bounded(kInput + "%y = NonZero.13(%x) %z = Transpose.13(%y) output %z"), "i64[24,3] i32[] 0.0<-1 ");
  EXPECT_EQ(
      bounded(kInput + "%y = NonZero.13(%x) %z = Transpose.13(%y) {perm=[1,0]} %r = Relu.14(%y) output %z output %r "
                       "output %y"),
      "i64[24,3] i64[3,24] i64[3,24] i32[] 2.1<-3 0.0<-3 1.1<-3 ");
  const std::string columns =
      "%y = NonZero.13(%x) %z = Transpose.13(%y) {perm=[1,0]} const %one : i64[1] = [1] "
      "%c = Gather.13(%z, %one) {axis=-1} %s = Squeeze.13(%c, %one) %f = Cast.13(%s) {to=1} ";
  EXPECT_EQ(bounded(kInput + columns + "output %f"), "f32[24] i32[] 0.0<-1 ");
  EXPECT_EQ(
      bounded(kInput + "input %c : bool[2] %y = Compress.11(%x, %c) {axis=0} const %i : i64[3,2] = [0, 1, 2, 0, 1, 2] "
                       "%z = Gather.13(%y, %i) {axis=1} %a = Abs.13(%z) output %a"),
      "f32[2,3,2,4] i32[] 0.0<-1 ");
  // Each of Unique's results has its own.
  EXPECT_EQ(bounded(kInput + "%y, %f, %i, %n = Unique.11(%x) {axis=1} %a = Abs.13(%y) %m = Cast.13(%n) {to=6} "
                             "output %m output %a output %i"),
            "i32[3] f32[2,3,4] i64[3] i32[] 1.1<-3 0.0<-3 ");
}

TEST(BoundResults, whatIsReadWithoutALengthStaysOpen) {
  for (const char* reader : {"%z = Exp.13(%f) output %z", "%z = Gather.13(%y, %zero) {axis=1} output %z",
                             "%z = Add.14(%y, %y) output %z", "%z = Transpose.13(%y) %s = Shape.13(%z) output %s",
                             "%z = Relu.14(%y) %s = Sum.13(%z, %y) output %s output %y"})
    EXPECT_THAT(
        prepare_error(kInput + "const %zero : i64[1] = [0] %y = NonZero.13(%x) %f = Cast.13(%y) {to=1} " + reader),
        HasSubstr("'NonZero': its result has a shape that is known only at run time"))
        << reader;
  EXPECT_THAT(prepare_error(kInput + "%y = NonZero.13(%x) %z = Neg.13(%y) output %z"),
              HasSubstr("'NonZero': its result has a shape that is known only at run time (found i64[3,y.dim1], "
                        "expected operands that are constants, or that nothing but the user reads it, or "
                        "--executor vm on a host)"));
  EXPECT_THAT(prepare_error("input %x : f32[65536,65536] %y = NonZero.13(%x) output %y"),
              HasSubstr("its result has a shape that is known only at run time"));
  PrepareOptions unbounded;
  unbounded.bound_shapes = false;
  EXPECT_THAT(prepare_error(kInput + "%y = NonZero.13(%x) output %y", unbounded),
              HasSubstr("its result has a shape that is known only at run time"));
}

}  // namespace
}  // namespace byoc::test
