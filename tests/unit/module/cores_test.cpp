#include "sdk/target/target/cores.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>

#include "sdk/base/support/file.hpp"
#include "sdk/base/support/process.hpp"
#include "sdk/target/target/compiler_condition.hpp"
#include "sdk/target/target/target.hpp"
#include "tests/support/source_dir.hpp"

namespace byoc::target {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TargetSpec resolved(const std::string& text) {
  Diagnostics diags;
  auto t = resolve_target(text, diags);
  EXPECT_TRUE(t) << text << (diags.all().empty() ? "" : to_string(diags.all().front()));
  return t ? *t : TargetSpec();
}

std::string refused(const std::string& text) {
  Diagnostics diags;
  EXPECT_FALSE(resolve_target(text, diags)) << text;
  return diags.all().empty() ? "" : to_string(diags.all().front());
}

std::string joined(const std::vector<std::string>& all) {
  std::string out;
  for (const std::string& one : all) out += (out.empty() ? "" : " ") + one;
  return out;
}

struct Sold {
  const char* text;
  const char* name;
  const char* isa;
  const char* gnu;
};

// Cores as chips have them, in the words of GCC.
TEST(Cores, OptionsOfTheCpu) {
  const Sold rows[] = {
      {"arm-none-eabi -mcpu=cortex-m33+nodsp -mthumb", "cortex-m33-nodsp-soft", "thumb hwdiv",
       "-mcpu=cortex-m33+nodsp -mthumb -mfloat-abi=soft"},
      {"arm-none-eabi -mcpu=cortex-m33+nodsp+nofp", "cortex-m33-nodsp-soft", "thumb hwdiv",
       "-mcpu=cortex-m33+nodsp -mthumb -mfloat-abi=soft"},
      {"arm-none-eabi -mcpu=cortex-m33+nodsp -mfloat-abi=hard", "cortex-m33-nodsp-hard", "thumb hwdiv fp.sp",
       "-mcpu=cortex-m33+nodsp -mthumb -mfpu=fpv5-sp-d16 -mfloat-abi=hard"},
      {"arm-none-eabi -mcpu=cortex-m33+nofp", "cortex-m33-soft", "thumb dsp hwdiv",
       "-mcpu=cortex-m33 -mthumb -mfloat-abi=soft"},
      {"arm-none-eabi -mcpu=cortex-m35p+nodsp -mfloat-abi=softfp", "cortex-m35p-nodsp-softfp", "thumb hwdiv fp.sp",
       "-mcpu=cortex-m35p+nodsp -mthumb -mfpu=fpv5-sp-d16 -mfloat-abi=softfp"},
      {"arm-none-eabi -mcpu=cortex-m55+nomve -mfloat-abi=hard", "cortex-m55-nomve-hard", "thumb dsp hwdiv fp.sp fp.dp",
       "-mcpu=cortex-m55+nomve -mthumb -mfloat-abi=hard"},
      {"arm-none-eabi -mcpu=cortex-m55+nomve.fp -mfloat-abi=hard", "cortex-m55-nomve.fp-hard",
       "thumb dsp hwdiv fp.sp fp.dp mve", "-mcpu=cortex-m55+nomve.fp -mthumb -mfloat-abi=hard"},
      {"arm-none-eabi -mcpu=cortex-m55+nofp -mfloat-abi=hard", "cortex-m55-nofp-hard", "thumb dsp hwdiv mve",
       "-mcpu=cortex-m55+nofp -mthumb -mfloat-abi=hard"},
      {"arm-none-eabi -mcpu=cortex-m55+nodsp -mfloat-abi=hard", "cortex-m55-nodsp-hard", "thumb hwdiv fp.sp fp.dp",
       "-mcpu=cortex-m55+nodsp -mthumb -mfloat-abi=hard"},
      {"arm-none-eabi -mcpu=cortex-m55+nomve -mfloat-abi=soft", "cortex-m55-soft", "thumb dsp hwdiv",
       "-mcpu=cortex-m55 -mthumb -mfloat-abi=soft"},
      {"arm-none-eabi -mcpu=cortex-m85+nomve -mfloat-abi=hard", "cortex-m85-nomve-hard", "thumb dsp hwdiv fp.sp fp.dp",
       "-march=armv8.1-m.main+dsp+fp.dp -mthumb -mfloat-abi=hard"},
      {"arm-none-eabi -mcpu=cortex-m85+nomve.fp -mfloat-abi=hard", "cortex-m85-nomve.fp-hard",
       "thumb dsp hwdiv fp.sp fp.dp mve", "-march=armv8.1-m.main+dsp+mve+fp.dp -mthumb -mfloat-abi=hard"},
      {"arm-none-eabi -mcpu=cortex-m7 -mfpu=fpv5-sp-d16 -mfloat-abi=hard", "cortex-m7-sp", "thumb dsp hwdiv fp.sp",
       "-mcpu=cortex-m7 -mthumb -mfpu=fpv5-sp-d16 -mfloat-abi=hard"},
      {"arm-none-eabi -mcpu=cortex-m7+nofp.dp -mfloat-abi=hard", "cortex-m7-sp", "thumb dsp hwdiv fp.sp",
       "-mcpu=cortex-m7 -mthumb -mfpu=fpv5-sp-d16 -mfloat-abi=hard"},
      {"arm-none-eabi -mcpu=cortex-m7 -mfpu=fpv5-sp-d16 -mfloat-abi=softfp", "cortex-m7-sp-softfp",
       "thumb dsp hwdiv fp.sp", "-mcpu=cortex-m7 -mthumb -mfpu=fpv5-sp-d16 -mfloat-abi=softfp"},
      {"arm-none-eabi -mcpu=cortex-m4+nofp", "cortex-m4", "thumb dsp hwdiv",
       "-mcpu=cortex-m4 -mthumb -mfloat-abi=soft"},
      {"arm-none-eabi -mcpu=cortex-r5 -mfpu=vfpv3xd -mfloat-abi=hard", "cortex-r5-sp-hard", "thumb dsp hwdiv fp.sp",
       "-mcpu=cortex-r5 -mthumb -mfpu=vfpv3xd -mfloat-abi=hard"},
      {"arm-none-eabi -mcpu=cortex-m0", "cortex-m0", "thumb", "-mcpu=cortex-m0 -mthumb -mfloat-abi=soft"},
      {"cortex-m33+nodsp", "cortex-m33-nodsp-hard", "thumb hwdiv fp.sp",
       "-mcpu=cortex-m33+nodsp -mthumb -mfpu=fpv5-sp-d16 -mfloat-abi=hard"},
      {"cortex-m33+nodsp+nofp", "cortex-m33-nodsp-soft", "thumb hwdiv",
       "-mcpu=cortex-m33+nodsp -mthumb -mfloat-abi=soft"},
      {"cortex-m55+nofp", "cortex-m55-nofp-hard", "thumb dsp hwdiv mve",
       "-mcpu=cortex-m55+nofp -mthumb -mfloat-abi=hard"},
      {"cortex-m4+nofp", "cortex-m4", "thumb dsp hwdiv", "-mcpu=cortex-m4 -mthumb -mfloat-abi=soft"},
      {"cortex-m1", "cortex-m1-soft", "thumb", "-mcpu=cortex-m1 -mthumb -mfloat-abi=soft"},
  };
  for (const Sold& row : rows) {
    SCOPED_TRACE(row.text);
    const TargetSpec t = resolved(row.text);
    EXPECT_EQ(t.name, row.name);
    EXPECT_EQ(joined(t.isa), row.isa);
    EXPECT_EQ(joined(t.gnu_flags), row.gnu);
  }
}

TEST(Cores, ClangIsToldWhatIsLeftOut) {
  EXPECT_THAT(clang_flags(resolved("cortex-m33-nodsp-soft")), Contains("-mcpu=cortex-m33+nodsp"));
  EXPECT_THAT(clang_flags(resolved("cortex-m55+nomve.fp")), Contains("-mcpu=cortex-m55+nomve.fp"));
  EXPECT_THAT(clang_flags(resolved("cortex-m55+nofp")), Contains("-mcpu=cortex-m55+nofp"));
  EXPECT_THAT(clang_flags(resolved("cortex-m7-sp")), Contains("-mfpu=fpv5-sp-d16"));
  for (const TargetSpec& t : known_targets()) {
    if (t.name == "cortex-m33-nodsp-soft") continue;
    EXPECT_EQ(cpu_options(t), "") << t.name;
  }
  // A description says it by its features alone.
  Diagnostics diags;
  const auto board = parse_target(R"({"extends": "cortex-m33-soft", "name": "board", "isa": ["thumb", "hwdiv"]})",
                                  "board.json", diags);
  ASSERT_TRUE(board);
  EXPECT_THAT(clang_flags(*board), Contains("-mcpu=cortex-m33+nodsp"));
}

TEST(Cores, OptionsThatNoChipHas) {
  EXPECT_THAT(refused("arm-none-eabi -mcpu=cortex-m33+nomve"),
              HasSubstr("the CPU has an option that is not one of cortex-m33 (found +nomve, expected +nodsp, +nofp)"));
  EXPECT_THAT(refused("cortex-m4+nodsp"), HasSubstr("(found +nodsp, expected +nofp)"));
  EXPECT_THAT(refused("cortex-m3+nofp"), HasSubstr("(found +nofp, expected none)"));
  EXPECT_THAT(refused("arm-none-eabi -mcpu=cortex-m33+nofp -mfloat-abi=hard"),
              HasSubstr("cortex-m33 has no floating point unit"));
  EXPECT_THAT(refused("arm-none-eabi -mcpu=cortex-m7 -mfpu=fpv4-sp-d16 -mfloat-abi=hard"),
              HasSubstr("expected -mfpu=fpv5-d16 or -mfpu=fpv5-sp-d16"));
  EXPECT_THAT(refused("cortex-m99+nodsp"), HasSubstr("a core such as cortex-m33+nodsp"));
}

// The names of the libraries, among `all`, whose condition a compiler for `program` finds to be true.
std::vector<std::string> running(const TargetSpec& program, const std::vector<std::string>& all,
                                 std::string (*condition)(const TargetSpec&)) {
  Diagnostics diags;
  const auto folder = TemporaryDirectory::create(diags);
  EXPECT_TRUE(folder);
  std::ofstream source(folder->path() + "/c.c");
  for (const std::string& name : all) source << "#if " << condition(resolved(name)) << "\n" << name << "\n#endif\n";
  source.close();
  std::vector<std::string> argv{program.gnu_command};
  argv.insert(argv.end(), program.gnu_flags.begin(), program.gnu_flags.end());
  argv.insert(argv.end(), {"-E", "-P", "c.c"});
  const auto done = run_process(argv, diags, {.directory = folder->path(), .timeout_seconds = 60});
  EXPECT_TRUE(done && done->exit_code == 0) << done->errors;
  return words(done ? done->output : "");
}

// The rows of a table in docs/cores.md: cells without their quotes, by the first one.
std::vector<std::vector<std::string>> table(const std::string& heading) {
  Diagnostics diags;
  const auto text = read_text(test::source_dir() + "/docs/cores.md", diags);
  EXPECT_TRUE(text);
  std::istringstream lines(text ? *text : "");
  std::vector<std::vector<std::string>> out;
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("## ")) inside = line == "## " + heading;
    if (!inside || !line.starts_with("| `")) continue;
    std::vector<std::string> cells;
    std::istringstream cut(line.substr(1));
    for (std::string cell; std::getline(cut, cell, '|');) {
      std::erase(cell, '`');
      cells.push_back(joined(words(cell)));
    }
    out.push_back(std::move(cells));
  }
  EXPECT_FALSE(out.empty()) << heading;
  return out;
}

TEST(CoresPage, SaysWhatCoresHave) {
  for (const auto& cells : table("Cores")) {
    ASSERT_EQ(cells.size(), 5U) << cells.front();
    SCOPED_TRACE(cells.front());
    const TargetSpec t = resolved(cells[0]);
    EXPECT_EQ(cells[1], joined(t.isa));
    EXPECT_EQ(cells[2], t.float_abi);
    EXPECT_EQ(cells[3], t.has("mve.fp") ? "MVE"
                        : t.has("mve")  ? "MVE, of integers"
                        : t.has("dsp")  ? "DSP"
                                        : "portable");
    EXPECT_EQ(cells[4], t.simulator.empty() ? "none" : t.simulator);
  }
}

// The header's condition lets the program compile for every pair in the table, and for no other.
TEST(CoresPage, SaysWhatRunsWhere) {
  if (byoc::find_program("arm-none-eabi-gcc").empty()) GTEST_SKIP() << "arm-none-eabi-gcc is not here";
  std::map<std::string, std::vector<std::string>> runs_on;  // library -> programs, in the table's order
  std::vector<std::string> names;
  for (const auto& cells : table("What runs where")) names.push_back(cells.front());
  for (const std::string& program : names) {
    for (const std::string& library : running(resolved(program), names, condition_to_run))
      runs_on[library].push_back(program);
    std::vector<std::string> taken = running(resolved(program), names, condition_of_target);
    // GCC has no macro that tells these two apart, so a package of both is refused.
    if (program == "cortex-m4f") std::erase(taken, "cortex-m7-sp");
    if (program == "cortex-m7-sp") std::erase(taken, "cortex-m4f");
    EXPECT_THAT(taken, ElementsAre(program));
  }
  // GCC compiles it, which the page says below.
  std::erase(runs_on["cortex-m7-sp"], "cortex-m4f");
  for (const auto& cells : table("What runs where")) {
    std::vector<std::string> others = runs_on[cells.front()];
    std::erase(others, cells.front());
    std::string text;
    for (const std::string& other : others) text += (text.empty() ? "" : ", ") + other;
    EXPECT_EQ(cells[1], text) << "| `" << cells.front() << "` |";
  }
}

// Code with DSP instructions is in no program for a core without them.
TEST(Cores, NoDspCodeWithoutDsp) {
  if (byoc::find_program("arm-none-eabi-gcc").empty()) GTEST_SKIP() << "arm-none-eabi-gcc is not here";
  const std::vector<std::string> with{"cortex-m4", "cortex-m33-soft"};
  for (const auto condition : {condition_to_run, condition_of_target}) {
    EXPECT_THAT(running(resolved("cortex-m33-nodsp-soft"), with, condition), Not(Contains(testing::_)));
    EXPECT_THAT(running(resolved("cortex-m33-soft"), with, condition), Contains("cortex-m33-soft"));
  }
}

}  // namespace
}  // namespace byoc::target
