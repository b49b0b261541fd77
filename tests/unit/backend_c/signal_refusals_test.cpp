// What of TensorFlow Lite Micro's signal library the backend refuses, in words.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/c/backend.hpp"
#include "sdk/codegen/codegen/region.hpp"
#include "sdk/model/ir/text.hpp"
#include "tests/support/generated_program.hpp"

namespace byoc::test {
namespace {

using ::testing::HasSubstr;

std::string verdict_of(const std::string& statements) {
  Diagnostics diags;
  const auto graph = ir::parse("graph \"t\" requant=tflite {\n" + statements + "\n}", "t.byoc", diags);
  EXPECT_TRUE(graph) << (diags.all().empty() ? "" : to_string(diags.all()[0]));
  if (!graph) return "";
  const plugin::BoundRegion bound = plugin::make_region(*graph);
  const codegen::Verdict v = c::create_backend()->verdicts(bound.region, host_machine().target)[0];
  return v.claimed ? "claimed" : v.text;
}

std::string bank(const std::string& bins) {
  return verdict_of("input %x : u32[4] const %w : i16[4] = zeros const %u : i16[4] = zeros " + bins +
                    " const %p : i16[3] = [0, 1, 3] const %n : i16[3] = [1, 2, 1] value %y : u64[2] %y = "
                    "byoc.SignalFilterBank.1(%x, %w, %u, %b, %p, %n) {num_channels=2} output %y");
}

TEST(SignalRefusals, bandsThatAreNotKnownOrOutside) {
  EXPECT_EQ(bank("const %b : i16[3] = [0, 1, 3]"), "claimed");
  EXPECT_THAT(bank("input %b : i16[3]"), HasSubstr("found computed bands, expected constants"));
  EXPECT_THAT(bank("const %b : i16[3] = [0, 3, 3]"), HasSubstr("found band 1 outside the spectrum or the weights"));
}

// What a state becomes has to go somewhere.
TEST(SignalRefusals, resultsThatNobodyWants) {
  const std::string x = "input %x : u32[2] input %e : u32[2] value %y : u32[2] value %n : u32[2] ";
  const std::string call = " = byoc.SignalFilterBankSpectralSubtraction.1(%x, %e) {} output ";
  EXPECT_EQ(verdict_of(x + "%y, %n" + call + "%y"), "claimed");
  EXPECT_THAT(verdict_of(x + "%y, _" + call + "%y"), HasSubstr("found an output that is not wanted"));
  const std::string frames =
      "input %x : i16[2] input %s : i16[1,2] input %h : i32[1] value %y : i16[1,4] value %v : "
      "bool[] value %m : i16[1,2] value %n : i32[1] ";
  const std::string framer = " = byoc.SignalFramer.1(%x, %s, %h) {frame_size=4, frame_step=2, prefill=1} output %y";
  EXPECT_EQ(verdict_of(frames + "%y, %v, %m, %n" + framer), "claimed");
  EXPECT_THAT(verdict_of(frames + "%y, %v, %m, _" + framer), HasSubstr("found an output that is not wanted"));
  const std::string stack =
      "input %x : i16[1] input %s : i16[2] input %h : i32[1] value %y : i16[2] value %n : i32[1] ";
  EXPECT_THAT(
      verdict_of(stack + "%y, _, %n = byoc.SignalStacker.1(%x, %s, %h) {left_context=1, right_context=0, step=1} "
                         "output %y"),
      HasSubstr("found an output that is not wanted"));
  const std::string sums = "input %x : i16[1,2] input %s : i16[1,2] value %y : i16[1] ";
  EXPECT_THAT(verdict_of(sums + "%y, _ = byoc.SignalOverlapAdd.1(%x, %s) {frame_step=1} output %y"),
              HasSubstr("found an output that is not wanted"));
  EXPECT_THAT(verdict_of("input %x : i16[2] value %s : i32[] _, %s = byoc.SignalFftAutoScale.1(%x) output %s"),
              HasSubstr("found an output that is not wanted"));
}

}  // namespace
}  // namespace byoc::test
