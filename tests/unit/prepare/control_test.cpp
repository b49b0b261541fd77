// What preparing makes of If, Loop and Scan.
#include <gmock/gmock.h>

#include "tests/unit/prepare/preparing.hpp"

namespace byoc::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string branches(const std::string& then_output) {
  return R"({then_branch=graph "t" requant=onnx {
      input %a : ?
      input %k : ?
      %r = Add.14(%a, %k)
      output %)" +
         then_output + R"(
    }, else_branch=graph "e" requant=onnx {
      input %a : ?
      input %k : ?
      %r = Mul.14(%a, %k)
      output %r
    }})";
}

TEST(PrepareControl, infersTypesIntoAndOutOfBranches) {
  const std::string text =
      prepared("input %c : bool[]\ninput %x : f32[2,3]\ninput %k : f32[3]\n%y = If.16(%c, %x, %k) " + branches("r") +
               "\noutput %y");
  EXPECT_THAT(text, HasSubstr("\"y\" : f32[2,3] = If.16"));
  EXPECT_THAT(text, HasSubstr("\"r\" : f32[2,3] = Mul.14"));
}

TEST(PrepareControl, givesABranchTheConstantsItCapturesAndFoldsThere) {
  const std::string text = prepared(
      "input %c : bool[]\ninput %x : f32[2]\nconst %k : f32[2] = [2.0, 3.0]\n%y : f32[2] = If.16(%c, %x, %k) "
      R"({then_branch=graph "t" requant=onnx {
        input %a : ?
        input %k : ?
        %r = Add.14(%k, %k)
        output %r
      }, else_branch=graph "e" requant=onnx {
        input %a : ?
        input %k : ?
        output %a
      }})"
      "\noutput %y");
  EXPECT_THAT(text, HasSubstr("= [4.0, 6.0]"));
  EXPECT_THAT(text, Not(HasSubstr("Add")));
}

TEST(PrepareControl, takesTheBranchOfAConstantCondition) {
  const std::string text =
      prepared("const %c : bool[] = [1]\ninput %x : f32[2,3]\ninput %k : f32[3]\n%y = If.16(%c, %x, %k) " +
               branches("r") + "\noutput %y");
  EXPECT_THAT(text, Not(HasSubstr("If")));
  EXPECT_THAT(text, HasSubstr("Add.14(%0, %1)"));
}

// Nodes of a branch that was chosen have no types yet. Folding computes one of constants, and sees that it gives a
// sequence.
TEST(PrepareControl, aSequenceOfConstantsInABranchIsNoConstant) {
  const std::string text = prepared(R"(
    const %c : bool[] = [1]
    input %at : i64[]
    %s = If.16(%c) {then_branch=graph "t" requant=onnx {
      const %k : f32[2] = [2.0, 3.0]
      const %l : f32[2] = [4.0, 5.0]
      %r = SequenceConstruct.11(%k, %l)
      output %r
    }, else_branch=graph "e" requant=onnx {
      %r = SequenceEmpty.11() {dtype=1}
      output %r
    }}
    %y = SequenceAt.11(%s, %at)
    output %y)",
                                    true);
  EXPECT_THAT(text, HasSubstr("f32[2,2] = [2.0, 3.0, 4.0, 5.0]"));
}

TEST(PrepareControl, aBranchThatDoesNotFitMayBeLeft) {
  Diagnostics diags;
  ir::Graph g = graph_of(R"(input %rate "rate" : i64[]
    const %k : i64[] = [16000]
    %c = Equal.13(%rate, %k)
    input %x : f32[2,3]
    input %w : f32[4]
    %y = If.16(%c, %x, %w) )" +
                         branches("k") + "\noutput %y");
  EXPECT_FALSE(prepare(g, {}, diags));
  ASSERT_FALSE(diags.all().empty());
  EXPECT_THAT(to_string(diags.all().back()),
              HasSubstr("note: 'If': --set rate=VALUE takes one of its branches, and leaves the other"));
}

std::string loop(const std::string& trips, const std::string& more = "") {
  return "const %m : i64[] = [" + trips + R"(]
    input %x : f32[2]
    input %k : f32[2]
    %y : f32[2], %same : f32[2], %all = Loop.16(%m, _, %x, %k) {captures=0, body=graph "b" requant=onnx {
      input %i : ?
      input %go : ?
      input %v : ?
      input %w : ?
      %n = Add.14(%v, %w)
      output %go
      output %n
      output %w
      output %n
    }}
    output %y)" +
         more;
}

TEST(PrepareControl, aLoopOfNoRoundOrOneIsWhatItDoes) {
  EXPECT_THAT(prepared(loop("0")), Not(HasSubstr("Loop")));
  const std::string once = prepared(loop("1", "\noutput %all\noutput %same"));
  EXPECT_THAT(once, Not(HasSubstr("Loop")));
  EXPECT_THAT(once, HasSubstr("f32[1,2]"));
}

TEST(PrepareControl, whatGoesRoundUnchangedIsCapturedAndWhatNobodyReadsIsLeftOut) {
  const std::string text = prepared(loop("7", "\noutput %same"));
  EXPECT_THAT(text, HasSubstr("captures=1"));
  EXPECT_THAT(text, Not(HasSubstr("f32[7,2]")));
  EXPECT_THAT(prepared(loop("7", "\noutput %all")), HasSubstr("f32[7,2] = Loop"));
}

TEST(PrepareControl, aScanScansAlongItsFirstAxis) {
  const std::string text = prepared(R"(input %x : f32[3,4,2]
    input %h : f32[3,2]
    %y, %z = Scan.16(%h, %x) {captures=0, num_scan_inputs=1, scan_input_axes=[1], scan_output_axes=[-1], body=graph "b" requant=onnx {
      input %a : ?
      input %b : ?
      %n = Add.14(%a, %b)
      output %n
      output %n
    }}
    output %y
    output %z)");
  EXPECT_THAT(text, HasSubstr("perm=[1, 0, 2]"));
  EXPECT_THAT(text, HasSubstr("perm=[1, 2, 0]"));
  EXPECT_THAT(text, HasSubstr(": f32[3,2,4] = Transpose"));
}

// As distances to every row of a table are written: the table goes round, copied.
std::string scan(const std::string& rows, const std::string& axes) {
  return "input %x : f32[" + rows + R"(]
    const %table : f32[3,2] = [1, 2, 3, 4, 5, 6]
    %same, %y = Scan.16(%table, %x) {captures=0, num_scan_inputs=1, )" +
         axes + R"(body=graph "b" requant=onnx {
      input %t : ?
      input %r : ?
      %copy = Identity.16(%t)
      %next = Identity.16(%copy)
      %d = Sub.14(%t, %r)
      output %next
      output %d
    }}
    output %y)";
}

TEST(PrepareControl, whatGoesRoundAsACopyIsUnchanged) {
  const std::string text = prepared(scan("4,2", ""));
  EXPECT_THAT(text, HasSubstr("f32[4,3,2] = Scan.16(%0)"));
  EXPECT_THAT(text, Not(HasSubstr("Identity")));
}

TEST(PrepareControl, aScanOfOneRoundIsWhatItDoes) {
  EXPECT_THAT(prepared(scan("1,2", "")), AllOf(HasSubstr(": f32[1,3,2]"), Not(HasSubstr("Scan"))));
  const std::string turned = prepared(scan("2,1", "scan_input_axes=[-1], scan_output_axes=[-1], "));
  EXPECT_THAT(turned, AllOf(HasSubstr(": f32[3,2,1]"), Not(HasSubstr("Scan"))));
}

PrepareOptions open_types() {
  PrepareOptions out;
  out.open_types = true;
  return out;
}

TEST(PrepareControl, branchesMayDifferInShapeWhereARunFindsTypes) {
  Diagnostics diags;
  ir::Graph g = graph_of("input %c : bool[]\ninput %x : f32[2,3]\ninput %k : f32[3]\n%y = If.16(%c, %x, %k) " +
                         branches("k") + "\noutput %y");
  EXPECT_TRUE(prepare(g, open_types(), diags)) << all_errors(diags);
  EXPECT_THAT(ir::print(g), HasSubstr("\"y\" : f32? = If.16"));
}

TEST(PrepareControl, refusesShapesThatWouldBeKnownOnlyAtRunTime) {
  EXPECT_THAT(prepare_error("input %c : bool[]\ninput %x : f32[2,3]\ninput %k : f32[3]\n%y = If.16(%c, %x, %k) " +
                            branches("k") + "\noutput %y"),
              HasSubstr("the branches give output 0 different types"));
  EXPECT_THAT(
      prepare_error("input %c : bool[]\ninput %x : f32[2,3]\ninput %k : f32[3]\n%y : f32[2,3] = If.16(%c, %x, %k) " +
                        branches("k") + "\noutput %y",
                    open_types()),
      HasSubstr("the branches give output 0 different types"));
  std::string unknown = loop("7", "\noutput %all");
  unknown.replace(unknown.find("const %m : i64[] = [7]"), 22, "input %m : i64[]");
  EXPECT_THAT(prepare_error(unknown), HasSubstr("its type could not be found from the model"));
  EXPECT_THAT(prepare_error(R"(input %x : f32[2]
    %y = Loop.16(_, _, %x) {captures=0, body=graph "b" requant=onnx {
      input %i : ?
      input %go : ?
      input %v : ?
      %n = Add.14(%v, %v)
      output %go
      output %n
    }}
    output %y)"),
              HasSubstr("the loop never ends"));
}

// What `step` makes of the carried %v and the captured %x, three times; %v starts as `start`.
std::string growing(const std::string& start, const std::string& step, const std::string& stated = "?") {
  return "const %m : i64[] = [3]\ninput %x : f32[2]\ninput %s : " + start + R"(
    %y : ? = Loop.16(%m, _, %s, %x) {captures=1, body=graph "b" requant=onnx {
      input %i : i64[]
      input %go : bool[]
      input %v : )" +
         stated + R"(
      input %x : ?
      )" +
         step +
         R"(
      output %go
      output %w
    }}
    output %y)";
}

std::string prepared_open(const std::string& statements) {
  Diagnostics diags;
  ir::Graph g = graph_of(statements);
  PrepareOptions options;
  options.open_types = true;
  EXPECT_TRUE(prepare(g, options, diags)) << all_errors(diags) << statements;
  return ir::print(g);
}

std::string refused_open(const std::string& statements) {
  PrepareOptions options;
  options.open_types = true;
  return prepare_error(statements, options);
}

TEST(PrepareControl, opensTheLengthsThatChangeFromRoundToRound) {
  const std::string text = prepared_open(growing("f32[4,2]", R"(%u : ? = Unsqueeze.13(%x, %k)
      const %k : i64[1] = [0]
      %w : ? = Concat.13(%v, %u) {axis=0})"));
  EXPECT_THAT(text, HasSubstr("\"y\" : f32[\"y.dim0\",2] = Loop.16"));
  EXPECT_THAT(text, HasSubstr("\"v\" : f32[\"v.dim0\",2]"));
}

TEST(PrepareControl, opensTheShapeWhereTheRankChanges) {
  const std::string text = prepared_open(growing("f32[2]", R"(const %k : i64[1] = [0]
      %w : ? = Unsqueeze.13(%v, %k))"));
  EXPECT_THAT(text, HasSubstr("\"y\" : f32? = Loop.16"));
}

TEST(PrepareControl, keepsWhatStaysTheSame) {
  const std::string text = prepared_open(growing("f32[2]", "%w : ? = Add.14(%v, %x)"));
  EXPECT_THAT(text, HasSubstr("\"y\" : f32[2] = Loop.16"));
  EXPECT_THAT(text, Not(HasSubstr("open_carried")));
}

TEST(PrepareControl, refusesAStatedLengthThatChanges) {
  const char grows[] = "%w : ? = Concat.13(%v, %x) {axis=0}";
  EXPECT_THAT(
      refused_open(growing("f32[2]", grows, "f32[2]")),
      HasSubstr(
          "carried value 0 changes its shape from round to round (found stated as f32[2], expected an open shape)"));
  EXPECT_THAT(prepare_error(growing("f32[2]", grows)),
              HasSubstr("carried value 0 changes its type from round to round, which would be known only at run time"));
  EXPECT_THAT(refused_open(growing("f32[2]", R"(%c : ? = Concat.13(%v, %x) {axis=0}
      %w : ? = Cast.13(%c) {to=6})")),
              HasSubstr("carried value 0 changes its element type from round to round (found i32, expected f32)"));
}

}  // namespace
}  // namespace byoc::test
