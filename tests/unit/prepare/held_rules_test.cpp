// Sequences, optionals and strings: types, and what is left of them where all elements are known.
#include <gmock/gmock.h>

#include "tests/unit/prepare/preparing.hpp"

namespace byoc::test {
namespace {

using testing::Not;

const char kTwo[] = "input %x : f32[2] input %z : f32[2] %s = SequenceConstruct.11(%x, %z) ";

TEST(HeldRules, typesOfSequences) {
  EXPECT_EQ(types_of(kTwo + std::string("output %s")), "seq(f32[2])");
  EXPECT_EQ(types_of("input %x : f32[2] input %z : f32[3] %s = SequenceConstruct.11(%x, %z) output %s"), "seq(f32?)");
  EXPECT_EQ(types_of(kTwo + std::string("%t = SequenceErase.11(%s) output %t")), "seq(f32[2])");
  EXPECT_EQ(types_of(kTwo + std::string("input %i : i64[] %y = SequenceAt.11(%s, %i) output %y")), "f32[2]");
  EXPECT_EQ(types_of(kTwo + std::string("%y = SequenceLength.11(%s) output %y")), "i64[]");
  EXPECT_EQ(types_of(kTwo + std::string("%y = ConcatFromSequence.11(%s) {axis=0, new_axis=1} output %y")),
            "f32[y.dim0,2]");
  EXPECT_EQ(types_of("input %x : string[2,3] %s = SplitToSequence.11(%x) {keepdims=0} output %s"), "seq(string[3])");
  EXPECT_EQ(types_of("%s = SequenceEmpty.11() {dtype=7} output %s"), "seq(i64?)");
}

TEST(HeldRules, typesOfOptionals) {
  EXPECT_EQ(types_of(kTwo + std::string("%o = Optional.15(%s) output %o")), "optional(seq(f32[2]))");
  EXPECT_EQ(types_of(kTwo + std::string("%o = Optional.15(%x) %y = OptionalGetElement.15(%o) output %y")), "f32[2]");
  EXPECT_EQ(types_of("%o = Optional.15() {type=\"f32\"} %y = OptionalHasElement.15(%o) output %o output %y"),
            "optional(f32?) bool[]");
}

TEST(HeldRules, typesOfStrings) {
  EXPECT_EQ(types_of("input %a : string[2,1] input %b : string[3] %y = StringConcat.20(%a, %b) output %y"),
            "string[2,3]");
  EXPECT_EQ(types_of("input %a : string[2] %y, %n = StringSplit.20(%a) output %y output %n"),
            "string[2,y.dim1] i64[2]");
  EXPECT_EQ(types_of("input %a : string[2] %y = RegexFullMatch.20(%a) {pattern=\"\"} output %y"), "bool[2]");
  EXPECT_EQ(types_of("input %a : f32[N] %y = Cast.13(%a) {to=8} output %y"), "string[N]");
}

TEST(HeldRules, operatorsTakeTheirKinds) {
  EXPECT_THAT(inference_error(kTwo + std::string("%y = Relu.6(%s) output %y")),
              HasSubstr("input 0 is not a tensor (found seq(f32[2]), expected a tensor)"));
  EXPECT_THAT(inference_error("input %a : string[2] %y = Relu.6(%a) output %y"),
              HasSubstr("is not one that the operator takes (found string)"));
  EXPECT_THAT(inference_error(kTwo + std::string("%y = SequenceLength.11(%x) output %y")),
              HasSubstr("input 0 is not a sequence (found f32[2]"));
  EXPECT_THAT(inference_error(kTwo + std::string("%y = SequenceConstruct.11(%s) output %y")),
              HasSubstr("input 0 is not a tensor"));
  EXPECT_THAT(inference_error("input %x : f32[2] input %i : i64[] %s = SequenceConstruct.11(%x, %i) output %s"),
              HasSubstr("different element types"));
}

TEST(HeldRules, knownElementsAreReadDirectly) {
  const std::string at = prepared(kTwo + std::string("const %i : i64[] = [-1] %y = SequenceAt.11(%s, %i) "
                                                     "%r = Relu.6(%y) output %r"));
  EXPECT_THAT(at, HasSubstr("Relu.6(%1)"));
  EXPECT_THAT(at, Not(HasSubstr("Sequence")));
  const std::string joined = prepared(kTwo + std::string("%t = SequenceInsert.11(%s, %x) %u = SequenceErase.11(%t) "
                                                         "%y = ConcatFromSequence.11(%u) {axis=0} output %y"));
  EXPECT_THAT(joined, HasSubstr("Concat.13(%0, %1)"));
  const std::string split = prepared(
      "input %x : f32[5] const %two : i64[] = [2] const %i : i64[] = [2] "
      "%s = SplitToSequence.11(%x, %two) %y = SequenceAt.11(%s, %i) output %y");
  EXPECT_THAT(split, HasSubstr("Split.13("));
  EXPECT_THAT(split, HasSubstr("f32[1]"));
  const std::string optional = prepared(kTwo + std::string("%o = Optional.15(%x) %y = OptionalGetElement.15(%o) "
                                                           "%h = OptionalHasElement.15(%o) output %y output %h"));
  EXPECT_THAT(optional, HasSubstr("bool[] = [1]"));
  EXPECT_THAT(optional, Not(HasSubstr("Optional")));
}

TEST(HeldRules, whatStaysIsForHosts) {
  const std::string chosen =
      "input %x : f32[2] input %z : f32[3] %s = SequenceConstruct.11(%x, %z) input %i : i64[] "
      "%y = SequenceAt.11(%s, %i) output %y";
  EXPECT_THAT(prepare_error(chosen),
              HasSubstr("is a sequence, which only an executor for hosts takes, that finds types "
                        "while it runs (found seq(f32?), expected tensors of numbers, or --executor vm on a host)"));
  EXPECT_THAT(prepared(chosen, true), HasSubstr("SequenceAt.11("));
  EXPECT_THAT(prepare_error("input %a : string[2] %y = Identity.13(%a) output %y"),
              HasSubstr("is a tensor of strings"));
  EXPECT_THAT(prepare_error("input %a : optional(f32?) %y = Identity.13(%a) output %y"), HasSubstr("is an optional"));
}

TEST(HeldRules, stringsAreFolded) {
  EXPECT_THAT(prepared("const %a : string[2] = [\"a\", \"b\"] %y = RegexFullMatch.20(%a) {pattern=\"b\"} output %y"),
              HasSubstr("bool[2] = [0, 1]"));
}

TEST(HeldRules, loopsCarrySequences) {
  const std::string loop = R"(input %x : f32[2] input %m : i64[] const %c : bool[] = [1]
    %e = SequenceEmpty.11() %y = Loop.16(%m, %c, %e, %x) {captures=1, body=graph "b" requant=onnx {
      input %i : i64[]
      input %go : bool[]
      input %have : seq(f32?)
      input %v : ?
      %more = SequenceInsert.11(%have, %v)
      output %go
      output %more
    }} output %y)";
  EXPECT_EQ(types_of(loop), "seq(f32?)");
  EXPECT_THAT(prepared(loop, true), HasSubstr("Loop.16("));
}

TEST(HeldRules, dropoutThatTrainsIsRandom) {
  const std::string head = "input %x : f32[2] const %t : bool[] = [1] ";
  EXPECT_THAT(inference_error(head + "const %r : f32[] = [0.5] %y = Dropout.13(%x, %r, %t) output %y"),
              HasSubstr("training is not supported: it drops elements at random"));
  EXPECT_EQ(types_of(head + "const %r : f32[] = [0.0] %y = Dropout.13(%x, %r, %t) output %y"), "f32[2]");
  const std::string kept =
      prepared(head + "const %r : f32[] = [0.0] %y, %m = Dropout.13(%x, %r, %t) output %y output %m");
  EXPECT_THAT(kept, Not(HasSubstr("Dropout")));
  EXPECT_THAT(kept, HasSubstr("bool[2] = [1, 1]"));
}

}  // namespace
}  // namespace byoc::test
