// What does nothing, and what looks like it but does something.
#include "sdk/model/ir/verify.hpp"
#include "tests/unit/prepare/preparing.hpp"

namespace byoc {
namespace {

using test::HasSubstr;

std::string cleaned(const std::string& statements) {
  ir::Graph g = test::graph_of(statements);
  Diagnostics diags;
  remove_neutral(g);
  EXPECT_TRUE(ir::verify(g, diags)) << test::all_errors(diags);
  std::string text = ir::print(g);
  text = text.substr(text.find('\n') + 1);
  return text.substr(0, text.size() - 2);
}

// `op` between a Tanh and a Relu.
std::string between(const std::string& op, const std::string& type = "f32[1,2,3]") {
  return cleaned(R"(
    input %x "x" : f32[1,2,3]
    const %zeros : i64[6] = [0, 0, 0, 0, 0, 0]
    const %starts : i64[1] = [0]
    const %minus : i64[1] = [-1]
    const %ends : i64[1] = [9]
    const %shape : i64[3] = [1, 2, 3]
    const %one : f32[] = [1.0]
    %a : f32[1,2,3] = Tanh.13(%x)
    %b : )" + type +
                 " = " + op + R"(
    %y "y" : )" + type +
                 R"( = Relu.13(%b)
    output %y)");
}

TEST(RemoveNeutral, aShapeThatOnlyARunKnowsMayBeWrong) {
  const std::string text = cleaned(R"(
    input %x "x" : f32[2,3]
    input %s "s" : i64[2]
    %a : f32[2,3] = Reshape.14(%x, %s)
    %y "y" : f32[6] = Flatten.13(%a) {axis=0}
    output %y)");
  EXPECT_THAT(text, HasSubstr("Reshape.14(%0, %1)"));
}

TEST(RemoveNeutral, whatGivesItsInputBack) {
  for (const char* op : {"Identity.13(%a)", "Cast.13(%a) {to=1}", "Reshape.13(%a, %shape)", "Concat.13(%a) {axis=0}",
                         "Transpose.13(%a) {perm=[0, 1, 2]}", "Pad.13(%a, %zeros)", "Slice.13(%a, %starts, %ends)",
                         "Clip.13(%a)", "Split.13(%a)"})
    EXPECT_THAT(between(op), HasSubstr("\"y\" : f32[1,2,3] = Relu.13(%1)")) << op;
}

TEST(RemoveNeutral, whatDoesSomethingStays) {
  for (const char* op : {"Transpose.13(%a) {perm=[0, 2, 1]}", "Slice.13(%a, %minus, %zeros, %starts, %minus)",
                         "Clip.13(%a, %one)", "MaxPool.13(%a) {kernel_shape=[3], pads=[1, 1]}",
                         "MaxPool.13(%a) {kernel_shape=[1], pads=[0, 0], strides=[1]}", "Relu.13(%a)"})
    EXPECT_THAT(between(op, "f32[1,2,3]"), HasSubstr(std::string(op).substr(0, std::string(op).find('(')))) << op;
  EXPECT_THAT(between("Cast.13(%a) {to=11}", "f64[1,2,3]"), HasSubstr("Cast.13"));
}

TEST(RemoveNeutral, poolsOfOneInteger) {
  EXPECT_THAT(cleaned(R"(
    input %x "x" : i8[1,2,3]
    %a : i8[1,2,3] = MaxPool.13(%x) {kernel_shape=[1], pads=[0, 0], strides=[1]}
    %y "y" : i8[1,2,3] = Abs.13(%a)
    output %y)"),
              HasSubstr("\"y\" : i8[1,2,3] = Abs.13(%0)"));
}

TEST(RemoveNeutral, reshapesJoin) {
  EXPECT_EQ(cleaned(R"(
    input %x "x" : f32[1,2,3]
    const %s1 : i64[1] = [6]
    const %axis : i64[1] = [0]
    %a : f32[6] = Reshape.13(%x, %s1) @"a"
    %b : f32[1,6] = Unsqueeze.13(%a, %axis) @"b"
    %y "y" : f32[6,1] = Transpose.13(%b) {perm=[1, 0]} @"c" #3
    output %y)"),
            R"(  input %0 "x" : f32[1,2,3]
  const %2 : i64[2] = [6, 1]
  %1 "y" : f32[6,1] = Reshape.14(%0, %2) @"c" #3
  output %1
)");
  // Back to where it began: nothing is left, and the output is the input.
  EXPECT_EQ(cleaned(R"(
    input %x "x" : f32[2,3]
    const %s1 : i64[1] = [6]
    const %s2 : i64[2] = [2, 3]
    %a : f32[6] = Reshape.13(%x, %s1)
    %y "y" : f32[2,3] = Reshape.13(%a, %s2)
    output %y)"),
            "  input %0 \"x\" : f32[2,3]\n  %1 \"y\" : f32[2,3] = Identity.13(%0) @\"y\"\n  output %1\n");
}

TEST(RemoveNeutral, transposesJoin) {
  EXPECT_THAT(cleaned(R"(
    input %x "x" : f32[2,3,4]
    %a : f32[3,4,2] = Transpose.13(%x) {perm=[1, 2, 0]}
    %y "y" : f32[4,2,3] = Transpose.13(%a) {perm=[1, 2, 0]}
    output %y)"),
              HasSubstr("\"y\" : f32[4,2,3] = Transpose.13(%0) {perm=[2, 0, 1]}"));
  EXPECT_EQ(cleaned(R"(
    input %x "x" : f32[2,3]
    %t : f32[2,3] = Tanh.13(%x)
    %a : f32[3,2] = Transpose.13(%t) {perm=[1, 0]}
    %y "y" : f32[2,3] = Transpose.13(%a) {perm=[1, 0]}
    output %y)"),
            "  input %0 \"x\" : f32[2,3]\n  %1 \"y\" : f32[2,3] = Tanh.13(%0)\n  output %1\n");
}

TEST(RemoveNeutral, outputsKeepTheirNames) {
  // The inner value takes the output's name; what has a name of its own is copied.
  EXPECT_EQ(cleaned(R"(
    input %x "x" : f32[2]
    const %c "c" : f32[2] = [1, 2]
    %a "a" : f32[2] = Tanh.13(%x)
    %y "y" : f32[2] = Identity.13(%a)
    %z "z" : f32[2] = Relu.13(%a)
    %w "w" : f32[2] = Identity.13(%z)
    %d "d" : f32[2] = Identity.13(%x)
    %e "e" : f32[2] = Identity.13(%c)
    output %y
    output %z
    output %w
    output %d
    output %e)"),
            R"(  input %0 "x" : f32[2]
  const %1 "c" : f32[2] = [1.0, 2.0]
  %2 "y" : f32[2] = Tanh.13(%0)
  %3 "z" : f32[2] = Relu.13(%2)
  %4 "w" : f32[2] = Identity.13(%3) @"w"
  %5 "d" : f32[2] = Identity.13(%0) @"d"
  %6 "e" : f32[2] = Identity.13(%1) @"e"
  output %2
  output %3
  output %4
  output %5
  output %6
)");
}

TEST(RemoveNeutral, whatAStateWasKeepsItsName) {
  EXPECT_EQ(cleaned(R"(
    input %x "x" : f32[2]
    state %s "memory" : f32[2] -> %n
    %n "total" : f32[2] = Add.14(%x, %s)
    %y "answer" : f32[2] = Identity.14(%s)
    output %y)"),
            R"(  input %0 "x" : f32[2]
  state %1 "memory" : f32[2] -> %2
  %2 "total" : f32[2] = Add.14(%0, %1)
  %3 "answer" : f32[2] = Identity.13(%1) @"answer"
  output %3
)");
}

TEST(RemoveNeutral, quantisationThatChangesIsKept) {
  EXPECT_THAT(cleaned(R"(
    input %x "x" : i8[2] q(0.5, 0)
    %y "y" : i8[2] q(0.25, 0) = byoc.Quantize.1(%x)
    output %y)"),
              HasSubstr("byoc.Quantize"));
  EXPECT_EQ(cleaned(R"(
    input %x "x" : i8[2] q(0.5, 0)
    %y "y" : i8[2] q(0.5, 0) = byoc.Quantize.1(%x)
    output %y)"),
            "  input %0 \"x\" : i8[2] q(0.5, 0)\n  %1 \"y\" : i8[2] q(0.5, 0) = Identity.13(%0) @\"y\"\n  output %1\n");
}

}  // namespace
}  // namespace byoc
