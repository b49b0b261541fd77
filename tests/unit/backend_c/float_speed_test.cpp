// Executed instructions per multiply-accumulate of the float kernels, on layers of small models, under QEMU's
// instruction counter. The limits leave some room above what was measured when they were set.
#include <gtest/gtest.h>

#include <cstdio>

#include "tests/unit/backend_c/float_bench.hpp"

namespace byoc::test {
namespace {

struct Layer {
  const char* name;
  bool nhwc;
  std::int64_t in[2], channels, outputs, kernel[2], stride, pad;
  std::int64_t groups;
};

constexpr Layer kLayers[] = {
    {"first conv 10x4x1", true, {49, 10}, 1, 64, {10, 4}, 2, 1, 1},
    {"depthwise 3x3x64", true, {25, 5}, 64, 64, {3, 3}, 1, 1, 64},
    {"depthwise 3x3x64 nchw", false, {25, 5}, 64, 64, {3, 3}, 1, 1, 64},
    {"pointwise 64x64", true, {25, 5}, 64, 64, {1, 1}, 1, 0, 1},
    {"pointwise 64x64 nchw", false, {25, 5}, 64, 64, {1, 1}, 1, 0, 1},
    {"conv 3x3x16", true, {16, 16}, 16, 16, {3, 3}, 1, 1, 1},
    {"conv 3x3x16 nchw", false, {16, 16}, 16, 16, {3, 3}, 1, 1, 1},
    {"conv 3x3x3", true, {16, 16}, 3, 16, {3, 3}, 1, 1, 1},
};

double per_mac(const Layer& l, const Machine& machine) {
  FloatBench bench(7);
  const std::int64_t out[2] = {(l.in[0] + 2 * l.pad - l.kernel[0]) / l.stride + 1,
                               (l.in[1] + 2 * l.pad - l.kernel[1]) / l.stride + 1};
  const auto x = bench.input(l.nhwc ? Dims{1, l.in[0], l.in[1], l.channels} : Dims{1, l.channels, l.in[0], l.in[1]});
  const std::int64_t inner = l.channels / l.groups;
  const auto w = bench.constant({l.outputs, inner, l.kernel[0], l.kernel[1]});
  const auto b = bench.constant({l.outputs});
  Numbers y{l.nhwc ? Dims{1, out[0], out[1], l.outputs} : Dims{1, l.outputs, out[0], out[1]}, {}};
  y.data.resize(static_cast<std::size_t>(y.size()));
  bench.node(make_node("Conv", {x, w, b},
                       {{"kernel_shape", Dims{l.kernel[0], l.kernel[1]}},
                        {"strides", Dims{l.stride, l.stride}},
                        {"pads", Dims{l.pad, l.pad, l.pad, l.pad}},
                        {"data_layout", std::string(l.nhwc ? "NHWC" : "NCHW")},
                        {"group", l.groups},
                        {"activation", std::string("relu")}}),
             y, 1e30);
  EXPECT_EQ(bench.check(machine), "");
  const std::int64_t macs = out[0] * out[1] * l.outputs * inner * l.kernel[0] * l.kernel[1];
  return static_cast<double>(bench.result().instructions) / static_cast<double>(macs);
}

double fully_connected_per_mac(const Machine& machine) {
  FloatBench bench(8);
  const auto x = bench.input({1, 640}), w = bench.constant({128, 640}), b = bench.constant({128});
  Numbers y{{1, 128}, std::vector<double>(128)};
  auto node = make_node("FullyConnected", {x, w, b});
  node.domain = "byoc";
  bench.node(node, y, 1e30);
  EXPECT_EQ(bench.check(machine), "");
  return static_cast<double>(bench.result().instructions) / (640.0 * 128.0);
}

// `limits`: one for each layer, then the one of the fully connected layer.
void expect_within(const char* name, const Machine& machine, const std::vector<double>& limits) {
  std::size_t i = 0;
  for (const Layer& l : kLayers) {
    const double found = per_mac(l, machine);
    std::printf("%-12s %-24s %.2f instructions per MAC\n", name, l.name, found);
    EXPECT_LE(found, limits[i++]) << l.name;
  }
  const double found = fully_connected_per_mac(machine);
  std::printf("%-12s %-24s %.2f instructions per MAC\n", name, "fully connected", found);
  EXPECT_LE(found, limits[i]);
}

TEST(FloatSpeed, cortexM4Gcc) { expect_within("m4f gcc", cortex_m4f(), {3.9, 6.8, 7.4, 3.5, 3.5, 3.6, 3.7, 4.7, 4.0}); }
TEST(FloatSpeed, cortexM4Clang) {
  expect_within("m4f clang", cortex_m4f(true), {3.9, 6.5, 7.4, 3.4, 3.4, 3.4, 3.6, 4.8, 3.7});
}
TEST(FloatSpeed, cortexM55Gcc) {
  expect_within("m55 gcc", cortex_m55(), {1.3, 3.3, 3.9, 0.9, 1.1, 1.0, 1.45, 1.9, 0.7});
}
TEST(FloatSpeed, cortexM55Clang) {
  expect_within("m55 clang", cortex_m55(true), {1.15, 2.5, 3.7, 0.78, 0.88, 0.9, 1.25, 1.75, 0.7});
}

}  // namespace
}  // namespace byoc::test
