// Products of 16-bit activations with 8-bit weights in the kernels of the DSP extension and MVE: sums that fit in 32
// bits and sums that do not, with the portable kernel's bits.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/backend_c/graph_bench.hpp"

namespace byoc::test {
namespace {

struct WideLayer {
  std::int64_t outputs, kernel, groups;
};

// Convolutions of 5x3 images one after the other, whose values keep their size.
TEST(SixteenBits, giveTheSameResultsWhateverTheirSumsNeed) {
  constexpr WideLayer kLayers[] = {
      {3, 1, 1},    // sums of more than 32 bits, in parts
      {6, 3, 3},    // two results for each channel
      {8, 3, 2},    // groups
      {32, 1, 1},   // in place
      {32, 3, 32},  // depthwise
      {20, 3, 1},   // patches
      {20, 5, 20},  // a number of channels that is no multiple of 16
      {7, 3, 1},
  };
  GraphBench bench(1, Requant::tflite);
  std::int64_t channels = 2203;
  ir::ValueId x = bench.integers(DType::i16, {1, 5, 3, channels}, false);
  bench.quantise(x, {0.5F}, {0});
  for (const WideLayer& l : kLayers) {
    const std::int64_t depth = channels / l.groups;
    const ir::ValueId w = bench.integers(DType::i8, {l.outputs, l.kernel, l.kernel, depth}, true);
    bench.quantise(w, {0.012F / std::sqrt(static_cast<float>(depth * l.kernel * l.kernel))}, {0});
    x = bench.inner("Conv", {x, w}, DType::i16, {1, 5, 3, l.outputs},
                    {{"kernel_shape", GraphBench::Dims{l.kernel, l.kernel}},
                     {"strides", GraphBench::Dims{1, 1}},
                     {"dilations", GraphBench::Dims{1, 1}},
                     {"pads", GraphBench::Dims(4, l.kernel / 2)},
                     {"group", l.groups},
                     {"data_layout", std::string("NHWC")},
                     {"filter_layout", std::string("OHWI")}});
    bench.quantise(x, {0.5F}, {0});
    channels = l.outputs;
  }
  bench.finish(x);
  EXPECT_EQ(bench.check(cortex_m4f()), "");
  EXPECT_EQ(bench.check(cortex_m55()), "");
}

// 3x3 filters of one channel each, with borders on any side, on images of any shape: which are copied to planes, walked
// by rows or by columns, and which are taken pixel by pixel. Every second one writes over its input.
TEST(SixteenBits, depthwiseLayersGiveTheSameResultsOnImagesOfAnyShape) {
  GraphBench bench(2, Requant::tflite);
  for (int i = 0; i < 40; ++i) {
    const std::int64_t height = bench.pick(1, 12), width = bench.pick(1, 12), batch = bench.pick(1, 2);
    const std::int64_t channels = std::vector<std::int64_t>{3, 16, 20, 33}[static_cast<std::size_t>(bench.pick(0, 3))];
    ir::ValueId x = bench.integers(DType::i16, {batch, height, width, channels}, false);
    bench.quantise(x, {0.5F}, {0});
    if (i % 2 == 1) {
      x = bench.inner("Relu", {x}, DType::i16, {batch, height, width, channels});
      bench.quantise(x, {0.5F}, {0});
    }
    const GraphBench::Dims pads{bench.pick(0, 2), bench.pick(0, 2), bench.pick(1, 2), bench.pick(1, 2)};
    const std::int64_t rows = height + pads[0] + pads[2] - 2, columns = width + pads[1] + pads[3] - 2;
    if (rows < 1 || columns < 1) continue;
    const ir::ValueId w = bench.integers(DType::i8, {channels, 3, 3, 1}, true);
    bench.quantise(w, {bench.real(0.002F, 0.008F)}, {0});
    const ir::ValueId y = bench.node("Conv", {x, w}, DType::i16, {batch, rows, columns, channels},
                                     {{"kernel_shape", GraphBench::Dims{3, 3}},
                                      {"strides", GraphBench::Dims{1, 1}},
                                      {"dilations", GraphBench::Dims{1, 1}},
                                      {"pads", pads},
                                      {"group", channels},
                                      {"data_layout", std::string("NHWC")},
                                      {"filter_layout", std::string("OHWI")}});
    bench.quantise(y, {0.5F}, {0});
  }
  EXPECT_EQ(bench.check(cortex_m55()), "");
}

// A bias of 32 bits has sums of 32 bits, which are rounded twice.
TEST(SixteenBits, productsSumAsManyBitsAsTheBiasHas) {
  GraphBench bench(3, Requant::tflite);
  for (const DType bias : {DType::i32, DType::i64}) {
    const ir::ValueId x = bench.integers(DType::i16, {3, 40}, false), w = bench.integers(DType::i8, {21, 40}, true);
    bench.quantise(x, {0.5F}, {0});
    bench.quantise(w, {0.0013F}, {0});
    std::vector<std::int64_t> biases(21);
    for (std::int64_t& v : biases) v = bench.pick(-2'000'000, 2'000'000);
    const ir::ValueId b = bench.integers(bias, {21}, biases, true);
    const ir::ValueId y = bench.node("byoc.FullyConnected", {x, w, b}, DType::i16, {3, 21});
    bench.quantise(y, {0.5F}, {0});
  }
  EXPECT_EQ(bench.check(cortex_m4f()), "");
  EXPECT_EQ(bench.check(cortex_m55()), "");
}

}  // namespace
}  // namespace byoc::test
