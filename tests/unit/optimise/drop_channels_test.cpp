// Which channels go, and which have to stay.
#include "sdk/codegen/optimise/ranges.hpp"
#include "tests/unit/optimise/quantised_layers.hpp"

namespace byoc::test {
namespace {

using Integers = QuantisedLayers::Integers;

constexpr std::int64_t kIn = 3;

// Two convolutions of one tap behind each other: of the first, 8 channels wide, channels 1, 2, 5 and 6 are constant:
// zero weights (1: bias 0, 2: bias 200), a bias that saturates upwards (5) and downwards (6).
struct TwoLayers : QuantisedLayers {
  static constexpr std::int64_t kWide = 8, kOut = 4;
  Integers first_weights, first_bias, second_weights;
  std::int64_t x_zero = -3, mid_zero = 5;
  ir::ValueId x = 0, mid = 0, y = 0;

  explicit TwoLayers(Requant requant = Requant::tflite) : QuantisedLayers(7, requant) {
    first_weights = random_integers(kWide * kIn, -90, 90);
    first_bias = random_integers(kWide, -500, 500);
    for (std::int64_t i = 0; i < kIn; ++i)
      for (const std::int64_t c : {1, 2}) first_weights[static_cast<std::size_t>(c * kIn + i)] = 0;
    first_bias[1] = 0;
    first_bias[2] = 200;
    first_bias[5] = 1 << 29;
    first_bias[6] = -(1 << 29);
    second_weights = random_integers(kOut * kWide, -127, 127);
  }
  void first() {
    x = input(type(DType::i8, {1, 5, 6, kIn}, 0.25F, x_zero));
    mid = conv(x, first_weights, first_bias, 4.0F, mid_zero);
  }
  void second(Window w = {}) {
    Integers weights;
    for (std::int64_t o = 0; o < kOut; ++o)
      for (std::int64_t t = 0; t < w.kernel * w.kernel; ++t)
        weights.insert(weights.end(), second_weights.begin() + o * kWide, second_weights.begin() + (o + 1) * kWide);
    y = conv(mid, weights, random_integers(kOut, -300, 300), 30.0F, -1, w);
    output(y);
  }
};

TEST(DropChannels, constantOnesGo) {
  for (const Requant requant : {Requant::tflite, Requant::onnx}) {
    TwoLayers g(requant);
    g.first();
    g.second();
    Willing all;
    const Rewritten r(g.graph, {&all});
    EXPECT_EQ(r.length(g.mid, 3), 4);
    EXPECT_EQ(r.length(g.y, 3), TwoLayers::kOut);
    const ChannelMap& map = r.moved().channels.at(g.mid);
    EXPECT_EQ(map.stored, (Integers{0, -1, -1, 1, 2, -1, -1, 3}));
    EXPECT_EQ(map.constant[1], g.mid_zero);
    EXPECT_EQ(map.constant[2], g.mid_zero + 6);  // 200 * 0.25 * 0.5 / 4 = 6.25
    EXPECT_EQ(map.constant[5], 127);
    EXPECT_EQ(map.constant[6], -128);
    ASSERT_NE(r.find("channels"), nullptr);
    EXPECT_EQ(r.count("channels"), 4u);
    EXPECT_EQ(r.find("channels")->macs, 5u * 6 * 4 * (kIn + TwoLayers::kOut));
    EXPECT_EQ(r.find("channels")->constant_bytes, 4u * (kIn + 4 + TwoLayers::kOut));
    EXPECT_EQ(r.find("channels")->tensor_bytes, 5u * 6 * 4);
    EXPECT_EQ(difference(g, r.now), "");
  }
}

TEST(DropChannels, withoutABiasOneIsMade) {
  TwoLayers g;
  g.first();
  g.y = g.conv(g.mid, g.second_weights, {}, 30.0F, -1);
  g.output(g.y);
  Willing all;
  const Rewritten r(g.graph, {&all});
  EXPECT_EQ(r.length(g.mid, 3), 4);
  EXPECT_EQ(r.now.graph->nodes[1].inputs.size(), 3u);
  EXPECT_EQ(difference(g, r.now), "");
}

// Three of eight channels are constant. The last block of four stays full where the next layer is so large that reading
// a part of it costs more than computing it saves.
TEST(DropChannels, blocksOfFourStayWhereItPays) {
  for (const std::int64_t out : {4, 40}) {
    TwoLayers g;
    g.first_bias[6] = 3;
    g.first();
    g.y = g.conv(g.mid, g.random_integers(static_cast<std::size_t>(out * 8), -127, 127), {}, 30.0F, -1);
    g.output(g.y);
    Willing all;
    const Rewritten r(g.graph, {&all});
    EXPECT_EQ(r.length(g.mid, 3), out == 4 ? 5 : 8);
    EXPECT_EQ(r.count("channels"), out == 4 ? 3u : 0u);
    EXPECT_EQ(r.now.summary.empty(), out == 40);
    EXPECT_EQ(difference(g, r.now), "");
  }
}

TEST(DropChannels, someChannelStaysWhereAllAreConstant) {
  TwoLayers g;
  std::fill(g.first_weights.begin(), g.first_weights.end(), 0);
  g.first();
  g.second();
  Willing all;
  const Rewritten r(g.graph, {&all});
  EXPECT_EQ(r.length(g.mid, 3), 1);
  EXPECT_EQ(difference(g, r.now), "");
}

// At the border of the image a padded tap adds nothing, inside it adds what a constant other than the zero point gives.
TEST(DropChannels, paddingKeepsConstantsOtherThanTheZeroPoint) {
  TwoLayers g;
  g.first();
  g.second({.kernel = 3, .stride = 1, .pad = 1});
  Willing all;
  // Channel 1 alone could go, being the zero point; it fills the block.
  EXPECT_EQ(Rewritten(g.graph, {&all}).length(g.mid, 3), 8);

  TwoLayers zero;
  zero.mid_zero = -128;  // 1 and 6 are the zero point then
  zero.first_bias[5] = -(1 << 29);
  zero.first_bias[2] = -200;
  zero.first();
  zero.second({.kernel = 3, .stride = 1, .pad = 1});
  const Rewritten r(zero.graph, {&all});
  EXPECT_EQ(r.length(zero.mid, 3), 4);
  EXPECT_EQ(difference(zero, r.now), "");
}

// A tap of weight 0 is all that reads padding.
TEST(DropChannels, paddingUnderAWeightOfZeroIsNoMatter) {
  TwoLayers g;
  g.first();
  Integers weights(9 * TwoLayers::kWide * 4, 0);
  for (std::size_t o = 0; o < 4; ++o)
    for (std::size_t i = 0; i < 8; ++i) weights[(o * 9 + 4) * 8 + i] = g.second_weights[o * 8 + i];
  g.y = g.conv(g.mid, weights, {}, 30.0F, 0, {.kernel = 3, .stride = 1, .pad = 1});
  g.output(g.y);
  Willing all;
  const Rewritten r(g.graph, {&all});
  EXPECT_EQ(r.length(g.mid, 3), 4);
  EXPECT_EQ(difference(g, r.now), "");
}

TEST(DropChannels, outputsKeepTheirShape) {
  TwoLayers g;
  g.first();
  g.second();
  g.output(g.mid);
  Willing all;
  const Rewritten r(g.graph, {&all});
  EXPECT_EQ(r.length(g.mid, 3), 8);
  EXPECT_EQ(r.now.graph->values.size(), g.graph.values.size());
}

TEST(DropChannels, bordersOfRegionsKeepTheirShape) {
  TwoLayers g;
  g.first();
  g.second();
  Willing first, second;
  first.name = "first";
  second.claims = [](const auto&, const codegen::Node& n) { return n.name == "n1"; };
  first.claims = [](const auto&, const codegen::Node& n) { return n.name == "n0"; };
  EXPECT_EQ(Rewritten(g.graph, {&first, &second}).length(g.mid, 3), 8);
}

TEST(DropChannels, codegensThatDoNotAcceptRewritesGetNone) {
  TwoLayers g;
  g.first();
  g.second();
  Willing all;
  all.accepts = false;
  const Rewritten r(g.graph, {&all});
  EXPECT_EQ(r.length(g.mid, 3), 8);
  EXPECT_EQ(all.asked, 1u);
}

TEST(DropChannels, whatTheCodegenRefusesIsNotDone) {
  TwoLayers g;
  g.first();
  g.second();
  Willing all;
  all.claims = [](const codegen::Region& r, const codegen::Node& n) {
    return n.name != "n1" || r.values[n.inputs[0]].dims[3] == TwoLayers::kWide;
  };
  const Rewritten r(g.graph, {&all});
  EXPECT_EQ(r.length(g.mid, 3), 8);
  EXPECT_EQ(difference(g, r.now), "");
}

TEST(DropChannels, groupsOfNodesKeepTheirShape) {
  TwoLayers g;
  g.first();
  g.second();
  Willing all;
  all.offered = {{{0, 1}, {true, codegen::Reason::none, ""}, codegen::kNoPattern}};
  EXPECT_EQ(Rewritten(g.graph, {&all}).length(g.mid, 3), 8);
}

TEST(DropChannels, aBiasThatDoesNotFitStays) {
  TwoLayers g;
  g.first();
  Integers bias = g.random_integers(4, -300, 300);
  bias[2] = (std::int64_t{1} << 31) - 10;
  g.second_weights[2 * TwoLayers::kWide + 5] = 127;  // times 127 - 5
  g.y = g.conv(g.mid, g.second_weights, bias, 30.0F, -1);
  g.output(g.y);
  Willing all;
  EXPECT_EQ(Rewritten(g.graph, {&all}).length(g.mid, 3), 8);
}

// Where the accumulator could leave 32 bits nothing is known of the result.
TEST(DropChannels, accumulatorsThatWrapAreNotConstant) {
  TwoLayers g;
  g.first_bias[5] = (std::int64_t{1} << 31) - 1;
  g.first_bias[6] = -(std::int64_t{1} << 31);
  g.first();
  g.second();
  Willing all;
  const Rewritten r(g.graph, {&all});
  EXPECT_EQ(r.length(g.mid, 3), 6);
  EXPECT_EQ(r.moved().channels.at(g.mid).stored, (Integers{0, -1, -1, 1, 2, 3, 4, 5}));
  EXPECT_EQ(difference(g, r.now), "");
}

// The factor of requantisation is 2^12: 2^20 shifted to the left by that is beyond 32 bits.
TEST(DropChannels, shiftsThatWrapAreNotConstant) {
  QuantisedLayers g;
  const ir::ValueId x = g.input(QuantisedLayers::type(DType::i8, {1, 2, 2, 1}, 0.25F, 0));
  const ir::ValueId mid = g.conv(x, Integers(8, 1), Integers(8, 1 << 20), 0.125F / 4096, 0);
  g.output(g.conv(mid, g.random_integers(32, -9, 9), {}, 1.0F, 0));
  Willing all;
  const Rewritten r(g.graph, {&all});
  EXPECT_EQ(r.length(mid, 3), 8);
  EXPECT_EQ(difference(g, r.now), "");
}

// conv -> depthwise -> pool -> add with a branch -> conv: channels go along all of it.
TEST(DropChannels, goThroughWhatKeepsChannelsApart) {
  TwoLayers g;
  g.first();
  const ir::ValueId deep = g.conv(g.mid, g.random_integers(9 * 8, -60, 60), g.random_integers(8, -90, 90), 20.0F, 5,
                                  {.kernel = 3, .stride = 1, .pad = 0}, 8);
  const ir::ValueId pooled = g.node("MaxPool", {deep}, QuantisedLayers::type(DType::i8, {1, 1, 2, 8}, 20.0F, 5),
                                    {{"data_layout", std::string("NHWC")},
                                     {"kernel_shape", Integers{2, 2}},
                                     {"strides", Integers{2, 2}},
                                     {"pads", Integers{0, 0, 0, 0}}});
  const ir::ValueId sum = g.node("Add", {pooled, pooled}, QuantisedLayers::type(DType::i8, {1, 1, 2, 8}, 30.0F, -9));
  const ir::ValueId flat =
      g.node("Reshape", {sum, g.shape({1, 16})}, QuantisedLayers::type(DType::i8, {1, 16}, 30.0F, -9));
  g.output(g.dense(flat, g.random_integers(16 * 5, -90, 90), g.random_integers(5, -900, 900), 5, 99.0F, 3));
  Willing all;
  const Rewritten r(g.graph, {&all}, {.off = {"reshapes"}});
  for (const ir::ValueId v : {g.mid, deep, pooled, sum}) EXPECT_EQ(r.length(v, 3), 4);
  EXPECT_EQ(r.length(flat, 1), 8);
  EXPECT_EQ(difference(g, r.now), "");
  // The dense layer may also read the image itself.
  const Rewritten direct(g.graph, {&all});
  EXPECT_EQ(direct.count("reshapes"), 1u);
  EXPECT_EQ(direct.length(sum, 3), 4);
  EXPECT_EQ(direct.moved().aliases.at(flat), sum);
  EXPECT_EQ(direct.moved().channels.at(flat).stored.size(), 16u);
  EXPECT_EQ(direct.length(flat, 1), 8);
  EXPECT_EQ(difference(g, direct.now), "");
}

// A residual sum whose other operand is needed keeps the channels of both.
TEST(DropChannels, aSumNeedsItsOperands) {
  TwoLayers g;
  g.first();
  const ir::ValueId other = g.conv(g.x, g.random_integers(8 * kIn, -90, 90), {}, 4.0F, 5);
  const ir::ValueId sum = g.node("Add", {g.mid, other}, QuantisedLayers::type(DType::i8, {1, 5, 6, 8}, 6.0F, 0));
  g.output(g.conv(sum, g.second_weights, {}, 30.0F, -1));
  Willing all;
  EXPECT_EQ(Rewritten(g.graph, {&all}).length(g.mid, 3), 8);
}

// What comes in at a depthwise convolution whose result is constant anyway is not needed: its channels go, constant or
// not.
TEST(DropChannels, whatNobodyNeedsGoes) {
  TwoLayers g;
  g.first_bias.assign(8, 0);
  g.first_weights = g.random_integers(8 * kIn, 20, 90);
  g.first();
  Integers deep = g.random_integers(8, 20, 60);
  for (const std::size_t c : {0u, 3u, 4u, 7u}) deep[c] = 0;
  const ir::ValueId narrow = g.conv(g.mid, deep, g.random_integers(8, -90, 90), 20.0F, 5, {}, 8);
  g.output(g.conv(narrow, g.second_weights, {}, 30.0F, -1));
  Willing all;
  const Rewritten r(g.graph, {&all});
  EXPECT_EQ(r.length(g.mid, 3), 4);
  EXPECT_EQ(r.length(narrow, 3), 4);
  const ChannelMap& map = r.moved().channels.at(g.mid);
  EXPECT_EQ(map.stored, (Integers{-1, 0, 1, -1, -1, 2, 3, -1}));
  EXPECT_FALSE(map.constant[0]);
  EXPECT_EQ(difference(g, r.now), "");
}

// A channel that the next layer gives no weight is not needed; then what fed it alone is not needed either.
TEST(DropChannels, whatFedItFollows) {
  QuantisedLayers g(3);
  const ir::ValueId x = g.input(QuantisedLayers::type(DType::i8, {1, 4, 4, 3}, 0.25F, 1));
  const ir::ValueId a = g.conv(x, g.random_integers(8 * 3, -90, 90), {}, 4.0F, 5);
  Integers weights = g.random_integers(8 * 8, -90, 90);
  // Channels 4 ... 7 of `a` reach channels 0 ... 3 of `b` only, which the last layer passes over.
  for (std::size_t o = 4; o < 8; ++o)
    for (std::size_t i = 4; i < 8; ++i) weights[o * 8 + i] = 0;
  const ir::ValueId b = g.conv(a, weights, {}, 20.0F, 5);
  Integers last = g.random_integers(4 * 8, -90, 90);
  for (std::size_t o = 0; o < 4; ++o)
    for (std::size_t i = 0; i < 4; ++i) last[o * 8 + i] = 0;
  g.output(g.conv(b, last, {}, 30.0F, 2));
  Willing all;
  const Rewritten r(g.graph, {&all});
  EXPECT_EQ(r.length(b, 3), 4);
  EXPECT_EQ(r.length(a, 3), 4);
  EXPECT_EQ(difference(g, r.now), "");
}

TEST(DropChannels, groupedConvolutionsStay) {
  TwoLayers g;
  g.first();
  g.y = g.conv(g.mid, g.random_integers(4 * 4, -90, 90), {}, 30.0F, -1, {}, 2);
  g.output(g.y);
  Willing all;
  EXPECT_EQ(Rewritten(g.graph, {&all}).length(g.mid, 3), 8);
}

// Of two results that a depthwise convolution makes of one channel, both must go, or none.
TEST(DropChannels, severalResultsOfOneChannelGoTogether) {
  for (const bool both : {false, true}) {
    TwoLayers g;
    g.first_bias.assign(8, 0);
    g.first_weights = g.random_integers(8 * kIn, 20, 90);
    g.first();
    Integers deep = g.random_integers(16, 20, 60);
    for (const std::size_t c : {0u, 3u, 4u, 7u}) deep[2 * c] = deep[2 * c + (both ? 1 : 0)] = 0;
    const ir::ValueId wide = g.conv(g.mid, deep, {}, 20.0F, 5, {}, 8);
    g.output(g.conv(wide, g.random_integers(4 * 16, -90, 90), {}, 30.0F, -1));
    Willing all;
    const Rewritten r(g.graph, {&all});
    EXPECT_EQ(r.length(g.mid, 3), both ? 4 : 8);
    EXPECT_EQ(r.length(wide, 3), both ? 8 : 16);
    EXPECT_EQ(difference(g, r.now), "");
  }
}

TEST(Ranges, areThoseOfTheAccumulator) {
  QuantisedLayers g;
  const ir::ValueId x = g.input(QuantisedLayers::type(DType::i8, {1, 1, 1, 2}, 1.0F, 0));
  // 0.5 * (3 x0 - 2 x1 + 10) / 4, and the same clamped at 0.
  const ir::ValueId y = g.conv(x, {3, -2}, {10}, 4.0F, 1);
  const ir::ValueId z = g.conv(x, {3, -2}, {10}, 4.0F, 1, {}, 1, "relu");
  g.output(y);
  g.output(z);
  const optimise::ValueRanges ranges = optimise::find_ranges(g.graph);
  EXPECT_FALSE(ranges[x]);
  ASSERT_TRUE(ranges[y] && ranges[z]);
  EXPECT_EQ(ranges[y]->axis, 3u);
  EXPECT_EQ(ranges[y]->channels[0].low, -78);  // (3 * -128 - 2 * 127 + 10) / 8 = -78.5, half away from zero, + 1
  EXPECT_EQ(ranges[y]->channels[0].high, 82);  // (3 * 127 + 2 * 128 + 10) / 8 = 80.9, + 1
  EXPECT_EQ(ranges[z]->channels[0].low, 1);
  EXPECT_EQ(ranges[z]->channels[0].high, 82);
}

}  // namespace
}  // namespace byoc::test
