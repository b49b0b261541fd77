#include "sdk/app/api/run_rules.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "sdk/base/support/file.hpp"
#include "tests/support/source_dir.hpp"

namespace byoc::api {
namespace {

TEST(RunRules, RefuseByTheKindOfRun) {
  EXPECT_TRUE(refuses(RunKind::elsewhere, "--stats"));
  EXPECT_FALSE(refuses(RunKind::exported, "--stats"));
  EXPECT_TRUE(refuses(RunKind::interpreted, "--compare"));
  EXPECT_FALSE(refuses(RunKind::interpreted, "--fill"));
}

// An option without a rule is one of compilation.
TEST(RunRules, AnExportedLibraryTakesNoOptionsOfCompilation) {
  EXPECT_TRUE(refuses(RunKind::exported, "--optimize"));
  EXPECT_FALSE(refuses(RunKind::elsewhere, "--optimize"));
}

TEST(RunRules, AreInOrder) {
  EXPECT_TRUE(std::ranges::is_sorted(run_rules(), {}, [](const RunRule& r) { return std::string(r.option); }));
}

// The lines of docs/limits.md are those of the table.
TEST(RunRules, AreInTheDocs) {
  std::string rows = "| option of `byoc run` | why it is refused |\n|---|---|\n";
  for (const RunRule& rule : run_rules()) {
    std::string reasons;
    for (const RunKind kind : run_kinds())
      if (refuses(kind, rule.option)) reasons += (reasons.empty() ? "" : "; ") + std::string(reason(kind));
    if (!reasons.empty()) rows += "| `" + std::string(rule.option) + "` | " + reasons + " |\n";
  }
  Diagnostics diags;
  const auto docs = read_text(test::source_dir() + "/docs/limits.md", diags);
  ASSERT_TRUE(docs);
  EXPECT_THAT(*docs, ::testing::HasSubstr(rows));
}

}  // namespace
}  // namespace byoc::api
