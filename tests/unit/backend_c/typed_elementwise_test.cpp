// Element-wise operators on every element type against the evaluator, extremes of the types among the operands.
#include <gtest/gtest.h>

#include "tests/unit/backend_c/graph_bench.hpp"

namespace byoc::test {
namespace {

using Dims = GraphBench::Dims;

constexpr DType kWhole[] = {DType::i8, DType::i16, DType::i32, DType::i64};
constexpr DType kNatural[] = {DType::u8, DType::u16, DType::u32, DType::u64};

struct Shapes {
  Dims a, b, y;
};
const Shapes kShapes[] = {
    {{2, 3, 5}, {2, 3, 5}, {2, 3, 5}},
    {{2, 3, 5}, {5}, {2, 3, 5}},
    {{}, {4, 3}, {4, 3}},
    {{2, 1, 5}, {1, 3, 1}, {2, 3, 5}},
    {{2, 1, 2, 1, 2, 1, 2, 1}, {1, 2, 1, 2, 1, 2, 1, 2}, {2, 2, 2, 2, 2, 2, 2, 2}},  // more dims than kernels loop over
    {{3, 0}, {1, 1}, {3, 0}},
};

void add_typed_binary(GraphBench& bench, const std::string& op, DType t, const Shapes& s, bool constant = false) {
  const auto a = bench.numbers(t, s.a, false);
  bench.node(op, {a, bench.numbers(t, s.b, constant)}, t, s.y);
}

void add_arithmetic(GraphBench& bench) {
  for (const char* op : {"Add", "Sub", "Mul", "Max", "Min"})
    for (const auto* list : {kFloats, kWhole, kNatural})
      add_typed_binary(bench, op, list[bench.pick(0, 3)], kShapes[bench.pick(0, 3)], bench.pick(0, 3) == 0);
  for (const Shapes& s : kShapes) {
    add_typed_binary(bench, "Add", DType::i16, s);
    add_typed_binary(bench, "Mul", DType::f16, s);
    add_typed_binary(bench, "Sub", DType::f32, s);
  }
  for (const DType t : kFloats) add_typed_binary(bench, "Div", t, kShapes[1]);
}

// Division by integers other than 0; the least value by -1 among them.
void add_divisions(GraphBench& bench) {
  for (const DType t : {DType::i8, DType::i16, DType::i32, DType::i64}) {
    const std::int64_t least = std::numeric_limits<std::int64_t>::min() >> (64 - bit_width(t));
    const auto a = bench.integers(t, {6}, {least, 7, least, -100, 1, -5}, false);
    bench.node("Div", {a, bench.integers(t, {6}, {-1, -1, 3, 7, least, 2}, false)}, t, {6});
  }
  for (const DType t : {DType::u8, DType::u16, DType::u32, DType::u64}) {
    const auto a = bench.integers(t, {4}, {-1, 7, 100, 0}, false);
    bench.node("Div", {a, bench.integers(t, {4}, {3, 7, 9, -1}, false)}, t, {4});
  }
}

void add_activations(GraphBench& bench) {
  for (const char* activation : {"relu", "relu6", "relu_n1_to_1"})
    for (const DType t : {DType::i32, DType::u8, DType::f16, DType::f64, DType::f32}) {
      const auto a = bench.numbers(t, {3, 4}, false);
      bench.node("Add", {a, bench.numbers(t, {4}, false)}, t, {3, 4}, {{"activation", std::string(activation)}});
    }
}

void add_variadic(GraphBench& bench) {
  for (const DType t : {DType::i8, DType::u64, DType::f16, DType::f64})
    for (const char* op : {"Max", "Min"}) {
      const auto a = bench.numbers(t, {3, 1}, false), b = bench.numbers(t, {4}, true);
      bench.node(op, {a, b, bench.numbers(t, {3, 4}, false)}, t, {3, 4});
      bench.node(op, {a}, t, {3, 1});
    }
  for (const DType t : kFloats)
    for (const char* op : {"Sum", "Mean"}) {
      const auto a = bench.numbers(t, {3, 1}, false), b = bench.numbers(t, {4}, true);
      bench.node(op, {a, b, bench.numbers(t, {3, 4}, false)}, t, {3, 4});
    }
}

void add_exact_functions(GraphBench& bench) {
  for (const DType t : kFloats)
    for (const char* op : {"Abs", "Ceil", "Floor", "Neg", "Reciprocal", "Relu", "Sqrt"})
      bench.node(op, {bench.numbers(t, {40}, false)}, t, {40});
  for (const DType t : kWhole)
    for (const char* op : {"Abs", "Neg", "Relu"}) bench.node(op, {bench.numbers(t, {40}, false)}, t, {40});
  for (const DType t : kNatural) bench.node("Abs", {bench.numbers(t, {40}, false)}, t, {40});
}

void add_clips(GraphBench& bench) {
  for (const DType t : {DType::f16, DType::bf16, DType::f32, DType::f64, DType::i8, DType::u16, DType::i64}) {
    const auto x = bench.numbers(t, {40}, false);
    const auto low = bench.numbers(t, {}, true, false), high = bench.numbers(t, {}, true, false);
    bench.node("Clip", {x, low, high}, t, {40});
    bench.node("Clip", {x, ir::kNoValue, high}, t, {40});
    bench.node("Clip", {x, low}, t, {40});
    bench.node("Clip", {x, bench.numbers(t, {}, false, false), bench.numbers(t, {1}, false, false)}, t, {40});
  }
}

void add_transcendental(GraphBench& bench) {
  for (const DType t : kFloats) {
    for (const char* op : {"Exp", "Erf", "Sigmoid", "Tanh", "LeakyRelu"})
      bench.node(op, {bench.numbers(t, {40}, false)}, t, {40});
    bench.node("Log", {bench.reals_between(t, {40}, 0.0, 9.0)}, t, {40});
  }
}

void add_powers(GraphBench& bench) {
  for (const DType t : kFloats)
    for (const DType e : {DType::f16, DType::f32, DType::f64, DType::i8, DType::i32, DType::u64}) {
      const auto x = bench.reals_between(t, {20}, 0.0, 4.0);
      bench.node("Pow", {x, bench.numbers(e, {20}, false, false)}, t, {20});
    }
  const auto x = bench.numbers(DType::f32, {20}, false);
  bench.node("Pow", {x, bench.scalar(2.0F)}, DType::f32, {20});
}

TEST(TypedElementwise, exactOnTheHost) {
  GraphBench bench(31);
  bench.tolerance = {0, 0};
  add_arithmetic(bench);
  add_divisions(bench);
  add_activations(bench);
  add_variadic(bench);
  add_exact_functions(bench);
  add_clips(bench);
  EXPECT_EQ(bench.check(host_machine()), "");
}

TEST(TypedElementwise, exactAsCxxWithOverlays) {
  GraphBench bench(32);
  bench.tolerance = {0, 0};
  add_arithmetic(bench);
  Machine cxx = host_machine("clang-19");
  cxx.is_cxx = true;
  EXPECT_EQ(bench.check(cxx, {.use_overlays = true}), "");
}

TEST(TypedElementwise, exactOnCortexM4) {
  GraphBench bench(33);
  bench.tolerance = {0, 0};
  add_arithmetic(bench);
  add_divisions(bench);
  add_clips(bench);
  EXPECT_EQ(bench.check(cortex_m4f()), "");
}

TEST(TypedElementwise, rounded) {
  GraphBench bench(34);
  bench.tolerance = {4, 1e-38};
  add_transcendental(bench);
  add_powers(bench);
  EXPECT_EQ(bench.check(host_machine()), "");
  EXPECT_EQ(bench.check(cortex_m55(true)), "");
}

}  // namespace
}  // namespace byoc::test
