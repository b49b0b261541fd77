#include "sdk/target/target/compiler_condition.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "sdk/base/support/file.hpp"
#include "sdk/base/support/process.hpp"
#include "sdk/target/target/target.hpp"

namespace byoc {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TargetSpec target(const std::string& name) {
  Diagnostics diags;
  auto t = resolve_target(name, diags);
  EXPECT_TRUE(t) << name;
  return t ? *t : TargetSpec();
}

// Whether the GNU compiler of `of`, with its flags and these, finds `condition` to be so. Nothing: it is not here.
std::optional<bool> holds(const std::string& condition, const TargetSpec& of,
                          const std::vector<std::string>& more = {}) {
  if (find_program(of.gnu_command).empty()) return std::nullopt;
  Diagnostics diags;
  const auto folder = TemporaryDirectory::create(diags);
  EXPECT_TRUE(folder);
  std::ofstream(folder->path() + "/c.c") << "#if !(" << condition << ")\n#error \"no\"\n#endif\n";
  std::vector<std::string> argv{of.gnu_command};
  argv.insert(argv.end(), of.gnu_flags.begin(), of.gnu_flags.end());
  argv.insert(argv.end(), more.begin(), more.end());
  argv.insert(argv.end(), {"-fsyntax-only", "c.c"});
  const auto done = run_process(argv, diags, {.directory = folder->path(), .timeout_seconds = 60});
  EXPECT_TRUE(done);
  const bool stopped = done->errors.find("#error \"no\"") != std::string::npos;
  EXPECT_EQ(stopped, done->exit_code != 0) << condition << done->errors;
  return done->exit_code == 0;
}

struct Row {
  const char* library;
  const char* program;
  bool runs;
};

// Code runs on its own core and on those that have everything of it, with the same float ABI.
TEST(ConditionToRun, KnownCores) {
  const Row rows[] = {
      {"cortex-m0plus", "cortex-m0plus", true},
      {"cortex-m0plus", "cortex-m3", true},
      {"cortex-m0plus", "cortex-m23", true},
      {"cortex-m0plus", "cortex-m4", true},
      {"cortex-m0plus", "cortex-m4-softfp", true},
      {"cortex-m0plus", "cortex-m4f", false},  // hard
      {"cortex-m3", "cortex-m0plus", false},
      {"cortex-m3", "cortex-m4", true},
      {"cortex-m3", "cortex-m23", false},  // no Thumb-2
      {"cortex-m4", "cortex-m3", false},
      {"cortex-m4f", "cortex-m4f", true},
      {"cortex-m4f", "cortex-m7", true},
      {"cortex-m4f", "cortex-m33", true},
      {"cortex-m4f", "cortex-m55", true},
      {"cortex-m4f", "cortex-m4", false},
      {"cortex-m4f", "cortex-m4-softfp", false},
      {"cortex-m4-softfp", "cortex-m4f", false},
      {"cortex-m4-softfp", "cortex-m4", false},
      {"cortex-m7", "cortex-m4f", false},  // no double precision
      {"cortex-m7", "cortex-m55", true},
      {"cortex-m23", "cortex-m0plus", false},
      {"cortex-m23", "cortex-m3", false},
      {"cortex-m33", "cortex-m7", false},
      {"cortex-m33", "cortex-m55", true},
      {"cortex-m55", "cortex-m33", false},
      {"cortex-m55", "cortex-m85", true},
      {"cortex-m4f", "host", false},
      {"cortex-m4f", "aarch64-linux-gnu", false},
      {"cortex-m4f", "armv7-linux-gnueabihf", false},  // not of the M profile
      {"host", "host", true},
      {"x86-64-v3", "host", true},
      {"host", "cortex-m4f", false},
      {"host", "aarch64-linux-gnu", false},
      {"aarch64-linux-gnu", "aarch64-linux-gnu", true},
      {"riscv32imc", "riscv32imac", true},
      {"riscv32imac", "riscv32imc", false},
      {"riscv32imc", "riscv32imafc", false},
      {"riscv32imc", "riscv64gc", false},
      {"riscv64gc", "riscv64gc", true},
  };
  for (const Row& row : rows) {
    const auto found = holds(condition_to_run(target(row.library)), target(row.program));
    EXPECT_EQ(found.value_or(row.runs), row.runs) << row.library << " in a program for " << row.program;
  }
}

// Of a package with libraries for all these a compiler takes the one for what it compiles for.
TEST(ConditionOfTarget, TellsKnownTargetsApart) {
  const std::vector<std::vector<std::string>> families{
      {"cortex-m0plus", "cortex-m3", "cortex-m4", "cortex-m4f", "cortex-m7", "cortex-m23", "cortex-m33", "cortex-m55"},
      {"riscv32imc", "riscv32imafc", "riscv64gc"},
      {"host"},
      {"aarch64-linux-gnu"}};
  for (const auto& family : families)
    for (const std::string& library : family)
      for (const std::string& program : family) {
        const bool same = library == program;
        const auto found = holds(condition_of_target(target(library)), target(program));
        EXPECT_EQ(found.value_or(same), same) << library << " in a program for " << program;
      }
}

// What is chosen runs.
TEST(ConditionOfTarget, IsNarrowerThanToRun) {
  for (const TargetSpec& t : known_targets()) {
    const std::string both = "(" + condition_of_target(t) + ") && (" + condition_to_run(t) + ")";
    if (condition_of_target(t).empty()) continue;
    EXPECT_NE(holds(both, t), std::optional(false)) << t.name;
  }
}

TEST(ConditionToRun, OtherTargetsHaveNone) {
  EXPECT_EQ(condition_to_run(target("armv7-linux-gnueabihf")), "");
  EXPECT_EQ(condition_of_target(target("armv7-linux-gnueabihf")), "");
  EXPECT_THAT(condition_to_run(target("x86-64-v4")), Not(HasSubstr("AVX")));
}

}  // namespace
}  // namespace byoc
