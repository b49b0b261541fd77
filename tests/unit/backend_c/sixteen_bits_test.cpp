// Products of 16-bit activations with 8-bit weights in the kernels of the DSP extension and MVE: sums that fit in 32
// bits and sums that do not, with the portable kernel's bits.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/backend_c/graph_bench.hpp"

namespace byoc::test {
namespace {

struct Layer {
  std::int64_t outputs, kernel, groups;
};

// Convolutions of 5x3 images one after the other, whose values keep their size.
TEST(SixteenBits, giveTheSameResultsWhateverTheirSumsNeed) {
  constexpr Layer kLayers[] = {
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
  for (const Layer& l : kLayers) {
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
  int patched = 0;
  EXPECT_EQ(bench.check_same(cortex_m4f(), {}, patched), "");
  EXPECT_EQ(bench.check_same(cortex_m55(), {}, patched), "");
}

}  // namespace
}  // namespace byoc::test
