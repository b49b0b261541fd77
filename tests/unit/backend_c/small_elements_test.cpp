// Elements of few bits: every code of every type to every other one, numbers of every type to each, and quantising to
// and from them, against the evaluator.
#include <gtest/gtest.h>

#include <numeric>

#include "sdk/model/ir/onnx_types.hpp"
#include "tests/unit/backend_c/graph_bench.hpp"

namespace byoc::test {
namespace {

using Dims = GraphBench::Dims;
using Attributes = GraphBench::Attributes;

constexpr DType kSmall[] = {DType::i4,         DType::u4,     DType::i2,         DType::u2,     DType::f8e4m3fn,
                            DType::f8e4m3fnuz, DType::f8e5m2, DType::f8e5m2fnuz, DType::f8e8m0, DType::f4e2m1};
// One of each way that a kernel converts: floats by width, integers and bool. Each takes a kernel of its own.
constexpr DType kPlain[] = {DType::f32, DType::f16, DType::f64, DType::i8, DType::u64, DType::boolean};

Attributes to(DType t, Attributes more = {}) {
  more["to"] = ir::onnx_number(t);
  return more;
}

// All codes of a type and one more, so that the last byte is not full.
ir::ValueId all_codes(GraphBench& bench, DType t, std::int64_t& count) {
  const unsigned bits = bit_width(t);
  count = (std::int64_t{1} << bits) + 1;
  std::vector<std::int64_t> codes(static_cast<std::size_t>(count));
  std::iota(codes.begin(), codes.end(), 0);
  codes.back() = 1;
  const DType carrier = bits == 8 ? DType::u8 : bits == 4 ? DType::u4 : DType::u2;
  ir::ValueId v = bench.integers(DType::u8, {count}, codes, false);
  if (bits < 8) v = bench.node("Cast", {v}, carrier, {count}, to(carrier), 25);
  if (t != carrier) v = bench.node("BitCast", {v}, t, {count}, to(t), 26);
  return v;
}

void add_casts_from(GraphBench& bench, DType t) {
  std::int64_t count = 0;
  const ir::ValueId codes = all_codes(bench, t, count);
  for (const DType plain : kPlain) bench.node("Cast", {codes}, plain, {count}, to(plain), 25);
  for (const DType small : kSmall) bench.node("Cast", {codes}, small, {count}, to(small), 25);
}

// The numbers on both sides of every edge of rounding of the 8-bit floats are among these: steps of 1/16 of a step of
// theirs, in all binades that they have.
ir::ValueId edges(GraphBench& bench, std::int64_t& count) {
  std::vector<float> out;
  for (int e = -20; e < 18; ++e)
    for (int i = 16; i < 32; ++i)
      for (const float beside : {0.0F, -0x1p-20F, 0x1p-20F})
        out.push_back(std::ldexp((static_cast<float>(i) + beside) / 16, e) * (out.size() % 2 != 0 ? -1.0F : 1.0F));
  for (int e = -149; e < 128; ++e)
    for (const float f : {1.0F, 1.25F, 1.5F}) out.push_back(std::ldexp(f, e));
  count = static_cast<std::int64_t>(out.size());
  return bench.reals({count}, out, false);
}

void add_casts_to(GraphBench& bench, DType t) {
  std::int64_t count = 0;
  const ir::ValueId at_edges = edges(bench, count);
  for (const std::int64_t saturate : {0, 1})
    for (const char* mode : {"up", "down", "nearest"})
      if (t == DType::f8e8m0 || mode == std::string("up"))
        bench.node("Cast", {at_edges}, t, {count}, to(t, {{"round_mode", std::string(mode)}, {"saturate", saturate}}),
                   25);
  for (const DType plain : kPlain) bench.node("Cast", {bench.numbers(plain, {61}, false)}, t, {61}, to(t), 25);
}

TEST(SmallElements, castsAreExact) {
  for (const DType t : kSmall) {
    SCOPED_TRACE(to_string(t));
    GraphBench bench(71);
    bench.tolerance = {0, 0};
    add_casts_from(bench, t);
    add_casts_to(bench, t);
    EXPECT_EQ(bench.check(host_machine()), "");
  }
}

void add_quantising(GraphBench& bench, DType t) {
  const std::int64_t kOpset = 25;
  for (const DType real : {DType::f32, DType::bf16}) {
    const ir::ValueId x = bench.numbers(real, {3, 7}, false), blocks = bench.reals_between(real, {3, 3}, 0.2, 3);
    const ir::ValueId rows = bench.reals_between(real, {3}, 0.2, 3), one = bench.reals_between(real, {}, 0.2, 3);
    const auto zeros = [&](const Dims& dims) {
      return bench.inner("Cast", {bench.integers(DType::u8, dims, false)}, t, dims, to(t), kOpset);
    };
    const std::pair<ir::ValueId, Dims> kScales[] = {{one, {}}, {rows, {3}}, {blocks, {3, 3}}};
    for (const auto& [scale, dims] : kScales) {
      Attributes how;
      if (dims.size() == 1) how = {{"axis", std::int64_t{0}}};
      if (dims.size() == 2) how = {{"axis", std::int64_t{1}}, {"block_size", std::int64_t{3}}};
      const ir::ValueId zero = zeros(dims);
      const ir::ValueId y = bench.node("QuantizeLinear", {x, scale, zero}, t, {3, 7}, how, kOpset);
      bench.node("DequantizeLinear", {y, scale, zero}, real, {3, 7}, how, kOpset);
      bench.node("DequantizeLinear", {y, scale}, real, {3, 7}, how, kOpset);
      how["precision"] = std::int64_t{10};
      how["saturate"] = std::int64_t{0};
      bench.node("QuantizeLinear", {x, scale, zero}, t, {3, 7}, how, kOpset);
    }
  }
}

TEST(SmallElements, quantisingIsExact) {
  for (const DType t : kSmall) {
    if (t == DType::f8e8m0) continue;  // what nothing is quantised to
    SCOPED_TRACE(to_string(t));
    GraphBench bench(72);
    bench.tolerance = {0, 0};
    add_quantising(bench, t);
    EXPECT_EQ(bench.check(host_machine()), "");
  }
}

TEST(SmallElements, exactAsCxxAndOnCortexM4) {
  GraphBench bench(73);
  bench.tolerance = {0, 0};
  for (const DType t : {DType::i2, DType::f8e5m2fnuz, DType::f8e8m0}) {
    add_casts_from(bench, t);
    if (t != DType::f8e8m0) add_quantising(bench, t);
  }
  Machine cxx = host_machine("clang-19");
  cxx.is_cxx = true;
  EXPECT_EQ(bench.check(cxx, {.use_overlays = true}), "");
  EXPECT_EQ(bench.check(cortex_m4f()), "");
}

TEST(SmallElements, areNotComputedWith) {
  for (const DType t : {DType::f8e5m2, DType::i4, DType::f4e2m1}) {
    GraphBench bench(74);
    bench.node("Neg", {bench.integers(t, {2}, {}, false)}, t, {2});
    EXPECT_NE(bench.refusal(host_machine()).find("found " + std::string(to_string(t))), std::string::npos);
  }
}

}  // namespace
}  // namespace byoc::test
