// What the float and data-movement lowerings do not compile, they refuse in words.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/c/backend.hpp"
#include "tests/unit/backend_c/float_bench.hpp"

namespace byoc::test {
namespace {

using ::testing::HasSubstr;

// One node over values whose data does not matter.
class Case {
 public:
  codegen::ValueId value(Dims dims, DType dtype = DType::f32, bool is_constant = false) {
    codegen::Value v;
    v.dtype = dtype;
    v.dims = std::move(dims);
    v.is_constant = is_constant;
    bytes_.emplace_back(v.bytes());
    region_.values.push_back(std::move(v));
    return static_cast<codegen::ValueId>(region_.values.size() - 1);
  }
  codegen::ValueId constant(Dims dims, DType dtype = DType::f32) { return value(std::move(dims), dtype, true); }
  codegen::ValueId integers(const std::vector<std::int64_t>& list) {
    const auto id = constant({static_cast<std::int64_t>(list.size())}, DType::i64);
    if (!list.empty()) std::memcpy(bytes_[id].data(), list.data(), list.size() * 8);
    return id;
  }
  codegen::Value& at(codegen::ValueId id) { return region_.values[id]; }

  // The verdict on the node: "claimed", or why not.
  std::string verdict(codegen::Node node, Dims out, DType dtype = DType::f32) {
    node.outputs.insert(node.outputs.begin(), value(std::move(out), dtype));
    node.version = 13;
    region_.nodes = {std::move(node)};
    for (std::size_t i = 0; i < region_.values.size(); ++i)
      if (region_.values[i].is_constant) region_.values[i].data = bytes_[i];
    const codegen::Verdict v = c::create_backend()->verdicts(region_, host_machine().target)[0];
    return v.claimed ? "claimed" : v.text;
  }

 private:
  codegen::Region region_;
  std::vector<std::vector<std::byte>> bytes_;
};

// A 3x3 convolution of [1,4,8,8] to 6 channels, with `change` applied to its attributes.
std::string conv_verdict(const Attributes& change, bool constant_weights = true, Dims bias = {6},
                         Dims weights = {6, 4, 3, 3}) {
  Case c;
  const auto x = c.value({1, 4, 8, 8}), w = c.value(std::move(weights), DType::f32, constant_weights);
  const auto b = c.constant(std::move(bias));
  Attributes attributes{{"kernel_shape", Dims{3, 3}}};
  for (const auto& [key, value] : change) attributes[key] = value;
  return c.verdict(make_node("Conv", {x, w, b}, attributes), {1, 6, 6, 6});
}

TEST(FloatRefusals, convolutions) {
  EXPECT_EQ(conv_verdict({}), "claimed");
  EXPECT_EQ(conv_verdict({}, false), "claimed");
  EXPECT_THAT(conv_verdict({}, true, {5}), HasSubstr("found a bias [5], expected [6]"));
  EXPECT_THAT(conv_verdict({}, true, {6}, {6, 4, 3, 2}), HasSubstr("found weights [6,4,3,2], expected 216 elements"));
  EXPECT_THAT(conv_verdict({{"group", std::int64_t{3}}}), HasSubstr("found group 3 for 4 input and 6 output channels"));
  EXPECT_THAT(conv_verdict({{"filter_layout", std::string("HWIO")}}), HasSubstr("found filter_layout HWIO"));
  EXPECT_THAT(conv_verdict({{"data_layout", std::string("NCWH")}}), HasSubstr("found data_layout NCWH"));
  EXPECT_THAT(conv_verdict({{"activation", std::string("tanh")}}), HasSubstr("found activation tanh"));
  EXPECT_THAT(conv_verdict({{"auto_pad", std::string("SAME_UPPER")}}), HasSubstr("found auto_pad SAME_UPPER"));
  EXPECT_THAT(conv_verdict({{"strides", Dims{1}}}), HasSubstr("attribute strides has 1 elements, expected 2"));
  EXPECT_THAT(conv_verdict({{"strides", Dims{1, 0}}}), HasSubstr("attribute strides holds 0, expected at least 1"));
  EXPECT_THAT(conv_verdict({{"kernel_shape", std::int64_t{3}}}), HasSubstr("attribute kernel_shape is missing"));
}

TEST(FloatRefusals, products) {
  Case c;
  const auto a = c.value({2, 3}), b = c.constant({4, 5}), d = c.value({2, 2});
  EXPECT_THAT(c.verdict(make_node("Gemm", {a, b}), {2, 5}),
              HasSubstr("found operands [2,3] and [4,5], whose inner dims differ"));
  EXPECT_THAT(c.verdict(make_node("MatMul", {a, b}), {2, 5}), HasSubstr("whose inner dims differ"));
  EXPECT_THAT(c.verdict(make_node("MatMul", {c.value({2, 1, 3}), c.value({3, 3, 4})}), {2, 1, 4}),
              HasSubstr("whose batch dims do not broadcast"));
  EXPECT_THAT(c.verdict(make_node("Gemm", {a, c.constant({3, 5}), d}), {2, 5}), HasSubstr("found a C of [2,2]"));
  EXPECT_THAT(c.verdict(make_node("Gemm", {a, c.constant({3, 5}, DType::f64)}), {2, 5}),
              HasSubstr("found f64, expected f32"));
  auto node = make_node("FullyConnected", {a, c.constant({5, 4})});
  node.domain = "byoc";
  EXPECT_THAT(c.verdict(node, {2, 5}), HasSubstr("found weights [5,4] for an input [2,3]"));
}

TEST(FloatRefusals, elementWise) {
  Case c;
  const auto x = c.value({2, 3});
  EXPECT_THAT(c.verdict(make_node("Mul", {x, c.value({2})}), {2, 3}), HasSubstr("found an operand [2]"));
  EXPECT_THAT(c.verdict(make_node("Tanh", {c.value({2}, DType::i32)}), {2}),
              HasSubstr("found i32, expected f16, bf16, f32, f64"));
  EXPECT_THAT(c.verdict(make_node("And", {x, x}), {2, 3}), HasSubstr("found f32, expected bool"));
  EXPECT_THAT(c.verdict(make_node("Add", {x, c.value({3}, DType::f16)}), {2, 3}), HasSubstr("found f16, expected f32"));
  EXPECT_THAT(c.verdict(make_node("Mean", {c.value({2}, DType::i32)}), {2}), HasSubstr("found i32, expected f16"));
  EXPECT_THAT(c.verdict(make_node("Pow", {c.value({2}, DType::boolean), x}), {2}), HasSubstr("found bool, expected a"));
  EXPECT_THAT(c.verdict(make_node("BitShift", {c.value({2}, DType::u8), c.value({2}, DType::u8)}), {2}),
              HasSubstr("found direction \"\", expected LEFT or RIGHT"));
  EXPECT_THAT(c.verdict(make_node("Mod", {x, x}), {2, 3}), HasSubstr("found f32, expected i8"));
  EXPECT_THAT(c.verdict(make_node("Where", {x, x, x}), {2, 3}), HasSubstr("found f32, expected a condition of bool"));
  EXPECT_THAT(c.verdict(make_node("Clip", {x, c.value({3})}), {2, 3}),
              HasSubstr("found a bound [3], expected a scalar"));
  EXPECT_THAT(c.verdict(make_node("Clip", {x, c.value({}, DType::f64)}), {2, 3}), HasSubstr("found f64, expected f32"));
  EXPECT_THAT(c.verdict(make_node("Softmax", {x}, {{"axis", std::int64_t{2}}}), {2, 3}), HasSubstr("found axis 2"));
  EXPECT_THAT(c.verdict(make_node("ReduceMean", {x, c.integers({5})}), {2, 1}), HasSubstr("found axis 5"));
  EXPECT_EQ(c.verdict(make_node("ReduceMean", {x, c.value({1}, DType::i64)}), {2, 1}), "claimed");
  const auto p = c.constant({3});
  EXPECT_THAT(c.verdict(make_node("BatchNormalization", {x, p, p, p, c.value({4})}), {2, 3}),
              HasSubstr("found parameters [4], expected [3]"));
  EXPECT_THAT(c.verdict(make_node("BatchNormalization", {x, p, p, p, c.value({3}, DType::f16)}), {2, 3}),
              HasSubstr("found f16, expected f16, bf16, f32 or f64, the same for scale and bias"));
}

TEST(FloatRefusals, movement) {
  Case c;
  const auto x = c.value({2, 3});
  EXPECT_THAT(c.verdict(make_node("Transpose", {x}, {{"perm", Dims{0, 0}}}), {2, 3}),
              HasSubstr("no permutation of the dims of [2,3]"));
  EXPECT_THAT(c.verdict(make_node("Concat", {x, x}, {{"axis", std::int64_t{4}}}), {4, 3}), HasSubstr("found axis 4"));
  EXPECT_THAT(
      c.verdict(make_node("Concat", {x, x}, {{"axis", std::int64_t{0}}, {"activation", std::string("relu")}}), {4, 3}),
      HasSubstr("found activation relu, expected none"));
  EXPECT_THAT(c.verdict(make_node("Pad", {x, c.integers({0, 0, 0, 1})}, {{"mode", std::string("mirror")}}), {2, 4}),
              HasSubstr("found mode mirror"));
  EXPECT_THAT(c.verdict(make_node("Pad", {x, c.constant({4})}), {2, 4}), HasSubstr("found pads or axes that"));
  EXPECT_THAT(c.verdict(make_node("Pad", {x, c.integers({0, 1})}), {2, 4}), HasSubstr("found 2 pads, expected 4"));
  EXPECT_THAT(c.verdict(make_node("Transpose", {c.value({2, 4}, DType::i4)}), {4, 2}, DType::i4),
              HasSubstr("found i4"));
  const auto one = c.integers({1});
  EXPECT_THAT(c.verdict(make_node("Slice", {x, c.constant({1}), one}), {1, 3}),
              HasSubstr("found starts that are neither"));
  EXPECT_THAT(c.verdict(make_node("Slice", {x, one, one, c.integers({0, 1})}), {1, 3}),
              HasSubstr("found axes or steps"));
  EXPECT_THAT(c.verdict(make_node("Slice", {x, one, one, c.integers({7})}), {1, 3}),
              HasSubstr("found axis 7 with step 1"));
  EXPECT_EQ(c.verdict(make_node("Slice", {x, one, one}), {0, 3}), "claimed");  // nothing to move
  auto dropout = make_node("Dropout", {x});
  dropout.outputs = {c.value({2, 3}, DType::boolean)};
  EXPECT_THAT(c.verdict(dropout, {2, 3}), HasSubstr("found a second output"));
}

TEST(FloatRefusals, pools) {
  Case c;
  const Attributes window{{"kernel_shape", Dims{2, 2}}};
  EXPECT_THAT(c.verdict(make_node("MaxPool", {c.value({1, 1, 4, 4}, DType::i16)}, window), {1, 1, 3, 3}, DType::i16),
              HasSubstr("found i16, expected f16, bf16, f32, f64, i8 or u8"));
  EXPECT_THAT(c.verdict(make_node("MaxPool", {c.value({4, 4})}, window), {3, 3}),
              HasSubstr("found an input of rank 2"));
  auto indices = make_node("MaxPool", {c.value({1, 1, 4, 4})}, window);
  indices.outputs = {c.value({1, 1, 3, 3}, DType::i64)};
  EXPECT_EQ(c.verdict(indices, {1, 1, 3, 3}), "claimed");
}

}  // namespace
}  // namespace byoc::test
