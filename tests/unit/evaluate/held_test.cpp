// Sequences and optionals.
#include "tests/unit/evaluate/evaluating.hpp"

namespace byoc::test {
namespace {

const char kThree[] =
    "const %a : f32[2] = [1.0, 2.0] const %b : f32[1] = [3.0] const %c : f32[] = [4.0] "
    "const %first : i64[] = [0] const %last : i64[] = [-1] const %far : i64[] = [3] "
    "%s : seq(f32?) = SequenceConstruct.11(%a, %b, %c) ";

std::string three(const std::string& rest) { return kThree + rest + " output %y"; }

TEST(Sequence, isMadeAndLookedInto) {
  EXPECT_THAT(floats(three("%y = SequenceAt.11(%s, %first)")), ElementsAre(1, 2));
  EXPECT_THAT(floats(three("%y = SequenceAt.11(%s, %last)")), ElementsAre(4));
  EXPECT_THAT(result_of<std::int64_t>(three("%y = SequenceLength.11(%s)")), ElementsAre(3));
  EXPECT_THAT(result_of<std::int64_t>("%s = SequenceEmpty.11() %y = SequenceLength.11(%s) output %y"), ElementsAre(0));
}

TEST(Sequence, takesAndLosesElements) {
  EXPECT_THAT(floats(three("%t = SequenceInsert.11(%s, %c, %first) %y = SequenceAt.11(%t, %first)")), ElementsAre(4));
  EXPECT_THAT(floats(three("%t = SequenceInsert.11(%s, %b) %y = SequenceAt.11(%t, %far)")), ElementsAre(3));
  EXPECT_THAT(floats(three("%t = SequenceErase.11(%s) %y = SequenceAt.11(%t, %last)")), ElementsAre(3));
  EXPECT_THAT(floats(three("%t = SequenceErase.11(%s, %first) %y = SequenceAt.11(%t, %first)")), ElementsAre(3));
}

TEST(Sequence, positionsAndElementsMustFit) {
  EXPECT_THAT(error_of(three("%y = SequenceAt.11(%s, %far)")),
              HasSubstr("position out of range (found 3, expected at least -3 and less than 3)"));
  EXPECT_THAT(error_of(three("%t = SequenceEmpty.11() %y = SequenceErase.11(%t)")),
              HasSubstr("the sequence has no element to erase"));
  EXPECT_THAT(error_of(three("%y = SequenceInsert.11(%s, %first)")),
              HasSubstr("input 1 does not fit the sequence (found i64[], expected a tensor of f32)"));
  EXPECT_THAT(error_of(three("%y = SequenceInsert.11(%s, %a, %a)")), HasSubstr("element type of input 2"));
  EXPECT_THAT(error_of(three("%y = SequenceLength.11(%a)")), HasSubstr("input 0 is not a sequence (found f32[2]"));
  EXPECT_THAT(error_of(three("%y = Relu.6(%s)")), HasSubstr("input 0 is not a tensor (found seq(f32) of 3"));
  EXPECT_THAT(error_of("%y = SequenceEmpty.11() {dtype=14} output %y"), HasSubstr("found complex64"));
}

TEST(Sequence, isJoined) {
  const std::string pairs =
      "const %a : f32[1,2] = [1.0, 2.0] const %b : f32[1,2] = [3.0, 4.0] "
      "%s : seq(f32?) = SequenceConstruct.11(%a, %b) ";
  EXPECT_THAT(floats(pairs + "%y = ConcatFromSequence.11(%s) {axis=0} output %y"), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(floats(pairs + "%y : f32[1,2,2] = ConcatFromSequence.11(%s) {axis=-1, new_axis=1} output %y"),
              ElementsAre(1, 3, 2, 4));
  EXPECT_THAT(error_of(three("%y = ConcatFromSequence.11(%s) {axis=0}")), HasSubstr("does not fit the first"));
  EXPECT_THAT(error_of("%s = SequenceEmpty.11() %y = ConcatFromSequence.11(%s) {axis=0} output %y"),
              HasSubstr("the sequence has no element to join"));
}

TEST(Sequence, isSplitOff) {
  const std::string x =
      "const %x : f32[5] = [1.0, 2.0, 3.0, 4.0, 5.0] const %two : i64[] = [2] const %i : i64[] = [2] "
      "const %l : i64[3] = [1, 3, 1] const %none : i64[] = [0] ";
  EXPECT_THAT(floats(x + "%s = SplitToSequence.11(%x, %two) %y : f32[1] = SequenceAt.11(%s, %i) output %y"),
              ElementsAre(5));
  EXPECT_THAT(floats(x + "%s = SplitToSequence.11(%x, %l) %y : f32[1] = SequenceAt.11(%s, %i) output %y"),
              ElementsAre(5));
  EXPECT_THAT(floats(x + "%s = SplitToSequence.11(%x) %y : f32[1] = SequenceAt.11(%s, %i) output %y"), ElementsAre(3));
  EXPECT_THAT(floats(x + "%s = SplitToSequence.11(%x) {keepdims=0} %y : f32[] = SequenceAt.11(%s, %i) output %y"),
              ElementsAre(3));
  EXPECT_THAT(error_of(x + "%s = SplitToSequence.11(%l) %y = SplitToSequence.11(%x, %s) output %y"),
              HasSubstr("input 1 is not a tensor (found seq(i64) of 3, expected a tensor)"));
  EXPECT_THAT(error_of(x + "%y = SplitToSequence.11(%x, %none) output %y"),
              HasSubstr("the length of the pieces is not one positive number (found [0])"));
  EXPECT_THAT(error_of("const %x : f32[1,2,99999999999,0] = zeros %y = SplitToSequence.11(%x) {axis=2} output %y"),
              HasSubstr("the axis splits into too many pieces"));
}

TEST(Sequence, goesRoundInALoop) {
  const std::string loop =
      R"(const %m : i64[] = [3] const %c : bool[] = [1] %s : seq(i64?) = SequenceEmpty.11() {dtype=7}
    %t = Loop.16(%m, %c, %s) {captures=0, body=graph "b" requant=onnx {
      input %i : i64[]
      input %go : bool[]
      input %have : seq(i64?)
      %more = SequenceInsert.11(%have, %i)
      output %go
      output %more
    }} %y = ConcatFromSequence.11(%t) {axis=0, new_axis=1} output %y)";
  EXPECT_THAT(result_of<std::int64_t>(loop), ElementsAre(0, 1, 2));
}

TEST(Optional, holdsSomethingOrNothing) {
  const std::string x = "const %x : f32[2] = [1.0, 2.0] %o = Optional.15(%x) %n = Optional.15() {type=\"seq(f32)\"} ";
  EXPECT_THAT(floats(x + "%y = OptionalGetElement.15(%o) output %y"), ElementsAre(1, 2));
  EXPECT_THAT(floats(x + "%y = OptionalGetElement.18(%x) output %y"), ElementsAre(1, 2));
  EXPECT_THAT(bytes_of(x + "%y = OptionalHasElement.15(%o) output %y"), ElementsAre(1));
  EXPECT_THAT(bytes_of(x + "%y = OptionalHasElement.15(%n) output %y"), ElementsAre(0));
  EXPECT_THAT(bytes_of("%y = OptionalHasElement.18() output %y"), ElementsAre(0));
  EXPECT_THAT(error_of(x + "%y = OptionalGetElement.15(%n) output %y"),
              HasSubstr("the optional holds nothing (found optional(seq(f32)) of 0"));
  EXPECT_THAT(error_of(x + "%y = Optional.15(%o) output %y"), HasSubstr("input 0 is an optional itself"));
  EXPECT_THAT(error_of("%y = Optional.15() {type=\"map\"} output %y"), HasSubstr("does not say what the optional"));
}

TEST(Held, inputsMustFit) {
  Diagnostics diags;
  const auto graph =
      ir::parse(graph_text("input %s : seq(f32?) input %o : optional(f32?) output %s output %o"), "t", diags);
  ASSERT_TRUE(graph) << all_errors(diags);
  evaluate::Tensor f{{DType::f32, std::vector<std::int64_t>{1}}, Blob::own(std::vector<std::byte>(4))};
  evaluate::Tensor sequence;
  sequence.type.dtype = DType::f32;
  sequence.type.container = ir::Container::sequence;
  sequence.items = std::make_shared<const std::vector<evaluate::Tensor>>(2, f);
  const auto given = evaluate::run(*graph, std::vector{sequence, f}, diags);
  ASSERT_TRUE(given) << all_errors(diags);
  EXPECT_EQ((*given)[0].items->size(), 2U);
  EXPECT_EQ((*given)[1].type.container, ir::Container::optional);  // what it holds was given
  EXPECT_FALSE(evaluate::run(*graph, std::vector{f, f}, diags));
  EXPECT_THAT(all_errors(diags),
              HasSubstr("the graph input does not have the type that the graph states (found f32[1]"));
  sequence.items = std::make_shared<const std::vector<evaluate::Tensor>>(1, sequence);
  EXPECT_FALSE(evaluate::run(*graph, std::vector{sequence, f}, diags));
}

}  // namespace
}  // namespace byoc::test
