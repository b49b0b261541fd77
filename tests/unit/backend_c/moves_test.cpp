// Operators that move elements: copies through strides, elements by index, and what rearranges by a few numbers.
#include <gmock/gmock.h>

#include "tests/support/text_bench.hpp"

namespace byoc::test {
namespace {

using ::testing::HasSubstr;

// Every piece of a Split, every mode of a Pad, blocks, tiles; lengths of 0 and 1, rank 0 and rank 7.
const std::string kCopies = R"(
  input %x : T[2,3,4]
  input %image : T[2,8,3,2]
  input %scalar : T[]
  input %none : T[0,3]
  const %lengths : i64[3] = [1, 0, 3]
  %s0 : T[2,3,1], %s1 : T[2,3,0], %s2 : T[2,3,3] = Split.13(%x, %lengths) {axis=-1}
  output %s0 output %s1 output %s2
  %t0 : T[1,3,4], %t1 : T[1,3,4] = Split.18(%x) {axis=0}
  output %t0 output %t1
  %p0 : T[2,1,4], _, %p2 : T[2,1,4] = Split.18(%x) {axis=1}
  %q0 : T[2,2,4], _ = Split.18(%x) {axis=1}
  output %p0 output %p2 output %q0
  %only : T[2,3,4] = Split.18(%x) {axis=1}
  output %only
  %joined : T[2,6,4] = Concat.13(%x, %x) {axis=1}
  output %joined
  %joined_none : T[0,3] = Concat.13(%none, %none) {axis=0}
  output %joined_none
  const %shape : i64[4] = [5, 2, 3, 4]
  %wide : T[5,2,3,4] = Expand.13(%x, %shape)
  output %wide
  const %many : i64[2] = [3, 2]
  %ones : T[3,2] = Expand.13(%scalar, %many)
  output %ones
  const %repeats : i64[3] = [2, 1, 3]
  %tiled : T[4,3,12] = Tile.13(%x, %repeats)
  output %tiled
  const %not_once : i64[3] = [0, 1, 1]
  %untiled : T[0,3,4] = Tile.13(%x, %not_once)
  output %untiled
  %dcr : T[2,2,6,4] = DepthToSpace.13(%image) {blocksize=2}
  output %dcr
  %crd : T[2,2,6,4] = DepthToSpace.13(%image) {blocksize=2, mode="CRD"}
  output %crd
  %back : T[2,8,3,2] = SpaceToDepth.13(%dcr) {blocksize=2}
  output %back
  const %pads : i64[6] = [1, -1, 5, 0, 3, 2]
  %constant : T[3,5,11] = Pad.13(%x, %pads)
  output %constant
  %value : T[3,5,11] = Pad.13(%x, %pads, %scalar)
  output %value
  %reflect : T[3,5,11] = Pad.13(%x, %pads) {mode="reflect"}
  output %reflect
  %edge : T[3,5,11] = Pad.13(%x, %pads) {mode="edge"}
  output %edge
  const %some : i32[2] = [9, 1]
  const %axis : i32[1] = [-2]
  %wrap : T[2,13,4] = Pad.19(%x, %some, _, %axis) {mode="wrap"}
  output %wrap
  const %size : i64[2] = [5, 1]
  %middle : T[2,5,1] = CenterCropPad.18(%x, %size) {axes=[1, 2]}
  output %middle
  const %low : i32[3] = [9, -1, 3]
  const %high : i32[3] = [-99, -99, 0]
  const %steps : i32[3] = [-1, -2, -2]
  const %axes : i32[3] = [0, 1, 2]
  %slice : T[2,2,2] = Slice.13(%x, %low, %high, %axes, %steps)
  output %slice
  const %seven : i64[7] = [2, 3, 2, 1, 2, 3, 2]
  input %r7 : T[2,1,2,3,2,1,2]
  %tiled7 : T[4,3,4,3,4,3,4] = Tile.13(%r7, %seven)
  output %tiled7
  %turned7 : T[2,1,2,3,2,1,2] = Transpose.13(%r7) {perm=[6, 5, 4, 3, 2, 1, 0]}
  output %turned7
)";

TEST(Moves, copies) {
  for (const char* type : {"i8", "u8", "bool", "i16", "f16", "f32", "i32", "i64", "f64"})
    EXPECT_EQ(TextBench(kCopies, type).check(host_machine()), "") << type;
}

TEST(Moves, copiesOnCortexM4) { EXPECT_EQ(TextBench(kCopies, "i16").check(cortex_m4f()), ""); }

// Joined, cut and taken apart where one of the operands lies: each is read by one node alone.
const std::string kOverOperands = R"(
  input %a : T[4,9,5]
  input %b : T[4,9,4]
  input %c : T[4,9,11]
  %abc : T[4,9,20] = Concat.13(%a, %b, %c) {axis=2}
  output %abc
  input %d : T[3,40]
  input %e : T[2,40]
  %de : T[5,40] = Concat.13(%d, %e) {axis=0}
  output %de
  input %f : T[2,3,50]
  input %g : T[2,1,50]
  %fg : T[2,4,50] = Concat.13(%f, %g) {axis=1}
  output %fg
  input %s : T[6,7,12]
  const %lengths : i64[3] = [3, 7, 2]
  %s0 : T[6,7,3], %s1 : T[6,7,7], %s2 : T[6,7,2] = Split.13(%s, %lengths) {axis=2}
  output %s0 output %s1 output %s2
  input %t : T[8,40]
  %t0 : T[4,40], %t1 : T[4,40] = Split.18(%t) {axis=0}
  output %t0 output %t1
  input %w : T[6,9,10]
  const %low : i32[3] = [1, 2, 3]
  const %high : i32[3] = [5, 9, 9]
  const %axes : i32[3] = [0, 1, 2]
  const %steps : i32[3] = [1, 3, 2]
  %slice : T[4,3,3] = Slice.13(%w, %low, %high, %axes, %steps)
  output %slice
  input %x : T[4,30]
  %twice : T[4,60] = Concat.13(%x, %x) {axis=1}
  output %twice
)";

TEST(Moves, overTheirOperands) {
  for (const char* type : {"i8", "bool", "i16", "f32", "f64"}) {
    TextBench bench(kOverOperands, type);
    for (const Machine& machine : {host_machine("gcc"), host_machine("clang-19"), cortex_m4f()})
      EXPECT_EQ(bench.check(machine, 0, {.use_overlays = true}), "") << type;
  }
}

TEST(Moves, quantisedPaddingIsTheZeroPoint) {
  EXPECT_EQ(TextBench(R"(
  input %x : i8[2,3] q(0.5, -7)
  const %pads : i64[4] = [1, 0, 0, 2]
  %y : i8[3,5] q(0.5, -7) = Pad.13(%x, %pads)
  const %size : i64[2] = [4, 1]
  %z : i8[4,1] q(0.5, -7) = CenterCropPad.18(%x, %size)
  output %y output %z)")
                .check(host_machine()),
            "");
}

// Indices that count from both ends; i32 and i64, constant and given at run time.
const std::string kIndices = R"(
  input %x : T[3,4,2]
  const %a : i64[2,3] = [1, -1, 0, 2, 2, -4]
  const %a3 : i32[2,3] = [1, -1, 0, 2, 2, -4]
  input %at64 : i64[2,3]
  input %at32 : i32[2,3]
  %g0 : T[3,2,3,2] = Gather.13(%x, %at64) {axis=1}
  %g1 : T[3,2,3,2] = Gather.13(%x, %at32) {axis=-2}
  %g2 : T[3,2,3,2] = Gather.13(%x, %a) {axis=1}
  output %g0 output %g1 output %g2
  const %second : i32[] = [-1]
  %g3 : T[3,4] = Gather.13(%x, %second) {axis=2}
  const %every : i64[2] = [0, 2]
  %g4 : T[3,2,2] = Gather.13(%x, %every) {axis=1}
  const %no : i64[0] = []
  %g5 : T[0,4,2] = Gather.13(%x, %no)
  output %g3 output %g4 output %g5
  const %keep : bool[4] = [1, 1, 0, 1]
  %c : T[3,3,2] = Compress.11(%x, %keep) {axis=1}
  const %keep_all : bool[5] = [0, 1, 0, 0, 1]
  %cf : T[2] = Compress.11(%x, %keep_all)
  output %c output %cf
  input %flat : T[4,3]
  %e0 : T[2,3] = GatherElements.13(%flat, %at64) {axis=0}
  %e1 : T[2,3] = GatherElements.13(%flat, %a3) {axis=0}
  output %e0 output %e1
  const %pairs : i64[2,2] = [1, -1, -3, 0]
  %n0 : T[2,2] = GatherND.13(%x, %pairs)
  const %each : i32[3,1,1] = [3, -1, 0]
  %n1 : T[3,1,2] = GatherND.13(%x, %each) {batch_dims=1}
  output %n0 output %n1
  input %u : T[2,3]
  %s0 : T[4,3] = ScatterElements.18(%flat, %at64, %u) {axis=0}
  %s1 : T[4,3] = ScatterElements.18(%flat, %at32, %u) {axis=0, reduction="add"}
  %s2 : T[4,3] = ScatterElements.18(%flat, %a, %u) {axis=0, reduction="mul"}
  %s3 : T[4,3] = ScatterElements.18(%flat, %a3, %u) {axis=0, reduction="min"}
  %s4 : T[4,3] = ScatterElements.18(%flat, %a3, %u) {axis=0, reduction="max"}
  output %s0 output %s1 output %s2 output %s3 output %s4
  input %rows : T[2,2]
  %d0 : T[3,4,2] = ScatterND.18(%x, %pairs, %rows)
  %d1 : T[3,4,2] = ScatterND.18(%x, %pairs, %rows) {reduction="add"}
  output %d0 output %d1
  const %time : i64[2] = [1, 3]
  input %steps : T[3,2,4]
  %r0 : T[3,2,4] = ReverseSequence.10(%steps, %time)
  const %batch : i64[3] = [0, 2, 1]
  %r1 : T[3,2,4] = ReverseSequence.10(%steps, %batch) {batch_axis=0, time_axis=1}
  output %r0 output %r1
  %l0 : T[3,4,2] = Trilu.14(%x)
  const %k : i64[] = [-2]
  %l1 : T[3,4,2] = Trilu.14(%x, %k) {upper=0}
  const %far : i64[] = [9223372036854775807]
  %l2 : T[3,4,2] = Trilu.14(%x, %far) {upper=0}
  output %l0 output %l1 output %l2
  input %values : T[2]
  const %depth : i64[] = [5]
  %h0 : T[2,3,5] = OneHot.11(%at64, %depth, %values)
  %h1 : T[2,5,3] = OneHot.11(%a3, %depth, %values) {axis=1}
  const %real : f32[3] = [-5.5, 4.9, -6]
  %h2 : T[5,3] = OneHot.11(%real, %depth, %values) {axis=0}
  output %h0 output %h1 output %h2
)";

const std::vector<std::int64_t> kAt = {3, -2, 0, 1, -4, 0};

TEST(Moves, byIndex) {
  for (const char* type : {"i8", "bool", "u16", "bf16", "i64", "f64"})
    EXPECT_EQ(TextBench(kIndices, type).give("at64", kAt).give("at32", kAt).check(host_machine()), "") << type;
}

TEST(Moves, byIndexOnCortexM4) {
  EXPECT_EQ(TextBench(kIndices).give("at64", kAt).give("at32", kAt).check(cortex_m4f()), "");
}

TEST(Moves, scattersInPlace) {
  EXPECT_EQ(TextBench(kIndices).give("at64", kAt).give("at32", kAt).check(host_machine(), 0, {.use_overlays = true}),
            "");
}

TEST(Moves, indicesOutOfRangeAreAnErrorOfTheStep) {
  const std::string x = "input %x : f32[3,2] input %i : i64[1,1] ";
  for (const std::string node :
       {"%y : f32[1,1,2] = Gather.13(%x, %i)", "%y : f32[1,1] = GatherElements.13(%x, %i)",
        "%y : f32[1,2] = GatherND.13(%x, %i)", "input %u : f32[1,1] %y : f32[3,2] = ScatterElements.18(%x, %i, %u)",
        "input %u : f32[1,2] %y : f32[3,2] = ScatterND.18(%x, %i, %u)"})
    for (const std::int64_t index : {-4, -3, 2, 3}) {
      const bool outside = index == -4 || index == 3;
      const std::string said = TextBench(x + node + " output %y").give("i", {index}).run(host_machine());
      EXPECT_EQ(said, outside ? "a step gave an error code" : "") << node << " with " << index;
    }
  const std::string lengths =
      "input %x : f32[3,1] input %l : i64[1] %y : f32[3,1] = ReverseSequence.10(%x, %l) output %y";
  EXPECT_EQ(TextBench(lengths).give("l", {4}).run(host_machine()), "a step gave an error code");
  const std::string pooled =
      "input %x : f32[1,1,1] input %i : i64[1,1,1] "
      "%y : f32[1,1,2] = MaxUnpool.11(%x, %i) {kernel_shape=[2]} output %y";
  EXPECT_EQ(TextBench(pooled).give("i", {2}).run(host_machine()), "a step gave an error code");
}

TEST(Moves, byIndexInCxxAndByClang) {
  Machine cxx = host_machine("gcc");
  cxx.is_cxx = true;
  EXPECT_EQ(TextBench(kIndices).give("at64", kAt).give("at32", kAt).check(cxx), "");
  EXPECT_EQ(TextBench(kIndices, "f16").give("at64", kAt).give("at32", kAt).check(host_machine("clang-19")), "");
}

TEST(Moves, topK) {
  const std::string nodes = R"(
  input %x : T[3,7,2]
  const %k : i64[1] = [4]
  %v0 : T[3,4,2], %i0 : i64[3,4,2] = TopK.11(%x, %k) {axis=1}
  %v1 : T[3,4,2], %i1 : i64[3,4,2] = TopK.11(%x, %k) {axis=1, largest=0}
  output %v0 output %i0 output %v1 output %i1
  input %line : T[40]
  const %all : i64[1] = [40]
  %v2 : T[40], %i2 : i64[40] = TopK.11(%line, %all)
  output %v2 output %i2
  const %none : i64[1] = [0]
  _, %i5 : i64[40] = TopK.11(%line, %all) {largest=0}
  output %i5
  %v3 : T[0], %i3 : i64[0] = TopK.11(%line, %none)
  output %v3 output %i3
  const %equal : T[6] = [1, 1, 0, 1, 0, 1]
  const %three : i64[1] = [3]
  %v4 : T[3], %i4 : i64[3] = TopK.11(%equal, %three)
  output %i4)";
  for (const char* type : {"i8", "u8", "i16", "f32", "i64", "u64", "f64"})
    EXPECT_EQ(TextBench(nodes, type).check(host_machine()), "") << type;
  EXPECT_EQ(TextBench(R"(const %x : f32[6] = [1, nan, inf, -inf, nan, 2] const %k : i64[1] = [6]
  %v : f32[6], %i : i64[6] = TopK.11(%x, %k) %w : f32[6], %j : i64[6] = TopK.11(%x, %k) {largest=0} output %i output %j)")
                .check(host_machine()),
            "");
}

TEST(Moves, unpools) {
  EXPECT_EQ(TextBench(R"(
  input %x : f32[1,1,2,2]
  const %i : i64[1,1,2,2] = [5, 7, 13, 15]
  %y : f32[1,1,4,4] = MaxUnpool.11(%x, %i) {kernel_shape=[2, 2], strides=[2, 2]}
  const %shape : i64[4] = [1, 1, 5, 6]
  %z : f32[1,1,5,6] = MaxUnpool.11(%x, %i, %shape) {kernel_shape=[2, 2], strides=[2, 2]}
  output %y output %z)")
                .check(host_machine()),
            "");
}

TEST(Moves, updatesABlock) {
  const std::string text = R"(
  input %x : T[2,3,4]
  input %u : T[1,3,2]
  input %at32 : i32[3]
  input %at64 : i64[3]
  %y0 : T[2,3,4] = byoc.DynamicUpdateSlice.1(%x, %u, %at32)
  %y1 : T[2,3,4] = byoc.DynamicUpdateSlice.1(%y0, %u, %at64)
  const %fixed : i64[3] = [1, 0, 1]
  %y2 : T[2,3,4] = byoc.DynamicUpdateSlice.1(%x, %u, %fixed)
  %y3 : T[2,3,4] = byoc.DynamicUpdateSlice.1(%x, %y2, %fixed)
  output %y1 output %y2 output %y3)";
  for (const char* type : {"i8", "f16", "f32", "i64"})
    for (const std::int64_t start : {-3, 0, 1, 5})
      EXPECT_EQ(
          TextBench(text, type).give("at32", {1 - start, 7, start}).give("at64", {start, -1, 2}).check(host_machine()),
          "")
          << type << " at " << start;
}

TEST(Moves, refusals) {
  const auto refusal = [](const std::string& text) { return TextBench(text).refusal(); };
  const std::string x = "input %x : f32[2,3] ";
  EXPECT_THAT(refusal(x + "const %i : i64[1] = [3] %y : f32[2,1] = Gather.13(%x, %i) {axis=1} output %y"),
              HasSubstr("found index 3, expected at least -3 and less than 3"));
  EXPECT_THAT(refusal(x + "const %i : i64[1,1] = [-3] %y : f32[1,1] = GatherElements.13(%x, %i) output %y"),
              HasSubstr("found index -3"));
  EXPECT_THAT(refusal(x + "const %i : i64[1,2] = [1, 4] %y : f32[1] = GatherND.13(%x, %i) output %y"),
              HasSubstr("found index 4"));
  EXPECT_THAT(refusal(x + "input %c : bool[2] %y : f32[1,3] = Compress.11(%x, %c) {axis=0} output %y"),
              HasSubstr("found a computed condition"));
  EXPECT_THAT(refusal(x + "%y : i64[2,6] = NonZero.13(%x) output %y"),
              HasSubstr("its result has a shape that is known only at run time"));
  EXPECT_THAT(refusal(x + "const %i : i64[1,1] = [0] input %u : f32[1,1] "
                          "%y : f32[2,3] = ScatterElements.18(%x, %i, %u) {reduction=\"mean\"} output %y"),
              HasSubstr("found reduction mean"));
  EXPECT_THAT(refusal(x + "input %p : i64[3] %y : f32[4,3] = Pad.13(%x, %p) output %y"),
              HasSubstr("found 3 pads of [2,3]"));
  EXPECT_THAT(
      refusal(x + "const %p : i64[4] = [1, 0, 1, 0] %y : f32[4,3] = Pad.13(%x, %p) {mode=\"mirror\"} output %y"),
      HasSubstr("found mode mirror"));
  EXPECT_THAT(refusal("input %x : i4[2,3] %y : i4[3,2] = Transpose.13(%x) output %y"),
              HasSubstr("found i4, expected elements of 1, 2, 4 or 8 bytes"));
  EXPECT_THAT(refusal("input %x : i4[2] input %u : i4[1] const %s : i64[1] = [0] "
                      "%y : i4[2] = byoc.DynamicUpdateSlice.1(%x, %u, %s) output %y"),
              HasSubstr("found i4, expected a type of whole bytes"));
  EXPECT_THAT(refusal("input %x : i8[2] q(0.5, 1) input %u : i8[1] const %s : i64[1] = [0] "
                      "%y : i8[2] q(0.5, 1) = byoc.DynamicUpdateSlice.1(%x, %u, %s) output %y"),
              HasSubstr("different quantisations"));
  EXPECT_THAT(refusal("input %x : f32[2] input %u : f32[1] input %s : i16[1] "
                      "%y : f32[2] = byoc.DynamicUpdateSlice.1(%x, %u, %s) output %y"),
              HasSubstr("found i16, expected i32 or i64"));
  EXPECT_THAT(refusal("input %x : i8[2] q(0.5, 1) %y : i8[2] q(0.25, 1) = Concat.13(%x) {axis=0} output %y"),
              HasSubstr("different quantisations"));
  EXPECT_THAT(refusal("input %x : i8[2,2] q(0.5, 1) %y : i8[2,2] q(0.5, 1) = Trilu.14(%x) output %y"),
              HasSubstr("found a zero point"));
  EXPECT_THAT(
      refusal("input %x : f32[3,1] const %l : i64[1] = [4] %y : f32[3,1] = ReverseSequence.10(%x, %l) output %y"),
      HasSubstr("found length 4, expected 0 to 3"));
  EXPECT_THAT(refusal("input %x : f32[1,1,1] const %i : i64[1,1,1] = [2] "
                      "%y : f32[1,1,2] = MaxUnpool.11(%x, %i) {kernel_shape=[2]} output %y"),
              HasSubstr("found index 2, expected less than 2"));
}

}  // namespace
}  // namespace byoc::test
