// A plan that does not fit the target is made again with codegens that can do with less.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sdk/export/export.hpp"
#include "sdk/model/ir/text.hpp"
#include "sdk/target/target/target.hpp"

namespace byoc {
namespace {

constexpr std::uint64_t kLimit = 4096;

// Takes Relu, with a workspace of as many bytes as `bytes` says for an attempt and its budget.
struct Thrifty final : codegen::Codegen {
  std::function<std::uint64_t(std::uint32_t, std::uint64_t)> bytes;
  bool saves = true;
  std::vector<std::pair<std::uint32_t, std::uint64_t>> asked;  // {attempt, budget}

  std::string_view id() const override { return "thrifty"; }
  bool built_in() const override { return true; }
  std::string_view version() const override { return "1"; }
  bool saves_memory() const override { return saves; }
  std::vector<codegen::Verdict> verdicts(const codegen::Region& r, const TargetSpec&) override {
    codegen::Verdict yes;
    yes.claimed = true;
    return std::vector<codegen::Verdict>(r.nodes.size(), yes);
  }
  bool compile(const codegen::Request& request, codegen::Host& host) override {
    asked.emplace_back(request.attempt, request.memory_budget);
    const codegen::Region& region = request.regions[0];
    codegen::Step step;
    step.symbol = host.claim("step");
    step.inputs = {{region.nodes[0].inputs[0]}};
    step.outputs = {{region.nodes[0].outputs[0]}};
    step.workspaces = {{bytes(request.attempt, request.memory_budget), 8, {}}};
    host.step(region, step);
    codegen::SourceDecl source;
    source.name = host.claim("code");
    host.source(source, "#include \"" + std::string(request.internal_header) + "\"\nint32_t " + step.symbol +
                            "(const float *x, float *y, void *w) { (void)w; y[0] = x[0]; return 0; }\n");
    host.diag(codegen::Severity::warning, region, 0, "attempt " + std::to_string(request.attempt));
    return true;
  }
};

class Budget : public testing::Test {
 protected:
  // What is told, a line each.
  std::string run() {
    Diagnostics diags;
    auto graph = ir::parse("graph \"g\" requant=onnx { input %x : f32[1] %y : f32[1] = Relu.13(%x) output %y }",
                           "g.byoc", diags);
    auto target = resolve_target("cortex-m4f", diags);
    EXPECT_TRUE(graph && target);
    target->pools = {{"ram", PoolKind::ram, kLimit, {}, {}}, {"flash", PoolKind::flash, 1 << 20, {}, {}}};
    codegen::Codegen* const all[] = {&thrifty_};
    Job job;
    job.target = *target;
    job.name = "g";
    job.codegens = all;
    job.request.max_ram = max_ram_;
    const auto library = compile_model(*graph, job, diags);
    EXPECT_EQ(bool(library), !diags.has_errors());
    workspace_ = library ? library->interface().workspace_bytes : 0;
    std::string out;
    for (const Diagnostic& d : diags.all()) out += to_string(d) + "\n";
    return out;
  }

  using Asked = std::vector<std::pair<std::uint32_t, std::uint64_t>>;
  Thrifty thrifty_;
  std::uint64_t workspace_ = 0, max_ram_ = 0;
};

TEST_F(Budget, whatFitsIsAskedForOnce) {
  thrifty_.bytes = [](auto, auto) { return 4000u; };
  EXPECT_EQ(run(), "g.byoc: warning: 'Relu': codegen 'thrifty': attempt 0\n");
  EXPECT_EQ(thrifty_.asked, (Asked{{0, kLimit}}));
}

TEST_F(Budget, theNextOneIsTighterByWhatWasTooMuch) {
  thrifty_.bytes = [](std::uint32_t attempt, std::uint64_t) { return std::uint64_t{6000} - 1000 * attempt; };
  EXPECT_EQ(run(), "g.byoc: warning: 'Relu': codegen 'thrifty': attempt 2\n");
  EXPECT_EQ(thrifty_.asked, (Asked{{0, 4096}, {1, 4096}, {2, 4096 - (5000 - 4096)}}));
  EXPECT_EQ(workspace_, 4000u);
}

// A codegen that thinks it needs less than it does, by 1000 bytes, gets there where nothing changes at first.
TEST_F(Budget, aBoundThatOnlyALaterAttemptMeets) {
  thrifty_.bytes = [](std::uint32_t attempt, std::uint64_t budget) -> std::uint64_t {
    if (attempt == 0 || budget > 3900) return 4600;
    return budget > 2000 ? 4500 : 3000;
  };
  EXPECT_EQ(run(), "g.byoc: warning: 'Relu': codegen 'thrifty': attempt 4\n");
  EXPECT_EQ(thrifty_.asked, (Asked{{0, 4096}, {1, 4096}, {2, 3088}, {3, 2684}, {4, 1876}}));
  EXPECT_EQ(workspace_, 3000u);
}

TEST_F(Budget, itEndsWhereAskingBringsNothing) {
  thrifty_.bytes = [](auto, auto) { return 8192u; };
  EXPECT_EQ(run(),
            "g.byoc: warning: 'Relu': codegen 'thrifty': attempt 2\n"
            "g.byoc: error: the workspace does not fit into any RAM of target 'cortex-m4f' (found 8192 bytes, "
            "workspace of step 'g_step' of codegen 'thrifty' 8192, expected at most 4096 bytes)\n");
  EXPECT_EQ(thrifty_.asked, (Asked{{0, 4096}, {1, 4096}, {2, 1}}));
  thrifty_.asked.clear();
  thrifty_.bytes = [](std::uint32_t attempt, std::uint64_t) { return std::uint64_t{9000} - 8 * attempt; };
  EXPECT_NE(run().find("found 8872 bytes"), std::string::npos);
  EXPECT_EQ(thrifty_.asked.size(), 17u);
}

// What is asked for is too little, and a codegen that cannot keep to a budget does not try: the least is between.
TEST_F(Budget, theLeastRamIsSearchedForWhereNothingFits) {
  thrifty_.bytes = [](std::uint32_t, std::uint64_t budget) { return budget >= 3000 ? std::uint64_t{3000} : 3900; };
  max_ram_ = 2800;
  EXPECT_THAT(run(), testing::HasSubstr("found 3008 bytes, workspace 3000, inputs 4, outputs 4, expected at most 2800 "
                                        "bytes, 208 fewer"));
  max_ram_ = 3008;
  EXPECT_EQ(run().find("error"), std::string::npos);
}

TEST_F(Budget, whoCannotSaveIsNotAskedAgain) {
  thrifty_.saves = false;
  thrifty_.bytes = [](auto, auto) { return 8192u; };
  EXPECT_NE(run().find("does not fit into any RAM"), std::string::npos);
  EXPECT_EQ(thrifty_.asked, (Asked{{0, kLimit}}));
}

}  // namespace
}  // namespace byoc
