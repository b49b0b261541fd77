// A codegen is asked for its verdicts once in an export, whatever executor prints the program, and once more where an
// operator that nobody takes is left as the model has it. About a node with open dims it is asked apart from the
// others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "backends/reference.hpp"
#include "sdk/codegen/plugin/record/recording_codegen.hpp"
#include "sdk/export/export.hpp"
#include "sdk/model/ir/text.hpp"
#include "sdk/model/prepare/prepare.hpp"
#include "sdk/target/target/target.hpp"
#include "tests/support/source_dir.hpp"

namespace byoc {
namespace {

using ::testing::ElementsAre;

// The number of nodes in each question; {} for an export that fails.
std::vector<std::size_t> questions(const Result<ir::Graph>& graph, const std::string& executor,
                                   const PartitionOptions& placing = {}) {
  Diagnostics diags;
  auto target = resolve_target("host", diags);
  if (!graph || !target) return {};
  plugin::SessionRecord record;
  auto codegen = plugin::record_codegen(reference::backends()[0].create({}), *target, {}, 0,
                                        [&](plugin::SessionRecord made) { record = std::move(made); });
  codegen::Codegen* const all[] = {codegen.get()};
  Job job;
  job.target = *target;
  job.name = "m";
  job.codegens = all;
  job.request.executor = executor;
  job.request.partition = placing;
  const bool done = bool(compile_model(*graph, job, diags));
  EXPECT_TRUE(done) << (diags.all().empty() ? "" : to_string(diags.all()[0]));
  codegen.reset();
  std::vector<std::size_t> out;
  for (const plugin::RecordedCall& call : record.calls)
    if (done && call.what == plugin::Ask::verdicts)
      out.push_back(record.regions[call.regions.at(0)].region.nodes.size());
  return out;
}

std::size_t asked(const std::string& model, const std::string& executor) {
  Diagnostics diags;
  return questions(load_model(test::source_dir() + "/examples/demo/" + model, {}, diags), executor).size();
}

Result<ir::Graph> prepared(const char* text) {
  Diagnostics diags;
  auto graph = ir::parse(text, "m.byoc", diags);
  if (!graph || !prepare(*graph, {.dims = {}, .open_types = true}, diags)) return failure;
  return graph;
}

TEST(Verdicts, AreAskedForOnce) {
  for (const char* executor : {"aot", "graph", "vm"})
    EXPECT_EQ(asked("vibration_float.onnx", executor), 1u) << executor;
}

TEST(Verdicts, AreAskedForOnceMoreAboutLiteralOperators) {
  for (const char* executor : {"aot", "graph", "vm"}) EXPECT_EQ(asked("vibration_int8.onnx", executor), 2u) << executor;
}

// Two islands, and a node between them whose result only a run tells the shape of.
constexpr const char* kAround = R"(graph "around" requant=onnx {
  input %0 "x" : f32[4]
  %1 : f32[4] = Neg.13(%0)
  %2 : f32[4] = Abs.13(%1)
  %3 : i64? = NonZero.13(%2)
  %4 : i64[2] = Shape.13(%3)
  %5 "y" : i64[2] = Neg.13(%4)
  %6 "z" : f32[4] = Relu.14(%2)
  output %5
  output %6
})";

TEST(Verdicts, AreAskedForOnceAboutEachNodeOfSeveralIslands) {
  EXPECT_THAT(questions(prepared(kAround), "vm"), ElementsAre(4, 2));
}

// Exp is close and not exact, so that it is evaluated.
TEST(Verdicts, AreAskedForOnceWhereANodeIsRefused) {
  const auto graph = prepared(R"(graph "refused" requant=onnx {
    input %0 "x" : f32[4]
    %1 : f32[4] = Neg.13(%0)
    %2 : f32[4] = Exp.13(%1)
    %3 "y" : f32[4] = Neg.13(%2)
    output %3
  })");
  EXPECT_THAT(questions(graph, "vm", {.require_exact = true}), ElementsAre(3));
}

// The branches are questions of their own.
TEST(Verdicts, AreAskedForOnceAboutBranches) {
  const auto graph = prepared(R"(graph "branches" requant=onnx {
    input %0 "c" : bool[]
    input %1 "x" : f32[4]
    %2 : f32[4] = If.19(%0, %1) {then_branch = graph "a" requant=onnx {
      input %0 : f32[4]
      %1 : f32[4] = Neg.13(%0)
      output %1
    }, else_branch = graph "b" requant=onnx {
      input %0 : f32[4]
      %1 : f32[4] = Abs.13(%0)
      output %1
    }}
    %3 "y" : f32[4] = Exp.13(%2)
    output %3
  })");
  for (const char* executor : {"aot", "vm"}) EXPECT_THAT(questions(graph, executor), ElementsAre(2, 1, 1)) << executor;
}

}  // namespace
}  // namespace byoc
