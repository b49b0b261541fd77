// What lifting leaves real because integer operators do not compute it.
#include "tests/unit/prepare/lifting.hpp"

namespace byoc {
namespace {

using test::HasSubstr;
using test::lifted;

TEST(LiftLimits, sixteenBitsStayReal) {
  const std::string before = R"(
    input %x "x" : i16[1,1,2,2]
    const %w "w" : i8[1,1,1,1] = [7]
    const %z : i16[] = [0]
    %fx : f32[1,1,2,2] = DequantizeLinear.13(%x, %half, %z)
    %fw : f32[1,1,1,1] = DequantizeLinear.13(%w, %half, %z0)
    %r : f32[1,1,2,2] = )";
  const std::string after = R"(
    %y : i16[1,1,2,2] = QuantizeLinear.13(%r, %quarter, %z)
    output %y)";
  for (const char* op : {"Conv.13(%fx, %fw) {kernel_shape=[1, 1]}", "Mul.13(%fx, %fx)", "Relu.13(%fx)",
                         "AveragePool.13(%fx) {kernel_shape=[1, 1]}", "Sigmoid.13(%fx)", "MatMul.13(%fx, %fx)"})
    EXPECT_THAT(lifted(before + op + after), HasSubstr("f32[1,1,2,2] = " + std::string(op).substr(0, 4))) << op;
  // What only moves elements is the same on integers of any width.
  EXPECT_THAT(lifted(before + "Transpose.13(%fx) {perm=[0, 1, 3, 2]}" + after),
              HasSubstr("i16[1,1,2,2] q(0.5, 0) = Transpose.13("));
}

TEST(LiftLimits, imagesThatIntegersDoNotTakeStayReal) {
  const auto of = [](const std::string& dims, const std::string& op) {
    return lifted("input %x : i8" + dims + R"(
    const %w : i8[1,1,1,1,1] = [7]
    %fx : f32)" + dims +
                  R"( = DequantizeLinear.13(%x, %half, %z3)
    %fw : f32[1,1,1,1,1] = DequantizeLinear.13(%w, %half, %z0)
    %r : f32)" + dims +
                  " = " + op + R"(
    %y : i8)" + dims +
                  R"( = QuantizeLinear.13(%r, %quarter, %z0)
    output %y)");
  };
  const std::string flat = "[1,1,1,1]", deep = "[1,1,1,1,1]";
  EXPECT_THAT(of(flat, "GlobalAveragePool.13(%fx)"), HasSubstr("q(0.25, 0) = GlobalAveragePool"));
  EXPECT_THAT(of(deep, "GlobalAveragePool.13(%fx)"), HasSubstr("f32[1,1,1,1,1] = GlobalAveragePool"));
  EXPECT_THAT(of(deep, "Conv.13(%fx, %fw) {kernel_shape=[1, 1, 1]}"), HasSubstr("f32[1,1,1,1,1] = Conv"));
  EXPECT_THAT(of(flat, "AveragePool.19(%fx) {kernel_shape=[1, 1], dilations=[1, 2]}"), HasSubstr("f32[1,1,1,1] = Av"));
  EXPECT_THAT(of(flat, "AveragePool.19(%fx) {kernel_shape=[1, 1], ceil_mode=1, count_include_pad=1}"),
              HasSubstr("f32[1,1,1,1] = AveragePool"));
}

TEST(LiftLimits, maximaOfPaddingAloneStayReal) {
  const auto pooled = [](const std::string& attributes) {
    return lifted(R"(
    input %x "x" : i8[1,1,1]
    %f : f32[1,1,1] = DequantizeLinear.13(%x, %half, %z3)
    %r : f32[1,1,1] = MaxPool.12(%f) {kernel_shape=[2], )" +
                  attributes + R"(}
    %y : i8[1,1,1] = QuantizeLinear.13(%r, %quarter, %z0)
    output %y)");
  };
  EXPECT_THAT(pooled("pads=[1, 0]"), HasSubstr("i8[1,1,1] q(0.5, 3) = MaxPool"));
  EXPECT_THAT(pooled("pads=[1, 1], dilations=[2]"), HasSubstr("f32[1,1,1] = MaxPool"));
}

}  // namespace
}  // namespace byoc
