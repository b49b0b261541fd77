// Initialisers of parameter structs are held to the structs that the kernels declare.
#include "backends/c/lower/step/parameter_text.hpp"

#include <gtest/gtest.h>

namespace byoc::c {
namespace {

std::string problem(std::string_view type, const std::vector<GivenMembers>& given) {
  return misplaced_member(type, given);
}

TEST(ParameterText, isPositionalWithNames) {
  ParameterText p;
  p.add("in", 1).add("out", 2).add("lower", "a").add("upper", "b").add("above", "f(1, 2)");
  const Definition d = p.definition("byoc_resize_axis_t", "x");
  EXPECT_EQ(d.type + " " + d.name, "byoc_resize_axis_t x");
  EXPECT_EQ(d.value,
            "{\n    1 /* in */,\n    2 /* out */,\n    a /* lower */,\n    b /* upper */,\n    f(1, 2) /* above */}");
}

TEST(ParameterText, membersAreInTheirOrder) {
  EXPECT_EQ(problem("byoc_resize_axis_t", {{"in, out", 2}, {"lower, upper", 2}, {"above", 1}}), "");
  EXPECT_EQ(problem("byoc_resize_axis_t", {{"out, in", 2}, {"lower", 1}, {"upper", 1}, {"above", 1}}),
            "byoc_resize_axis_t: found out where in is");
  EXPECT_EQ(problem("byoc_resize_axis_t", {{"in", 1}, {"out", 1}, {"lower", 1}, {"upper", 1}}),
            "byoc_resize_axis_t: above is missing");
  EXPECT_EQ(problem("byoc_resize_axis_t", {{"in, out", 2}, {"lower", 1}, {"upper", 1}, {"above", 1}, {"more", 1}}),
            "byoc_resize_axis_t: found more behind its last member");
  EXPECT_EQ(problem("byoc_resize_axis_t", {{"in, out", 3}}), "byoc_resize_axis_t: 'in, out' has 3 values");
  EXPECT_EQ(problem("byoc_no_such_t", {}), "byoc_no_such_t: no struct of kernels/");
}

TEST(ParameterText, oneNameMayBeginSeveral) {
  const std::vector<GivenMembers> start{{"weights", 1},
                                        {"requant", 1},
                                        {"in_zero", 1},
                                        {"batch, groups", 2},
                                        {"in_h, in_w, in_c", 3},
                                        {"in_batch, in_row, in_col, in_chan", 4},
                                        {"out_h, out_w, out_c", 3},
                                        {"out_batch, out_row, out_col, out_chan", 4},
                                        {"kernel", 2}};
  std::vector<GivenMembers> right = start, wrong = start;
  right.insert(right.end(), {{"stride", 2}, {"dilation", 2}, {"pad", 2}});
  wrong.insert(wrong.end(), {{"dilation", 2}, {"stride", 2}, {"pad", 2}});
  EXPECT_EQ(problem("byoc_conv_s8_t", right), "");
  EXPECT_EQ(problem("byoc_conv_s8_t", wrong), "byoc_conv_s8_t: found dilation where stride_h is");
}

}  // namespace
}  // namespace byoc::c
