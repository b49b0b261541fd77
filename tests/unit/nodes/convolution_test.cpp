// Convolutions and pools as kernels take them.
#include "byoc/nodes/convolution.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "byoc/nodes/pool.hpp"
#include "tests/unit/nodes/node_bench.hpp"

namespace byoc::nodes {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using List = std::vector<std::int64_t>;

// x i8[1,4,6,6], w i8[6,2,3,3] in two groups, y i8[1,6,6,6].
NodeBench conv_bench() {
  NodeBench b("Conv");
  b.input(DType::i8, {1, 4, 6, 6}).quantisation = per_tensor(0.5F, 0);
  b.input(DType::i8, {6, 2, 3, 3}).quantisation = per_tensor(0.5F, 0);
  b.output(DType::i8, {1, 6, 6, 6}).quantisation = per_tensor(0.1F, -128);
  b.set("group", std::int64_t{2}).list("pads", {1, 1, 1, 1}).text("activation", "relu6");
  return b;
}

std::optional<Convolution> read(const NodeBench& b, codegen::Verdict& why) {
  const auto& v = b.region.values;
  return read_convolution(b.region, b.node, v[0], v[1], v[2], why);
}

TEST(ReadConvolution, hasGroupsWindowAndClamp) {
  codegen::Verdict why;
  const auto c = read(conv_bench(), why);
  ASSERT_TRUE(c) << why.text;
  EXPECT_EQ((List{c->group_in(), c->group_out(), c->taps(), c->depth()}), (List{2, 3, 9, 18}));
  EXPECT_EQ(c->macs(), 6U * 36 * 18);
  EXPECT_EQ(c->clamp, (Clamp{-128, -68}));
  EXPECT_FALSE(c->depthwise());
  EXPECT_FALSE(c->in_place());
}

TEST(ReadConvolution, pointsOfChannelsLastLieInPlace) {
  NodeBench b("Conv");
  b.input(DType::f32, {1, 5, 5, 4});
  b.input(DType::f32, {3, 1, 1, 4});
  b.output(DType::f32, {1, 5, 5, 3});
  b.text("data_layout", "NHWC").text("filter_layout", "OHWI");
  codegen::Verdict why;
  const auto c = read(b, why);
  ASSERT_TRUE(c) << why.text;
  EXPECT_TRUE(c->in_place());
}

TEST(ReadConvolution, refusals) {
  const auto refusal = [](NodeBench b) {
    codegen::Verdict why;
    return read(b, why) ? std::string() : why.text;
  };
  EXPECT_EQ(refusal(conv_bench().text("activation", "tanh")), "found activation tanh");
  EXPECT_EQ(refusal(conv_bench().set("group", std::int64_t{3})), "found group 3 for 4 and 6 channels");
  EXPECT_EQ(refusal(conv_bench().set("group", std::int64_t{1})), "found filter [6,2,3,3], expected 216 elements");
  EXPECT_THAT(refusal(conv_bench().list("strides", {40000, 1})), HasSubstr("expected one or two spatial dims"));
  EXPECT_THAT(refusal(conv_bench().text("filter_layout", "HWIO")), HasSubstr("found input [1,4,6,6] and filter"));
}

TEST(FilterLayout, everyNameHasItsStrides) {
  const auto strides = [](const FilterLayout& f) {
    return List{static_cast<std::int64_t>(f.out_axis), f.out, f.tap, f.in};
  };
  EXPECT_EQ(strides(*read_filter_layout("OIHW", {6, 2, 3, 3})), (List{0, 18, 1, 9}));
  EXPECT_EQ(strides(*read_filter_layout("OHWI", {6, 3, 3, 2})), (List{0, 18, 2, 1}));
  EXPECT_EQ(strides(*read_filter_layout("IHWO", {1, 3, 3, 6})), (List{3, 1, 6, 0}));
  EXPECT_FALSE(read_filter_layout("IHWO", {2, 3, 3, 6}));
  EXPECT_FALSE(read_filter_layout("OIHW", {6, 2}));
}

TEST(FilterRows, areOutputChannelTapInput) {
  NodeBench b("Conv");
  b.input(DType::i8, {1, 2, 1, 2}).quantisation = per_tensor(1, 0);
  b.input(DType::i8, {1, 2, 1, 2}).quantisation = per_tensor(1, 0);
  b.output(DType::i8, {1, 1, 1, 1}).quantisation = per_tensor(1, 0);
  codegen::Verdict why;
  const auto c = read(b, why);
  ASSERT_TRUE(c) << why.text;
  // [in][tap] becomes [tap][in].
  EXPECT_THAT(filter_rows(*c, {1, 2, 3, 4}), ElementsAre(1, 3, 2, 4));
}

TEST(LiftedLayer, keepsTheZeroPointsOfWeights) {
  NodeBench b = conv_bench();
  b.region.values[1].quantisation.zero_points = {3};
  EXPECT_THAT(lifted_layer(b.region, b.node).weights.quantisation.zero_points, ElementsAre(3));
}

TEST(LiftedLayer, roundsTheProductOfScalesWhereTheNodeSaysSo) {
  NodeBench b = conv_bench();
  b.region.values[0].quantisation.scales = {0.1F};
  b.region.values[1].quantisation.scales = {0.3F};
  EXPECT_THAT(lifted_layer(b.region, b.node).weights.quantisation.scales, ElementsAre(0.3F));
  b.node.attributes["scale_product"] = std::string("f32");
  const QuantisedLayer layer = lifted_layer(b.region, b.node);
  EXPECT_THAT(layer.in.quantisation.scales, ElementsAre(1.0F));
  EXPECT_THAT(layer.weights.quantisation.scales, ElementsAre(0.1F * 0.3F));
}

TEST(ReadSpatialConvolution, hasStepsOfTheFilter) {
  NodeBench b("Conv");
  b.input(DType::f32, {1, 4, 3, 6, 6});
  b.input(DType::f32, {6, 4, 1, 2, 3});
  b.output(DType::f32, {1, 6, 3, 5, 4});
  b.list("kernel_shape", {1, 2, 3});
  std::string why;
  const auto c = read_spatial_convolution(b.region, b.node, 1, why);
  ASSERT_TRUE(c) << why;
  EXPECT_EQ((List{c->w_out, c->w_in}), (List{24, 6}));
  EXPECT_EQ(c->w_step, (Dims3{6, 3, 1}));
  EXPECT_EQ(c->macs(), 6U * 60 * 24);
  const SpatialSteps s = spatial_steps(false, 4, c->spatial.in);
  EXPECT_EQ((List{s.batch, s.channel}), (List{432, 108}));
  EXPECT_EQ(s.step, (Dims3{36, 6, 1}));
  b.text("filter_layout", "HWIO");
  EXPECT_FALSE(read_spatial_convolution(b.region, b.node, 1, why));
  EXPECT_EQ(why, "found filter_layout HWIO, expected OIHW, OHWI or IHWO");
  b.set("group", std::int64_t{5});
  EXPECT_FALSE(read_spatial_convolution(b.region, b.node, 1, why));
  EXPECT_EQ(why, "found group 5 for 4 input and 6 output channels, expected a divisor of both");
  b.set("group", std::int64_t{2});
  EXPECT_FALSE(read_spatial_convolution(b.region, b.node, 1, why));
  EXPECT_EQ(why, "found weights [6,4,1,2,3], expected 72 elements");
  b.region.values[0].dims[1] = -1;
  EXPECT_FALSE(read_spatial_convolution(b.region, b.node, 1, why));
  EXPECT_EQ(why, "found channels that only a run knows the number of");
}

NodeBench pool_bench(const char* op) {
  NodeBench b(op);
  b.input(DType::i8, {1, 4, 6, 6}).quantisation = per_tensor(0.5F, 0);
  b.output(DType::i8, {1, 4, 3, 3}).quantisation = per_tensor(0.5F, 0);
  return b;
}

TEST(ReadAveragePool, knowsItsDivisor) {
  codegen::Verdict why;
  NodeBench b = pool_bench("AveragePool").list("kernel_shape", {2, 2}).list("strides", {2, 2});
  EXPECT_EQ(read_average_pool(b.region, b.node, why)->divisor, 0);
  b.set("count_include_pad", std::int64_t{1});
  EXPECT_EQ(read_average_pool(b.region, b.node, why)->divisor, 4);
  b.set("ceil_mode", std::int64_t{1});
  EXPECT_FALSE(read_average_pool(b.region, b.node, why));
  EXPECT_EQ(why.text, "found count_include_pad with ceil_mode, expected one of them");
}

TEST(ReadAveragePool, globalWindowsAreTheImage) {
  codegen::Verdict why;
  const NodeBench b = pool_bench("GlobalAveragePool");
  const auto p = read_average_pool(b.region, b.node, why);
  ASSERT_TRUE(p) << why.text;
  EXPECT_EQ((List{p->window.kernel_h, p->window.kernel_w}), (List{6, 6}));
  NodeBench wide("GlobalAveragePool");
  wide.input(DType::i8, {1, 1, 1, 40000});
  wide.output(DType::i8, {1, 1, 1, 1});
  EXPECT_FALSE(read_average_pool(wide.region, wide.node, why));
  EXPECT_EQ(why.text, "found input [1,1,1,40000], expected dims below 2^15");
}

TEST(ReadAveragePool, refusesPaddingAsLongAsTheWindow) {
  codegen::Verdict why;
  const NodeBench b = pool_bench("AveragePool").list("kernel_shape", {2, 2}).list("pads", {2, 0, 0, 0});
  EXPECT_FALSE(read_average_pool(b.region, b.node, why));
  EXPECT_THAT(why.text, HasSubstr("padding shorter than the kernel"));
  NodeBench flat("AveragePool");
  flat.input(DType::i8, {1, 4});
  flat.output(DType::i8, {1, 4});
  EXPECT_FALSE(read_average_pool(flat.region, flat.node, why));
  EXPECT_EQ(why.text, "found input [1,4], expected one or two spatial dims");
}

}  // namespace
}  // namespace byoc::nodes
