#include "sdk/model/ir/kind.hpp"

#include <gtest/gtest.h>

namespace byoc::ir {
namespace {

// A convolution of an image of these dims.
Graph convolution(const std::string& op, std::vector<Dim> dims, std::int64_t groups, const std::string& layout) {
  Graph g;
  Value x;
  x.name = "x";
  x.type.dtype = DType::i8;
  x.type.dims = std::move(dims);
  g.add_value(x);
  x.name = "y";
  g.add_value(x);
  Node n;
  n.op = op;
  n.name = "layer";
  n.position = 3;
  n.inputs = {0};
  n.outputs = {1};
  n.attributes["group"] = groups;
  n.attributes["data_layout"] = layout;
  g.add_node(std::move(n));
  return g;
}

std::string kind(const Graph& g) { return kind_of(g, g.nodes[0]); }

TEST(Kind, ConvolutionsOfSingleChannelsAreDepthwise) {
  EXPECT_EQ(kind(convolution("Conv", {1, 8, 5, 5}, 8, "NCHW")), "DepthwiseConv");
  EXPECT_EQ(kind(convolution("Conv", {1, 5, 5, 8}, 8, "NHWC")), "DepthwiseConv");
  EXPECT_EQ(kind(convolution("QLinearConv", {1, 8, 5, 5}, 8, "NCHW")), "DepthwiseQLinearConv");
}

TEST(Kind, OthersAreWhatTheyAreCalled) {
  EXPECT_EQ(kind(convolution("Conv", {1, 8, 5, 5}, 4, "NCHW")), "Conv");  // groups of two channels
  EXPECT_EQ(kind(convolution("Conv", {1, 5, 5, 8}, 5, "NHWC")), "Conv");
  EXPECT_EQ(kind(convolution("Conv", {1, 1, 5, 5}, 1, "NCHW")), "Conv");
  EXPECT_EQ(kind(convolution("GroupNormalization", {1, 8, 5, 5}, 8, "NCHW")), "GroupNormalization");
  Graph unknown = convolution("Conv", {}, 8, "NCHW");
  unknown.values[0].type.dims.reset();
  EXPECT_EQ(kind(unknown), "Conv");
}

TEST(Kind, DescriptionsHaveIt) {
  const Graph g = convolution("Conv", {1, 8, 5, 5}, 8, "NCHW");
  EXPECT_EQ(describe_kind(g, g.nodes[0]), "DepthwiseConv 'layer' (#3)");
  Graph part = g;  // of another operator of the model, which keeps its name
  part.nodes[0].part_of = "SeparableConv";
  EXPECT_EQ(describe_kind(part, part.nodes[0]), part.nodes[0].describe());
}

}  // namespace
}  // namespace byoc::ir
