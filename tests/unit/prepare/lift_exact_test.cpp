// Lifting is exact: the graph on quantised tensors gives the integers of the literal form, whatever the element type
// and the rank, and what is left literal on request gives them too.
#include <cstring>
#include <random>

#include "sdk/model/evaluate/evaluate.hpp"
#include "tests/unit/prepare/lifting.hpp"

namespace byoc {
namespace {

using test::graph_of;
using test::HasSubstr;

struct Element {
  std::string name, zero_point;
  bool is_signed;
  int bits;
};
const Element kElements[] = {
    {"i8", "-3", true, 8}, {"u8", "130", false, 8}, {"i16", "0", true, 16}, {"u16", "32768", false, 16}};

// One operator between its DequantizeLinear and QuantizeLinear, prepared with and without lifting.
struct Both {
  ir::Graph literal, lifted;
};

Both both(const std::string& statements) {
  Both out{graph_of(statements), graph_of(statements)};
  Diagnostics diags;
  EXPECT_TRUE(prepare(out.literal, {.lift = false, .dims = {}}, diags)) << test::all_errors(diags) << statements;
  EXPECT_TRUE(prepare(out.lifted, {}, diags)) << test::all_errors(diags) << statements;
  return out;
}

std::vector<std::byte> random_bytes(const ir::TensorType& type, std::mt19937& random) {
  std::vector<std::byte> out(type.bytes());
  for (std::byte& b : out) b = static_cast<std::byte>(random());
  return out;
}

// The bytes of the first output.
std::vector<std::byte> run(const ir::Graph& graph, std::span<const std::vector<std::byte>> inputs) {
  std::vector<evaluate::Tensor> tensors;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    tensors.push_back({graph.values[graph.inputs[i]].type, Blob::own(std::vector(inputs[i]))});
  Diagnostics diags;
  const auto results = evaluate::run(graph, tensors, diags);
  EXPECT_TRUE(results) << test::all_errors(diags);
  if (!results) return {};
  const auto bytes = (*results)[0].bytes.bytes();
  return {bytes.begin(), bytes.end()};
}

void expect_equal(const Both& graphs, const std::string& what) {
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    std::vector<std::vector<std::byte>> inputs;
    for (const ir::ValueId v : graphs.literal.inputs)
      inputs.push_back(random_bytes(graphs.literal.values[v].type, random));
    EXPECT_EQ(run(graphs.lifted, inputs), run(graphs.literal, inputs)) << what << ", round " << round;
  }
}

std::string unary(const Element& e, const std::string& dims, const std::string& out_dims, const std::string& op) {
  return "  const %s : f32[] = [0.01]\n  const %t : f32[] = [0.0173]\n  const %z : " + e.name + "[] = [" +
         e.zero_point + "]\n  input %x : " + e.name + dims + "\n  input %w : " + e.name + dims + "\n  %a : f32" + dims +
         " = DequantizeLinear.13(%x, %s, %z)\n  %b : f32" + dims + " = DequantizeLinear.13(%w, %s, %z)\n  %r : f32" +
         out_dims + " = " + op + " @\"op\" #3\n  %y : " + e.name + out_dims +
         " = QuantizeLinear.13(%r, %t, %z)\n  output %y";
}

TEST(LiftExact, whatIsComputedInFloatsIsEqualOnEveryType) {
  for (const Element& e : kElements)
    for (const char* op :
         {"Add.13(%a, %b)", "Sub.13(%a, %b)", "Mul.13(%a, %b)", "Div.13(%a, %b)", "Relu.13(%a)", "Sigmoid.13(%a)",
          "Tanh.13(%a)", "LeakyRelu.13(%a) {alpha=0.125}", "HardSwish.14(%a)", "Exp.13(%a)", "Neg.13(%a)"}) {
      const Both graphs = both(unary(e, "[2,3,4]", "[2,3,4]", op));
      EXPECT_THAT(ir::print(graphs.lifted), testing::Not(HasSubstr(": f32["))) << e.name << " " << op;
      expect_equal(graphs, e.name + " " + op);
    }
}

TEST(LiftExact, poolsOfEveryRankDilatedAndOverPadding) {
  for (const Element& e : kElements)
    for (const auto& [dims, out, op] :
         {std::tuple{"[1,2,5]", "[1,2,1]", "GlobalAveragePool.13(%a)"},
          {"[1,2,4,3,2]", "[1,2,1,1,1]", "GlobalAveragePool.13(%a)"},
          {"[1,2,4,3,4]", "[1,2,3,2,3]", "AveragePool.13(%a) {kernel_shape=[2, 2, 2]}"},
          {"[1,1,6,6]", "[1,1,4,4]", "AveragePool.19(%a) {kernel_shape=[2, 2], dilations=[2, 2]}"},
          {"[1,1,5,5]", "[1,1,3,3]",
           "AveragePool.19(%a) {kernel_shape=[2, 2], strides=[2, 2], ceil_mode=1, count_include_pad=1, pads=[0, 0, 1, "
           "1]}"}}) {
      const Both graphs = both(unary(e, dims, out, op));
      EXPECT_THAT(ir::print(graphs.lifted), testing::Not(HasSubstr(": f32["))) << e.name << " " << op;
      expect_equal(graphs, e.name + " " + op);
    }
}

// Scales are powers of two and the sums short: the literal form's float32 sums are exact.
std::string product(const Element& e, const std::string& weight, const std::string& dims, const std::string& w_dims,
                    const std::string& out_dims, const std::string& op) {
  std::string elements;
  std::size_t count = 1;
  for (std::size_t at = 1; at < w_dims.size();) {
    count *= std::stoul(w_dims.substr(at));
    at = w_dims.find_first_of(",]", at) + 1;
  }
  for (std::size_t i = 0; i < count; ++i) elements += (i == 0 ? "" : ", ") + std::to_string((i * 37) % 100);
  return "  const %s : f32[] = [0.015625]\n  const %t : f32[] = [0.5]\n  const %z : " + e.name + "[] = [" +
         e.zero_point + "]\n  const %wz : " + weight + "[] = [0]\n  const %w : " + weight + w_dims + " = [" + elements +
         "]\n  input %x : " + e.name + dims + "\n  %a : f32" + dims + " = DequantizeLinear.13(%x, %s, %z)\n  %b : f32" +
         w_dims + " = DequantizeLinear.13(%w, %s, %wz)\n  %r : f32" + out_dims + " = " + op +
         " @\"op\" #3\n  %y : " + e.name + out_dims + " = QuantizeLinear.13(%r, %t, %z)\n  output %y";
}

TEST(LiftExact, productsOfEveryTypeAndRank) {
  for (const Element& e : kElements)
    for (const char* weight : {"i8", "u8", "i16"}) {
      for (const auto& [dims, w, out, op] : {std::tuple{"[1,1,4]", "[2,1,2]", "[1,2,3]", "Conv.13(%a, %b)"},
                                             {"[1,1,4,4]", "[2,1,2,2]", "[1,2,3,3]", "Conv.13(%a, %b)"},
                                             {"[1,1,3,3,3]", "[2,1,1,2,2]", "[1,2,3,2,2]", "Conv.13(%a, %b)"},
                                             {"[3,4]", "[4,2]", "[3,2]", "MatMul.13(%a, %b)"}}) {
        const Both graphs = both(product(e, weight, dims, w, out, op));
        EXPECT_THAT(ir::print(graphs.lifted), testing::Not(HasSubstr(": f32[")))
            << e.name << " " << weight << " " << op;
        expect_equal(graphs, e.name + " by " + weight + " " + op + dims);
      }
    }
}

TEST(LiftExact, wideSumsHaveA64BitAccumulator) {
  // 3 * 32767 * 32767 leaves 32 bits; times 2^-18 it is 12287.25.
  const Both graphs = both(R"(
    const %s : f32[] = [0.000030517578125]
    const %t : f32[] = [0.000244140625]
    const %z : i16[] = [0]
    const %w : i16[3,1] = [32767, 32767, 32767]
    input %x : i16[1,3]
    %a : f32[1,3] = DequantizeLinear.13(%x, %s, %z)
    %b : f32[3,1] = DequantizeLinear.13(%w, %s, %z)
    %r : f32[1,1] = MatMul.13(%a, %b)
    %y : i16[1,1] = QuantizeLinear.13(%r, %t, %z)
    output %y)");
  EXPECT_THAT(ir::print(graphs.lifted), HasSubstr("byoc.FullyConnected"));
  std::vector<std::byte> most(6);
  for (std::size_t i = 0; i < most.size(); ++i) most[i] = std::byte(i % 2 == 0 ? 0xff : 0x7f);
  const std::vector<std::byte> y = run(graphs.lifted, {&most, 1});
  ASSERT_EQ(y.size(), 2u);
  EXPECT_EQ(std::to_integer<int>(y[0]) + 256 * std::to_integer<int>(y[1]), 12287);
}

TEST(LiftExact, anOperatorStaysLiteralOnRequest) {
  const std::string chain = R"(
    input %x "x" : i8[1,4]
    %fx : f32[1,4] = DequantizeLinear.13(%x, %half, %z3) @"dq" #0
    %r : f32[1,4] = Relu.13(%fx) @"relu" #1
    %q : i8[1,4] = QuantizeLinear.13(%r, %half, %z3) @"q" #2
    %fq : f32[1,4] = DequantizeLinear.13(%q, %half, %z3) @"dq2" #3
    %s : f32[1,4] = Sigmoid.13(%fq) @"s" #4
    %y : i8[1,4] = QuantizeLinear.13(%s, %quarter, %z0) @"q2" #5
    output %y)";
  EXPECT_THAT(test::lifted(chain), testing::Not(HasSubstr("f32[1,4]")));
  const std::string relu_stays = test::lifted(chain, {{1, "relu"}});
  EXPECT_THAT(relu_stays, HasSubstr("f32[1,4] = Relu.13("));
  EXPECT_THAT(relu_stays, HasSubstr("i8[1,4] q(0.25, 0) = Sigmoid.13("));
}

TEST(LiftExact, whatIsMovedStaysLiteralOnRequest) {
  const std::string turned = R"(
    input %x "x" : i8[1,4]
    %fx : f32[1,4] = DequantizeLinear.13(%x, %half, %z3) @"dq" #0
    %r : f32[4,1] = Transpose.13(%fx) {perm=[1, 0]} @"turn" #1
    %y : i8[4,1] = QuantizeLinear.13(%r, %half, %z3) @"q" #2
    output %y)";
  EXPECT_THAT(test::lifted(turned), HasSubstr("i8[4,1] q(0.5, 3) = Transpose.13("));
  EXPECT_THAT(test::lifted(turned, {{1, "turn"}}), HasSubstr("f32[4,1] = Transpose.13("));
}

TEST(LiftExact, liftedAgainFromTheLiteralGraph) {
  const Both graphs = both(unary(kElements[0], "[1,4]", "[1,4]", "Add.13(%a, %b)"));
  ASSERT_NE(graphs.lifted.literal, nullptr);
  EXPECT_EQ(graphs.literal.literal, nullptr);
  Diagnostics diags;
  const auto again = lift_again(graphs.lifted, {{3, "op"}}, diags);
  ASSERT_TRUE(again) << test::all_errors(diags);
  EXPECT_THAT(ir::print(*again), HasSubstr("f32[1,4] = Add.13("));
  EXPECT_EQ(again->literal, graphs.lifted.literal);
  expect_equal({graphs.literal, *again}, "lifted again");
}

}  // namespace
}  // namespace byoc
