// What codegens promise is held against what their artifacts define, in the bodies of control nodes too.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sdk/export/export.hpp"
#include "sdk/model/ir/text.hpp"
#include "sdk/target/target/target.hpp"
#include "tests/support/objects.hpp"

namespace byoc {
namespace {

using test::text_of;
using ::testing::HasSubstr;

// Takes every operator; of those that `forgets` names it declares a step and writes no source.
struct Forgetful final : codegen::Codegen {
  std::string forgets;

  std::string_view id() const override { return "forgetful"; }
  bool built_in() const override { return true; }
  std::string_view version() const override { return "1"; }
  std::vector<codegen::Verdict> verdicts(const codegen::Region& r, const TargetSpec&) override {
    codegen::Verdict yes;
    yes.claimed = true;
    return std::vector<codegen::Verdict>(r.nodes.size(), yes);
  }
  bool compile(const codegen::Request& request, codegen::Host& host) override {
    for (const codegen::Region& region : request.regions)
      for (const codegen::Node& node : region.nodes) {
        codegen::Step step;
        step.symbol = host.claim("step_of_" + std::string(node.op));
        step.inputs = {{node.inputs[0]}};
        step.outputs = {{node.outputs[0]}};
        host.step(region, step);
        if (node.op == forgets) continue;
        codegen::SourceDecl source;
        source.name = host.claim("code_of_" + std::string(node.op));
        host.source(source, "#include \"" + std::string(request.internal_header) + "\"\nint32_t " + step.symbol +
                                "(const float *x, float *y) { y[0] = x[0]; return 0; }\n");
      }
    return true;
  }
};

constexpr const char* kBranches = R"(graph "g" requant=onnx {
  input %c : bool[]
  input %x : f32[1]
  %r : f32[1] = Relu.13(%x)
  %y : f32[1] = If.16(%c, %r) {captures=1, else_branch=graph "no" requant=onnx {
    input %0 : f32[1]
    %1 : f32[1] = Neg.13(%0)
    output %1
  }, then_branch=graph "yes" requant=onnx {
    input %0 : f32[1]
    %1 : f32[1] = Abs.13(%0)
    output %1
  }}
  output %y
})";

constexpr const char* kLoopWithBody = R"(graph "g" requant=onnx {
  input %n : i64[]
  input %x : f32[1]
  %r : f32[1] = Relu.13(%x)
  %y : f32[1] = Loop.16(%n, _, %r) {body=graph "body" requant=onnx {
    input %0 : i64[]
    input %1 : bool[]
    input %2 : f32[1]
    %3 : f32[1] = Abs.13(%2)
    output %1
    output %3
  }, captures=0}
  output %y
})";

std::string told(const char* text, const std::string& forgets) {
  Diagnostics diags;
  auto graph = ir::parse(text, "g.byoc", diags);
  const auto target = resolve_target("cortex-m4f", diags);
  if (!graph || !target) return text_of(diags);
  Forgetful codegen;
  codegen.forgets = forgets;
  codegen::Codegen* const all[] = {&codegen};
  Job job;
  job.target = *target;
  job.name = "g";
  job.codegens = all;
  const auto library = compile_model(*graph, job, diags);
  EXPECT_EQ(bool(library), !diags.has_errors());
  return text_of(diags);
}

constexpr const char* kForgotten = "': codegen 'forgetful': declared this step, and none of its artifacts defines it";

TEST(Definitions, aStepThatNobodyDefinesIsAnErrorWhereverItIs) {
  for (const char* text : {kBranches, kLoopWithBody}) {
    EXPECT_EQ(told(text, ""), "");
    EXPECT_THAT(told(text, "Relu"), HasSubstr(std::string("step_of_Relu") + kForgotten));
    EXPECT_THAT(told(text, "Abs"), HasSubstr(std::string("step_of_Abs") + kForgotten));
  }
  EXPECT_THAT(told(kBranches, "Neg"), HasSubstr(std::string("step_of_Neg") + kForgotten));
}

}  // namespace
}  // namespace byoc
