// What a Program says of hand-written steps: places, moves, control flow, instance.
#include "sdk/program/plan/program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sdk/model/ir/control.hpp"
#include "sdk/model/ir/text.hpp"
#include "sdk/program/plan/control.hpp"
#include "sdk/program/plan/read_constants.hpp"
#include "tests/support/hand_written_steps.hpp"

namespace byoc::plan {
namespace {

using namespace byoc::test;
using ::testing::ElementsAre;

// "input 0", "ram 0+16", "constant m_k"
std::string place(const Program& program, const Operand& o) {
  const std::string at = o.offset == 0 ? "" : "+" + std::to_string(o.offset);
  switch (o.place) {
    case Place::input: return "input " + std::to_string(o.index) + at;
    case Place::output: return "output " + std::to_string(o.index) + at;
    case Place::workspace: return program.pools[o.index].name + at;
    case Place::constant: return "constant " + program.constants[o.index] + at;
    case Place::instance: return "state " + std::to_string(o.index) + at;
    case Place::given: return "given";
  }
  return {};
}

std::vector<std::string> places(const Program& program, const std::vector<Operand>& operands) {
  std::vector<std::string> out;
  for (const Operand& o : operands) out.push_back(place(program, o));
  return out;
}

Program made(const ir::Graph& g, const plugin::Compilation& c, const TargetSpec& target = host()) {
  Diagnostics diags;
  auto program = make_program(g, c, target, diags);
  for (const Diagnostic& d : diags.all()) ADD_FAILURE() << to_string(d);
  return program ? std::move(*program) : Program();
}

TEST(Program, SaysWhereEachOperandLies) {
  ir::Graph g;
  const auto x = add_value(g, "x", {4});
  const auto k = g.add_constant("k", g.values[x].type, Blob::own(std::vector<std::byte>(16)));
  const auto same = add_value(g, "same", {4});
  const auto a = add_value(g, "a", {2, 2});
  const auto y = add_value(g, "y", {4});
  g.inputs = {x};
  g.outputs = {y, x};
  plugin::Compilation c;
  c.aliases[same] = k;
  c.private_values = {{64, 16, {}}};
  c.steps = {step("s", {x, same}, {a}), step("t", {a}, {y})};
  c.steps[0].outputs.push_back({ir::kNoValue, 0});
  c.steps[1].inputs.push_back({ir::kNoValue, 0});
  c.steps[1].decl.workspaces = {{24, 8, {}}};
  NameTable names;
  add_read_constants(g, "m", names, "test", c);

  const Program program = made(g, c);
  ASSERT_EQ(program.main.calls.size(), 2u);
  const Call& first = program.main.calls[0];
  const Call& second = program.main.calls[1];
  EXPECT_THAT(places(program, first.inputs), ElementsAre("input 0", "constant m_operand"));
  EXPECT_EQ(places(program, first.outputs), places(program, second.inputs));
  EXPECT_EQ(first.outputs[0].dtype, DType::i32);
  EXPECT_EQ(first.outputs[0].value, a);
  EXPECT_EQ(first.outputs[1].dtype, DType::undefined);
  EXPECT_EQ(first.outputs[1].bytes, 64u);
  EXPECT_THAT(places(program, second.outputs), ElementsAre("output 0"));
  EXPECT_EQ(second.workspaces.at(0).bytes, 24u);
  ASSERT_EQ(program.main.moves.size(), 1u);  // an input that is given out
  EXPECT_EQ(place(program, program.main.moves[0].from) + " -> " + place(program, program.main.moves[0].to),
            "input 0 -> output 1");
  EXPECT_EQ(program.main.moves[0].to.bytes, 16u);
  EXPECT_EQ(program.main.workspaces[0].bytes, 64u + 16u + 24u);
}

TEST(Program, SaysWhatTheInstanceHoldsAndHowItStarts) {
  ir::Graph g;
  const auto s = add_value(g, "s", {2});
  const auto zero = add_value(g, "zero", {2});
  const auto x = add_value(g, "x", {2});
  const auto next = add_value(g, "next", {2});
  g.inputs = {x};
  g.outputs = {s};
  add_state(g, s, next, {1, 2});
  add_state(g, zero, s);
  plugin::Compilation c;
  c.instances = {{{12, 4, "other_init", "", ""}, "other"}, {{4, 4, "", "own_reset", ""}, "test"}};
  c.steps = {step("add", {s, x}, {next})};
  c.steps[0].decl.uses_instance = true;
  NameTable names;
  add_read_constants(g, "m", names, "test", c);

  const Program program = made(g, c);
  EXPECT_EQ(program.instance.bytes, 32u);
  ASSERT_EQ(program.instance.parts.size(), 2u);
  EXPECT_EQ(program.instance.parts[0].init, "other_init");
  EXPECT_EQ(program.instance.parts[1].reset, "own_reset");
  EXPECT_EQ(program.instance.parts[1].offset, 12u);
  EXPECT_EQ(program.main.calls[0].instance_offset, 12u);  // that of its codegen
  EXPECT_TRUE(program.main.uses_instance);
  ASSERT_EQ(program.instance.states.size(), 2u);
  EXPECT_EQ(program.constants.at(program.instance.states[0].constant.value()), "m_initial");
  EXPECT_FALSE(program.instance.states[1].constant);
  EXPECT_EQ(program.instance.states[1].fill, 0u);
  EXPECT_THAT(places(program, program.main.calls[0].inputs), ElementsAre("state 0+16", "input 0"));
  // The state that is given out, then the two that move on: the old value before it is overwritten.
  std::vector<std::string> to;
  for (const Move& m : program.main.moves) to.push_back(place(program, m.to));
  EXPECT_THAT(to, ElementsAre("output 0", "state 1+24", "state 0+16"));
}

TEST(Program, NamesThePoolsOfTheTargetTheDefaultFirst) {
  EXPECT_EQ(ram_pools(host()).at(0).name, "ram");
  TargetSpec target = host();
  target.pools = {{"flash", PoolKind::flash, 100, {}, {}},
                  {"sram", PoolKind::ram, 200, {}, ".sram"},
                  {"dtcm", PoolKind::ram, 0, {}, {}}};
  ir::Graph g;
  const auto x = add_value(g, "x", {4});
  const auto y = add_value(g, "y", {4});
  g.inputs = {x};
  g.outputs = {y};
  plugin::Compilation c;
  c.steps = {step("s", {x}, {y})};
  c.steps[0].decl.workspaces = {{40, 8, {"dtcm"}}};
  const Program program = made(g, c, target);
  ASSERT_EQ(program.pools.size(), 2u);
  EXPECT_EQ(program.pools[0].section, ".sram");
  EXPECT_EQ(program.pools[0].size, 200u);
  EXPECT_THAT(places(program, program.main.calls[0].workspaces), ElementsAre("dtcm"));
  EXPECT_TRUE(program.main.has_workspace(0));  // with nothing in it, too
  EXPECT_EQ(program.main.workspace_index(1), 1u);
  EXPECT_EQ(program.main.calls[0].step.live_bytes, 40u);
}

constexpr const char* kNested = R"(graph "m" requant=onnx {
  input %c : bool[]
  input %x : i32[2]
  const %n : i64[] = [3]
  %y : i32[2], %z : i32[3,2] = Loop.16(%n, _, %x, %c) {captures=1, body=graph "b" requant=onnx {
    input %i : i64[]
    input %go : bool[]
    input %v : i32[2]
    input %cc : bool[]
    %w : i32[2] = If.16(%cc, %v) {else_branch=graph "e" requant=onnx {
      input %a : i32[2]
      %p : i32[2] = Neg.13(%a)
      output %p
    }, then_branch=graph "t" requant=onnx {
      input %a : i32[2]
      output %a
    }}
    output %go
    output %w
    output %w
  }}
  output %y
  output %z
})";

TEST(Program, SaysWhatBodiesAreCalledAndWhatGoesRound) {
  Diagnostics diags;
  const auto g = ir::parse(kNested, "m.byoc", diags);
  ASSERT_TRUE(g) << to_string(diags.all().at(0));
  const ir::Graph& loop = *ir::body_of(g->nodes[0], "body");
  const ir::Graph& otherwise = *ir::body_of(loop.nodes[0], "else_branch");
  plugin::Compilation c;
  c.bodies[&otherwise].steps = {step("m_negate", {otherwise.inputs[0]}, {otherwise.outputs[0]})};
  NameTable names;
  add_control_steps(*g, "m", [](const ir::Graph&, ir::NodeId n) { return n; }, names, "toy", c);
  add_read_constants(*g, "m", names, "toy", c);

  const Program program = made(*g, c);
  ASSERT_EQ(program.main.calls.size(), 1u);
  const Call& call = program.main.calls[0];
  EXPECT_EQ(call.step.codegen, "toy");
  EXPECT_THAT(places(program, call.inputs), ElementsAre("constant m_operand", "input 1", "input 0"));
  ASSERT_TRUE(call.control);
  EXPECT_EQ(call.control->kind, ControlKind::loop);
  EXPECT_EQ(call.control->trip_count, 0u);
  EXPECT_FALSE(call.control->condition);
  EXPECT_EQ(call.control->rounds, 3u);
  ASSERT_EQ(call.control->carried.size(), 1u);
  EXPECT_EQ(call.control->carried[0].input, 1u);
  EXPECT_EQ(call.control->carried[0].bytes, 8u);
  EXPECT_FALSE(call.control->carried[0].in_place);
  EXPECT_THAT(call.control->captured, ElementsAre(2u));
  ASSERT_EQ(call.control->stacked.size(), 1u);
  EXPECT_EQ(call.control->stacked[0].operand, 1u);
  EXPECT_EQ(call.control->stacked[0].elements, 2u);

  const Routine& body = program.bodies.at(call.control->bodies.at(0));
  ASSERT_EQ(body.calls.size(), 1u);
  ASSERT_TRUE(body.calls[0].control);
  const Control& branch = *body.calls[0].control;
  EXPECT_EQ(branch.kind, ControlKind::branch);
  EXPECT_EQ(branch.condition, 0u);
  ASSERT_EQ(branch.bodies.size(), 2u);
  const Routine& then = program.bodies[branch.bodies[0]];
  EXPECT_TRUE(then.calls.empty());
  EXPECT_EQ(place(program, then.moves.at(0).from), "input 0");
  EXPECT_EQ(program.bodies[branch.bodies[1]].calls.at(0).step.symbol, "m_negate");
  EXPECT_EQ(program.bodies.size(), 3u);
}

}  // namespace
}  // namespace byoc::plan
