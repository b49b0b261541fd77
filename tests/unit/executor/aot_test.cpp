// The root on models of hand-written steps; the generated C is compiled and run.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "sdk/base/support/file.hpp"
#include "sdk/base/support/process.hpp"
#include "sdk/model/ir/control.hpp"
#include "sdk/model/ir/text.hpp"
#include "sdk/program/executor/aot/aot.hpp"
#include "sdk/program/executor/interface.hpp"
#include "sdk/program/executor/internal_header.hpp"
#include "sdk/program/plan/control.hpp"
#include "sdk/program/plan/read_constants.hpp"
#include "sdk/program/plan/schedule.hpp"
#include "tests/support/hand_written_steps.hpp"

namespace byoc::executor {
namespace {

using namespace byoc::test;

// Writes the parts to a folder, compiles them with the given steps and main, warnings as errors, and runs the program.
void expect_runs(const ir::Graph& g, const plugin::Compilation& c, const std::string& steps, const std::string& main,
                 const TargetSpec& target = host()) {
  Diagnostics diags;
  const auto program = plan::make_program(g, c, target, diags);
  for (const Diagnostic& d : diags.all()) ADD_FAILURE() << to_string(d);
  ASSERT_TRUE(program);
  const ModelInterface model = interface_of(*program, "m");
  const auto printed = aot().print({*program, model, target, "m.h", "m_internal.h"}, diags);
  ASSERT_TRUE(printed);
  const std::string root(reinterpret_cast<const char*>(printed->modules.at(0).bytes.data()),
                         printed->modules.at(0).bytes.size());
  auto dir = TemporaryDirectory::create(diags);
  ASSERT_TRUE(dir);
  const auto write = [&](const std::string& name, const std::string& text) {
    std::ofstream(dir->path() + "/" + name) << text;
  };
  write("m.h", printed->header);
  write("m_internal.h", internal_header(g, c, "m", {}).text);
  write("m.c", root);
  write("example.c", printed->example_main);
  write("steps.c", "#include \"m_internal.h\"\n" + steps);
  write("main.c", "#include \"m.h\"\n" + main);
  const std::vector<std::string> flags = {"-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror"};
  for (const std::string& with : {std::string("example.c"), std::string("main.c")}) {
    std::vector<std::string> argv = {"cc"};
    argv.insert(argv.end(), flags.begin(), flags.end());
    argv.insert(argv.end(), {"m.c", "steps.c", with, "-o", "program"});
    auto compiled = run_process(argv, diags, {dir->path(), 60});
    ASSERT_TRUE(compiled);
    ASSERT_EQ(compiled->exit_code, 0) << compiled->errors << root;
    auto ran = run_process({dir->path() + "/program"}, diags, {dir->path(), 60});
    ASSERT_TRUE(ran);
    EXPECT_EQ(ran->exit_code, 0) << with << "\n" << root;
  }
}

constexpr const char* kDouble =
    "int32_t m_double(const int32_t *in0, int32_t *out0) { for (int i = 0; i < 4; ++i) out0[i] = 2 * in0[i]; return 0; "
    "}\n";

TEST(Aot, aLongModelIsRunInParts) {
  constexpr int kSteps = 600;
  ir::Graph g;
  g.name = "long";
  plugin::Compilation c;
  g.inputs = {add_value(g, "x", {4})};
  for (int i = 0; i < kSteps; ++i) {
    const auto from = static_cast<ir::ValueId>(g.values.size() - 1);
    c.steps.push_back(step("m_next", {from}, {add_value(g, "v" + std::to_string(i), {4})}));
  }
  g.outputs = {static_cast<ir::ValueId>(g.values.size() - 1)};
  expect_runs(g, c,
              "int32_t m_next(const int32_t *in0, int32_t *out0) { for (int i = 0; i < 4; ++i) out0[i] = in0[i] + 1;\n"
              "  return in0[0] == 1000 ? 7 : 0; }\n",
              "static int32_t work[64];\n"
              "int main(void) { int32_t x[4] = {1, 2, 3, 4}, y[4];\n"
              "  m_inputs_t in = {x}; m_outputs_t out = {y};\n"
              "  if (m_run(&in, &out, work) != 0 || y[0] != 601 || y[3] != 604) return 1;\n"
              "  x[0] = 700;\n"  // its 301st step fails
              "  return m_run(&in, &out, work) == 7 ? 0 : 2; }\n");
}

TEST(Aot, runsAChainWithAliasesAndOutputsGivenTwice) {
  ir::Graph g;
  g.name = "chain */ of \"two\"";
  const auto x = add_value(g, "x:0", {4});
  const auto flat = add_value(g, "flat", {2, 2});
  const auto y = add_value(g, "y", {2, 2});
  const auto z = add_value(g, "y", {4});
  g.inputs = {x};
  g.outputs = {y, z, y, flat};
  plugin::Compilation c;
  c.steps = {step("m_double", {flat}, {y})};
  c.aliases = {{flat, x}, {z, y}};
  expect_runs(g, c, kDouble,
              "int main(void) { int32_t x[4] = {1, 2, 3, 4}, a[4], b[4], c[4], d[4];\n"
              "  m_inputs_t in = {x}; m_outputs_t out = {a, b, c, d};\n"
              "  if (m_run(&in, &out, 0) != 0) return 1;\n"
              "  return !(a[3] == 8 && b[2] == 6 && c[1] == 4 && d[0] == 1 && out.y_2 == b); }\n");
}

TEST(Aot, givesOutConstantsAndInputs) {
  ir::Graph g;
  g.name = "m";
  const auto x = add_value(g, "x", {4});
  const std::int32_t data[4] = {9, 8, 7, 6};
  const auto bytes = std::as_bytes(std::span(data));
  const auto k = g.add_constant("k", g.values[x].type, Blob::own({bytes.begin(), bytes.end()}));
  g.inputs = {x};
  g.outputs = {x, k};
  plugin::Compilation c;
  NameTable names;
  plan::add_read_constants(g, "m", names, "aot", c);
  ASSERT_EQ(c.constants.size(), 1u);
  expect_runs(g, c, "const int32_t " + c.constants[0].symbol + "[4] = {9, 8, 7, 6};\n",
              "int main(void) { int32_t x[4] = {1, 2, 3, 4}, a[4], b[4];\n"
              "  m_inputs_t in = {x}; m_outputs_t out = {a, b};\n"
              "  return m_run(&in, &out, 0) != 0 || a[3] != 4 || b[0] != 9; }\n");
}

TEST(Aot, twoInstancesOfAStatefulModelRunSideBySide) {
  ir::Graph g;
  g.name = "m";
  const auto x = add_value(g, "x", {1});
  const auto y = add_value(g, "y", {1});
  g.inputs = {x};
  g.outputs = {y};
  plugin::Compilation c;
  c.steps = {step("m_count", {x}, {y})};
  c.steps[0].decl.uses_instance = true;
  c.steps[0].decl.workspaces = {{40, 8, {}}};
  c.instances = {{{12, 4, "m_other_init", "", ""}, "other"}, {{4, 4, "m_start", "m_start", ""}, "test"}};
  expect_runs(g, c,
              "int32_t m_count(void *instance, const int32_t *in0, int32_t *out0, void *ws0) {\n"
              "  int32_t *sum = (int32_t *)instance; (void)ws0; *sum += in0[0]; out0[0] = *sum; return 0; }\n"
              "int32_t m_start(void *instance) { *(int32_t *)instance = 100; return 0; }\n"
              "int32_t m_other_init(void *instance) { (void)instance; return 0; }\n",
              "int main(void) { m_instance_t a, b; int32_t x = 5, y; uint64_t ws[M_WORKSPACE_SIZE / 8 + 1];\n"
              "  m_inputs_t in = {&x}; m_outputs_t out = {&y};\n"
              "  if (m_init(&a) != 0 || m_init(&b) != 0) return 1;\n"
              "  m_run(&a, &in, &out, ws); m_run(&a, &in, &out, ws); if (y != 110) return 2;\n"
              "  m_run(&b, &in, &out, ws); if (y != 105) return 3;\n"
              "  m_reset(&a); m_run(&a, &in, &out, ws); if (y != 105) return 4;\n"
              "  return m_deinit(&a); }\n");
}

TEST(Aot, stepsReadWhatIsAnAliasOfAConstant) {
  ir::Graph g;
  g.name = "m";
  const auto x = add_value(g, "x", {2});
  const auto k =
      g.add_constant("k", {DType::i32, {{2}}, std::nullopt}, Blob::own({std::byte{7}, {}, {}, {}, {}, {}, {}, {}}));
  const auto a = add_value(g, "a", {2});
  const auto y = add_value(g, "y", {2});
  g.inputs = {x};
  g.outputs = {y};
  plugin::Compilation c;
  c.aliases[a] = k;
  c.steps = {step("m_add", {a, x}, {y})};
  NameTable names;
  plan::add_read_constants(g, "m", names, "aot", c);
  ASSERT_EQ(c.constants.size(), 1u);
  expect_runs(g, c,
              "int32_t m_add(const int32_t *in0, const int32_t *in1, int32_t *out0) {\n"
              "  for (int i = 0; i < 2; ++i) out0[i] = in0[i] + in1[i];\n  return 0; }\n"
              "const int32_t m_operand[2] = {7, 0};\n",
              "int main(void) { int32_t x[2] = {1, 10}, y[2];\n"
              "  m_inputs_t in = {x}; m_outputs_t out = {y};\n"
              "  if (m_run(&in, &out, 0) != 0) return 1;\n"
              "  return y[0] == 8 && y[1] == 10 ? 0 : 2; }\n");
}

TEST(Aot, statesLiveInTheInstanceAndAreCommittedInPlaceWhereTheStepAllowsIt) {
  ir::Graph g;
  g.name = "m";
  const auto x = add_value(g, "x", {2});
  const auto sum = add_value(g, "sum", {2});
  const auto next = add_value(g, "next", {2});
  const auto late = add_value(g, "late", {2});
  const auto next_late = add_value(g, "next_late", {2});
  const auto y = add_value(g, "y", {2});
  g.inputs = {x};
  g.outputs = {y};
  add_state(g, sum, next, {3, 4});
  add_state(g, late, next_late);
  plugin::Compilation c;
  c.steps = {step("m_add", {sum, x}, {next}), step("m_add", {next, x}, {next_late}), step("m_add", {late, next}, {y})};
  c.steps[0].decl.overlays = {{0, 0}};
  NameTable names;
  plan::add_read_constants(g, "m", names, "aot", c);
  ASSERT_EQ(c.state_constants.size(), 1u);  // the zeros of the other need no constant
  Diagnostics diags;
  const auto schedule = plan::make_schedule(g, c, host(), diags);
  ASSERT_TRUE(schedule);
  EXPECT_TRUE(schedule->carried[0].in_place);
  EXPECT_FALSE(schedule->carried[1].in_place);  // its old value is read after the new one was written
  EXPECT_EQ(schedule->commits.size(), 1u);
  c.steps[0].decl.overlays.clear();
  EXPECT_FALSE(plan::make_schedule(g, c, host(), diags)->carried[0].in_place);
  expect_runs(
      g, c,
      "int32_t m_add(const int32_t *in0, const int32_t *in1, int32_t *out0) {\n"
      "  for (int i = 0; i < 2; ++i) out0[i] = in0[i] + in1[i];\n  return 0; }\n"
      "const int32_t m_initial[2] = {3, 4};\n",
      "int main(void) { m_instance_t a, b; int32_t x[2] = {1, 10}, y[2]; uint64_t ws[M_WORKSPACE_SIZE / 8 + 1];\n"
      "  m_inputs_t in = {x}; m_outputs_t out = {y};\n"
      "  if (sizeof(a) != M_INSTANCE_SIZE || M_INSTANCE_ALIGN != 8) return 1;\n"
      "  if (m_init(&a) != 0 || m_init(&b) != 0) return 2;\n"
      "  m_run(&a, &in, &out, ws); if (y[0] != 4 || y[1] != 14) return 3;\n"
      "  m_run(&a, &in, &out, ws); if (y[0] != 10 || y[1] != 48) return 4;\n"
      "  m_run(&b, &in, &out, ws); if (y[0] != 4) return 5;\n"
      "  if (m_reset(&a) != 0) return 6;\n"
      "  m_run(&a, &in, &out, ws); if (y[0] != 4 || y[1] != 14) return 7;\n"
      "  return m_deinit(&a) || m_deinit(&b); }\n");
}

TEST(Aot, statesThatTakeEachOthersPlacesAreNotOverwrittenBeforeTheyAreRead) {
  ir::Graph g;
  g.name = "m";
  const auto x = add_value(g, "x", {1});
  std::vector<ir::ValueId> v;
  for (const char* name : {"a", "b", "c", "oldest", "middle", "newest"}) v.push_back(add_value(g, name, {1}));
  g.inputs = {x};
  g.outputs = {v[0], v[1], v[2], v[3], v[4], v[5]};
  add_state(g, v[0], v[1], {1});  // a circle
  add_state(g, v[1], v[2], {2});
  add_state(g, v[2], v[0], {3});
  add_state(g, v[5], x);  // a delay line, the writers before the readers
  add_state(g, v[4], v[5]);
  add_state(g, v[3], v[4]);
  plugin::Compilation c;
  NameTable names;
  plan::add_read_constants(g, "m", names, "aot", c);
  ASSERT_EQ(c.constants.size(), 3u);
  std::string initial;
  for (int i = 0; i < 3; ++i)
    initial +=
        "const int32_t " + c.constants[static_cast<std::size_t>(i)].symbol + "[1] = {" + std::to_string(i + 1) + "};\n";
  expect_runs(g, c, initial,
              "static int32_t t[6]; static m_instance_t i; static uint64_t ws[M_WORKSPACE_SIZE / 8 + 1];\n"
              "static int is(int a, int b, int c, int d, int e, int f) {\n"
              "  return t[0] == a && t[1] == b && t[2] == c && t[3] == d && t[4] == e && t[5] == f; }\n"
              "int main(void) { int32_t x = 7; m_inputs_t in = {&x};\n"
              "  m_outputs_t out = {t, t + 1, t + 2, t + 3, t + 4, t + 5};\n"
              "  m_init(&i); m_run(&i, &in, &out, ws); if (!is(1, 2, 3, 0, 0, 0)) return 1;\n"
              "  x = 8; m_run(&i, &in, &out, ws); if (!is(2, 3, 1, 0, 0, 7)) return 2;\n"
              "  x = 9; m_run(&i, &in, &out, ws); if (!is(3, 1, 2, 0, 7, 8)) return 3;\n"
              "  m_run(&i, &in, &out, ws); return !is(1, 2, 3, 7, 8, 9); }\n");
}

TEST(Aot, reportsWhereEveryTensorIs) {
  ir::Graph g;
  g.name = "m";
  const auto x = add_value(g, "x", {4});
  const auto a = add_value(g, "a", {2, 2});
  const auto b = add_value(g, "b", {4});
  const auto y = add_value(g, "y", {4});
  g.inputs = {x};
  g.outputs = {y};
  plugin::Compilation c;
  c.private_values = {{64, 16, {}}};
  c.steps = {step("m_one", {x}, {}), step("m_two", {}, {b}), step("m_double", {b}, {y})};
  c.steps[0].outputs = {{ir::kNoValue, 0}};
  c.steps[1].inputs = {{ir::kNoValue, 0}};
  c.stored_privately[a] = {0, 4, {16, 8}};
  Diagnostics diags;
  auto schedule = plan::make_schedule(g, c, host(), diags);
  ASSERT_TRUE(schedule);
  const ModelInterface model = interface_of(*plan::make_program(g, c, host(), diags), "m");
  ASSERT_EQ(model.steps.size(), 3u);
  const StoredTensor& stored = model.steps[0].results.at(0);
  EXPECT_EQ(stored.name, "a");
  EXPECT_EQ(stored.place, Place::workspace);
  EXPECT_EQ(stored.strides, (std::vector<std::int64_t>{16, 8}));
  EXPECT_EQ(stored.offset, schedule->private_values[0].offset + 4);
  EXPECT_EQ(model.steps[1].results.at(0).name, "b");
  EXPECT_EQ(model.steps[2].results.at(0).place, Place::output);
  EXPECT_EQ(model.workspace_bytes, 64u + 16u);
}

TEST(Aot, countsAreOutputsThatTheirTensorsName) {
  ir::Graph g;
  g.name = "m";
  const auto x = add_value(g, "x", {4});
  const auto y = add_value(g, "y", {2, 2});
  const auto n = add_value(g, "y_count", {});
  g.inputs = {x};
  g.outputs = {y, n};
  g.counted = {{0, 1, 1}};
  plugin::Compilation c;
  c.steps = {step("m_find", {x}, {y, n})};
  Diagnostics diags;
  const auto program = plan::make_program(g, c, host(), diags);
  ASSERT_TRUE(program);
  const ModelInterface model = interface_of(*program, "m");
  EXPECT_EQ(model.output_count(), 1U);
  const auto printed = aot().print({*program, model, host(), "m.h", "m_internal.h"}, diags);
  ASSERT_TRUE(printed);
  EXPECT_NE(printed->header.find("int32_t *y; /* i32[2,2], of dim 1 as many as *y_count says, then zeros */"),
            std::string::npos)
      << printed->header;
}

TEST(Aot, workspacesOfFurtherMemoriesAreParametersInTheOrderOfTheTarget) {
  ir::Graph g;
  g.name = "m";
  const auto x = add_value(g, "x", {4});
  const auto a = add_value(g, "a", {4});
  const auto y = add_value(g, "y", {4});
  g.inputs = {x};
  g.outputs = {y};
  TargetSpec target = host();
  for (const char* name : {"ram", "unused", "N-RAM", "n.ram"})
    target.pools.push_back({name, PoolKind::ram, 0, {}, std::string(name) == "n.ram" ? ".fast" : ""});
  plugin::Compilation c;
  c.private_values = {{16, 8, {"n.ram"}}};
  c.steps = {step("m_first", {x}, {}), step("m_second", {}, {a}), step("m_double", {a}, {y})};
  c.steps[0].outputs = {{ir::kNoValue, 0}};
  c.steps[1].inputs = {{ir::kNoValue, 0}};
  c.steps[1].decl.workspaces = {{24, 16, {"N-RAM"}}, {0, 4, {"unused"}}, {8, 4, {"nowhere", "ram"}}};
  c.stored_privately[a] = {0, 0, {4}};
  Diagnostics diags;
  const auto program = plan::make_program(g, c, target, diags);
  ASSERT_TRUE(program);
  const ModelInterface model = interface_of(*program, "m");
  const auto& further = model.further_workspaces;
  ASSERT_EQ(further.size(), 2u);
  EXPECT_EQ(further[0].pool + " " + further[0].field + " " + further[0].section, "N-RAM n_ram .bss.n_ram");
  EXPECT_EQ(further[1].pool + " " + further[1].field + " " + further[1].section, "n.ram n_ram_2 .fast");
  EXPECT_EQ(further[0].bytes, 24u);
  EXPECT_EQ(further[0].align, 16u);
  EXPECT_EQ(model.steps[0].results.at(0).index, 2u);  // the second of them
  EXPECT_EQ(model.steps[1].live_bytes, 16u + 24u + 8u + 16u);
  expect_runs(g, c,
              "const void *seen[4];\n"
              "int32_t m_first(const int32_t *in0, void *out0) {\n"
              "  for (int i = 0; i < 4; ++i) ((int32_t *)out0)[i] = in0[i] + 1;\n  seen[0] = out0; return 0; }\n"
              "int32_t m_second(const void *in0, int32_t *out0, void *ws0, void *ws1, void *ws2) {\n"
              "  for (int i = 0; i < 4; ++i) out0[i] = ((const int32_t *)in0)[i];\n"
              "  seen[1] = ws0; seen[2] = ws1; seen[3] = ws2; return in0 != seen[0]; }\n" +
                  std::string(kDouble),
              "extern const void *seen[4];\n"
              "static char ram[M_WORKSPACE_SIZE] __attribute__((aligned(8)));\n"
              "static char near[M_WORKSPACE_N_RAM_SIZE] __attribute__((aligned(M_WORKSPACE_N_RAM_ALIGN)));\n"
              "static char far[M_WORKSPACE_N_RAM_2_SIZE]\n"
              "    __attribute__((aligned(8), section(M_WORKSPACE_N_RAM_2_SECTION)));\n"
              "int main(void) { int32_t x[4] = {1, 2, 3, 4}, y[4];\n"
              "  m_inputs_t in = {x}; m_outputs_t out = {y};\n"
              "  if (m_run(&in, &out, ram, near, far) != 0) return 1;\n"
              "  if (seen[0] != far || seen[1] != near) return 2;\n"
              "  if ((const char *)seen[3] < ram || (const char *)seen[3] > ram + sizeof ram - 8) return 3;\n"
              "  return y[0] != 4 || y[3] != 10; }\n",
              target);
}

// With -Werror: a body says which of its parameters it does not use.
TEST(Aot, bodiesAreFunctionsThatMayIgnoreWhatTheyAreGiven) {
  Diagnostics diags;
  const auto g = ir::parse(R"(graph "m" requant=onnx {
  input %c : bool[]
  input %x : i32[4]
  input %z : i32[4]
  %y : i32[4] = If.16(%c, %x, %z) {else_branch=graph "e" requant=onnx {
    input %a : i32[4]
    input %b : i32[4]
    output %b
  }, then_branch=graph "t" requant=onnx {
    input %a : i32[4]
    input %b : i32[4]
    %p : i32[4] = Add.14(%a, %a)
    output %p
  }}
  output %y
})",
                           "m.byoc", diags);
  ASSERT_TRUE(g) << to_string(diags.all().at(0));
  const ir::Graph& then = *ir::body_of(g->nodes[0], "then_branch");
  plugin::Compilation c;
  c.bodies[&then].steps = {step("m_double", {then.inputs[0]}, {then.outputs[0]})};
  NameTable names;
  plan::add_control_steps(*g, "m", [](const ir::Graph&, ir::NodeId n) { return n; }, names, "aot", c);
  expect_runs(*g, c, kDouble,
              "int main(void) { uint8_t c = 1; int32_t x[4] = {1, 2, 3, 4}, z[4] = {5, 6, 7, 8}, y[4];\n"
              "  m_inputs_t in = {&c, x, z}; m_outputs_t out = {y};\n"
              "  if (m_run(&in, &out, 0) != 0 || y[3] != 8) return 1;\n"
              "  c = 0; return m_run(&in, &out, 0) != 0 || y[3] != 8 || y[0] != 5; }\n");
}

}  // namespace
}  // namespace byoc::executor
