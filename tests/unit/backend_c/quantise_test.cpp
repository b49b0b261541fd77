// Quantising and dequantising steps against the evaluator: every element type, per tensor and per axis, ties,
// saturation, numbers that are none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/unit/backend_c/graph_bench.hpp"

namespace byoc::test {
namespace {

using ::testing::HasSubstr;
using Dims = GraphBench::Dims;

constexpr DType kQuantised[] = {DType::i8, DType::u8, DType::i16, DType::u16};

// Values around multiples of half a scale, far beyond every range, and not numbers.
std::vector<float> awkward(GraphBench& bench, std::size_t n, float scale) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kOdd[] = {
      kInfinity, -kInfinity, std::numeric_limits<float>::quiet_NaN(), 0.0f, -0.0f, 1e30f, -1e30f, 3e9f, -3e9f, 1e-42f};
  std::vector<float> out(n);
  for (std::size_t i = 0; i < n; ++i) {
    if (i < std::size(kOdd) && n > std::size(kOdd))
      out[i] = kOdd[i];
    else if (bench.pick(0, 1))
      out[i] = static_cast<float>(bench.pick(-700, 700)) * 0.5f * scale;
    else
      out[i] = bench.real(-400, 400) * scale;
  }
  return out;
}

float scale_of(GraphBench& bench) { return bench.pick(0, 1) ? 0.25f : bench.real(0.001f, 3.0f); }

void add_per_tensor(GraphBench& bench) {
  const Dims dims{3, 5, 7};
  for (const DType t : kQuantised) {
    const float scale = scale_of(bench);
    const auto x = bench.reals(dims, awkward(bench, 105, scale), false);
    bench.node("QuantizeLinear", {x, bench.scalar(scale), bench.scalar(t, bench.zero_point(t))}, t, dims);
    const auto q = bench.integers(t, dims, false);
    bench.node("DequantizeLinear", {q, bench.scalar(scale), bench.scalar(t, bench.zero_point(t))}, DType::f32, dims);
  }
  const auto x = bench.reals(dims, awkward(bench, 105, 0.5f), false);
  bench.node("QuantizeLinear", {x, bench.scalar(0.5f)}, DType::u8, dims);  // without zero point: u8
  const auto wide = bench.integers(DType::i32, dims, false);
  bench.node("DequantizeLinear", {wide, bench.scalar(0.013f)}, DType::f32, dims);
  bench.node("QuantizeLinear", {wide, bench.scalar(7e6f), bench.scalar(DType::i16, 11)}, DType::i16, dims);
}

void add_per_axis(GraphBench& bench) {
  const Dims dims{2, 5, 3};
  for (const DType t : kQuantised) {
    for (std::int64_t axis = -3; axis < 3; ++axis) {
      const std::int64_t n = dims[static_cast<std::size_t>((axis + 3) % 3)];
      std::vector<float> scales;
      std::vector<std::int64_t> zeros;
      for (std::int64_t i = 0; i < n; ++i) {
        scales.push_back(scale_of(bench));
        zeros.push_back(bench.zero_point(t));
      }
      const auto s = bench.reals({n}, scales, true), z = bench.integers(t, {n}, zeros, true);
      const auto x = bench.reals(dims, awkward(bench, 30, 0.25f), false);
      bench.node("QuantizeLinear", {x, s, z}, t, dims, {{"axis", axis}});
      const auto q = bench.integers(t, dims, false);
      bench.node("DequantizeLinear", {q, s, z}, DType::f32, dims, {{"axis", axis}});
    }
  }
}

// byoc.Quantize and byoc.Dequantize: the quantisation is the values'.
void add_ours(GraphBench& bench) {
  const Dims dims{4, 3, 11};
  for (const DType t : kQuantised) {
    const float scale = scale_of(bench);
    const auto x = bench.reals(dims, awkward(bench, 132, scale), false);
    bench.quantise(bench.node("byoc.Quantize", {x}, t, dims), {scale}, {bench.zero_point(t)});
    const auto q = bench.integers(t, dims, false);
    bench.quantise(q, {0.1f, 0.2f, 3.0f}, {bench.zero_point(t), 1, bench.zero_point(t)}, 1);
    bench.node("byoc.Dequantize", {q}, DType::f32, dims);
    for (const DType to : kQuantised) {
      const auto from = bench.integers(t, dims, false);
      bench.quantise(from, {scale_of(bench)}, {bench.zero_point(t)});
      const auto y = bench.node("byoc.Quantize", {from}, to, dims);
      bench.quantise(y, {scale_of(bench)}, {bench.zero_point(to)});
    }
  }
  const auto wide = bench.integers(DType::i32, dims, false);
  bench.quantise(wide, {0.3f}, {-5});
  bench.node("byoc.Dequantize", {wide}, DType::f32, dims);
}

TEST(Quantise, EqualsTheEvaluatorPerTensor) {
  for (unsigned seed = 0; seed < 3; ++seed) {
    GraphBench bench(seed);
    add_per_tensor(bench);
    EXPECT_EQ(bench.check(host_machine()), "") << "seed " << seed;
  }
}

TEST(Quantise, EqualsTheEvaluatorPerAxis) {
  GraphBench bench(4);
  add_per_axis(bench);
  EXPECT_EQ(bench.check(host_machine("clang-19")), "");
}

TEST(Quantise, FollowsTheRoundingOfTheGraph) {
  for (const Requant requant : {Requant::onnx, Requant::tflite}) {
    for (unsigned seed = 0; seed < 3; ++seed) {
      GraphBench bench(seed, requant);
      add_ours(bench);
      EXPECT_EQ(bench.check(host_machine()), "") << "seed " << seed;
    }
  }
}

TEST(Quantise, GivesTheSameBitsOnCortexM) {
  for (const Machine& machine : {cortex_m4f(), cortex_m55(true), cortex_m0plus()}) {
    GraphBench bench(9), ours(9, Requant::tflite);
    add_per_tensor(bench);
    add_ours(ours);
    EXPECT_EQ(bench.check(machine), "") << machine.target.name;
    EXPECT_EQ(ours.check(machine), "") << machine.target.name;
  }
}

TEST(Quantise, WritesOverAnInputOfTheSameSize) {
  GraphBench bench(1);
  const auto x = bench.integers(DType::i8, {65}, false);
  bench.quantise(x, {0.5f}, {3});
  bench.quantise(bench.node("byoc.Quantize", {x}, DType::u8, {65}), {0.25f}, {9});
  EXPECT_EQ(bench.check(host_machine(), {.use_overlays = true}), "");
}

TEST(Quantise, RefusesWhatItCannotCompute) {
  const auto refusal = [](DType to, const std::vector<float>& scales, bool is_constant) {
    GraphBench bench(0);
    const auto x = bench.reals({2, 3}, std::vector<float>(6), false);
    const auto n = static_cast<std::int64_t>(scales.size());
    const auto s = bench.reals(scales.size() == 1 ? Dims{} : Dims{n}, scales, is_constant);
    bench.node("QuantizeLinear", {x, s}, to, {2, 3});
    return bench.refusal(host_machine());
  };
  EXPECT_EQ(refusal(DType::u8, {1.0f}, true), "");
  EXPECT_EQ(refusal(DType::u8, {1.0f}, false), "");
  EXPECT_THAT(refusal(DType::i32, {1.0f}, true),
              HasSubstr("found i32, expected an integer of at most 16 bits or a float of at most 8"));
  EXPECT_THAT(refusal(DType::f16, {1.0f}, true),
              HasSubstr("found f16, expected an integer of at most 16 bits or a float of at most 8"));
  EXPECT_THAT(refusal(DType::u8, {1.0f, 2.0f}, true), HasSubstr("found a scale of [2] for [2,3]"));
  EXPECT_THAT(refusal(DType::u8, {0.0f}, true), HasSubstr("found a scale of 0, expected a finite number other than 0"));
}

TEST(Quantise, RefusesAnAxisOutOfRange) {
  GraphBench bench(0);
  const auto x = bench.reals({2, 3}, std::vector<float>(6), false);
  bench.node("QuantizeLinear", {x, bench.reals({2}, {1, 2}, true)}, DType::u8, {2, 3}, {{"axis", std::int64_t{2}}});
  EXPECT_THAT(bench.refusal(host_machine()), HasSubstr("found axis 2 of [2,3]"));
}

TEST(Quantise, RefusesScalesThatAreNoFloats) {
  GraphBench bench(0);
  const auto x = bench.integers(DType::i8, {2}, false);
  bench.node("DequantizeLinear", {x, bench.integers(DType::i32, {}, {1}, true)}, DType::f32, {2});
  EXPECT_THAT(bench.refusal(host_machine()), HasSubstr("found i32, expected a scale of f16, bf16 or f32"));
}

TEST(Quantise, RefusesRescalingThatTheReferenceLeavesUndefined) {
  GraphBench bench(0, Requant::tflite);
  const auto x = bench.integers(DType::i16, {2}, false);
  bench.quantise(x, {1e6f}, {0});
  bench.quantise(bench.node("byoc.Quantize", {x}, DType::i16, {2}), {1.0f}, {0});
  EXPECT_THAT(bench.refusal(host_machine()), HasSubstr("output multiplier of 2^20, expected at most 2^14"));
}

}  // namespace
}  // namespace byoc::test
