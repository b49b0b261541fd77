// Quantisation lifting, one pattern a test: what the literal form becomes.
#include "tests/unit/prepare/lifting.hpp"

namespace byoc {
namespace {

using test::HasSubstr;
using test::lifted;

TEST(Lift, graphOutputsOfEitherKind) {
  // The first output is a QuantizeLinear's, the second a DequantizeLinear's of the same integers.
  EXPECT_EQ(lifted(R"(
    input %x "x" : f32[2]
    %y "y" : i8[2] = QuantizeLinear.13(%x, %half, %z3) @"q" #0
    %f "f" : f32[2] = DequantizeLinear.13(%y, %half, %z3) @"d" #1
    output %y
    output %f)"),
            R"(  input %0 "x" : f32[2]
  %1 "y" : i8[2] q(0.5, 3) = byoc.Quantize.1(%0) @"q" #0
  %2 "f" : f32[2] = byoc.Dequantize.1(%1) @"d" #1
  output %1
  output %2
)");
}

TEST(Lift, dequantiseThenQuantiseAlikeDisappears) {
  EXPECT_EQ(lifted(R"(
    input %x "x" : i8[2]
    %f : f32[2] = DequantizeLinear.13(%x, %half, %z3)
    %y "y" : i8[2] = QuantizeLinear.13(%f, %half, %z3)
    %g : f32[2] = DequantizeLinear.13(%y, %half, %z3)
    %a : f32[2] = Add.13(%g, %g) @"add"
    %w : i8[2] = QuantizeLinear.13(%a, %quarter, %z0)
    output %w)"),
            R"(  input %0 "x" : i8[2] q(0.5, 3)
  %1 "w" : i8[2] q(0.25, 0) = Add.13(%0, %0) @"add"
  output %1
)");
}

TEST(Lift, convWithReluFloatBiasAndPerAxisWeights) {
  // Steps of the accumulator are 0.5 * 0.25 and 0.5 * 0.5; the second bias is half a hundredth of a step off.
  EXPECT_EQ(lifted(R"(
    input %x "x" : i8[1,1,2,2]
    const %w "w" : i8[2,1,1,1] = [7, -7]
    const %ws : f32[2] = [0.25, 0.5]
    const %wz : i8[2] = [0, 1]
    const %b "b" : f32[2] = [1.0, -2.00125]
    %fx : f32[1,1,2,2] = DequantizeLinear.13(%x, %half, %z3)
    %fw : f32[2,1,1,1] = DequantizeLinear.13(%w, %ws, %wz) {axis=0}
    %c : f32[1,2,2,2] = Conv.13(%fx, %fw, %b) {kernel_shape=[1, 1]} @"conv" #4
    %r : f32[1,2,2,2] = Relu.13(%c)
    %y "y" : i8[1,2,2,2] = QuantizeLinear.13(%r, %quarter, %z0)
    output %y)"),
            R"(  input %0 "x" : i8[1,1,2,2] q(0.5, 3)
  const %2 "w" : i8[2,1,1,1] q(axis=0, [0.25, 0.5], [0, 1]) = [7, -7]
  const %3 "b" : i32[2] = [8, -8]
  %1 "y" : i8[1,2,2,2] q(0.25, 0) = Conv.13(%0, %2, %3) {activation="relu", kernel_shape=[1, 1]} @"conv" #4
  output %1
)");
}

constexpr char kConv[] = R"(
    input %x "x" : i8[1,1,2,2]
    const %w "w" : i8[1,1,1,1] = [7]
    %fx : f32[1,1,2,2] = DequantizeLinear.13(%x, %half, %z3)
    %fw : f32[1,1,1,1] = DequantizeLinear.13(%w, %half, %z0)
)";

TEST(Lift, convKeepsIntegerBias) {
  const std::string text = lifted(std::string(kConv) + R"(
    const %b "b" : i32[1] = [-9]
    %fb : f32[1] = DequantizeLinear.13(%b, %quarter)
    %c : f32[1,1,2,2] = Conv.13(%fx, %fw, %fb)
    %y "y" : i8[1,1,2,2] = QuantizeLinear.13(%c, %quarter, %z0)
    output %y)");
  EXPECT_THAT(text, HasSubstr("\"b\" : i32[1] = [-9]"));
  EXPECT_THAT(text, HasSubstr("i8[1,1,2,2] q(0.25, 0) = Conv.13("));
}

TEST(Lift, convStaysRealWhereIntegersAreAnotherFunction) {
  // A bias between two steps that are four output steps apart.
  const std::string bias = R"(
    const %b : f32[1] = [0.125]
    const %fine : f32[] = [0.0625]
    %c : f32[1,1,2,2] = Conv.13(%fx, %fw, %b)
    %y : i8[1,1,2,2] = QuantizeLinear.13(%c, %fine, %z0)
    output %y)";
  EXPECT_THAT(lifted(kConv + bias), HasSubstr("f32[1,1,2,2] = Conv.13("));
  // A bias that needs more than 32 bits.
  const std::string large = R"(
    const %b : f32[1] = [1e30]
    %c : f32[1,1,2,2] = Conv.13(%fx, %fw, %b)
    %y : i8[1,1,2,2] = QuantizeLinear.13(%c, %quarter, %z0)
    output %y)";
  EXPECT_THAT(lifted(kConv + large), HasSubstr("f32[1,1,2,2] = Conv.13("));
  // The real result has another reader.
  const std::string read = R"(
    %c : f32[1,1,2,2] = Conv.13(%fx, %fw)
    %y : i8[1,1,2,2] = QuantizeLinear.13(%c, %quarter, %z0)
    output %y
    output %c)";
  EXPECT_THAT(lifted(kConv + read), HasSubstr("f32[1,1,2,2] = Conv.13("));
}

TEST(Lift, clampsThatAreNoActivationFollowOnIntegers) {
  const std::string text = lifted(std::string(kConv) + R"(
    const %low : f32[] = [-2.0]
    const %high : f32[] = [5.0]
    %c "c" : f32[1,1,2,2] = Conv.13(%fx, %fw)
    %d : f32[1,1,2,2] = Clip.13(%c, %low, %high)
    %y "y" : i8[1,1,2,2] = QuantizeLinear.13(%d, %quarter, %z0)
    output %y)");
  EXPECT_THAT(text, HasSubstr("%5 \"c\" : i8[1,1,2,2] q(0.25, 0) = Conv.13(%0, %4)\n"));
  EXPECT_THAT(text, HasSubstr("%3 \"y\" : i8[1,1,2,2] q(0.25, 0) = Clip.13(%5, %1, %2)\n"));
}

TEST(Lift, clipBoundsThatAreAnActivation) {
  for (const auto& [bounds, name] :
       {std::pair{"%zero, %six", "relu6"}, {"%zero", "relu"}, {"%minus, %one", "relu_n1_to_1"}})
    EXPECT_THAT(lifted(std::string(kConv) + R"(
    const %zero : f32[] = [0.0]
    const %six : f32[] = [6.0]
    const %minus : f32[] = [-1.0]
    const %one : f32[] = [1.0]
    %c : f32[1,1,2,2] = Conv.13(%fx, %fw)
    %d : f32[1,1,2,2] = Clip.13(%c, )" +
                       std::string(bounds) + R"()
    %y : i8[1,1,2,2] = QuantizeLinear.13(%d, %quarter, %z0)
    output %y)"),
                HasSubstr("{activation=\"" + std::string(name) + "\"}"));
}

TEST(Lift, gemmAndMatMulBecomeFullyConnected) {
  const std::string operands = R"(
    input %x "x" : i8[1,2]
    %fx : f32[1,2] = DequantizeLinear.13(%x, %half, %z3)
    const %s3 : f32[3] = [1.0, 2.0, 4.0]
    const %z : i8[3] = [0, 0, 0]
)";
  const std::string expected = "i8[1,3] q(0.25, 0) = byoc.FullyConnected.1(%0, ";
  const std::string weights = "i8[3,2] q(axis=0, [1.0, 2.0, 4.0], [0, 0, 0]) = [1, 4, 2, 5, 3, 6]";
  const std::string quantise = R"(
    %y : i8[1,3] = QuantizeLinear.13(%r, %quarter, %z0)
    output %y)";
  const std::string k_by_n = R"(
    const %w "w" : i8[2,3] = [1, 2, 3, 4, 5, 6]
    %fw : f32[2,3] = DequantizeLinear.13(%w, %s3, %z)
    const %b : f32[1,3] = [1.0, 2.0, -4.0]
)";
  const std::string n_by_k = R"(
    const %w "w" : i8[3,2] = [1, 4, 2, 5, 3, 6]
    %fw : f32[3,2] = DequantizeLinear.13(%w, %s3, %z) {axis=0}
)";
  for (const std::string& form : std::vector<std::string>{
           k_by_n + "%r : f32[1,3] = MatMul.13(%fx, %fw)",
           n_by_k + "%r : f32[1,3] = Gemm.13(%fx, %fw) {transB=1}",
           n_by_k + "%t : f32[2,3] = Transpose.13(%fw) {perm=[1, 0]}\n%r : f32[1,3] = MatMul.13(%fx, %t)",
       }) {
    const std::string text = lifted(operands + form + quantise);
    EXPECT_THAT(text, HasSubstr(expected));
    EXPECT_THAT(text, HasSubstr(weights));
  }
  for (const std::string& form : std::vector<std::string>{
           "%m : f32[1,3] = MatMul.13(%fx, %fw)\n%r : f32[1,3] = Add.13(%m, %b)",
           "%m : f32[1,3] = MatMul.13(%fx, %fw)\n%r : f32[1,3] = Add.13(%b, %m)",
           "%r : f32[1,3] = Gemm.13(%fx, %fw, %b)",
       }) {
    const std::string text = lifted(operands + k_by_n + form + quantise);
    EXPECT_THAT(text, HasSubstr(expected));
    EXPECT_THAT(text, HasSubstr("i32[3] = [2, 2, -2]"));
  }
  for (const char* attributes : {"transA=1", "alpha=0.5", "beta=0.5"})
    EXPECT_THAT(lifted(operands + k_by_n + "%r : f32[1,3] = Gemm.13(%fx, %fw, %b) {" + attributes + "}" + quantise),
                HasSubstr("f32[1,3] = Gemm.13("));
}

TEST(Lift, matMulKeepsLeadingDims) {
  EXPECT_THAT(lifted(R"(
    input %x "x" : i8[2,2,1]
    const %w : i8[1,3] = [1, 2, 3]
    %fx : f32[2,2,1] = DequantizeLinear.13(%x, %half, %z3)
    %fw : f32[1,3] = DequantizeLinear.13(%w, %half, %z0)
    %m : f32[2,2,3] = MatMul.13(%fx, %fw)
    %y : i8[2,2,3] = QuantizeLinear.13(%m, %half, %z0)
    output %y)"),
              HasSubstr("i8[2,2,3] q(0.5, 0) = byoc.FullyConnected.1(%0, %2) {keep_num_dims=1}"));
}

TEST(Lift, arithmetic) {
  for (const char* op : {"Add", "Sub", "Mul", "Div"}) {
    const std::string text = lifted(R"(
    input %x "x" : i8[2]
    const %c "c" : i8[2] = [4, 5]
    %fx : f32[2] = DequantizeLinear.13(%x, %half, %z3)
    %fc : f32[2] = DequantizeLinear.13(%c, %quarter, %z0)
    %r : f32[2] = )" + std::string(op) +
                                    R"(.13(%fx, %fc)
    %y : i8[2] = QuantizeLinear.13(%r, %half, %z0)
    output %y)");
    EXPECT_THAT(text, HasSubstr("i8[2] q(0.5, 0) = " + std::string(op) + ".13(%0, %2)"));
    EXPECT_THAT(text, HasSubstr("const %2 \"c\" : i8[2] q(0.25, 0) = [4, 5]"));
  }
}

TEST(Lift, arithmeticOfAFloatConstantStaysReal) {
  EXPECT_THAT(lifted(R"(
    input %x "x" : i8[2]
    const %c : f32[2] = [4.0, 5.0]
    %fx : f32[2] = DequantizeLinear.13(%x, %half, %z3)
    %r : f32[2] = Mul.13(%fx, %c)
    %y : i8[2] = QuantizeLinear.13(%r, %half, %z0)
    output %y)"),
              HasSubstr("f32[2] = Mul.13("));
}

TEST(Lift, meansAndClamps) {
  const std::string before = R"(
    input %x "x" : i8[1,1,2,2]
    const %axes : i64[2] = [2, 3]
    const %one : f32[] = [1.0]
    %fx : f32[1,1,2,2] = DequantizeLinear.13(%x, %half, %z3)
    %r : f32[1,1,1,1] = )";
  const std::string after = R"(
    %y : i8[1,1,1,1] = QuantizeLinear.13(%r, %quarter, %z0)
    output %y)";
  EXPECT_THAT(lifted(before + "GlobalAveragePool.13(%fx)" + after), HasSubstr("q(0.25, 0) = GlobalAveragePool.13(%0)"));
  EXPECT_THAT(lifted(before + "AveragePool.13(%fx) {kernel_shape=[2, 2]}" + after),
              HasSubstr("q(0.25, 0) = AveragePool"));
  EXPECT_THAT(lifted(before + "ReduceMean.18(%fx, %axes)" + after), HasSubstr("q(0.25, 0) = ReduceMean.18(%0, %1)"));
  EXPECT_THAT(lifted(before + "Relu.13(%fx)" + after), HasSubstr("q(0.25, 0) = Relu.13(%0)"));
  EXPECT_THAT(lifted(before + "Clip.13(%fx, _, %one)" + after), HasSubstr("q(0.25, 0) = Clip.13(%0, _, %1)"));
  // An operator without the attribute keeps its clamp behind it.
  const std::string relu = lifted(before + "GlobalAveragePool.13(%fx)\n%p : f32[1,1,1,1] = Relu.13(%r)" + R"(
    %y : i8[1,1,1,1] = QuantizeLinear.13(%p, %quarter, %z0)
    output %y)");
  EXPECT_THAT(relu, HasSubstr("%2 \"r\" : i8[1,1,1,1] q(0.25, 0) = GlobalAveragePool.13(%0)"));
  EXPECT_THAT(relu, HasSubstr("%1 \"y\" : i8[1,1,1,1] q(0.25, 0) = Relu.13(%2)"));
}

TEST(Lift, movementOfIntegers) {
  const std::string before = R"(
    input %x "x" : i8[1,1,2,2]
    const %shape : i64[1] = [4]
    const %pads : i64[8] = [0, 0, 0, 0, 0, 0, 0, 0]
    const %zero : f32[] = [0.0]
    const %one : f32[] = [1.0]
    %fx : f32[1,1,2,2] = DequantizeLinear.13(%x, %half, %z3)
)";
  const std::string after = R"(
    %y "y" : i8[1,1,2,2] = QuantizeLinear.13(%r, %half, %z3)
    output %y)";
  const std::string moved = "\"y\" : i8[1,1,2,2] q(0.5, 3) = ";
  for (const char* op : {"Transpose.13(%fx) {perm=[0, 1, 3, 2]}", "Identity.13(%fx)",
                         "MaxPool.13(%fx) {kernel_shape=[1, 1]}", "Concat.13(%fx) {axis=0}", "Pad.13(%fx, %pads)",
                         "Pad.13(%fx, %pads, %zero)", "Pad.13(%fx, %pads) {mode=\"edge\"}", "Concat.13(%fx, %fx)"}) {
    const std::string text = lifted(before + "%r \"y\" : f32[1,1,2,2] = " + op + after);
    EXPECT_THAT(text, HasSubstr(moved + std::string(op).substr(0, std::string(op).find('(')) + "(%0"));
    EXPECT_THAT(text, testing::Not(HasSubstr("byoc.")));
    EXPECT_THAT(text, testing::Not(HasSubstr("zero")));
  }
  // A pad that is no zero point.
  EXPECT_THAT(lifted(before + "%r : f32[1,1,2,2] = Pad.13(%fx, %pads, %one)" + after), HasSubstr("f32[1,1,2,2] = Pad"));
  // Chains, and quantisation that has to change behind them.
  EXPECT_EQ(lifted(R"(
    input %x "x" : i8[1,4]
    const %shape : i64[1] = [4]
    %fx : f32[1,4] = DequantizeLinear.13(%x, %half, %z3)
    %a : f32[4,1] = Transpose.13(%fx)
    %b "b" : f32[4] = Reshape.13(%a, %shape)
    %y "y" : i8[4] = QuantizeLinear.13(%b, %quarter, %z3)
    output %y)"),
            R"(  input %0 "x" : i8[1,4] q(0.5, 3)
  const %1 "shape" : i64[1] = [4]
  %4 "a" : i8[4,1] q(0.5, 3) = Transpose.13(%0)
  %5 "b" : i8[4] q(0.5, 3) = Reshape.13(%4, %1)
  %2 "b" : f32[4] = byoc.Dequantize.1(%5)
  %3 "y" : i8[4] q(0.25, 3) = byoc.Quantize.1(%2)
  output %3
)");
}

TEST(Lift, maximaWithIndicesStayWhereTheyAre) {
  const std::string real = lifted(R"(
    input %x "x" : i8[1,1,4]
    %f : f32[1,1,4] = DequantizeLinear.13(%x, %half, %z3)
    %y "y" : f32[1,1,3], %i "i" : i64[1,1,3] = MaxPool.12(%f) {kernel_shape=[2]}
    output %y
    output %i)");
  EXPECT_THAT(real, HasSubstr("\"y\" : f32[1,1,3]"));
  EXPECT_THAT(real, HasSubstr("\"i\" : i64[1,1,3]"));
}

TEST(Lift, quantiseMovesBeforeMovement) {
  // Conv, pool and reshape are before the only QuantizeLinear.
  const std::string text = lifted(std::string(kConv) + R"(
    const %shape : i64[2] = [1, 1]
    %c : f32[1,1,2,2] = Conv.13(%fx, %fw)
    %r : f32[1,1,2,2] = Relu.13(%c)
    %m : f32[1,1,1,1] = MaxPool.13(%r) {kernel_shape=[2, 2]}
    %s : f32[1,1] = Reshape.13(%m, %shape)
    %y "y" : i8[1,1] = QuantizeLinear.13(%s, %quarter, %z0)
    output %y)");
  EXPECT_THAT(text, HasSubstr("i8[1,1,2,2] q(0.25, 0) = Conv.13("));
  EXPECT_THAT(text, HasSubstr("i8[1,1,1,1] q(0.25, 0) = MaxPool.13("));
  EXPECT_THAT(text, HasSubstr("\"y\" : i8[1,1] q(0.25, 0) = Reshape.13("));
  EXPECT_THAT(text, testing::Not(HasSubstr("byoc.")));
}

TEST(Lift, concatOfDifferentQuantisation) {
  const std::string text = lifted(R"(
    input %a "a" : i8[1]
    input %b "b" : i8[1]
    %fa : f32[1] = DequantizeLinear.13(%a, %half, %z3)
    %fb : f32[1] = DequantizeLinear.13(%b, %quarter, %z0)
    %c : f32[2] = Concat.13(%fa, %fb) {axis=0}
    %y : i8[2] = QuantizeLinear.13(%c, %half, %z3)
    output %y)");
  EXPECT_EQ(text, R"(  input %0 "a" : i8[1] q(0.5, 3)
  input %1 "b" : i8[1] q(0.25, 0)
  %2 "fb" : f32[1] = byoc.Dequantize.1(%1)
  %4 "fb" : i8[1] q(0.5, 3) = byoc.Quantize.1(%2)
  %3 "y" : i8[2] q(0.5, 3) = Concat.13(%0, %4) {axis=0}
  output %3
)");
}

TEST(Lift, sharedValues) {
  // One QuantizeLinear read by two DequantizeLinears, and one DequantizeLinear read by two operators.
  const std::string text = lifted(R"(
    input %x "x" : f32[2]
    %q : i8[2] = QuantizeLinear.13(%x, %half, %z3)
    %a : f32[2] = DequantizeLinear.13(%q, %half, %z3)
    %b : f32[2] = DequantizeLinear.13(%q, %half, %z3)
    %s : f32[2] = Add.13(%a, %b)
    %p : f32[2] = Mul.13(%a, %a)
    %y : i8[2] = QuantizeLinear.13(%s, %half, %z3)
    %z : i8[2] = QuantizeLinear.13(%p, %half, %z3)
    %again : i8[2] = QuantizeLinear.13(%p, %half, %z3)
    %f : f32[2] = DequantizeLinear.13(%again, %half, %z3)
    output %y
    output %z
    output %f)");
  EXPECT_EQ(text, R"(  input %0 "x" : f32[2]
  %1 "q" : i8[2] q(0.5, 3) = byoc.Quantize.1(%0)
  %2 "y" : i8[2] q(0.5, 3) = Add.13(%1, %1)
  %3 "z" : i8[2] q(0.5, 3) = Mul.13(%1, %1)
  %4 "f" : f32[2] = byoc.Dequantize.1(%3)
  output %2
  output %3
  output %4
)");
}

TEST(Lift, softmaxStaysReal) {
  const std::string text = lifted(R"(
    input %x "x" : i8[1,2]
    %f : f32[1,2] = DequantizeLinear.13(%x, %half, %z3)
    %s : f32[1,2] = Softmax.13(%f) {axis=-1}
    %y : i8[1,2] = QuantizeLinear.13(%s, %half, %z0)
    output %y)");
  EXPECT_THAT(text, HasSubstr("= byoc.Dequantize.1(%0)"));
  EXPECT_THAT(text, HasSubstr("= Softmax.13(%1)"));
  EXPECT_THAT(text, HasSubstr("q(0.5, 0) = byoc.Quantize.1(%2)"));
}

TEST(Lift, whatItDoesNotKnowStaysLiteral) {
  // Scales that are computed.
  EXPECT_THAT(lifted(R"(
    input %x "x" : f32[2]
    input %s "s" : f32[]
    %y : i8[2] = QuantizeLinear.13(%x, %s, %z0)
    output %y)"),
              HasSubstr("= QuantizeLinear.13("));
  // Per-axis activations.
  EXPECT_THAT(lifted(R"(
    input %x "x" : i8[1,2]
    const %s : f32[2] = [1.0, 2.0]
    %y : f32[1,2] = DequantizeLinear.13(%x, %s)
    output %y)"),
              HasSubstr("= DequantizeLinear.13("));
  // Integers read with two different scales.
  const std::string two = lifted(R"(
    input %x "x" : i8[2]
    %a : f32[2] = DequantizeLinear.13(%x, %half, %z3)
    %b : f32[2] = DequantizeLinear.13(%x, %quarter, %z3)
    output %a
    output %b)");
  EXPECT_THAT(two, HasSubstr("byoc.Dequantize.1("));
  EXPECT_THAT(two, HasSubstr("= DequantizeLinear.13("));
  // Integers that an operator reads as integers.
  const std::string plain = lifted(R"(
    input %x "x" : i8[2]
    %a : f32[2] = DequantizeLinear.13(%x, %half, %z3)
    %b : i8[2] = Add.14(%x, %x)
    output %a
    output %b)");
  EXPECT_THAT(plain, HasSubstr("input %2 \"x\" : i8[2]\n"));
  EXPECT_THAT(plain, HasSubstr("= DequantizeLinear.13("));
}

TEST(Lift, aConstantMayHaveSeveralQuantisations) {
  const std::string text = lifted(R"(
    const %c : i8[2] = [1, 2]
    %a : f32[2] = DequantizeLinear.13(%c, %half, %z3)
    %b : f32[2] = DequantizeLinear.13(%c, %quarter, %z0)
    output %a
    output %b)");
  EXPECT_THAT(text, HasSubstr("i8[2] q(0.5, 3) = [1, 2]"));
  EXPECT_THAT(text, HasSubstr("i8[2] q(0.25, 0) = [1, 2]"));
}

TEST(Lift, qlinearConv) {
  EXPECT_EQ(lifted(R"(
    input %x "x" : u8[1,1,2,2]
    const %w "w" : i8[2,1,1,1] = [7, -7]
    const %ws : f32[2] = [0.25, 0.5]
    const %wz : i8[2] = [0, 0]
    const %b "b" : i32[2] = [5, 6]
    const %zx : u8[] = [128]
    %r : u8[1,1,4] = Reshape.13(%x, %shape)
    const %shape : i64[3] = [1, 1, 4]
    %y "y" : u8[1,2,4] = QLinearConv.13(%r, %half, %zx, %w3, %ws, %wz, %quarter, %zx, %b) {group=1} @"c" #2
    const %w3 "w3" : i8[2,1,1] = [7, -7]
    output %y)"),
            R"(  input %0 "x" : u8[1,1,2,2] q(0.5, 128)
  const %1 "b" : i32[2] = [5, 6]
  const %3 "shape" : i64[3] = [1, 1, 4]
  const %5 "w3" : i8[2,1,1] q(axis=0, [0.25, 0.5], [0, 0]) = [7, -7]
  %2 "r" : u8[1,1,4] q(0.5, 128) = Reshape.13(%0, %3)
  %4 "y" : u8[1,2,4] q(0.25, 128) = Conv.13(%2, %5, %1) {group=1} @"c" #2
  output %4
)");
}

TEST(Lift, qlinearMatMul) {
  const std::string text = lifted(R"(
    input %x "x" : i8[2,2]
    const %w "w" : i8[2,3] = [1, 2, 3, 4, 5, 6]
    const %ws : f32[3] = [1.0, 2.0, 4.0]
    const %wz : i8[3] = [0, 0, 0]
    %y : i8[2,3] = QLinearMatMul.13(%x, %half, %z3, %w, %ws, %wz, %quarter, %z0)
    output %y)");
  EXPECT_THAT(text, HasSubstr("i8[2,3] q(0.25, 0) = byoc.FullyConnected.1(%0, %2)"));
  EXPECT_THAT(text, HasSubstr("i8[3,2] q(axis=0, [1.0, 2.0, 4.0], [0, 0, 0]) = [1, 4, 2, 5, 3, 6]"));
  // Of two computed matrices.
  EXPECT_THAT(lifted(R"(
    input %x "x" : i8[2,2]
    %y : i8[2,2] = QLinearMatMul.13(%x, %half, %z3, %x, %half, %z3, %quarter, %z0)
    output %y)"),
              HasSubstr("= QLinearMatMul.13("));
  // Of no depth: sums of nothing, of which byoc.FullyConnected has none.
  EXPECT_THAT(lifted(R"(
    input %x "x" : i8[2,0]
    const %w "w" : i8[0,3] = []
    %y : i8[2,3] = QLinearMatMul.13(%x, %half, %z3, %w, %half, %z0, %quarter, %z0)
    output %y)"),
              HasSubstr("= QLinearMatMul.13("));
}

}  // namespace
}  // namespace byoc
