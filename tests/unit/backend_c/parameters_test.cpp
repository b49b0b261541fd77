// Numbers that a run finds: where elements are moved to, along which axis, and whether they are what was expected.
#include <gmock/gmock.h>

#include "tests/support/text_bench.hpp"

namespace byoc::test {
namespace {

using ::testing::HasSubstr;
using Integers = std::vector<std::int64_t>;

constexpr std::int64_t kMost = INT64_MAX, kLeast = INT64_MIN;

struct Cut {
  std::string result;
  Integers starts, ends, axes, steps;
};

std::string slices(const Cut& c, const std::string& type, const std::string& index, bool check = true) {
  const std::string n = std::to_string(c.starts.size());
  const auto input = [&](const char* name) { return " input %" + std::string(name) + " : " + index + "[" + n + "]"; };
  TextBench bench("input %x : T[2,3,4] input %none : T[0,3]" + input("s") + input("e") + input("a") + input("t") +
                      " %y : T" + c.result + " = Slice.13(%x, %s, %e, %a, %t) output %y",
                  type);
  bench.give("s", c.starts).give("e", c.ends).give("a", c.axes).give("t", c.steps);
  return check ? bench.check(host_machine()) : bench.run(host_machine());
}

TEST(Parameters, slice) {
  const std::vector<Cut> cuts = {{"[1,2,4]", {1, -2}, {2, 99}, {0, 1}, {1, 1}},
                                 {"[2,3,2]", {9}, {-9}, {-1}, {-2}},
                                 {"[2,3,4]", {-1, -1, -1}, {-9, -9, -9}, {2, 0, 1}, {-1, -1, -1}},
                                 {"[2,0,4]", {2}, {1}, {1}, {1}},
                                 {"[2,1,4]", {0}, {3}, {1}, {77}}};
  for (const Cut& c : cuts) EXPECT_EQ(slices(c, "i8", "i32"), "") << c.result;
  // From before the first element; backwards to the largest number, which is no bound.
  for (const char* type : {"i32", "i64"}) {
    EXPECT_EQ(slices({"[1,3,4]", {-9}, {-9}, {0}, {-1}}, "i8", type), "");
    EXPECT_EQ(slices({"[2,2,4]", {-1}, {2147483647}, {1}, {-2}}, "i8", type), "");
  }
  EXPECT_EQ(slices(cuts[2], "f64", "i64"), "");
  EXPECT_EQ(slices(cuts[0], "f16", "i64"), "");
  EXPECT_EQ(slices({"[2,1,4]", {kMost}, {kLeast}, {1}, {kLeast}}, "i8", "i64"), "");
  EXPECT_EQ(slices({"[2,3,4]", {kLeast}, {kMost}, {1}, {1}}, "i8", "i64"), "");
  EXPECT_EQ(
      TextBench("input %x : f32[2,3] input %s : i64[2] const %e : i64[2] = [2, 2] %y : f32[1,1] = Slice.13(%x, %s, %e) "
                "output %y")
          .give("s", {1, 1})
          .check(host_machine()),
      "");
}

TEST(Parameters, aSliceOfAnotherShapeEndsTheRun) {
  const std::vector<Cut> cuts = {{"[2,2,4]", {0}, {3}, {1}, {1}},
                                 {"[2,3,4]", {0}, {3}, {3}, {1}},
                                 {"[2,3,4]", {0}, {3}, {-4}, {1}},
                                 {"[2,3,4]", {0}, {3}, {1}, {0}},
                                 {"[2,3,4]", {0, 0}, {3, 3}, {1, -2}, {1, 1}},
                                 {"[2,3,4]", {0}, {3}, {kMost}, {1}},
                                 {"[2,3,4]", {0}, {3}, {kLeast}, {1}}};
  for (const Cut& c : cuts)
    EXPECT_THAT(slices(c, "f32", "i64", false), HasSubstr("a step gave an error code")) << c.axes[0];
}

std::string pads(const std::string& result, const std::string& mode, const Integers& given, const std::string& type,
                 bool check = true) {
  TextBench bench("input %x : T[2,3,4] input %p : i64[6] input %v : T[] %y : T" + result + " = Pad.19(%x, %p" +
                      (mode == "value" ? ", %v" : "") + ") {mode=\"" + (mode == "value" ? "constant" : mode) +
                      "\"} output %y",
                  type);
  bench.give("p", given);
  return check ? bench.check(host_machine()) : bench.run(host_machine());
}

TEST(Parameters, pad) {
  std::string all = "input %x : T[2,3,4] input %v : T[] input %p : i64[6] input %q : i64[6] input %r : i64[6]";
  int n = 0;
  for (const char* mode : {"constant", "value", "edge", "reflect", "wrap"})
    for (const auto& [operand, result] : {std::pair("%p", "[3,5,11]"), {"%q", "[2,3,4]"}, {"%r", "[0,3,4]"}}) {
      const bool value = std::string(mode) == "value";
      const std::string y = " %y" + std::to_string(n++);
      all += y + " : T" + result + " = Pad.19(%x, " + operand + (value ? ", %v" : "") + ") {mode=\"" +
             (value ? "constant" : mode) + "\"} output" + y;
    }
  for (const char* type : {"i8", "f16", "i64"})
    EXPECT_EQ(TextBench(all, type)
                  .give("p", {1, -1, 5, 0, 3, 2})
                  .give("q", {0, 0, 0, 0, 0, 0})
                  .give("r", {-1, 0, 0, -1, 0, 0})
                  .check(host_machine()),
              "")
        << type;
  EXPECT_EQ(pads("[2,3,4]", "constant", {2, 0, 0, -2, 0, 0}, "f32"), "");
  EXPECT_THAT(pads("[2,3,4]", "edge", {2, 0, 0, -2, 0, 0}, "f32", false), HasSubstr("a step gave an error code"));
  EXPECT_THAT(pads("[2,3,4]", "constant", {1, 0, 0, 0, 0, 0}, "f32", false), HasSubstr("a step gave an error code"));
  EXPECT_THAT(pads("[2,3,4]", "constant", {kMost, 0, 0, kLeast, 0, 0}, "f32", false),
              HasSubstr("a step gave an error code"));
  const std::string with_axes =
      "input %x : f32[2,3] input %p : i32[2] input %a : i64[1] %y : f32[2,6] = Pad.19(%x, %p, _, "
      "%a) {mode=\"symmetric\"} output %y";
  EXPECT_EQ(TextBench(with_axes).give("p", {2, 1}).give("a", {-1}).check(host_machine()), "");
  EXPECT_THAT(TextBench(with_axes).give("p", {2, 1}).give("a", {2}).run(host_machine()),
              HasSubstr("a step gave an error code"));
  EXPECT_THAT(TextBench(with_axes).give("p", {2, 1}).give("a", {0}).run(host_machine()),
              HasSubstr("a step gave an error code"));
}

TEST(Parameters, sumsAlongAnAxis) {
  for (const auto& [attributes, type] : {std::pair("", "f32"), {"{exclusive=1}", "i32"}})
    for (const std::int64_t axis : {-3, 1})
      EXPECT_EQ(TextBench("input %x : T[2,3,4] input %a : i64[] %y : T[2,3,4] = CumSum.14(%x, %a) " +
                              std::string(attributes) + " output %y",
                          type)
                    .give("a", {axis})
                    .check(host_machine(), 1e-6),
                "")
          << axis;
  for (const std::int64_t axis : {-4, 3})
    EXPECT_THAT(TextBench("input %x : f32[2,3,4] input %a : i32[1] %y : f32[2,3,4] = CumSum.14(%x, %a) output %y")
                    .give("a", {axis})
                    .run(host_machine()),
                HasSubstr("a step gave an error code"));
}

TEST(Parameters, reducesAxes) {
  const std::string text = R"(input %x : T[3,2,2] input %a : i64[1] input %two : i32[2]
    %y : T[3,2] = ReduceSum.13(%x, %a) {keepdims=0} output %y
    %z : T[2] = ReduceMax.18(%x, %two) {keepdims=0} output %z
    %k : T[3,1,2] = ReduceL1.18(%x, %one) output %k)";
  for (const auto& [a, b, one] : {std::tuple{1, 0, 1}, {-1, 0, -2}, {2, 0, 1}, {1, -3, 1}})
    for (const char* type : {"f32"})
      EXPECT_EQ(TextBench("input %one : i64[1] " + text, type)
                    .give("a", {a})
                    .give("two", {b, 1})
                    .give("one", {one})
                    .check(host_machine(), 1e-3),
                "")
          << type;
  for (const std::int64_t a : {0, 3, -4})
    EXPECT_THAT(TextBench("input %one : i64[1] " + text)
                    .give("a", {a})
                    .give("two", {0, 1})
                    .give("one", {1})
                    .run(host_machine()),
                HasSubstr("a step gave an error code"))
        << a;
}

// Where the stated shapes leave more than one axis or length, a run picks. Half of a transform of 8 or 9 has 5
// elements.
TEST(Parameters, transformsAlongAnAxis) {
  const auto along = [](std::int64_t axis) {
    return std::move(TextBench("input %x : f32[2,8,8,1] input %a : i64[] %y : f32[2,8,8,2] = DFT.20(%x, _, %a) "
                               "%z : f32[2,8,5,2] = DFT.20(%x, _, %a) {onesided=1} output %y output %z")
                         .give("a", {axis}));
  };
  for (const std::int64_t axis : {2, -2}) EXPECT_EQ(along(axis).check(host_machine(), 1e-6), "") << axis;
  for (const std::int64_t axis : {1, 3, -1, -5})
    EXPECT_THAT(along(axis).run(host_machine()), HasSubstr("a step gave an error code")) << axis;
  const auto sized = [](std::int64_t length, std::int64_t axis) {
    return std::move(TextBench("input %x : T[2,7,7,1] input %n : i32[1] input %a : i64[] %y : T[2,7,5,2] = "
                               "DFT.20(%x, %n, %a) {onesided=1} output %y",
                               "f64")
                         .give("n", {length})
                         .give("a", {axis}));
  };
  for (const std::int64_t length : {8, 9}) EXPECT_EQ(sized(length, -2).check(host_machine(), 1e-12), "") << length;
  EXPECT_THAT(sized(7, 2).run(host_machine()), HasSubstr("a step gave an error code"));
  EXPECT_THAT(sized(8, 1).run(host_machine()), HasSubstr("a step gave an error code"));
  const std::string both =
      "input %x : f32[2,6,6,2] input %a : i64[] %y : f32[2,6,6,2] = DFT.20(%x, _, %a) {inverse=1} "
      "output %y";
  for (const std::int64_t axis : {1, -2}) EXPECT_EQ(TextBench(both).give("a", {axis}).check(cortex_m4f(), 1e-6), "");
}

TEST(Parameters, ranges) {
  const auto range = [](const std::string& type, const std::string& count, std::int64_t start, std::int64_t limit,
                        std::int64_t delta) {
    return std::move(TextBench("input %s : T[] input %l : T[1] input %d : T[] %y : T[" + count +
                                   "] = Range.11(%s, %l, %d) output %y",
                               type)
                         .give("s", {start})
                         .give("l", {limit})
                         .give("d", {delta}));
  };
  for (const char* type : {"i16", "i32", "i64"}) {
    EXPECT_EQ(range(type, "4", 3, -8, -3).check(host_machine()), "") << type;
    EXPECT_EQ(range(type, "0", 3, 3, 1).check(host_machine()), "") << type;
    for (const auto& [start, limit, delta] : {std::tuple{0, 5, 1}, {0, 4, 0}, {0, -4, 1}, {4, 0, 1}})
      EXPECT_THAT(range(type, "4", start, limit, delta).run(host_machine()), HasSubstr("a step gave an error code"));
  }
  EXPECT_EQ(range("i64", "3", kLeast, kMost, kMost).check(host_machine()), "");
  const auto reals = [](const std::string& count, float start, float limit, float delta) {
    return std::move(TextBench("input %s : f32[] input %l : f32[] input %d : f32[] %y : f32[" + count +
                               "] = Range.11(%s, %l, %d) output %y")
                         .give_reals("s", {start})
                         .give_reals("l", {limit})
                         .give_reals("d", {delta}));
  };
  EXPECT_EQ(reals("3", 0.5F, 1.25F, 0.25F).check(host_machine()), "");
  EXPECT_EQ(reals("4", 0.5F, -1.25F, -0.5F).check(cortex_m4f()), "");
  EXPECT_EQ(reals("0", 0.5F, -1.25F, 0.5F).check(host_machine()), "");
  for (const float delta : {0.2F, 0.0F, -0.25F, std::nanf("")})
    EXPECT_THAT(reals("3", 0.5F, 1.25F, delta).run(host_machine()), HasSubstr("a step gave an error code")) << delta;
  EXPECT_THAT(TextBench("input %s : u8[] %y : u8[4] = Range.11(%s, %s, %s) output %y").refusal(),
              HasSubstr("found u8, expected f16, bf16, f32, f64, i16, i32, i64"));
  EXPECT_THAT(TextBench("input %s : i32[2] %y : i32[4] = Range.11(%s, %s, %s) output %y").refusal(),
              HasSubstr("found [2], expected one element"));
}

// Forms of numbers that say what is expected.
TEST(Parameters, expected) {
  const auto found = [](const std::string& attributes, const Integers& numbers) {
    TextBench bench("input %x : f32[6] input %f : i64[" + std::to_string(numbers.size()) +
                    "] %y : f32[6] = byoc.Expect.1(%x, %f) {" + attributes + "} output %y");
    const std::string evaluated = bench.give("f", numbers).check(host_machine());
    const std::string ran = bench.run(host_machine());
    EXPECT_EQ(evaluated.empty(), ran.empty()) << evaluated << ran;
    return ran.empty();
  };
  const std::string axes = "expected=[0, 2], rank=3";
  for (const Integers& n : {Integers{0, 2}, {2, 0}, {-1, -3}, {-1, 0}}) EXPECT_TRUE(found(axes, n));
  for (const Integers& n : {Integers{0, 1}, {2, 2}, {-1, 2}, {0, 3}, {-4, 0}}) EXPECT_FALSE(found(axes, n));
  const std::string shape = "expected=[2, 3, 1], from=[2, 1]";
  for (const Integers& n : {Integers{2, 3, 1}, {-1, 3, 1}, {0, 3, -1}, {0, -1, 1}}) EXPECT_TRUE(found(shape, n));
  for (const Integers& n : {Integers{2, 0, 1}, {-1, -1, 1}, {2, 3, 0}, {3, 2, 1}, {-2, 3, 1}})
    EXPECT_FALSE(found(shape, n));
  const std::string none = "expected=[0, 3], from=[2, 3]";
  EXPECT_FALSE(found(none, {0, 3}));
  EXPECT_FALSE(found(none, {-1, 3}));
  EXPECT_TRUE(found("expected=[0, 3], from=[]", {0, 3}));
  const std::string either = "expected=[4, 5, 6], or=[1, 5, 6], any=[2]";
  for (const Integers& n : {Integers{4, 5, 6}, {1, 5, -9}}) EXPECT_TRUE(found(either, n));
  for (const Integers& n : {Integers{5, 5, 6}, {1, 4, 6}}) EXPECT_FALSE(found(either, n));
}

TEST(Parameters, refusals) {
  const auto refusal = [](const std::string& text) { return TextBench(text).refusal(); };
  const std::string x = "input %x : f32[2,3] input %two : i64[2] input %one : i64[1] input %small : i16[2] ";
  EXPECT_THAT(refusal(x + "%y : f32[2,3] = Slice.13(%x, %two, %one) output %y"),
              HasSubstr("found [1] numbers of operand 2, expected 2"));
  EXPECT_THAT(refusal(x + "%y : f32[2,3] = Slice.13(%x, %small, %small) output %y"),
              HasSubstr("found i16, expected i32 or i64"));
  EXPECT_THAT(refusal("input %x : f32[8,2] input %a : i64[] %y : f32[7,2] = DFT.20(%x, _, %a) output %y"),
              HasSubstr("found [7,2], expected the shape of a transform of [8,2]"));
  EXPECT_THAT(refusal("input %x : f32[8,2] input %a : i64[2] %y : f32[8,2] = DFT.20(%x, _, %a) output %y"),
              HasSubstr("found i64[2] as operand 2, expected one i32 or i64"));
  EXPECT_THAT(refusal(x + "input %i : i32[2] %y : f32[2,3] = Slice.13(%x, %two, %i) output %y"),
              HasSubstr("found i32, expected i64"));
  EXPECT_THAT(refusal(x + "input %three : i64[3] %y : f32[2,3] = Slice.13(%x, %three, %three) output %y"),
              HasSubstr("found 3 starts of [2,3]"));
  EXPECT_THAT(refusal("input %x : i4[2] input %p : i64[2] %y : i4[2] = Pad.13(%x, %p) output %y"),
              HasSubstr("found i4, expected elements"));
  EXPECT_THAT(refusal("input %x : f32[1,1,1,1,1,1,1,1,2] input %s : i64[1] %y : f32[1,1,1,1,1,1,1,1,2] = Slice.13(%x, "
                      "%s, %s) output %y"),
              HasSubstr("expected at most 8 dims where numbers that are computed move elements"));
  EXPECT_THAT(refusal("input %x : i8[2] q(0.5, 1) input %p : i64[2] %y : i8[2] q(0.25, 1) = Pad.13(%x, %p) output %y"),
              HasSubstr("different quantisations"));
  EXPECT_THAT(refusal(x + "input %p : i64[4] input %v : f32[2] %y : f32[2,3] = Pad.13(%x, %p, %v) output %y"),
              HasSubstr("expected one element of the input's type"));
  EXPECT_THAT(refusal(x + "input %p : i64[4] %y : f32[4,3] = Pad.13(%x, %p) {mode=\"mirror\"} output %y"),
              HasSubstr("found mode mirror"));
  EXPECT_THAT(refusal("input %x : i8[2] q(0.5, 1) input %a : i64[] %y : i8[2] q(0.5, 1) = CumSum.14(%x, %a) output %y"),
              HasSubstr("found a "));
}

}  // namespace
}  // namespace byoc::test
