// Sums on the edge between two results: the backend forms factors in the type that the evaluator forms them in, whose
// tests say which that is.
#include <gtest/gtest.h>

#include "tests/unit/backend_c/graph_bench.hpp"

namespace byoc::test {
namespace {

struct Scales : ::testing::Test {
  GraphBench bench{1, Requant::tflite};

  ir::ValueId quantised(DType dtype, const GraphBench::Dims& dims, float scale, bool is_constant) {
    const ir::ValueId v = bench.integers(dtype, dims, {0}, is_constant);
    bench.quantise(v, {scale}, {0});
    return v;
  }
  ir::ValueId bias(std::int64_t value) { return bench.integers(DType::i32, {1}, {value}, true); }
};

TEST_F(Scales, ofProducts) {
  for (std::int64_t b = 530666630; b < 530666650; ++b) {
    for (const bool is_constant : {false, true}) {
      const auto x = quantised(DType::i8, {1, 1}, 0.1F, false), w = quantised(DType::i8, {1, 1}, 0.3F, is_constant);
      bench.quantise(bench.node("byoc.FullyConnected", {x, w, bias(b)}, DType::i8, {1, 1}), {160000.0F}, {0});
    }
    const auto x = quantised(DType::i8, {1, 1, 1, 1}, 0.1F, false);
    const auto w = quantised(DType::i8, {1, 1, 1, 1}, 0.3F, true);
    bench.quantise(bench.node("ConvTranspose", {x, w, bias(b)}, DType::i8, {1, 1, 1, 1},
                              {{"data_layout", std::string("NHWC")},
                               {"filter_layout", std::string("OHWI")},
                               {"kernel_shape", GraphBench::Dims{1, 1}}}),
                   {160000.0F}, {0});
  }
  EXPECT_EQ(bench.check(host_machine()), "");
}

TEST_F(Scales, ofTheGatesOfAnLstm) {
  for (std::int64_t b = 1627197240; b < 1627197290; b += 8) {
    std::vector<ir::ValueId> inputs{quantised(DType::i8, {1, 1, 1}, 1e-4F, false)};
    for (int i = 0; i < 8; ++i) inputs.push_back(quantised(DType::i8, {1, 1}, 3e-6F, true));
    for (const std::int64_t value : {std::int64_t{0}, std::int64_t{0}, b, std::int64_t{0}})
      inputs.push_back(bias(value));
    inputs.push_back(quantised(DType::i8, {1, 1}, 0x1p-7F, false));
    inputs.push_back(quantised(DType::i16, {1, 1}, 0x1p-15F, false));
    bench.layer("byoc.UnidirectionalSequenceLstm", inputs,
                {{DType::i8, {1, 1, 1}}, {DType::i8, {1, 1}}, {DType::i16, {1, 1}}}, {{"cell_clip", 0.0F}}, 1);
    const auto& outputs = bench.graph().outputs;
    bench.quantise(outputs[outputs.size() - 3], {0x1p-7F}, {0});
    bench.quantise(outputs[outputs.size() - 2], {0x1p-7F}, {0});
    bench.quantise(outputs[outputs.size() - 1], {0x1p-15F}, {0});
  }
  EXPECT_EQ(bench.check(host_machine()), "");
}

}  // namespace
}  // namespace byoc::test
