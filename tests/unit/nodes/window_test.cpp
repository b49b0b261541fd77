// Images, windows and their geometry in up to three dims.
#include "byoc/nodes/window.hpp"

#include <gtest/gtest.h>

#include "byoc/nodes/spatial.hpp"
#include "tests/unit/nodes/node_bench.hpp"

namespace byoc::nodes {
namespace {

std::vector<std::int64_t> sizes(const Image& m) { return {m.batch, m.height, m.width, m.channels}; }
std::vector<std::int64_t> strides(const Image& m) { return {m.batch_stride, m.row, m.col, m.chan}; }
using List = std::vector<std::int64_t>;

TEST(ReadImage, followsTheLayout) {
  NodeBench b("Conv");
  const codegen::Value x = b.input(DType::i8, {2, 3, 5, 7});
  EXPECT_EQ(sizes(*read_image(b.node, x)), (List{2, 5, 7, 3}));
  EXPECT_EQ(strides(*read_image(b.node, x)), (List{105, 7, 1, 35}));
  b.text("data_layout", "NHWC");
  EXPECT_EQ(sizes(*read_image(b.node, x)), (List{2, 3, 5, 7}));
  EXPECT_EQ(strides(*read_image(b.node, x)), (List{105, 35, 7, 1}));
}

TEST(ReadImage, resultsMayHaveALayoutOfTheirOwn) {
  NodeBench b("Conv");
  const codegen::Value y = b.output(DType::i8, {1, 3, 5, 7});
  b.text("data_layout", "NHWC").text("output_layout", "NCHW");
  EXPECT_EQ(read_image(b.node, y)->channels, 7);
  EXPECT_EQ(read_output_image(b.node, y)->channels, 3);
}

TEST(ReadImage, oneSpatialDimHasHeightOne) {
  NodeBench b("Conv");
  EXPECT_EQ(sizes(*read_image(b.node, b.input(DType::f32, {1, 4, 9}))), (List{1, 1, 9, 4}));
  EXPECT_FALSE(read_image(b.node, b.input(DType::f32, {1, 4})));
  EXPECT_FALSE(read_image(b.node, b.input(DType::f32, {1, 4, 2, 2, 2})));
}

TEST(ReadWindow, takesHeightBeforeWidth) {
  NodeBench b("Conv");
  b.list("strides", {2, 3}).list("dilations", {4, 5}).list("pads", {1, 2, 3, 4});
  const Window w = *read_window(b.node, {6, 7});
  EXPECT_EQ((List{w.kernel_h, w.kernel_w, w.stride_h, w.stride_w, w.dilation_h, w.dilation_w}),
            (List{6, 7, 2, 3, 4, 5}));
  EXPECT_EQ((List{w.pad_top, w.pad_left, w.pad_bottom, w.pad_right}), (List{1, 2, 3, 4}));
}

TEST(ReadWindow, absentAttributesAreOnesAndZeros) {
  const Window w = *read_window(NodeBench("Conv").node, {3});
  EXPECT_EQ((List{w.kernel_h, w.kernel_w, w.stride_w, w.dilation_w, w.pad_left, w.pad_right}),
            (List{1, 3, 1, 1, 0, 0}));
}

TEST(ReadWindow, refusesWhatDoesNotFit) {
  NodeBench b("Conv");
  EXPECT_FALSE(read_window(b.node, {}));
  EXPECT_FALSE(read_window(b.node, {1, 1, 1}));
  EXPECT_FALSE(read_window(b.node, {32768, 1}));
  EXPECT_TRUE(read_window(b.node, {32767, 1}));
  EXPECT_FALSE(read_window(NodeBench("Conv").list("strides", {0, 1}).node, {1, 1}));
  EXPECT_FALSE(read_window(NodeBench("Conv").list("pads", {-1, 0, 0, 0}).node, {1, 1}));
  EXPECT_FALSE(read_window(NodeBench("Conv").list("dilations", {1}).node, {1, 1}));
}

TEST(ReadSpatial, missingLeadingDimsAreOne) {
  NodeBench b("Conv");
  b.input(DType::f32, {2, 4, 10});
  b.output(DType::f32, {2, 6, 4});
  b.list("kernel_shape", {3}).list("strides", {2}).list("pads", {0, 1});
  std::string why;
  const auto s = read_spatial(b.region, b.node, false, why);
  ASSERT_TRUE(s) << why;
  EXPECT_EQ(s->in, (Dims3{1, 1, 10}));
  EXPECT_EQ(s->kernel, (Dims3{1, 1, 3}));
  EXPECT_EQ(s->pad_end, (Dims3{0, 0, 1}));
  EXPECT_EQ((List{s->batch, s->in_channels, s->out_channels}), (List{2, 4, 6}));
  const auto plane = without_depth(*s);
  ASSERT_TRUE(plane);
  EXPECT_EQ(strides(plane->in), (List{40, 10, 1, 10}));
  EXPECT_EQ(plane->window.stride_w, 2);
  EXPECT_EQ(plane->window.pad_right, 1);
}

TEST(ReadSpatial, globalKernelsAreTheWholeInput) {
  NodeBench b("GlobalAveragePool");
  b.input(DType::f32, {1, 4, 2, 3, 5, 7});
  b.output(DType::f32, {1, 4, 1, 1, 1, 1});
  std::string why;
  const auto s = read_spatial(b.region, b.node, true, why);
  ASSERT_TRUE(s) << why;
  EXPECT_EQ(s->kernel_size(), 210);
  EXPECT_EQ(s->out_size(), 1);
}

TEST(ReadSpatial, depthHasNoPlane) {
  NodeBench b("MaxPool");
  b.input(DType::f32, {1, 4, 2, 3, 5});
  b.output(DType::f32, {1, 4, 2, 3, 5});
  b.list("kernel_shape", {1, 1, 1});
  std::string why;
  const auto s = read_spatial(b.region, b.node, false, why);
  ASSERT_TRUE(s) << why;
  EXPECT_FALSE(without_depth(*s));
}

std::string spatial_refusal(NodeBench b, std::vector<std::int64_t> dims = {1, 4, 6, 6}) {
  b.input(DType::f32, dims);
  b.output(DType::f32, dims);
  std::string why;
  return read_spatial(b.region, b.node, false, why) ? "" : why;
}

TEST(ReadSpatial, refusals) {
  EXPECT_EQ(spatial_refusal(NodeBench("Conv"), {1, 4}),
            "found an input of rank 2, expected 3 to 5 (1 to 3 spatial dims)");
  EXPECT_EQ(spatial_refusal(NodeBench("Conv").text("data_layout", "CHW")),
            "found data_layout CHW, expected NCHW or NHWC");
  EXPECT_EQ(spatial_refusal(NodeBench("Conv").text("auto_pad", "VALID")),
            "found auto_pad VALID, expected explicit pads");
  EXPECT_EQ(spatial_refusal(NodeBench("Conv")), "attribute kernel_shape is missing");
  EXPECT_EQ(spatial_refusal(NodeBench("Conv").list("kernel_shape", {3})),
            "attribute kernel_shape has 1 elements, expected 2");
  EXPECT_EQ(spatial_refusal(NodeBench("Conv").list("kernel_shape", {3, 3}).list("strides", {1, 0})),
            "attribute strides holds 0, expected at least 1");
}

}  // namespace
}  // namespace byoc::nodes
