// What the executor `graph` prints of steps by hand: its C is compiled, and its graph is run.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "byoc/graph_executor.hpp"
#include "sdk/base/support/file.hpp"
#include "sdk/base/support/process.hpp"
#include "sdk/model/ir/text.hpp"
#include "sdk/program/executor/graph/graph.hpp"
#include "sdk/program/executor/interface.hpp"
#include "sdk/program/executor/internal_header.hpp"
#include "sdk/program/graphjson/graph_json.hpp"
#include "sdk/program/plan/control.hpp"
#include "sdk/program/plan/read_constants.hpp"
#include "tests/support/hand_written_steps.hpp"

namespace byoc::executor {
namespace {

using namespace byoc::test;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TargetSpec hosted() {
  TargetSpec t = host();
  t.hosted = true;
  return t;
}

Result<Printed> print(const ir::Graph& g, const plugin::Compilation& c, const TargetSpec& target, Diagnostics& diags,
                      std::string* internal = nullptr) {
  const auto program = plan::make_program(g, c, target, diags);
  if (!program) return failure;
  std::map<std::string, Blob> constants;
  for (const ConstantArtifact& k : c.constants) constants.emplace(k.symbol, k.bytes);
  if (internal != nullptr) *internal = internal_header(g, c, "m", {}).text;
  const ModelInterface model = interface_of(*program, "m");
  return graph().print({*program, model, target, "m.h", "m_internal.h", false, constants}, diags);
}

std::string text(const Module& m) { return {reinterpret_cast<const char*>(m.bytes.data()), m.bytes.size()}; }

std::string first_error(const Diagnostics& diags) { return diags.all().empty() ? "" : to_string(diags.all().front()); }

// The functions, compiled with the given steps as a shared library.
std::shared_ptr<void> compile(const Printed& printed, const std::string& internal, const std::string& steps,
                              Diagnostics& diags) {
  auto dir = TemporaryDirectory::create(diags);
  if (!dir) return nullptr;
  const auto write = [&](const std::string& name, const std::string& content) {
    std::ofstream(dir->path() + "/" + name) << content;
  };
  write("m.h", printed.header);
  write("m_internal.h", internal);
  for (const std::string header : {"packed.h", "dlpack.h"}) write(header, printed.headers.at("byoc/rt/" + header));
  write("m.c", text(printed.modules.at(0)));
  write("example.c", printed.example_main);
  write("steps.c", "#include \"m_internal.h\"\n" + steps);
  const std::string shell =
      "mkdir -p byoc/rt && mv packed.h dlpack.h byoc/rt && for f in '' example.c; do cc -std=c99 -Wall -Wextra "
      "-Wpedantic "
      "-Werror "
      "-I. $(test -n \"$f\" || echo -shared) -fPIC m.c steps.c $f -o m$f.so || exit 1; done";
  const auto compiled = run_process({"sh", "-c", shell}, diags, {dir->path(), 60});
  if (!compiled || compiled->exit_code != 0) {
    ADD_FAILURE() << (compiled ? compiled->errors : "") << text(printed.modules.at(0));
    return nullptr;
  }
  void* handle = ::dlopen((dir->path() + "/m.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  EXPECT_NE(handle, nullptr) << ::dlerror();
  return {handle, [](void* h) { ::dlclose(h); }};
}

struct Running {
  std::optional<GraphExecutor> executor;
  Diagnostics diags;

  Running(const ir::Graph& g, const plugin::Compilation& c, const std::string& steps) {
    std::string internal;
    const auto printed = print(g, c, hosted(), diags, &internal);
    if (!printed) {
      ADD_FAILURE() << first_error(diags);
      return;
    }
    const std::shared_ptr<void> library = compile(*printed, internal, steps, diags);
    if (library == nullptr) return;
    const auto find = [library](const std::string& name) {
      return reinterpret_cast<byoc_packed_function_t>(::dlsym(library.get(), name.c_str()));
    };
    auto made = GraphExecutor::create({"m", text(printed->modules.at(1)), find, library}, diags);
    if (!made || !made->load_params(printed->modules.at(2).bytes.bytes(), diags, UnknownParams::error)) {
      ADD_FAILURE() << first_error(diags);
      return;
    }
    executor = *made;
  }

  std::vector<std::int32_t> run(const std::vector<std::int32_t>& input, std::size_t output = 0) {
    if (!executor || !executor->set_input(std::size_t{0}, std::as_bytes(std::span(input)), diags) ||
        !executor->run(diags))
      return {};
    return get(output);
  }
  std::vector<std::int32_t> get(std::size_t output) {
    const auto bytes = executor->get_output(output, diags);
    std::vector<std::int32_t> out(bytes ? bytes->size() / 4 : 0);
    if (!out.empty()) std::memcpy(out.data(), bytes->data(), bytes->size());
    return out;
  }
};

constexpr const char* kDouble =
    "int32_t m_double(const int32_t *in0, int32_t *out0) { for (int i = 0; i < 4; ++i) out0[i] = 2 * in0[i]; return 0; "
    "}\n";

TEST(PrintedGraph, AliasesAndOutputsGivenTwice) {
  ir::Graph g;
  g.name = "chain */ of \"two\"";
  const auto x = add_value(g, "x:0", {4}), flat = add_value(g, "flat", {2, 2}), y = add_value(g, "y", {2, 2}),
             z = add_value(g, "y", {4});
  g.inputs = {x};
  g.outputs = {y, z, y, flat};
  plugin::Compilation c;
  c.steps = {step("m_double", {flat}, {y})};
  c.aliases = {{flat, x}, {z, y}};
  Running m(g, c, kDouble);
  EXPECT_THAT(m.run({1, 2, 3, 4}), ElementsAre(2, 4, 6, 8));
  EXPECT_THAT(m.get(1), ElementsAre(2, 4, 6, 8));
  EXPECT_THAT(m.get(2), ElementsAre(2, 4, 6, 8));
  EXPECT_THAT(m.get(3), ElementsAre(1, 2, 3, 4));
}

// Constants that are given out are parameters; nothing is called for them.
TEST(PrintedGraph, GivesOutConstantsAndInputs) {
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
  plan::add_read_constants(g, "m", names, "graph", c);
  Running m(g, c, "const int32_t " + c.constants.at(0).symbol + "[4] = {9, 8, 7, 6};\n");
  EXPECT_THAT(m.run({1, 2, 3, 4}), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(m.get(1), ElementsAre(9, 8, 7, 6));
  EXPECT_EQ(m.executor->model_inputs(), 1U);
  EXPECT_EQ(m.executor->inputs().size(), 2U);
}

TEST(PrintedGraph, B23TheGraphAndItsParametersAreReadBack) {
  ir::Graph g;
  g.name = "m";
  const auto x = add_value(g, "x", {4}), y = add_value(g, "y", {4});
  const std::int32_t data[4] = {9, 8, 7, 6};
  const auto bytes = std::as_bytes(std::span(data));
  const auto k = g.add_constant("k", g.values[x].type, Blob::own({bytes.begin(), bytes.end()}));
  g.inputs = {x};
  g.outputs = {y, k};
  plugin::Compilation c;
  c.steps = {step("m_double", {x}, {y})};
  NameTable names;
  plan::add_read_constants(g, "m", names, "graph", c);
  Running m(g, c, kDouble + ("const int32_t " + c.constants.at(0).symbol + "[4] = {9, 8, 7, 6};\n"));
  ASSERT_TRUE(m.executor);
  EXPECT_THAT(m.executor->graph_json(), HasSubstr("m_double"));
  const auto parameter = m.executor->get_input(1, m.diags);
  ASSERT_TRUE(parameter) << first_error(m.diags);
  EXPECT_TRUE(std::equal(parameter->begin(), parameter->end(), bytes.begin(), bytes.end()));
}

// By now the library is nobody's but the executor's.
TEST(PrintedGraph, B24AnExecutorOutlivesWhatItWasMadeOf) {
  ir::Graph g;
  g.name = "m";
  const auto x = add_value(g, "x", {4}), y = add_value(g, "y", {4});
  g.inputs = {x};
  g.outputs = {y};
  plugin::Compilation c;
  c.steps = {step("m_double", {x}, {y})};
  std::optional<GraphExecutor> executor;
  {
    const Running made(g, c, kDouble);
    executor = made.executor;
  }
  ASSERT_TRUE(executor);
  Diagnostics diags;
  const std::int32_t values[4] = {1, 2, 3, 4};
  ASSERT_TRUE(executor->set_input(std::size_t{0}, std::as_bytes(std::span(values)), diags) && executor->run(diags));
  const auto found = executor->get_output(0, diags);
  ASSERT_TRUE(found);
  std::int32_t doubled[4] = {};
  std::memcpy(doubled, found->data(), sizeof doubled);
  EXPECT_THAT(doubled, ElementsAre(2, 4, 6, 8));
}

// Storage is used once more: the chain of so many steps takes turns in two, beside the input.
TEST(PrintedGraph, AChainTakesTwoStorages) {
  ir::Graph g;
  g.name = "long";
  plugin::Compilation c;
  g.inputs = {add_value(g, "x", {4})};
  for (int i = 0; i < 20; ++i) {
    const auto from = static_cast<ir::ValueId>(g.values.size() - 1);
    c.steps.push_back(step("m_next", {from}, {add_value(g, "v" + std::to_string(i), {4})}));
  }
  g.outputs = {static_cast<ir::ValueId>(g.values.size() - 1)};
  Running m(g, c,
            "int32_t m_next(const int32_t *in0, int32_t *out0) { for (int i = 0; i < 4; ++i) out0[i] = in0[i] + 1;\n"
            "  return in0[0] == 1000 ? 7 : 0; }\n");
  EXPECT_THAT(m.run({1, 2, 3, 4}), ElementsAre(21, 22, 23, 24));
  EXPECT_EQ(m.executor->memory_bytes(), 3U * 64);
  EXPECT_THAT(m.run({995, 0, 0, 0}), ElementsAre());
  EXPECT_THAT(first_error(m.diags), HasSubstr("function 'm_next_packed' failed (found 7, expected 0)"));
}

// Two steps write one buffer, each its half: what the first wrote is still there when the second is done.
TEST(PrintedGraph, SeveralStepsWriteOneBuffer) {
  ir::Graph g;
  g.name = "m";
  const auto x = add_value(g, "x", {4}), y = add_value(g, "y", {4});
  g.inputs = {x};
  g.outputs = {y};
  plugin::Compilation c;
  c.private_values = {{16, 8}};
  plugin::StepOperand buffer;
  buffer.private_value = 0;
  c.steps = {step("m_first", {x}, {}), step("m_second", {x}, {}), step("m_double_buffer", {}, {y})};
  c.steps[0].outputs = {buffer};
  c.steps[1].outputs = {buffer};
  c.steps[2].inputs = {buffer};
  Running m(
      g, c,
      "int32_t m_first(const int32_t *in0, void *out0) { int32_t *o = out0; o[0] = in0[0]; o[1] = in0[1]; return 0; }\n"
      "int32_t m_second(const int32_t *in0, void *out0) { int32_t *o = out0; o[2] = in0[2]; o[3] = in0[3]; return 0; "
      "}\n"
      "int32_t m_double_buffer(const void *in0, int32_t *out0) { const int32_t *v = in0; int i;\n"
      "  for (i = 0; i < 4; ++i) out0[i] = 2 * v[i];\n  return 0; }\n");
  EXPECT_THAT(m.run({1, 2, 3, 4}), ElementsAre(2, 4, 6, 8));
  Diagnostics diags;
  const auto graph = read_graph_json(m.executor->graph_json(), "m", diags);
  ASSERT_TRUE(graph);
  EXPECT_EQ(graph->nodes[2].inputs, (std::vector<GraphJsonRef>{{0, 0, 0}, {1, 0, 0}}));
  EXPECT_EQ(graph->entries[1].storage, graph->entries[2].storage);
}

TEST(PrintedGraph, StatesAreKeptAndPutBack) {
  ir::Graph g;
  g.name = "m";
  const auto x = add_value(g, "x", {2}), sum = add_value(g, "sum", {2}), next = add_value(g, "next", {2}),
             late = add_value(g, "late", {2}), next_late = add_value(g, "next_late", {2}), y = add_value(g, "y", {2});
  g.inputs = {x};
  g.outputs = {y};
  add_state(g, sum, next, {3, 4});
  add_state(g, late, next_late);
  plugin::Compilation c;
  c.steps = {step("m_add", {sum, x}, {next}), step("m_add", {next, x}, {next_late}), step("m_add", {late, next}, {y})};
  c.steps[0].decl.overlays = {{0, 0}};
  NameTable names;
  plan::add_read_constants(g, "m", names, "graph", c);
  Running m(g, c,
            "int32_t m_add(const int32_t *in0, const int32_t *in1, int32_t *out0) {\n"
            "  for (int i = 0; i < 2; ++i) out0[i] = in0[i] + in1[i];\n  return 0; }\n"
            "const int32_t m_initial[2] = {3, 4};\n");
  EXPECT_THAT(m.run({1, 10}), ElementsAre(4, 14));
  EXPECT_THAT(m.run({1, 10}), ElementsAre(10, 48));
  m.executor->reset();
  EXPECT_THAT(m.run({1, 10}), ElementsAre(4, 14));
}

// A function looks at what it is given: a graph may be of another library.
TEST(PrintedGraph, OtherTensorsThanTheStepsAreRefused) {
  ir::Graph g;
  g.name = "m";
  const auto x = add_value(g, "x", {4}), y = add_value(g, "y", {4});
  g.inputs = {x};
  g.outputs = {y};
  plugin::Compilation c;
  c.steps = {step("m_double", {x}, {y})};
  Diagnostics diags;
  std::string internal;
  const auto printed = print(g, c, hosted(), diags, &internal);
  ASSERT_TRUE(printed) << first_error(diags);
  const std::shared_ptr<void> library = compile(*printed, internal, kDouble, diags);
  ASSERT_NE(library, nullptr);
  const auto f = reinterpret_cast<byoc_packed_function_t>(::dlsym(library.get(), "m_double_packed"));
  ASSERT_NE(f, nullptr);
  std::int32_t data[8] = {1, 2, 3, 4};
  std::int64_t four[1] = {4}, five[1] = {5}, two[1] = {2};
  byoc_dl_tensor_t in{data, {1, 0}, 1, {0, 32, 1}, four, nullptr, 0}, out = in;
  std::int32_t result[4];
  out.data = result;
  byoc_packed_value_t args[2];
  args[0].v_handle = &in;
  args[1].v_handle = &out;
  std::int32_t codes[2] = {7, 13};
  const auto call = [&] { return f(args, codes, 2, nullptr, nullptr, nullptr); };
  EXPECT_EQ(call(), 0);
  EXPECT_EQ(result[3], 8);
  EXPECT_EQ(f(args, codes, 1, nullptr, nullptr, nullptr), -1);
  in.shape = five;
  EXPECT_EQ(call(), -1);
  in.shape = four;
  in.strides = two;
  EXPECT_EQ(call(), -1);
  in.strides = nullptr;
  in.device.device_type = 2;
  EXPECT_EQ(call(), -1);
  in.device.device_type = 1;
  codes[0] = 0;
  EXPECT_EQ(call(), -1);
}

std::string refusal(const ir::Graph& g, const plugin::Compilation& c, const TargetSpec& target) {
  Diagnostics diags;
  EXPECT_FALSE(print(g, c, target, diags));
  return first_error(diags);
}

TEST(PrintedGraph, WhatItCannotSayIsRefused) {
  ir::Graph g;
  g.name = "m";
  g.inputs = g.outputs = {add_value(g, "x", {4})};
  plugin::Compilation c;
  EXPECT_THAT(refusal(g, c, host()), HasSubstr("executor 'graph' is for targets with an operating system"));
  c.instances.push_back({{.bytes = 8, .align = 8, .init = "m_begin", .reset = {}, .deinit = {}}, "test"});
  EXPECT_THAT(refusal(g, c, hosted()),
              HasSubstr("'m_begin': a function that begins or ends an instance cannot be called by executor 'graph'"));
}

}  // namespace
}  // namespace byoc::executor
