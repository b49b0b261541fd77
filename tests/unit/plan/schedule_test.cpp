// Schedules and programs of hand-written steps.
#include <gtest/gtest.h>

#include "sdk/program/plan/fit.hpp"
#include "sdk/program/plan/schedule.hpp"
#include "tests/support/hand_written_steps.hpp"

namespace byoc::plan {
namespace {

using namespace byoc::test;

TEST(Schedule, aValueThatIsTwoOperandsIsOverlaidOnlyWhereEachMayBe) {
  ir::Graph g;
  g.name = "m";
  const auto x = add_value(g, "x", {2});
  const auto a = add_value(g, "a", {2});
  const auto b = add_value(g, "b", {2});
  const auto y = add_value(g, "y", {2});
  g.inputs = {x};
  g.outputs = {y};
  plugin::Compilation c;
  c.steps = {step("m_negate", {x}, {a}), step("m_sum", {a, x, a}, {b}), step("m_negate", {b}, {y})};
  Diagnostics diags;
  const auto overlays = [&](std::vector<codegen::Overlay> declared) {
    c.steps[1].decl.overlays = std::move(declared);
    return make_schedule(g, c, host(), diags)->problem.overlays.size();
  };
  EXPECT_EQ(overlays({{0, 0}}), 0u);  // operand 2 is the same buffer, and still read
  EXPECT_EQ(overlays({{0, 2}}), 0u);
  EXPECT_NE(overlays({{0, 0}, {0, 2}}), 0u);
}

std::string schedule_error(const ir::Graph& g, const plugin::Compilation& c) {
  Diagnostics diags;
  EXPECT_FALSE(make_schedule(g, c, host(), diags));
  return diags.all().empty() ? "" : to_string(diags.all()[0]);
}

TEST(Schedule, refusesStepsThatDoNotFitTheModel) {
  ir::Graph g;
  const auto x = add_value(g, "x", {4});
  const auto a = add_value(g, "a", {4});
  const auto y = add_value(g, "y", {4});
  g.inputs = {x};
  g.outputs = {y};
  plugin::Compilation c;
  EXPECT_NE(schedule_error(g, c).find("no step computes output 'y'"), std::string::npos);
  c.steps = {step("s", {a}, {y})};
  EXPECT_NE(schedule_error(g, c).find("reads 'a', which no step computes before it"), std::string::npos);
  c.steps = {step("s", {x}, {x}), step("t", {x}, {y})};
  EXPECT_NE(schedule_error(g, c).find("writes 'x', which is an input or a constant"), std::string::npos);
  c.steps = {step("s", {x}, {y})};
  c.steps[0].decl.workspaces = {{8, 4, {"npu_sram"}}};
  EXPECT_NE(schedule_error(g, c).find("found npu_sram, expected ram"), std::string::npos);
  EXPECT_NE(schedule_error(g, c).find("codegen 'test': its workspace may live in no RAM pool of target 'host'"),
            std::string::npos);
  c.steps[0].decl.workspaces.clear();
  add_state(g, a, y);
  c.steps = {step("s", {x}, {a}), step("t", {x}, {y})};
  EXPECT_NE(schedule_error(g, c).find("writes 'a', which is a state"), std::string::npos);
  const auto b = add_value(g, "b", {4});
  g.states[0].next = b;
  c.steps = {step("t", {x}, {y})};
  EXPECT_NE(schedule_error(g, c).find("no step computes what state 'a' becomes"), std::string::npos);
  g.states.clear();
  g.values[a].is_state = false;
  c.aliases = {{y, a}, {a, y}};
  EXPECT_NE(schedule_error(g, c).find("alias of itself"), std::string::npos);
}

TEST(Schedule, refusesAModelThatDoesNotFitTheTarget) {
  ir::Graph g;
  const auto x = add_value(g, "x", {1000});
  const auto a = add_value(g, "a", {1000});
  const auto y = add_value(g, "y", {1000});
  g.inputs = {x};
  g.outputs = {y};
  plugin::Compilation c;
  c.steps = {step("s", {x}, {a}), step("t", {a}, {y})};
  TargetSpec small = host();
  small.pools = {{"flash", PoolKind::flash, 1 << 20, {}, {}}, {"ram", PoolKind::ram, 1024, {}, {}}};
  Diagnostics diags;
  const auto program = [&] {
    auto made = make_program(g, c, small, diags);
    EXPECT_TRUE(made);
    return std::move(*made);
  };
  EXPECT_FALSE(check_fit(program(), small, diags));
  EXPECT_NE(to_string(diags.all()[0]).find("found 4000 bytes, "), std::string::npos);
  EXPECT_NE(to_string(diags.all()[0]).find(", expected at most 1024 bytes"), std::string::npos);
  EXPECT_EQ(workspace_limit(small), 1024u);
  EXPECT_EQ(excess(program()), 4000u - 1024u);
  small.pools.push_back({"psram", PoolKind::ram, 4000, {}, {}});
  EXPECT_TRUE(check_fit(program(), small, diags));
  // Where something is planned in the larger RAM, less of it is left for the workspace of the first.
  c.steps[0].decl.workspaces = {{100, 4, {"psram"}}};
  EXPECT_EQ(excess(program()), 100u);
  Diagnostics beside;
  EXPECT_FALSE(check_fit(program(), small, beside));
  EXPECT_NE(to_string(beside.all()[0]).find("found 4000 bytes, "), std::string::npos);
  EXPECT_NE(to_string(beside.all()[0]).find(", expected at most 3900 bytes"), std::string::npos);
  c.steps[0].decl.workspaces = {{5000, 4, {"psram"}}};
  Diagnostics both;
  EXPECT_FALSE(check_fit(program(), small, both));
  ASSERT_EQ(both.all().size(), 2u);
  EXPECT_NE(
      to_string(both.all()[1])
          .find("the workspace in memory pool 'psram' of target 'host' does not fit (found 5000 bytes, workspace of "
                "step 's' of codegen 'test' 5000, expected at most 4000 bytes)"),
      std::string::npos);
  c.steps[0].decl.workspaces.clear();
  small.pools.push_back({"dram", PoolKind::ram, 0, {}, {}});
  EXPECT_EQ(workspace_limit(small), 0u);
}

}  // namespace
}  // namespace byoc::plan
