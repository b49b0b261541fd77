// The shape rules of SVDF and UnidirectionalSequenceLstm.
#include "tests/unit/prepare/preparing.hpp"

namespace byoc::test {
namespace {

std::string svdf(const std::string& x, const std::string& feature, const std::string& time, const std::string& state,
                 const std::string& rank = "2", const std::string& bias = "f32[2]") {
  return "input %x : " + x + " input %f : " + feature + " input %t : " + time + " input %s : " + state +
         " input %b : " + bias + " %y, %n = byoc.SVDF.1(%x, %f, %t, %s, %b) {rank=" + rank + "} output %y output %n";
}

TEST(StatefulRules, svdf) {
  const std::string f = "f32[4,3]", t = "f32[4,5]", s = "f32[2,20]";
  EXPECT_EQ(types_of(svdf("f32[2,3]", f, t, s)), "f32[2,2] f32[2,20]");
  EXPECT_THAT(inference_error(svdf("f32[2,4]", f, t, s)), HasSubstr("the weights do not fit"));
  EXPECT_THAT(inference_error(svdf("f32[2,3]", f, "f32[3,5]", s)), HasSubstr("the weights do not fit"));
  EXPECT_THAT(inference_error(svdf("f32[2,3]", f, "f32[4,0]", "f32[2,0]")), HasSubstr("the weights do not fit"));
  EXPECT_THAT(inference_error(svdf("f32[2,3]", f, t, "f32[2,19]")), HasSubstr("the state does not fit"));
  EXPECT_THAT(inference_error(svdf("f32[1,3]", f, t, s)), HasSubstr("the state does not fit"));
  EXPECT_THAT(inference_error(svdf("f32[2,3]", f, t, s, "3")), HasSubstr("no multiple of the rank"));
  EXPECT_THAT(inference_error(svdf("f32[2,3]", f, t, s, "0")), HasSubstr("the rank is out of range"));
  EXPECT_THAT(inference_error(svdf("f32[2,3]", f, t, s, "2", "f32[3]")), HasSubstr("one element for each unit"));
}

std::string lstm(const std::string& x, const std::string& recurrent, const std::string& state,
                 const std::string& attributes = "time_major=0") {
  std::string text = "input %x : " + x, operands = "%x";
  for (int i = 1; i <= 14; ++i) {
    const std::string id = "%i" + std::to_string(i);
    text += " input " + id + " : " + (i < 5 ? "f32[5,4]" : i < 9 ? recurrent : i < 13 ? "f32[5]" : state);
    operands += ", " + id;
  }
  return text + " %y, %h, %c = byoc.UnidirectionalSequenceLstm.1(" + operands + ") {" + attributes +
         "} output %y output %h output %c";
}

TEST(StatefulRules, unidirectionalSequenceLstm) {
  EXPECT_EQ(types_of(lstm("f32[2,3,4]", "f32[5,5]", "f32[2,5]")), "f32[2,3,5] f32[2,5] f32[2,5]");
  EXPECT_EQ(types_of(lstm("f32[3,2,4]", "f32[5,5]", "f32[10]", "time_major=1")), "f32[3,2,5] f32[10] f32[10]");
  EXPECT_THAT(inference_error(lstm("f32[2,3,5]", "f32[5,5]", "f32[2,5]")),
              HasSubstr("the weights and biases of gate 0 do not fit"));
  EXPECT_THAT(inference_error(lstm("f32[2,3,4]", "f32[5,6]", "f32[2,5]")),
              HasSubstr("the weights and biases of gate 0 do not fit"));
  EXPECT_THAT(inference_error(lstm("f32[2,3,4]", "f32[5,5]", "f32[3,5]")), HasSubstr("the states do not fit"));
}

}  // namespace
}  // namespace byoc::test
