// Estimated cycles: the table, what neighbouring instructions do to each other, and QEMU's log.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sdk/run/cores/cycle_costs.hpp"
#include "sdk/run/simulate/block_trace.hpp"

namespace byoc {
namespace {

using ::testing::HasSubstr;

// "mnemonic operands" each; all of 4 bytes, or as many.
std::uint64_t cycles(std::initializer_list<std::string_view> lines, std::string_view cpu = "cortex-m4",
                     std::uint32_t bytes = 4) {
  std::vector<Instruction> code;
  for (const std::string_view l : lines) {
    const std::size_t end = std::min(l.find(' '), l.size());
    code.push_back({0, bytes, std::string(l.substr(0, end)), std::string(l.substr(std::min(end + 1, l.size())))});
  }
  std::string unknown;
  const auto found = block_cycles(*core_costs(cpu), code, unknown);
  EXPECT_TRUE(found) << unknown;
  return found.value_or(0);
}

TEST(CortexM4Cycles, SingleInstructionsCostWhatTheManualSays) {
  EXPECT_EQ(cycles({"adds r0, r1, #4"}), 1U);
  EXPECT_EQ(cycles({"smlad r0, r1, r2, r3"}), 1U);
  EXPECT_EQ(cycles({"movne.w r0, #1"}), 1U);
  EXPECT_EQ(cycles({"itte ne"}), 1U);
  EXPECT_EQ(cycles({"ldr.w r0, [r1, #4]"}), 2U);
  EXPECT_EQ(cycles({"str r0, [r1, #4]"}), 1U);
  EXPECT_EQ(cycles({"str.w r0, [r1, r2, lsl #2]"}), 2U);
  EXPECT_EQ(cycles({"ldrd r0, r1, [r2]"}), 3U);
  EXPECT_EQ(cycles({"ldm r0!, {r1, r2, r3}"}), 4U);
  EXPECT_EQ(cycles({"push {r4, r5, lr}"}), 4U);
  EXPECT_EQ(cycles({"vldmia r0!, {s0, s1, s2, s3}"}), 5U);
  EXPECT_EQ(cycles({"vpop {d8, d9}"}), 5U);
  EXPECT_EQ(cycles({"vldr s0, [r0]"}), 2U);
  EXPECT_EQ(cycles({"vldr d0, [r0]"}), 3U);
  EXPECT_EQ(cycles({"vmul.f32 s0, s1, s2"}), 1U);
  EXPECT_EQ(cycles({"vfma.f32 s0, s1, s2"}), 3U);
  EXPECT_EQ(cycles({"vdiv.f32 s0, s1, s2"}), 14U);
  EXPECT_EQ(cycles({"vmov r0, r1, s2, s3"}), 2U);
  EXPECT_EQ(cycles({"bne #0x100"}), 1U);
  EXPECT_EQ(cycles({"tbb [pc, r0]"}), 2U);
}

TEST(CortexM4Cycles, LoadsOverlapUnlessOneMakesTheOthersAddress) {
  EXPECT_EQ(cycles({"ldr r0, [r1]", "ldr r2, [r3]", "ldrsb r4, [r5]"}), 4U);
  EXPECT_EQ(cycles({"ldr r0, [r1]", "ldr r2, [r0]"}), 4U);
  EXPECT_EQ(cycles({"ldr r0, [r1]", "ldrd r2, r3, [r4]"}), 5U);
  EXPECT_EQ(cycles({"adds r0, #4", "ldr r2, [r0]"}), 4U);
  EXPECT_EQ(cycles({"adds r0, #4", "ldr r2, [r10]"}), 3U);
}

TEST(CortexM4Cycles, ResultsOfTheFpuComeACycleLaterButForSums) {
  EXPECT_EQ(cycles({"vmul.f32 s0, s1, s2", "vadd.f32 s3, s3, s0"}), 3U);
  EXPECT_EQ(cycles({"vmul.f32 s0, s1, s2", "vadd.f32 s3, s3, s10"}), 2U);
  EXPECT_EQ(cycles({"vmul.f32 s0, s1, s2", "vadd.f32 s0, s3, s4"}), 2U);
  EXPECT_EQ(cycles({"vmul.f32 s0, s1, s2", "vfma.f32 s0, s3, s4"}), 4U);
  EXPECT_EQ(cycles({"vmul.f32 s0, s1, s2", "vfma.f32 s3, s0, s4"}), 5U);
  EXPECT_EQ(cycles({"vadd.f32 s0, s1, s2", "vstr s0, [r0]"}), 4U);
  EXPECT_EQ(cycles({"vadd.f32 s0, s1, s2", "vldr s0, [r0]"}), 3U);
  EXPECT_EQ(cycles({"vsub.f32 s0, s1, s2", "vcmpe.f32 s0, s3"}), 3U);
}

TEST(CortexM0PlusCycles, NeighboursDoNotMatter) {
  EXPECT_EQ(cycles({"adds r0, #4", "ldr r2, [r0]", "ldr r3, [r0, r1]"}, "cortex-m0plus"), 5U);
  EXPECT_EQ(cycles({"str r2, [r0]", "muls r0, r1, r0"}, "cortex-m0plus"), 3U);
  EXPECT_EQ(cycles({"ldm r0!, {r1, r2, r3}", "push {r4, lr}"}, "cortex-m0plus"), 7U);
  const CoreCosts& core = *core_costs("cortex-m0plus");
  EXPECT_EQ(refill_cycles(core, {0, 2, "bne", ""}, {0x102, 4, "bl", ""}), 1U);
  EXPECT_EQ(refill_cycles(core, {0, 4, "bl", ""}, {0x100, 2, "nop", ""}), 2U);
  EXPECT_EQ(refill_cycles(core, {0, 2, "pop", "{r4, pc}"}, {0x100, 2, "nop", ""}), 2U);
}

TEST(CortexM33Cycles, LoadsAndProductsTakeACycleAndGiveTheirResultsOneLater) {
  const auto m33 = [](std::initializer_list<std::string_view> lines, std::uint32_t bytes = 4) {
    return cycles(lines, "cortex-m33", bytes);
  };
  EXPECT_EQ(m33({"ldr r0, [r1]", "add r3, r4, r5", "ldr r2, [r3]"}), 3U);
  EXPECT_EQ(m33({"ldr r0, [r1]", "adds r2, r0, #1"}), 3U);
  EXPECT_EQ(m33({"ldr r0, [r1], #4", "ldr r2, [r1]"}), 2U);
  EXPECT_EQ(m33({"smlad r0, r1, r2, r0", "smlad r3, r1, r2, r3"}), 2U);
  EXPECT_EQ(m33({"smlad r0, r1, r2, r0", "smlad r0, r1, r2, r0"}), 3U);
  EXPECT_EQ(m33({"add r0, r1, r2, asr #8", "strb r0, [r3]"}), 3U);
  EXPECT_EQ(m33({"ldm r0!, {r1, r2, r3}", "adds r4, r3, #1"}), 5U);
  EXPECT_EQ(m33({"udiv r0, r1, r2"}), 12U);
}

TEST(CortexM33Cycles, TwoNarrowInstructionsAreAPairIfOneIsLight) {
  const auto m33 = [](std::initializer_list<std::string_view> lines, std::uint32_t bytes) {
    return cycles(lines, "cortex-m33", bytes);
  };
  EXPECT_EQ(m33({"adds r0, #4", "ldr r1, [r2]"}, 2), 1U);
  EXPECT_EQ(m33({"ldr r1, [r2]", "mov r3, r4"}, 2), 1U);
  EXPECT_EQ(m33({"adds r0, #4", "ldr r1, [r2]"}, 4), 2U);
  EXPECT_EQ(m33({"adds r0, r0, r3", "ldr r1, [r2]"}, 2), 2U);
  EXPECT_EQ(m33({"adds r0, #4", "adds r0, #4"}, 2), 2U);  // the second one needs the first
  EXPECT_EQ(m33({"adds r0, #4", "ldr r1, [r2]", "mov r3, r4"}, 2), 2U);
}

TEST(CortexM7Cycles, TwoInstructionsAreIssuedAtOnceWhereTheirUnitsAreFree) {
  const auto m7 = [](std::initializer_list<std::string_view> lines) { return cycles(lines, "cortex-m7"); };
  EXPECT_EQ(m7({"ldr r0, [r1]", "smlad r2, r3, r4, r2"}), 1U);
  EXPECT_EQ(m7({"smlad r0, r3, r4, r0", "smlad r2, r3, r4, r2"}), 2U);
  EXPECT_EQ(m7({"smlad r0, r3, r4, r0", "smlad r0, r3, r4, r0"}), 2U);  // what is added to is read late
  EXPECT_EQ(m7({"sxtb16 r0, r1", "smlad r2, r3, r4, r2"}), 1U);
  EXPECT_EQ(m7({"smlad r2, r3, r4, r2", "sxtb16 r0, r1"}), 2U);  // is only the first of two
  EXPECT_EQ(m7({"ldr r0, [r4]", "ldr r1, [r4, #4]"}), 1U);       // an even and an odd word
  EXPECT_EQ(m7({"ldr r0, [r4]", "ldr r1, [r4, #8]"}), 2U);
  EXPECT_EQ(m7({"ldr r0, [r4]", "ldr r1, [r5, #4]"}), 2U);
  EXPECT_EQ(m7({"ldrd r0, r1, [r4]", "adds r5, #1"}), 2U);
  EXPECT_EQ(m7({"ldm r0!, {r1, r2, r3}", "adds r5, #1"}), 3U);
  EXPECT_EQ(m7({"asr r0, r1, #1", "lsl r2, r3, #1"}), 2U);  // one shifter
}

TEST(CortexM7Cycles, ResultsComeAsTheyAreReadyAndAddressesAreReadEarly) {
  const auto m7 = [](std::initializer_list<std::string_view> lines) { return cycles(lines, "cortex-m7"); };
  EXPECT_EQ(m7({"ldr r0, [r1]", "adds r2, r0, #1"}), 2U);
  EXPECT_EQ(m7({"ldrb r0, [r1]", "adds r2, r0, #1"}), 3U);
  EXPECT_EQ(m7({"adds r0, #4", "ldr r1, [r0]"}), 3U);
  EXPECT_EQ(m7({"adds r0, #4", "adds r1, r2, r0, lsl #2"}), 3U);
  EXPECT_EQ(m7({"smmul r0, r1, r2", "adds r0, #1"}), 3U);
  EXPECT_EQ(m7({"adds r0, #4", "str r0, [r1]"}), 1U);  // what is stored is read late
  EXPECT_EQ(m7({"vmul.f32 s0, s1, s2", "vadd.f32 s3, s0, s4"}), 4U);
  EXPECT_EQ(m7({"vldr d8, [r0]", "vadd.f32 s3, s17, s4"}), 2U);  // s17 is of d8
}

TEST(CortexM55Cycles, BeatsOverlapWhereTheirUnitsDiffer) {
  const auto m55 = [](std::initializer_list<std::string_view> lines) { return cycles(lines, "cortex-m55"); };
  EXPECT_EQ(m55({"vldrb.u8 q0, [r0], #16", "vmladava.s8 r2, q0, q1"}), 2U);  // beat by beat
  EXPECT_EQ(m55({"vldrb.u8 q0, [r0]", "vldrb.u8 q1, [r0, #16]"}), 3U);
  EXPECT_EQ(m55({"vldrb.u8 q0, [r0]", "vmladav.s8 r2, q1, q2", "vldrb.u8 q3, [r0, #16]"}), 3U);
  EXPECT_EQ(m55({"vqrdmulh.s32 q0, q1, r2", "vrshl.s32 q0, r3"}), 3U);  // a product is there a cycle later
  EXPECT_EQ(m55({"vqmovnb.s32 q0, q1", "vqadd.s16 q0, q0, r3"}), 4U);
  EXPECT_EQ(m55({"vadd.i32 q0, q1, q2", "vadd.f32 q3, q4, q5"}), 2U);  // of integers and of floats
  EXPECT_EQ(m55({"vpst", "vstrbt.8 q0, [r0]"}), 2U);
  EXPECT_EQ(m55({"dls lr, r0", "le lr, #-8"}), 1U);
  EXPECT_EQ(m55({"vmov q0[2], q0[0], r1, r2", "vmov r1, r2, q3[2], q3[0]"}), 3U);
  EXPECT_EQ(refill_cycles(*core_costs("cortex-m55"), {0, 4, "le", "lr, #-8"}, {0x100, 2, "nop", ""}), 0U);
}

TEST(CortexM85Cycles, AVectorEndsWhatIsIssuedTogether) {
  const auto m85 = [](std::initializer_list<std::string_view> lines) { return cycles(lines, "cortex-m85"); };
  EXPECT_EQ(m85({"add r0, r1, r2", "vldrb.u8 q0, [r3]"}), 1U);
  EXPECT_EQ(m85({"vldrb.u8 q0, [r3]", "add r0, r1, r2"}), 2U);
  EXPECT_EQ(m85({"vldrb.u8 q0, [r0]", "vmladava.s8 r2, q1, q2", "vldrb.u8 q3, [r0, #16]"}), 3U);
  EXPECT_EQ(m85({"vldrb.u8 q0, [r0]", "vldrb.u8 q1, [r0, #16]"}), 3U);
  EXPECT_EQ(m85({"vmladav.s8 r2, q1, q2", "add r0, r2, r1"}), 5U);  // core registers are written two cycles later
  EXPECT_EQ(m85({"vmladava.s8 r2, q1, q2", "vmladava.s8 r2, q3, q4"}), 3U);  // and their sums read late
  EXPECT_EQ(m85({"vand q0, q1, q2", "vorr q3, q4, q5"}), 2U);                // no unit
  EXPECT_EQ(m85({"vmul.f32 q0, q1, q2", "vadd.f32 q3, q0, q4"}), 4U);
  EXPECT_EQ(refill_cycles(*core_costs("cortex-m85"), {0, 4, "le", "lr, #-8"}, {0x100, 2, "nop", ""}), 0U);
  EXPECT_EQ(refill_cycles(*core_costs("cortex-m85"), {0, 2, "bne", "#0x100"}, {0x100, 2, "nop", ""}), 1U);
}

TEST(CortexM85Cycles, TwoInstructionsOfTheCoreAreIssuedAtOnce) {
  const auto m85 = [](std::initializer_list<std::string_view> lines) { return cycles(lines, "cortex-m85"); };
  EXPECT_EQ(m85({"ldr r0, [r1]", "ldr r2, [r3]"}), 1U);
  EXPECT_EQ(m85({"ldr r0, [r1]", "smlad r2, r3, r4, r2", "sxtb16 r5, r6"}), 2U);
  EXPECT_EQ(m85({"sxtb16 r0, r1", "ssat r2, #8, r3"}), 2U);  // both only as the first
  EXPECT_EQ(m85({"adds r0, #4", "ldr r2, [r0]"}), 3U);       // addresses are read early
}

TEST(BlockTrace, TakesBytesWhereTheTextIsNotKnown) {
  // VLDRB, which is LDC to QEMU's disassembler, and LE.
  const std::string marker = "Trace 0: 0x1 [0/00000300/0/0] byoc_trace\n";
  const std::string log =
      "IN: \n0x00000300:  4770       bx       lr\n\n" + marker +
      "IN: \n0x00000200:  ecb4 1e10  ldc      p14, c1, [r4], #0x40\n0x00000204:  f00f       .byte    "
      "0x0f, 0xf0\n0x00000206:  c00f       stm      r0!, {r0, r1}\n\nTrace 0: 0x2 [0/00000200/0/0] \n" +
      marker;
  BlockTrace trace(*core_costs("cortex-m55"));
  trace.read_bytes_by([](std::span<const std::byte> code, std::uint64_t) {
    const bool loads = code[0] == std::byte{0xb4} && code[1] == std::byte{0xec};
    return std::vector<std::pair<std::size_t, std::string>>{
        {4, loads && code.size() == 8 ? "vldrb.u8 q0, [r4], #16" : "bx lr"}, {4, "le lr, #-8"}};
  });
  trace.feed(log);
  Diagnostics diags;
  const auto steps = trace.finish(diags);
  ASSERT_TRUE(steps) << to_string(diags.all().front());
  EXPECT_EQ(steps->at(0).instructions, 2U);
  EXPECT_EQ(steps->at(0).cycles, 1U);  // LE is not issued, wherever it goes
}

TEST(CortexM7Cycles, BranchesAreExpectedToGoWhereTheyWent) {
  // A block at 0x200 that loops five times; the marker is called before and after.
  std::string log =
      "IN: \n0x00000300:  4770       bx       lr\n\nTrace 0: 0x1 [0/00000300/0/0] byoc_trace\n"
      "IN: \n0x00000200:  3801       subs     r0, #1\n0x00000202:  d1fd       bne      #0x200\n\n";
  for (int i = 0; i < 5; ++i) log += "Trace 0: 0x2 [0/00000200/0/0] \n";
  log += "IN: \n0x00000204:  e07e       bl       #0x300\n\nTrace 0: 0x3 [0/00000204/0/0] \n";
  log += "Trace 0: 0x1 [0/00000300/0/0] byoc_trace\n";
  BlockTrace trace(*core_costs("cortex-m7"));
  trace.feed(log);
  Diagnostics diags;
  const auto steps = trace.finish(diags);
  ASSERT_TRUE(steps);
  // SUBS and BNE are a pair. Taken four times: not expected once, then expected; the end is not expected. BL is.
  EXPECT_EQ(steps->at(0).cycles, 5U + 6 + 3 * 1 + 6 + 1 + 1);
}

TEST(CoreCosts, AreOfTheseCpus) {
  EXPECT_EQ(cores_with_costs(), "cortex-m0plus, cortex-m4, cortex-m7, cortex-m33, cortex-m55 or cortex-m85");
  EXPECT_EQ(core_costs("cortex-m3"), nullptr);
}

TEST(CortexM4Cycles, InstructionsWithoutARowAreNamed) {
  const std::vector<Instruction> code = {{0, 4, "vmla.i8", "q0, q1, r0"}, {4, 4, "vidup.u32", "q0, r0, #1"}};
  std::string unknown;
  EXPECT_FALSE(block_cycles(*core_costs("cortex-m4"), code, unknown));
  EXPECT_EQ(unknown, "vidup.u32");
}

TEST(CortexM4Cycles, RefillsTakeLongerAcrossWords) {
  EXPECT_EQ(refill_cycles(*core_costs("cortex-m4"), {0, 2, "b", ""}, {0x100, 4, "nop", ""}), 2U);
  EXPECT_EQ(refill_cycles(*core_costs("cortex-m4"), {0, 2, "b", ""}, {0x102, 2, "nop", ""}), 2U);
  EXPECT_EQ(refill_cycles(*core_costs("cortex-m4"), {0, 2, "b", ""}, {0x102, 4, "nop", ""}), 3U);
}

// A root at 0x100 with a loop at 0x200 that runs three times, in pieces of 7 bytes; one block is started twice.
TEST(BlockTrace, CountsBetweenCallsOfTheMarker) {
  const std::string log =
      "----------------\nIN: root\n0x00000100:  f000 f87e  bl       #0x300\n\n"
      "Trace 0: 0x7f00 [00800400/00000100/00000110/ff020200] root\n"
      "----------------\nIN: byoc_trace\n0x00000300:  4770       bx       lr\n\n"
      "Trace 0: 0x7f10 [00800400/00000300/00000110/ff020200] byoc_trace\n"
      "----------------\nIN: root\n0x00000104:  2003       movs     r0, #3\n\n"
      "Trace 0: 0x7f20 [00800400/00000104/00000110/ff020200] root\n"
      "----------------\nIN: loop\n0x00000106:  3801       subs     r0, #1\n0x00000108:  d1fd       bne      #0x106\n\n"
      "Trace 0: 0x7f30 [00800400/00000106/00000110/ff020200] loop\n"
      "Stopped execution of TB chain before 0x7f30 [00000106] loop\n"
      "Trace 0: 0x7f30 [00800400/00000106/00000110/ff020200] loop\n"
      "Trace 0: 0x7f30 [00800400/00000106/00000110/ff020200] loop\n"
      "Trace 0: 0x7f30 [00800400/00000106/00000110/ff020200] loop\n"
      "----------------\nIN: root\n0x0000010a:  f000 f87e  bl       #0x300\n\n"
      "Trace 0: 0x7f40 [00800400/0000010a/00000110/ff020200] root\n"
      "Trace 0: 0x7f10 [00800400/00000300/00000110/ff020200] byoc_trace\n";
  BlockTrace trace(*core_costs("cortex-m4"));
  for (std::size_t i = 0; i < log.size(); i += 7) trace.feed(std::string_view(log).substr(i, 7));
  Diagnostics diags;
  const auto steps = trace.finish(diags);
  ASSERT_TRUE(steps);
  ASSERT_EQ(steps->size(), 2U);
  EXPECT_EQ(steps->at(0).instructions, 1U + 3 * 2 + 1);
  // Two of three branches are taken; the call of the marker is the step's last.
  EXPECT_EQ(steps->at(0).cycles, 1U + 3 * 2 + 2 * 2 + 1 + 2);
  EXPECT_EQ(steps->at(1).instructions, 0U);
}

TEST(BlockTrace, LogsWithoutCallsOrWithUnknownInstructionsAreRefused) {
  Diagnostics diags;
  BlockTrace empty(*core_costs("cortex-m4"));
  EXPECT_FALSE(empty.finish(diags));
  EXPECT_THAT(to_string(diags.all().at(0)), HasSubstr("has no call of byoc_trace"));
  BlockTrace odd(*core_costs("cortex-m0plus"));
  odd.feed(
      "IN: root\n0x00000100:  f000 f87e  bl       #0x300\n\nTrace 0: 0x1 [0/00000100/0/0] root\n"
      "IN: byoc_trace\n0x00000300:  4770       bx       lr\n\nTrace 0: 0x2 [0/00000300/0/0] byoc_trace\n"
      "IN: root\n0x00000104:  4770       frob     r0\n\nTrace 0: 0x3 [0/00000104/0/0] root\n");
  EXPECT_FALSE(odd.finish(diags));
  EXPECT_THAT(to_string(diags.all().at(1)),
              HasSubstr("'frob': instruction is not in the table of the Cortex-M0+'s cycles"));
}

TEST(BlockTrace, WaitsForFlashOnceWhereItsCachesHoldIt) {
  // Eight narrow instructions in 16 bytes of flash, which run twice and read two words that lie together and one apart.
  const std::string once = "Trace 0: 0x2 [0/00000400/0/0] \nRead 1000\nRead 1004\nRead 1008\n";
  const std::string code =
      "IN: \n0x00000400:  3801       subs     r0, #1\n0x00000402:  3801       subs     r0, #1\n"
      "0x00000404:  3801       subs     r0, #1\n0x00000406:  3801       subs     r0, #1\n"
      "0x00000408:  3801       subs     r0, #1\n0x0000040a:  3801       subs     r0, #1\n"
      "0x0000040c:  3801       subs     r0, #1\n0x0000040e:  e7f7       b        #0x400\n\n";
  const std::string marker = "Trace 0: 0x1 [0/00000300/0/0] byoc_trace\n";
  const std::string log = "IN: \n0x00000300:  4770       bx       lr\n\n" + marker + code + once + once + marker;
  Diagnostics diags;
  const auto model = parse_flash_model("l4r5@120", diags);
  ASSERT_TRUE(model);
  BlockTrace trace(*core_costs("cortex-m4"), &*model);
  trace.feed(log);
  const auto steps = trace.finish(diags);
  ASSERT_TRUE(steps);
  constexpr std::uint64_t kCode = 8 + 2, kWait = 5;
  // The second word of code was being read while the four cycles of the first passed; two words of constants.
  EXPECT_EQ(steps->at(0).cycles, 2 * kCode + kWait + (kWait + 1 - 4) + 2 * kWait);
}

TEST(FlashModel, CachesReplaceWhatWasUsedLeastRecently) {
  FlashCache cache(2, 4, 8);
  EXPECT_FALSE(cache.holds(0));
  EXPECT_TRUE(cache.holds(4));
  EXPECT_FALSE(cache.holds(8));  // of the line that is there, but not read yet
  EXPECT_FALSE(cache.holds(32));
  EXPECT_TRUE(cache.holds(0));
  EXPECT_FALSE(cache.holds(64));  // takes the place of 32
  EXPECT_TRUE(cache.holds(8));
  EXPECT_FALSE(cache.holds(32));
}

TEST(FlashModel, IsOfAPartAtAClock) {
  Diagnostics diags;
  EXPECT_EQ(parse_flash_model("l4r5@120", diags)->wait_states, 5U);
  EXPECT_EQ(parse_flash_model("l4r5@80", diags)->wait_states, 3U);
  EXPECT_EQ(parse_flash_model("l4r5@20", diags)->wait_states, 0U);
  EXPECT_EQ(parse_flash_model("u575@160", diags)->wait_states, 4U);
  EXPECT_TRUE(diags.all().empty());
  for (const char* bad : {"l4r5", "l4r5@", "l4r5@121", "l4r5@0", "l4r5@fast", "f103@72"})
    EXPECT_FALSE(parse_flash_model(bad, diags)) << bad;
  EXPECT_THAT(to_string(diags.all().at(0)),
              HasSubstr("no clock of this part (found none, expected 1 to 120 MHz, as l4r5@120)"));
  EXPECT_THAT(to_string(diags.all().at(2)), HasSubstr("found 121"));
  EXPECT_THAT(to_string(diags.all().at(5)),
              HasSubstr("no such flash is modelled (found f103@72, expected a part and its clock in MHz: l4r5@120 or"));
}

}  // namespace
}  // namespace byoc
