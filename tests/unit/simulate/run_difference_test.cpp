// Two saved runs beside each other.
#include "sdk/run/simulate/run_difference.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace byoc {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

SavedStep step(const std::string& layer, const std::string& kernel, std::uint64_t cycles, std::uint64_t constants = 0) {
  return {layer, kernel, {cycles, {}, {}}, constants, 100};
}

SavedRun before_run() {
  SavedRun run;
  run.file = "a.json";
  run.model = "kws";
  run.target = "cortex-m4f";
  run.byoc = "0.1.0";
  run.model_sha256 = "11";
  run.times.cycles = 3000;
  run.flash = {100, 20, 0, 1000};
  run.ram = {512, 0, 0, 64};
  run.steps = {step("Conv 'a' (#0)", "conv", 1000, 50), step("Conv 'b' (#1)", "conv", 2000),
               step("Relu (#2)", "relu", 0)};
  return run;
}

SavedRun after_run() {
  SavedRun run = before_run();
  run.file = "b.json";
  run.times.cycles = 2500;
  run.flash.text = 132;
  run.steps = {step("Conv 'a' (#0)", "conv_fast", 500, 60), step("Conv 'b' (#1)", "conv", 2000),
               step("Softmax (#3)", "softmax", 7, 8)};
  return run;
}

TEST(RunDifference, SaysWhatGrewByLayer) {
  const RunDifference d = compare_runs(before_run(), after_run());
  EXPECT_EQ(d.subject, "kws on cortex-m4f");
  EXPECT_EQ(d.unit, "cycles");
  EXPECT_THAT(d.remarks, IsEmpty());
  EXPECT_EQ(d.same, 1U);
  ASSERT_EQ(d.layers.size(), 3U);
  EXPECT_EQ(d.layers[0].layer, "Conv 'a' (#0)");
  EXPECT_EQ(change_text(d.layers[0].time), "-500");
  EXPECT_EQ(change_percent(d.layers[0].time), "-50.0 %");
  EXPECT_EQ(d.layers[1].kind, LayerChange::Kind::added);
  EXPECT_EQ(d.layers[2].kind, LayerChange::Kind::removed);
  EXPECT_EQ(difference_text(d),
            "kws on cortex-m4f: a.json before, b.json after\n"
            "\n"
            "        before  after  change\n"
            "cycles   3,000  2,500    -500  -16.7 %\n"
            "flash    1,120  1,152     +32   +2.9 %\n"
            "  code     100    132     +32  +32.0 %\n"
            "RAM        576    576       =\n"
            "\n"
            "cycles by layer  before  after  change           flash  RAM and kernel\n"
            "Conv a (#0)       1,000    500    -500  -50.0 %    +10  =  conv -> conv_fast\n"
            "Softmax (#3)                 7     new              +8  +100  softmax\n"
            "Relu (#2)             0           gone              -0  -100  relu\n"
            "1 layer is the same\n");
}

TEST(RunDifference, TheSameRunTwiceHasNone) {
  const RunDifference d = compare_runs(before_run(), before_run());
  EXPECT_THAT(d.layers, IsEmpty());
  EXPECT_EQ(d.same, 3U);
  EXPECT_THAT(difference_text(d), HasSubstr("3 layers are the same"));
  EXPECT_THAT(difference_page(d), HasSubstr("All layers are the same."));
}

TEST(RunDifference, CountsOfAnySizeHaveTheirDifference) {
  SavedRun after = before_run();
  after.times.cycles = UINT64_MAX;
  const RunDifference d = compare_runs(before_run(), after);
  EXPECT_THAT(difference_text(d), HasSubstr("+18,446,744,073,709,548,615"));
  EXPECT_THAT(difference_page(d), HasSubstr("+18\u202f446\u202f744\u202f073\u202f709\u202f548\u202f615"));
}

TEST(RunDifference, RunsOfOtherThingsAreStated) {
  SavedRun after = after_run();
  after.target = "cortex-m7";
  after.model_sha256 = "22";
  after.byoc = "0.2.0";
  after.options = {"--optimize speed"};
  EXPECT_THAT(compare_runs(before_run(), after).remarks,
              ElementsAre("another target: cortex-m4f before, cortex-m7 after", "the file of the model has changed",
                          "another version of byoc: 0.1.0 before, 0.2.0 after",
                          "other options: none before, --optimize speed after"));
  after.model = "resnet";
  EXPECT_THAT(compare_runs(before_run(), after).remarks[1], "another model: kws before, resnet after");
  SavedRun old = before_run();  // files of older versions do not say of what they are
  old.byoc = old.model_sha256 = "";
  EXPECT_THAT(compare_runs(old, after_run()).remarks, IsEmpty());
}

TEST(RunDifference, UnitsThatOnlyOneHasAreNotCompared) {
  SavedRun after = after_run();
  after.times = {{}, 900, {}};
  for (SavedStep& s : after.steps) s.times = {{}, 300, {}};
  const RunDifference d = compare_runs(before_run(), after);
  EXPECT_EQ(d.unit, "");
  EXPECT_EQ(d.layers[0].time.after, std::nullopt);
  EXPECT_THAT(difference_text(d), HasSubstr("not counted by layer"));
  EXPECT_EQ(change_percent(d.figures[0]), "");
}

TEST(RunDifference, LayersOfOneNameBelongTogetherInTheirOrder) {
  SavedRun before = before_run(), after = before_run();
  before.steps = {step("a", "k", 1), step("a", "k", 2)};
  after.steps = {step("a", "k", 1), step("a", "k", 3), step("a", "k", 4)};
  const RunDifference d = compare_runs(before, after);
  ASSERT_EQ(d.layers.size(), 2U);
  EXPECT_EQ(d.layers[0].time.before, 2U);
  EXPECT_EQ(d.layers[1].kind, LayerChange::Kind::added);
}

TEST(RunDifference, NamesAreNeitherMarkdownNorMarkup) {
  SavedRun after = after_run();
  after.model = "<b>|`x`";
  after.steps[0].layer = "Conv '<i>|`' (#0)";
  const RunDifference d = compare_runs(before_run(), after);
  const std::string markdown = difference_markdown(d);
  EXPECT_THAT(markdown, HasSubstr("### `<b>/'x' on cortex-m4f`\n"));
  EXPECT_THAT(markdown, HasSubstr("- `another model: kws before, <b>/'x' after`\n"));
  EXPECT_THAT(markdown, HasSubstr("| **cycles** | 3,000 | 2,500 | -500 (-16.7 %) |\n"));
  EXPECT_THAT(markdown, HasSubstr("| `Conv <i>/' (#0)` |"));
  const std::string page = difference_page(d);
  EXPECT_THAT(page, Not(HasSubstr("<b>|")));
  EXPECT_THAT(page, Not(HasSubstr("<i>|")));
  EXPECT_THAT(page, HasSubstr("cycles -16.7 %, flash +2.9 %, RAM as before"));
}

TEST(SavedRun, IsReadAsItWasWritten) {
  Diagnostics diags;
  const auto run = read_saved_run(R"({"model": "kws", "target": "cortex-m4f", "instructions": 9, "cycles": null,
    "flash": {"text": 1, "rodata": 2, "data": 3, "weights": 4, "total": 10}, "ram": {"workspace": 5, "stack": 6},
    "steps": [{"symbol": "kws_0", "nodes": ["Conv 'a'"], "kernel": "k", "instructions": 9, "constant_bytes": 7,
    "live_bytes": 8}, {"symbol": "kws_1"}]})",
                                  "s.json", diags);
  ASSERT_TRUE(run);
  EXPECT_EQ(run->times.instructions, 9U);
  EXPECT_EQ(run->times.cycles, std::nullopt);
  EXPECT_EQ(run->flash.total(), 10U);
  EXPECT_EQ(run->steps[0].layer, "Conv 'a'");
  EXPECT_EQ(run->steps[0].times.instructions, 9U);
  EXPECT_EQ(run->steps[1].layer, "kws_1");
}

TEST(SavedRun, OtherFilesAreRefused) {
  const std::pair<const char*, const char*> kBad[] = {
      {"[]", "s.json: error: is no saved run (found "},
      {"{\"model\": \"m\"}", "key 'target' not found"},
      {"{\"model\": 1, \"target\": \"t\"}", "type must be string, but is number"},
      {R"({"model": "m", "target": "t", "flash": {"text": -1}, "ram": {}, "steps": []})", "whole number"},
      {"\x7f"
       "ELF",
       "expected the .json that 'byoc run --stats' wrote"},
  };
  for (const auto& [text, message] : kBad) {
    Diagnostics diags;
    EXPECT_FALSE(read_saved_run(text, "s.json", diags));
    EXPECT_THAT(to_string(diags.all().at(0)), HasSubstr(message)) << text;
  }
}

}  // namespace
}  // namespace byoc
