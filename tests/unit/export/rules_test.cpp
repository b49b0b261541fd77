#include "sdk/export/rules.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "sdk/base/support/file.hpp"
#include "sdk/export/executors.hpp"
#include "tests/support/objects.hpp"
#include "tests/support/source_dir.hpp"

namespace byoc {
namespace {

using test::text_of;
using ::testing::HasSubstr;

// "" where the request is accepted.
std::string refused(const ExportRequest& request, const std::string& out = "m.a") {
  Diagnostics diags;
  const bool accepted = bool(check_request(request, out, diags));
  EXPECT_EQ(accepted, !diags.has_errors());
  return text_of(diags);
}

TEST(Rules, APlainRequestIsAccepted) { EXPECT_EQ(refused({}), ""); }

TEST(Rules, OptionsOfSomeExecutors) {
  ExportRequest request{.executor = "graph"};
  request.weights.file = "w.bin";
  EXPECT_THAT(refused(request),
              HasSubstr("'--weights-blob': is for executors that bind constants (found graph, expected "
                        "aot, vm or interpreted)"));
  request.executor = "vm";
  EXPECT_EQ(refused(request), "");
  request.steps.taps = {"0"};
  EXPECT_THAT(refused(request), HasSubstr("'--tap': is for the executor aot (found vm, expected aot)"));
  request = {.executor = "graph", .steps = {.hooks = true}};
  EXPECT_THAT(refused(request), HasSubstr("'--profile-hook': is for the executor aot (found graph, expected aot)"));
  request = {.executor = "vm", .multiversion = {"v3"}};
  EXPECT_THAT(refused(request), HasSubstr("'--multiversion': is for the executor aot"));
}

TEST(Rules, OptionsThatNeedOrExcludeAnother) {
  ExportRequest request;
  request.weights.sequence = 3;
  EXPECT_THAT(refused(request),
              HasSubstr("'--weights-sequence': is of weights in a file of their own, and there is none "
                        "(expected --weights-blob)"));
  request.weights.file = "w.bin";
  EXPECT_EQ(refused(request), "");
  request.multiversion = {"v3"};
  EXPECT_THAT(refused(request), HasSubstr("'--multiversion': is not with --weights-blob"));
  request = {.multiversion = {"v3"}};
  request.compiler.lto = true;
  EXPECT_THAT(refused(request), HasSubstr("'--multiversion': is not with --lto"));
}

TEST(Rules, FormsOfWeights) {
  ExportRequest request;
  request.weights.file = "w.bin";
  EXPECT_THAT(refused(request, "m.so"), HasSubstr("m.so: error: '--weights-blob': loaders of this form do not bind"));
  request.weights.address = 4096;
  EXPECT_THAT(refused(request), HasSubstr("'--weights-address': only Intel HEX has addresses (found w.bin"));
  request.weights.file = "w.hex";
  EXPECT_EQ(refused(request), "");
}

TEST(Rules, OptionsOfWhatIsCompiled) {
  for (const char* option : {"--report", "--depfile", "--sbom"}) {
    Diagnostics diags;
    const auto is_given = [&](std::string_view o) { return o == option; };
    EXPECT_TRUE(check_options(is_given, "vm", diags)) << text_of(diags);
    EXPECT_FALSE(check_options(is_given, "interpreted", diags));
    EXPECT_THAT(text_of(diags), HasSubstr("'" + std::string(option) +
                                          "': is of what is compiled (found interpreted, expected aot, graph or vm)"));
  }
}

// The lines of docs/limits.md are those of the tables.
TEST(Rules, AreInTheDocs) {
  std::string rows = "| option | with |\n|---|---|\n";
  for (const ExecutorRule& rule : executor_rules()) {
    std::string names;
    for (const std::string_view name : rule.executors)
      names += (names.empty() ? "`--executor " : ", `") + std::string(name) + "`";
    rows += "| `" + std::string(rule.option) + "` | " + names + " |\n";
  }
  for (const PairRule& rule : pair_rules())
    rows += "| `" + std::string(rule.option) + "` | " + (rule.needs ? "`" : "not with `") + rule.other + "` |\n";
  Diagnostics diags;
  const auto docs = read_text(test::source_dir() + "/docs/limits.md", diags);
  ASSERT_TRUE(docs);
  EXPECT_THAT(*docs, HasSubstr(rows));
}

// A name in the table that no executor has would refuse every one.
TEST(Rules, NameExecutorsThatThereAre) {
  for (const ExecutorRule& rule : executor_rules())
    for (const std::string_view name : rule.executors) {
      const auto all = executor::executors();
      const bool found = std::any_of(all.begin(), all.end(), [&](const auto* e) { return e->name() == name; });
      EXPECT_TRUE(found || name == "interpreted") << rule.option << ": " << name;
    }
}

}  // namespace
}  // namespace byoc
