// A codegen is asked for its verdicts once in an export, whatever executor prints the program, and once more where an
// operator that nobody takes is left as the model has it.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "backends/reference.hpp"
#include "sdk/codegen/plugin/record/recording_codegen.hpp"
#include "sdk/export/export.hpp"
#include "sdk/target/target/target.hpp"
#include "tests/support/source_dir.hpp"

namespace byoc {
namespace {

// The number of times that it is asked; -1 for an export that fails.
int asked(const std::string& model, const std::string& executor) {
  Diagnostics diags;
  auto graph = load_model(test::source_dir() + "/examples/demo/" + model, {}, diags);
  auto target = resolve_target("host", diags);
  if (!graph || !target) return -1;
  plugin::SessionRecord record;
  auto codegen = plugin::record_codegen(reference::backends()[0].create({}), *target, {}, 0,
                                        [&](plugin::SessionRecord made) { record = std::move(made); });
  codegen::Codegen* const all[] = {codegen.get()};
  Job job;
  job.target = *target;
  job.name = "m";
  job.codegens = all;
  job.request.executor = executor;
  if (!compile_model(*graph, job, diags)) return -1;
  codegen.reset();
  const auto is_for_verdicts = [](const plugin::RecordedCall& call) { return call.what == plugin::Ask::verdicts; };
  return static_cast<int>(std::ranges::count_if(record.calls, is_for_verdicts));
}

TEST(Verdicts, AreAskedForOnce) {
  for (const char* executor : {"aot", "graph", "vm"}) EXPECT_EQ(asked("vibration_float.onnx", executor), 1) << executor;
}

TEST(Verdicts, AreAskedForOnceMoreAboutLiteralOperators) {
  for (const char* executor : {"aot", "graph", "vm"}) EXPECT_EQ(asked("vibration_int8.onnx", executor), 2) << executor;
}

}  // namespace
}  // namespace byoc
