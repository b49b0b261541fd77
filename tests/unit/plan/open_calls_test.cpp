// Steps of nodes whose operands have dims that only a run knows.
#include "sdk/program/plan/open_calls.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sdk/model/ir/text.hpp"

namespace byoc::plan {
namespace {

using testing::HasSubstr;

class OpenCalls : public testing::Test {
 protected:
  OpenCalls() {
    auto parsed = ir::parse(R"(graph "g" requant=onnx symbols=[N] {
      input %0 "x" : f32[N]
      input %1 "y" : f32[N]
      %2 "z" : f32[N] = Sub.14(%0, %1) @"difference"
      output %2
    })",
                            "g.byoc", diags_);
    graph_ = std::move(*parsed);
  }

  plugin::Step step() const {
    plugin::Step out;
    out.decl.symbol = "m_difference";
    out.codegen = "acme";
    out.nodes = {0};
    out.inputs = {{1, 0}, {0, 0}};
    out.outputs = {{2, 0}};
    return out;
  }

  std::string refused(const plugin::Compilation& made) {
    Diagnostics diags;
    EXPECT_FALSE(open_calls(graph_, made, diags));
    return to_string(diags.all().at(0));
  }

  ir::Graph graph_;
  Diagnostics diags_;
};

TEST_F(OpenCalls, operandsAreThoseOfTheNode) {
  plugin::Compilation made;
  plugin::Step s = step();
  s.decl.workspaces = {{64, 16, {}}};
  made.bodies[&graph_].steps = {s};
  const auto calls = open_calls(graph_, made, diags_);
  ASSERT_TRUE(calls);
  const Call& call = calls->at(0);
  EXPECT_EQ(call.inputs[0].place, Place::given);
  EXPECT_EQ(call.inputs[0].index, 1u);
  EXPECT_EQ(call.inputs[1].index, 0u);
  EXPECT_EQ(call.outputs[0].index, 2u);
  EXPECT_EQ(call.workspaces[0].bytes, 64u);
  EXPECT_EQ(call.step.codegen, "acme");
}

TEST_F(OpenCalls, aNodeIsOneStepByItself) {
  plugin::Compilation made;
  EXPECT_THAT(refused(made), HasSubstr("'Sub 'difference'': its codegen makes no step of it"));
  made.bodies[&graph_].steps = {step(), step()};
  EXPECT_THAT(refused(made), HasSubstr("codegen 'acme' makes a step that cannot be called by itself"));
  made.bodies[&graph_].steps = {step()};
  made.bodies[&graph_].steps[0].decl.uses_instance = true;
  EXPECT_THAT(refused(made), HasSubstr("expected one step without an instance and private values"));
  made.bodies[&graph_].steps = {step()};
  made.bodies[&graph_].steps[0].inputs[0] = {ir::kNoValue, 3};
  EXPECT_THAT(refused(made), HasSubstr("cannot be called by itself"));
}

}  // namespace
}  // namespace byoc::plan
