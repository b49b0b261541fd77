// An export that is cancelled ends soon, says so, and leaves what was there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "byoc/byoc.hpp"
#include "byoc/plugin.hpp"
#include "sdk/base/support/file.hpp"

namespace byoc {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr std::uint64_t kMost = 100000;  // how often the plug-in asks before it gives up waiting

// Takes Relu. With `asks` it works until it is cancelled, and then leaves without a word; otherwise it never asks.
class Slow final : public PluginCodegen {
 public:
  using PluginCodegen::PluginCodegen;
  Verdict verdict(const Region&, const Node& node) const override {
    return node.op == "Relu" ? claim() : refuse(Reason::unsupported_op, "only Relu");
  }
  bool compile(const Request& request, Host& host) override {
    const Region& region = request.regions[0];
    for (std::uint64_t i = 0; options.flag("asks"); ++i) {
      if (host.cancelled()) return false;
      if (i == kMost) {
        host.diag(codegen::Severity::error, region, 0, "nobody cancelled it");
        return false;
      }
    }
    CFile file(request, host, "slow");
    Step step;
    step.inputs = {{region.nodes[0].inputs[0]}};
    step.outputs = {{region.nodes[0].outputs[0]}};
    step.nodes = {0};
    file.add(region, step, "  for (int i = 0; i < 4; ++i) out0[i] = in0[i] > 0 ? in0[i] : 0;\n");
    file.finish();
    return true;
  }
};

const byoc_plugin_t* slow(const byoc_query_t* query) {
  return abi::serve<abi::MakeOf<Slow>>(query, [] {
    return PluginDescription{.id = "test.slow",
                             .name = "Slow",
                             .vendor = "byoc",
                             .version = "1.0",
                             .license = "0BSD",
                             .options = {{"asks", OptionType::boolean, "false", "works until it is cancelled"}}};
  });
}

class Cancel : public ::testing::Test {
 protected:
  void SetUp() override {
    std::ofstream(path("m.byoc")) << "graph \"m\" requant=onnx { input %x : f32[4] %r : f32[4] = Relu.14(%x)\n"
                                     "%y : f32[4] = Abs.13(%r) output %y }";
  }
  std::string path(const std::string& name) const { return dir_->path() + "/" + name; }
  std::vector<std::string> files() const {
    std::vector<std::string> out;
    for (const auto& entry : std::filesystem::directory_iterator(dir_->path()))
      if (entry.path().filename() != "m.byoc") out.push_back(entry.path().filename());
    std::sort(out.begin(), out.end());
    return out;
  }
  // Exports as `out`. What is told, a line each; "" for success.
  std::string run(const std::string& out, bool asks = false) {
    Diagnostics diags;
    stages_.clear();
    PluginChoice choice;
    choice.linked = {slow};
    choice.options = {std::string("test.slow.asks=") + (asks ? "true" : "false")};
    choice.cancelled = [this] {
      ++asked_;
      return cancel_();
    };
    auto target = find_target("cortex-m4f", diags);
    auto model = Model::load(path("m.byoc"), {}, diags);
    if (!target || !model) return "no model";
    auto codegens = Codegens::create(*target, choice, diags);
    if (!codegens) return "no codegens";
    ExportRequest request;
    request.progress = [this](std::string_view stage) { stages_.emplace_back(stage); };
    const bool ok = bool(export_model(*model, *codegens, request, out, diags));
    EXPECT_EQ(ok, !diags.has_errors());
    std::string text;
    for (const Diagnostic& d : diags.all()) text += to_string(d) + "\n";
    return text;
  }
  std::function<bool()> cancel_ = [] { return false; };
  std::uint64_t asked_ = 0;
  std::vector<std::string> stages_;
  Diagnostics diags_;
  Result<TemporaryDirectory> dir_ = TemporaryDirectory::create(diags_);
};

TEST_F(Cancel, WhoIsNotCancelledIsAskedAndGoesOn) {
  EXPECT_EQ(run(path("m.a")), "");
  EXPECT_THAT(stages_, ElementsAre("partition", "optimise", "codegen", "plan", "compile", "verify"));
  EXPECT_GE(asked_, stages_.size());
  EXPECT_THAT(files(), ElementsAre("m.a", "m.h", "m.json", "m_example_main.c"));
}

TEST_F(Cancel, NothingBeginsAfterIt) {
  cancel_ = [] { return true; };
  EXPECT_EQ(run(path("m.a")), "error: the export was cancelled\n");
  EXPECT_THAT(stages_, IsEmpty());
  EXPECT_EQ(asked_, 1u);
  EXPECT_THAT(files(), IsEmpty());
}

TEST_F(Cancel, EveryStageIsTheLastWhereItIsCancelledThen) {
  const std::vector<std::string> all{"partition", "optimise", "codegen", "plan", "compile", "verify"};
  for (std::size_t n = 0; n < all.size(); ++n) {
    cancel_ = [&] { return stages_.size() > n; };
    EXPECT_EQ(run(path("m.a")), "error: the export was cancelled\n") << all[n];
    EXPECT_EQ(stages_, std::vector<std::string>(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n + 1)));
    EXPECT_THAT(files(), IsEmpty());  // after the last stage, too: nothing was packed
  }
}

TEST_F(Cancel, APluginThatAsksStopsAtOnce) {
  cancel_ = [&] { return asked_ > 50; };
  EXPECT_EQ(run(path("m.a"), true),
            path("m.byoc") + ": error: codegen 'test.slow': stopped, for the export was cancelled\n");
  EXPECT_EQ(asked_, 51u);
  EXPECT_THAT(stages_, ElementsAre("partition", "optimise", "codegen"));
  EXPECT_THAT(files(), IsEmpty());
}

TEST_F(Cancel, WhatWasThereStays) {
  for (const std::string out : {"m.a", "m/"}) {
    EXPECT_EQ(run(path(out)), "");
    const std::string kept = out == "m/" ? "m/tree.json" : out;
    const auto time = std::filesystem::last_write_time(path(kept));
    const std::string before = *read_text(path(kept), diags_);
    const std::vector<std::string> there = files();
    cancel_ = [&] { return stages_.size() >= 6; };
    EXPECT_EQ(run(path(out)), "error: the export was cancelled\n");
    EXPECT_EQ(*read_text(path(kept), diags_), before);
    EXPECT_EQ(std::filesystem::last_write_time(path(kept)), time);
    EXPECT_EQ(files(), there);
    cancel_ = [] { return false; };
  }
}

// Nor is it said of a plug-in that fails by itself.
TEST_F(Cancel, APluginThatIsNotCancelledSaysWhy) {
  const std::string said = run(path("m.a"), true);
  EXPECT_THAT(said, HasSubstr("nobody cancelled it"));
  EXPECT_THAT(said, Not(HasSubstr("was cancelled")));
}

}  // namespace
}  // namespace byoc
