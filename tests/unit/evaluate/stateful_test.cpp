// SVDF and UnidirectionalSequenceLstm by hand; the sweep of TFLite operators has random cases of them.
#include <cmath>

#include "tests/unit/evaluate/evaluating.hpp"

namespace byoc::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// One filter a unit, one batch, a memory of 3 that holds 1, 2, 3.
std::string svdf(const std::string& attributes, const std::string& outputs = "output %y",
                 const std::string& time = "f32[2,3] = [1, 10, 100, 0, 0, 1]",
                 const std::string& state = "f32[1,6] = [1, 2, 3, 4, 5, 6]",
                 const std::string& feature = "f32[2,2] = [1, 0, -1, -1]") {
  return "const %x : f32[1,2] = [7, 8] const %f : " + feature + " const %t : " + time + " const %s : " + state +
         " const %b : f32[2] = [0.5, 0.5] %y, %n = byoc.SVDF.1(%x, %f, %t, %s, %b) {rank=1" + attributes + "} " +
         outputs;
}

TEST(Stateful, svdfShiftsAndSums) {
  EXPECT_THAT(floats(svdf("")), ElementsAre(2 + 30 + 700 + 0.5F, -15 + 0.5F));
  EXPECT_THAT(floats(svdf(", activation=\"relu6\"")), ElementsAre(6, 0));
  EXPECT_THAT(floats(svdf(", activation=\"tanh\"")), ElementsAre(1, -1));
  EXPECT_THAT(floats(svdf("", "output %n")), ElementsAre(2, 3, 7, 5, 6, -15));
}

// The factors of both products are 1.
std::string svdf_s8(const std::string& state, int x, int y_zero) {
  return "const %x : i8[1,1] q(1, 0) = [" + std::to_string(x) +
         "] const %f : i8[1,1] q(1, 0) = [100] const %t : i8[1,2] q(1, 0) = [1, 1] const %s : " + state +
         " %y : i8[1,1] q(1, " + std::to_string(y_zero) + "), %n : " + state.substr(0, state.find(" =")) +
         " = byoc.SVDF.1(%x, %f, %t, %s) {rank=1, activation=\"relu\"} ";
}

TEST(Stateful, svdfSaturatesTheStateAndIgnoresTheActivationOfIntegers) {
  const std::string state = "i8[1,2] q(1, 5) = [5, 6]";  // 0 and 1
  EXPECT_THAT(bytes_of(svdf_s8(state, 1, 3) + "output %n", "tflite"), ElementsAre(6, 105));
  EXPECT_THAT(bytes_of(svdf_s8(state, 1, 3) + "output %y", "tflite"), ElementsAre(104));
  EXPECT_THAT(bytes_of(svdf_s8(state, 2, 3) + "output %n", "tflite"), ElementsAre(6, 127));
  EXPECT_THAT(bytes_of(svdf_s8(state, -2, 3) + "output %n", "tflite"), ElementsAre(6, -128));
  EXPECT_THAT(bytes_of(svdf_s8(state, -1, 3) + "output %y", "tflite"), ElementsAre(-96));  // 1 - 100 + 3
}

TEST(Stateful, svdfSaysWhatDoesNotFit) {
  EXPECT_THAT(error_of(svdf(", activation=\"gelu\"")), HasSubstr("activation"));
  EXPECT_THAT(error_of(svdf("", "output %y", "f32[2,3] = zeros", "f32[1,5] = zeros")),
              HasSubstr("the state does not fit"));
  EXPECT_THAT(error_of(svdf("", "output %y", "f32[3,3] = zeros")), HasSubstr("the weights do not fit"));
  EXPECT_THAT(error_of(svdf("", "output %y", "f32[2,3] = zeros", "f32[1,6] = zeros", "f32[2,1,2] = zeros")),
              HasSubstr("input 1 must have rank 2"));
  EXPECT_THAT(error_of(svdf_s8("i8[1,2] q(1, 0) = zeros", 1, 0) + "output %y"), HasSubstr("in a TFLite graph"));
}

// One unit whose gates see their biases alone: input 0.5, forget 0.5, candidate tanh(10) = 1, output 0.5.
std::string lstm(const std::string& clip, const std::string& cell = "f32[1,1] = [3]",
                 const std::string& r = "f32[1,1]") {
  std::string text = "const %x : f32[1,2,1] = [1, 1] ", operands = "%x";
  for (int i = 1; i <= 12; ++i) {
    const std::string id = "%i" + std::to_string(i);
    const std::string type = i > 8 ? "f32[1] = [" + std::string(i == 11 ? "10" : "0") + "]"
                                   : (i > 4 ? r : std::string("f32[1,1]")) + " = zeros";
    text += "const " + id + " : " + type + " ";
    operands += ", " + id;
  }
  return text + "const %h : f32[1,1] = [9] const %c : " + cell + " %y, %nh, %nc = byoc.UnidirectionalSequenceLstm.1(" +
         operands + ", %h, %c) {cell_clip=" + clip + "} ";
}

TEST(Stateful, lstmGoesThroughItsSteps) {
  using testing::FloatNear;
  EXPECT_THAT(floats(lstm("0.0") + "output %nc"), ElementsAre(FloatNear(1.5F, 1e-5F)));  // 3, 2, 1.5
  EXPECT_THAT(floats(lstm("0.0") + "output %y"),
              ElementsAre(FloatNear(0.5F * std::tanh(2.0F), 1e-5F), FloatNear(0.5F * std::tanh(1.5F), 1e-5F)));
  EXPECT_THAT(floats(lstm("0.0") + "output %nh"), ElementsAre(FloatNear(0.5F * std::tanh(1.5F), 1e-5F)));
  EXPECT_THAT(floats(lstm("1.0") + "output %nc"), ElementsAre(FloatNear(1, 1e-5F)));
}

// One unit of TFLite's LSTM whose candidate sees `bias` alone: its new cell in 2^-15.
int cell_in_integers(const std::string& in_scale, const std::string& weight_scale, const std::string& bias) {
  const std::string hidden = "i8[1,1] q(0.0078125, 0)", cell = "i16[1,1] q(0.000030517578125, 0)";
  const auto found = result_of<std::int16_t>(
      "const %x : i8[1,1,1] q(" + in_scale + ", 0) = [0] const %w : i8[1,1] q(" + weight_scale +
          ", 0) = [0] const %z : i32[1] = [0] const %g : i32[1] = [" + bias + "] const %h : " + hidden +
          " = [0] const %c : " + cell + " = [0] value %y : i8[1,1,1] q(0.0078125, 0) value %nh : " + hidden +
          " value %nc : " + cell +
          " %y, %nh, %nc = byoc.UnidirectionalSequenceLstm.1(%x, %w, %w, %w, %w, %w, %w, %w, %w, %z, %z, %g, %z, %h, "
          "%c) {cell_clip=0.0} output %nc",
      "tflite");
  return found.empty() ? 0 : found[0];
}

TEST(Stateful, lstmFormsTheScaleOfAGateInFloat32) {
  // A factor of 1 gives a gate its bias. That of 1e-4 and 3e-6, in 1/4096, makes 1627197260 just less than 2000; their
  // product in double, which is a little larger, would make it 2000.
  EXPECT_EQ(cell_in_integers("0.0001", "0.000003", "1627197260"), cell_in_integers("0.015625", "0.015625", "1999"));
  EXPECT_EQ(cell_in_integers("0.0001", "0.000003", "1627197290"), cell_in_integers("0.015625", "0.015625", "2000"));
  EXPECT_NE(cell_in_integers("0.015625", "0.015625", "1999"), cell_in_integers("0.015625", "0.015625", "2000"));
}

TEST(Stateful, lstmSaysWhatDoesNotFit) {
  EXPECT_THAT(error_of(lstm("0.0", "f32[2,1] = zeros") + "output %y"), HasSubstr("the states do not fit"));
  EXPECT_THAT(error_of(lstm("0.0", "f32[1,1] = zeros", "f32[1,2]") + "output %y"),
              HasSubstr("the weights and biases of gate 0 do not fit"));
}

}  // namespace
}  // namespace byoc::test
