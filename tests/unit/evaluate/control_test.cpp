// If, Loop and Scan by hand-computed values.
#include <gmock/gmock.h>

#include "tests/unit/evaluate/evaluating.hpp"

namespace byoc::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const char kBranches[] =
    R"({then_branch=graph "t" requant=onnx {
      input %a : f32[2]
      %r : f32[2] = Neg.13(%a)
      output %r
    }, else_branch=graph "e" requant=onnx {
      input %a : f32[2]
      %r : f32[2] = Add.14(%a, %a)
      output %r
    }})";

TEST(If, takesTheBranchOfItsCondition) {
  const auto with = [](const char* condition) {
    return floats("const %c : bool[] = [" + std::string(condition) +
                  "]\nconst %x : f32[2] = [1.0, 2.0]\n%y : f32[2] = If.16(%c, %x) " + kBranches + "\noutput %y");
  };
  EXPECT_THAT(with("1"), ElementsAre(-1.0f, -2.0f));
  EXPECT_THAT(with("0"), ElementsAre(2.0f, 4.0f));
}

TEST(If, wantsOneTruthValue) {
  EXPECT_THAT(error_of("const %c : bool[2] = [1, 1]\nconst %x : f32[2] = [1.0, 2.0]\n%y : f32[2] = If.16(%c, %x) " +
                       std::string(kBranches) + "\noutput %y"),
              HasSubstr("the condition is not one truth value"));
}

// Fibonacci: two carried values, one of them stacked, and a captured bound that ends the loop.
std::string fibonacci(const std::string& trips, const std::string& condition) {
  return "const %m : i64[] = [" + trips + "]\nconst %c : bool[] = [" + condition + R"(]
    const %one : f32[] = [1.0]
    const %bound : f32[] = [20.0]
    %a : f32[], %b : f32[], %all : f32? = Loop.16(%m, %c, %one, %one, %bound) {captures=1, body=graph "b" requant=onnx {
      input %i : i64[]
      input %go : bool[]
      input %x : f32[]
      input %y : f32[]
      input %limit : f32[]
      %s : f32[] = Add.14(%x, %y)
      %d : f32[] = Sub.14(%limit, %s)
      %again : bool[] = Cast.13(%d) {to=9}
      output %again
      output %y
      output %s
      output %x
    }}
)";
}

TEST(Loop, carriesAndStacks) {
  EXPECT_THAT(floats(fibonacci("5", "1") + "output %all"), ElementsAre(1, 1, 2, 3, 5));
  EXPECT_THAT(floats(fibonacci("5", "1") + "output %b"), ElementsAre(13));
  EXPECT_THAT(floats(fibonacci("0", "1") + "output %a"), ElementsAre(1));
  EXPECT_THAT(floats(fibonacci("5", "0") + "output %b"), ElementsAre(1));
  EXPECT_THAT(floats(fibonacci("-3", "1") + "output %b"), ElementsAre(1));
}

TEST(Loop, refusesWhatChangesItsTypeFromRoundToRound) {
  EXPECT_THAT(error_of(R"(const %m : i64[] = [3]
    const %x : f32[1] = [1.0]
    %y : f32? = Loop.16(%m, _, %x) {captures=0, body=graph "b" requant=onnx {
      input %i : i64[]
      input %go : bool[]
      input %v : f32[1]
      %w : f32[2] = Concat.13(%v, %v) {axis=0}
      output %go
      output %w
    }}
    output %y)"),
              HasSubstr("carried value 0 changes its type from round to round (found f32[2], expected f32[1])"));
}

std::string running_sum(const std::string& attributes, const std::string& output) {
  return R"(const %x : f32[2,3] = [1.0, 2.0, 3.0, 10.0, 20.0, 30.0]
    const %h : f32[] = [100.0]
    const %v : f32[3] = [0.0, 0.0, 0.0]
    const %u : f32[2] = [0.0, 0.0]
    %last : f32?, %all : f32? = Scan.16()" +
         attributes + R"(, body=graph "b" requant=onnx {
      input %a : f32?
      input %b : f32?
      %s : f32? = Add.14(%a, %b)
      output %s
      output %s
    }}
    output %)" +
         output;
}

std::string typed(std::string text, const std::string& type) {
  for (std::size_t at = text.find("f32?\n"); at != std::string::npos; at = text.find("f32?\n"))
    text.replace(at, 4, type);
  return text;
}

TEST(Scan, followsAxesAndDirections) {
  const auto rows = [](const std::string& more, const char* output) {
    return floats(typed(running_sum("%v, %x) {captures=0, num_scan_inputs=1" + more, output), "f32[3]"));
  };
  EXPECT_THAT(rows("", "all"), ElementsAre(1, 2, 3, 11, 22, 33));
  EXPECT_THAT(rows("", "last"), ElementsAre(11, 22, 33));
  EXPECT_THAT(rows(", scan_input_directions=[1]", "all"), ElementsAre(10, 20, 30, 11, 22, 33));
  EXPECT_THAT(rows(", scan_output_directions=[1]", "all"), ElementsAre(11, 22, 33, 1, 2, 3));
  EXPECT_THAT(rows(", scan_output_axes=[-1]", "all"), ElementsAre(1, 11, 2, 22, 3, 33));
  const auto columns = floats(
      typed(running_sum("%u, %x) {captures=0, num_scan_inputs=1, scan_input_axes=[1], scan_output_axes=[1]", "all"),
            "f32[2]"));
  EXPECT_THAT(columns, ElementsAre(1, 3, 6, 10, 30, 60));
}

TEST(Control, refusesOperandsThatDoNotFitTheBody) {
  EXPECT_THAT(error_of(typed(running_sum("%v, %x, %x) {captures=0, num_scan_inputs=1", "all"), "f32[3]")),
              HasSubstr("its body takes another number of values (found 2, expected 3)"));
  EXPECT_THAT(error_of("const %c : bool[] = [1]\n%y : f32? = If.16(%c)\noutput %y"),
              HasSubstr("has no graph 'then_branch'"));
}

}  // namespace
}  // namespace byoc::test
