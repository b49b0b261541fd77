// A codegen is asked for its verdicts once in an export, whatever executor prints the program.
#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "backends/reference.hpp"
#include "sdk/codegen/plugin/record/recording_codegen.hpp"
#include "sdk/export/export.hpp"
#include "sdk/target/target/target.hpp"
#include "tests/support/source_dir.hpp"

namespace byoc {
namespace {

class Verdicts : public testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(Verdicts, AreAskedForOnce) {
  const auto& [model, executor] = GetParam();
  Diagnostics diags;
  auto graph = load_model(test::source_dir() + "/examples/demo/" + model, {}, diags);
  auto target = resolve_target("host", diags);
  ASSERT_TRUE(graph && target);
  plugin::SessionRecord record;
  auto codegen = plugin::record_codegen(reference::backends()[0].create({}), *target, {}, 0,
                                        [&](plugin::SessionRecord made) { record = std::move(made); });
  codegen::Codegen* const all[] = {codegen.get()};
  ExportOptions options;
  options.target = *target;
  options.name = "m";
  options.codegens = all;
  options.executor = executor;
  EXPECT_TRUE(compile_model(*graph, options, diags));
  codegen.reset();
  const auto is_for_verdicts = [](const plugin::RecordedCall& call) { return call.what == plugin::Ask::verdicts; };
  EXPECT_EQ(std::ranges::count_if(record.calls, is_for_verdicts), 1);
}

INSTANTIATE_TEST_SUITE_P(Executors, Verdicts,
                         testing::Combine(testing::Values("vibration_float.onnx", "vibration_int8.onnx"),
                                          testing::Values("aot", "graph", "vm")));

}  // namespace
}  // namespace byoc
