// Casts, predicates, reductions and operators along an axis on all element types against the evaluator.
#include <gtest/gtest.h>

#include "tests/unit/backend_c/graph_bench.hpp"

namespace byoc::test {
namespace {

using Dims = GraphBench::Dims;

constexpr DType kReducedTypes[] = {DType::f16, DType::bf16, DType::f32,    DType::f64, DType::i8,
                                   DType::i16, DType::i32,  DType::i64,    DType::u8,  DType::u16,
                                   DType::u32, DType::u64,  DType::boolean};
constexpr std::int64_t kOnnxTypes[] = {10, 16, 1, 11, 3, 5, 6, 7, 2, 4, 12, 13, 9};

// Every type to and from every type over the seeds; here a third of the pairs.
void add_casts(GraphBench& bench, std::size_t part) {
  for (std::size_t from = 0; from < std::size(kReducedTypes); ++from) {
    const auto x = bench.numbers(kReducedTypes[from], {64}, false);
    for (std::size_t to = (from + part) % 3; to < std::size(kReducedTypes); to += 3)
      if (to != from) bench.node("Cast", {x}, kReducedTypes[to], {64}, {{"to", kOnnxTypes[to]}});
  }
}

void add_predicates(GraphBench& bench) {
  for (const DType t : kFloats) {
    const auto x = bench.numbers(t, {40}, false), y = bench.numbers(t, {40}, false);
    bench.node("IsNaN", {x}, DType::boolean, {40});
    bench.node("IsInf", {x}, DType::boolean, {40});
    bench.node("IsInf", {x}, DType::boolean, {40}, {{"detect_negative", std::int64_t{0}}});
    bench.node("IsInf", {x}, DType::boolean, {40}, {{"detect_positive", std::int64_t{0}}});
    bench.node("LessOrEqual", {x, y}, DType::boolean, {40});
    bench.node("Sign", {x}, t, {40});
    bench.node("Round", {bench.numbers(t, {40}, false)}, t, {40});
  }
  for (const DType t : {DType::i8, DType::u16, DType::i64, DType::u64}) {
    const auto x = bench.numbers(t, {6, 1}, false), y = bench.numbers(t, {1, 7}, false);
    bench.node("Equal", {x, y}, DType::boolean, {6, 7});
    bench.node("Greater", {x, y}, DType::boolean, {6, 7});
    bench.node("Less", {x, y}, DType::boolean, {6, 7});
    bench.node("BitwiseXor", {x, y}, t, {6, 7});
    bench.node("BitwiseNot", {x}, t, {6, 1});
    bench.node("Sign", {x}, t, {6, 1});
    bench.node("Shrink", {x}, t, {6, 1}, {{"lambd", 2.5F}, {"bias", 1.5F}});
    bench.node("PRelu", {x, bench.numbers(t, {1}, true, false)}, t, {6, 1});
  }
  const auto p = bench.numbers(DType::boolean, {5}, false), q = bench.numbers(DType::boolean, {3, 1}, false);
  for (const char* op : {"And", "Or", "Xor", "Equal"}) bench.node(op, {p, q}, DType::boolean, {3, 5});
  bench.node("Not", {p}, DType::boolean, {5});
  for (const DType t : {DType::boolean, DType::f16, DType::i32, DType::f64})
    bench.node("Where", {q, bench.numbers(t, {5}, false), bench.numbers(t, {2, 3, 1}, true)}, t, {2, 3, 5});
}

// Divisors are not 0; the least value by -1 is among them.
void add_integer_arithmetic(GraphBench& bench) {
  for (const DType t : {DType::i8, DType::i32, DType::i64}) {
    const std::int64_t least = std::numeric_limits<std::int64_t>::min() >> (64 - bit_width(t));
    const auto a = bench.integers(t, {8}, {least, 7, -7, 7, -7, 6, -6, 0}, false);
    const auto b = bench.integers(t, {8}, {-1, 4, 4, -4, -4, 3, 3, -5}, false);
    bench.node("Mod", {a, b}, t, {8});
    bench.node("Mod", {a, b}, t, {8}, {{"fmod", std::int64_t{1}}});
    bench.node("Pow", {a, bench.integers(t, {8}, {3, 0, 5, 13, -1, -2, 2, 4}, false)}, t, {8});
    bench.node("Pow", {bench.integers(t, {3}, {1, -1, 2}, false), bench.integers(t, {3}, {-3, -3, -3}, false)}, t, {3});
  }
  for (const DType t : {DType::u8, DType::u32, DType::u64}) {
    const auto a = bench.numbers(t, {6}, false), shift = bench.integers(t, {6}, {0, 1, 7, 31, 64, -1}, false);
    bench.node("Mod", {a, bench.integers(t, {6}, {1, 2, 3, 5, 100, -1}, false)}, t, {6});
    bench.node("BitShift", {a, shift}, t, {6}, {{"direction", std::string("LEFT")}});
    bench.node("BitShift", {a, shift}, t, {6}, {{"direction", std::string("RIGHT")}});
  }
  for (const DType t : kFloats)
    bench.node("Mod", {bench.numbers(t, {30}, false), bench.numbers(t, {30}, false)}, t, {30},
               {{"fmod", std::int64_t{1}}});
}

void add_reduction(GraphBench& bench, const std::string& op, DType t, bool extremes) {
  struct Case {
    Dims dims, axes, out;
  };
  const Case cases[] = {{{3, 4, 5}, {1}, {3, 1, 5}},
                        {{3, 4, 5}, {0, -1}, {1, 4, 1}},
                        {{2, 3, 2, 3}, {1, 3}, {2, 1, 2, 1}},
                        {{3, 0}, {1}, {3, 1}},
                        {{}, {}, {}},
                        {{4, 6}, {0, 1}, {1, 1}}};
  const Case& c = cases[bench.pick(0, 5)];
  const auto axes = bench.integers(DType::i64, {static_cast<std::int64_t>(c.axes.size())}, c.axes, true);
  bench.node(op, {bench.numbers(t, c.dims, false, extremes), axes}, t, c.out, {}, 18);
}

void add_exact_reductions(GraphBench& bench) {
  for (const char* op :
       {"ReduceSum", "ReduceProd", "ReduceMax", "ReduceMin", "ReduceL1", "ReduceSumSquare", "ReduceMean"})
    for (const DType t : {DType::i8, DType::u8, DType::i32, DType::u64, DType::i64}) add_reduction(bench, op, t, true);
  for (const char* op : {"ReduceMax", "ReduceMin"})
    for (const DType t : {DType::f16, DType::bf16, DType::f32, DType::f64, DType::boolean})
      add_reduction(bench, op, t, true);
  for (const char* op : {"ReduceL2", "ReduceLogSum", "ReduceLogSumExp"})
    for (const DType t : {DType::i32, DType::u32, DType::u8}) add_reduction(bench, op, t, false);
  const auto x = bench.numbers(DType::f32, {3, 4}, false);
  bench.node("ReduceSumSquare", {x, bench.integers(DType::i64, {0}, {}, true)}, DType::f32, {3, 4},
             {{"noop_with_empty_axes", std::int64_t{1}}}, 18);
}

void add_axis_operators(GraphBench& bench) {
  for (const DType t : {DType::f16, DType::f32, DType::f64, DType::i8, DType::u32, DType::i64})
    for (const char* op : {"ArgMax", "ArgMin"}) {
      const auto x = bench.numbers(t, {3, 4, 5}, false);
      bench.node(op, {x}, DType::i64, {3, 1, 5}, {{"axis", std::int64_t{1}}});
      bench.node(op, {x}, DType::i64, {3, 4},
                 {{"axis", std::int64_t{-1}}, {"keepdims", std::int64_t{0}}, {"select_last_index", std::int64_t{1}}});
    }
  for (const DType t : {DType::f32, DType::f64, DType::i32, DType::u64})
    for (const std::int64_t flags : {0, 1, 2, 3}) {
      const auto x = bench.numbers(t, {3, 4, 2}, false, t != DType::f32 && t != DType::f64);
      bench.node("CumSum", {x, bench.integers(DType::i32, {}, {bench.pick(-3, 2)}, true)}, t, {3, 4, 2},
                 {{"exclusive", flags & 1}, {"reverse", flags >> 1}});
    }
  for (const DType t : kFloats) bench.node("Hardmax", {bench.numbers(t, {3, 4, 2}, false)}, t, {3, 4, 2});
}

void add_rounded(GraphBench& bench) {
  for (const DType t : kFloats) {
    for (const char* op : {"ReduceL2", "ReduceLogSumExp", "ReduceMean", "ReduceSumSquare", "ReduceL1"})
      add_reduction(bench, op, t, false);
    for (const char* op : {"Softmax", "LogSoftmax"})
      bench.node(op, {bench.numbers(t, {3, 4, 2}, false, false)}, t, {3, 4, 2}, {{"axis", std::int64_t{1}}});
    for (const char* op : {"Acos", "Asin", "Atan", "Atanh", "Asinh", "Cos", "Sin", "Tan", "Sinh", "Cosh", "Celu", "Elu",
                           "Selu", "Mish", "Softsign", "Softplus", "HardSwish", "HardSigmoid", "ThresholdedRelu"})
      if (bench.pick(0, 1)) bench.node(op, {bench.reals_between(t, {20}, -0.9, 0.9)}, t, {20});
    bench.node("Acosh", {bench.reals_between(t, {20}, 1.5, 9)}, t, {20});
    bench.node("Gelu", {bench.reals_between(t, {20}, -6, 4)}, t, {20}, {}, 20);
    bench.node("Gelu", {bench.reals_between(t, {20}, -6, 4)}, t, {20}, {{"approximate", std::string("tanh")}}, 20);
    bench.node("Det", {bench.reals_between(t, {2, 3, 3}, 1, 3)}, t, {2});
  }
}

// Tables of ONNX's functions on 8 bits, its quotients and its means.
void add_quantised(GraphBench& bench) {
  for (const DType t : {DType::i8, DType::u8}) {
    const auto quantised = [&](const Dims& dims) {
      const auto x = bench.integers(t, dims, false);
      bench.quantise(x, {bench.real(0.01F, 0.1F)}, {bench.zero_point(t)});
      return x;
    };
    const auto result = [&](const std::string& op, std::vector<ir::ValueId> inputs, const Dims& dims) {
      bench.quantise(bench.node(op, std::move(inputs), t, dims, {}, 18), {bench.real(0.005F, 0.05F)},
                     {bench.zero_point(t)});
    };
    for (const char* op : {"Sigmoid", "Tanh", "LeakyRelu", "HardSwish", "Elu", "Exp", "Abs", "Neg"})
      result(op, {quantised({300})}, {300});
    const auto a = quantised({5, 40});
    result("Div", {a, quantised({5, 1})}, {5, 40});
    result("Div", {a, a}, {5, 40});
    result("ReduceMean", {quantised({4, 6, 5}), bench.integers(DType::i64, {2}, {0, 2}, true)}, {1, 6, 1});
  }
}

TEST(TypedCasts, between) {
  for (const std::size_t part : {0, 1, 2}) {
    GraphBench bench(41 + static_cast<unsigned>(part));
    bench.tolerance = {0, 0};
    add_casts(bench, part);
    EXPECT_EQ(bench.check(part == 1 ? cortex_m4f() : host_machine()), "");
  }
}

TEST(TypedReductions, exactOnTheHost) {
  GraphBench bench(44);
  bench.tolerance = {0, 0};
  add_predicates(bench);
  add_integer_arithmetic(bench);
  add_exact_reductions(bench);
  add_axis_operators(bench);
  add_quantised(bench);
  EXPECT_EQ(bench.check(host_machine()), "");
}

TEST(TypedReductions, exactOnCortexM4) {
  GraphBench bench(45);
  bench.tolerance = {0, 0};
  add_exact_reductions(bench);
  add_quantised(bench);
  EXPECT_EQ(bench.check(cortex_m4f()), "");
}

TEST(TypedReductions, rounded) {
  GraphBench bench(46);
  bench.tolerance = {16, 1e-6};
  add_rounded(bench);
  EXPECT_EQ(bench.check(host_machine()), "");
}

}  // namespace
}  // namespace byoc::test
