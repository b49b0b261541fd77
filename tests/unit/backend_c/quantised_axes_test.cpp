// Quantised reductions and CumSum against the evaluator, and what of them is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/text_bench.hpp"

namespace byoc::test {
namespace {

using ::testing::HasSubstr;

std::string reduction(const std::string& op, const std::string& x, const std::string& y,
                      const std::string& axes = "[1, 3]") {
  return "input %x : " + x + " const %a : i64[2] = " + axes + " value %y : " + y + " %y = " + op +
         ".18(%x, %a) {keepdims=0} output %y";
}

TEST(QuantisedReductions, tflite) {
  const char* from[] = {"i8[2,5,3,7] q(0.5, -9)", "i16[2,5,3,7] q(0.5, 0)"};
  const char* to[] = {"i8[2,3] q(0.75, 3)", "i16[2,3] q(0.75, 0)"};
  for (const char* op : {"ReduceMean", "ReduceSum"})
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}})
      EXPECT_EQ(TextBench(reduction(op, from[i], to[i]), "", "tflite").check(host_machine()), "");
  for (const char* op : {"ReduceMax", "ReduceMin"})
    EXPECT_EQ(TextBench(reduction(op, from[0], "i8[2,3] q(0.5, -9)"), "", "tflite").check(host_machine()), "");
}

TEST(QuantisedReductions, refused) {
  const auto refusal = [](const std::string& op, const std::string& y, const std::string& mode = "tflite") {
    return TextBench(reduction(op, "i8[2,5,3,7] q(0.5, 1)", y), "", mode).refusal();
  };
  EXPECT_THAT(refusal("ReduceMean", "i16[2,3] q(0.5, 0)"), HasSubstr("found i16, expected i8"));
  EXPECT_THAT(refusal("ReduceMax", "i8[2,3] q(0.25, 1)"), HasSubstr("another scale of the result, expected that"));
  EXPECT_THAT(refusal("ReduceSum", "i8[2,3] q(1e-11, 1)"), HasSubstr("an output multiplier of 2^36, expected at most"));
  EXPECT_THAT(refusal("ReduceProd", "i8[2,3] q(0.5, 1)"), HasSubstr("found quantised i8, expected a plain tensor"));
  EXPECT_THAT(refusal("ReduceSum", "i8[2,3] q(0.5, 1)", "onnx"), HasSubstr("found quantised i8, expected a plain"));
  EXPECT_THAT(TextBench(reduction("ReduceMean", "i16[2,5,3,7] q(0.5, 1)", "i16[2,3] q(0.5, 1)")).refusal(),
              HasSubstr("input: found i16, expected i8 or u8"));
}

std::string cum_sum(const std::string& x, const std::string& y) {
  return "input %x : " + x + " const %a : i64[1] = [1] value %y : " + y + " %y = CumSum.18(%x, %a) output %y";
}

TEST(QuantisedCumSum, refused) {
  EXPECT_EQ(TextBench(cum_sum("i8[2,3] q(0.5, 3)", "i8[2,3] q(0.75, 1)"), "", "tflite").refusal(), "");
  EXPECT_THAT(TextBench(cum_sum("i8[2,3] q(0.5, 3)", "i8[2,3] q(0.75, 1)")).refusal(),
              HasSubstr("found a quantised value, expected a plain tensor"));
  EXPECT_THAT(TextBench(cum_sum("i16[2,3] q(0.5, 0)", "i16[2,3] q(0.75, 0)"), "", "tflite").refusal(),
              HasSubstr("input: found i16, expected i8"));
  EXPECT_THAT(TextBench(cum_sum("i8[2,3] q(0.5, 3)", "i8[2,3] q(1e-7, 1)"), "", "tflite").refusal(),
              HasSubstr("found an output multiplier of 2^4, expected less than 1"));
}

}  // namespace
}  // namespace byoc::test
