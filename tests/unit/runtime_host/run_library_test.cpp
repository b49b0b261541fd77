// Runs of libraries in a process of their own: what comes out, and what becomes of those that do not end well.
#include "sdk/run/host/run_library.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "backends/reference.hpp"
#include "sdk/base/support/process.hpp"
#include "sdk/export/export.hpp"
#include "sdk/model/ir/text.hpp"
#include "tests/support/objects.hpp"

namespace byoc {
namespace {

using test::target;
using test::text_of;
using ::testing::HasSubstr;

constexpr const char* kModel = R"(graph "m" requant=onnx {
  input %x : f32[1]
  state %before : f32[1] -> %sum
  %sum : f32[1] = Add.14(%before, %x)
  output %sum
}
)";

class RunLibrary : public ::testing::Test {
 protected:
  void SetUp() override {
    auto graph = ir::parse(kModel, "m.byoc", diags_);
    ASSERT_TRUE(graph) << text_of(diags_);
    const auto backend = reference::backends()[0].create({});
    const std::vector<codegen::Codegen*> codegens{backend.get()};
    Job job;
    job.name = "m";
    job.target = target("host");
    job.codegens = codegens;
    auto library = compile_model(*graph, job, diags_);
    ASSERT_TRUE(library) << text_of(diags_);
    library_ = std::move(*library);
  }

  // The library, with its root's code replaced by this one ("": its own).
  Result<RunResult> run(const std::string& run_body, const runtime::LibraryRun& how) {
    if (!run_body.empty()) {
      const std::string source = dir_->path() + "/root.c", object = dir_->path() + "/root.o";
      std::ofstream(source) << "#include <stdlib.h>\nint m_init(void *i) { return i == 0; }\n"
                               "int m_reset(void *i) { return i == 0; }\nint m_deinit(void *i) { return i == 0; }\n"
                               "int m_run(void *a, void *b, void *c, void *d) { "
                            << run_body << " }\n";
      EXPECT_EQ(run_process({"gcc", "-c", "-w", "-fPIC", source, "-o", object}, diags_)->exit_code, 0);
      const std::string bytes = *read_text(object, diags_);
      const auto span = std::as_bytes(std::span(bytes));
      library_.members[0].object = {span.begin(), span.end()};
    }
    const std::string archive = dir_->path() + "/m.a";
    if (!write_library(library_, archive, false, diags_)) return failure;
    auto loadable = runtime::open_loadable(archive, {}, diags_);
    if (!loadable) return failure;
    return runtime::run_library(*loadable, library_.interface(), how, diags_);
  }
  std::string refused(const std::string& run_body, unsigned seconds = 60) {
    runtime::LibraryRun how{inputs_};
    how.inputs = std::span(inputs_).first(1);
    how.timeout_seconds = seconds;
    EXPECT_FALSE(run(run_body, how));
    return text_of(diags_);
  }
  static Blob one() {
    const float value = 1;
    std::vector<std::byte> bytes(4);
    std::memcpy(bytes.data(), &value, 4);
    return Blob::own(std::move(bytes));
  }

  Library library_;
  std::vector<Blob> inputs_{one(), one(), one()};
  Diagnostics diags_;
  Result<TemporaryDirectory> dir_ = TemporaryDirectory::create(diags_);
};

TEST_F(RunLibrary, ASequenceOnOneInstance) {
  runtime::LibraryRun how{inputs_};
  how.repeat = 2;
  const auto result = run("", how);
  ASSERT_TRUE(result) << text_of(diags_);
  ASSERT_EQ(result->outputs.size(), 3u);
  const auto value = [](const std::vector<std::byte>& bytes) {
    float out = 0;
    std::memcpy(&out, bytes.data(), 4);
    return out;
  };
  EXPECT_EQ(value(result->outputs[0]), 1);
  EXPECT_EQ(value(result->outputs[2]), 3);
  EXPECT_EQ(result->times.size(), 2u);
  EXPECT_TRUE(result->nanoseconds);
  EXPECT_GT(result->ram.stack, 0u);
  EXPECT_LT(result->ram.stack, 65536u);
  how.reset = true;
  const auto again = run("", how);
  ASSERT_TRUE(again) << text_of(diags_);
  EXPECT_EQ(value(again->outputs[2]), 1);
}

TEST_F(RunLibrary, ModelsThatDoNotEndWell) {
  EXPECT_THAT(refused("return 3;"), HasSubstr("m.a: error: 'm_run': the model failed (found code 3, expected 0)"));
  EXPECT_THAT(refused("abort();"), HasSubstr("the process that ran the model died of signal 6"));
  EXPECT_THAT(refused("char stack[16 << 20]; for (int i = 0; i < 16 << 20; i += 4096) ((volatile char *)stack)[i] = 1; "
                      "return stack[0];"),
              HasSubstr("the process that ran the model died of signal 11"));
  EXPECT_THAT(refused("for (;;) {}", 1), HasSubstr("the model did not finish (expected an end within 1 seconds)"));
}

TEST_F(RunLibrary, InputsOfTheWrongNumberOrSize) {
  EXPECT_FALSE(run("", {}));
  EXPECT_THAT(text_of(diags_), HasSubstr("'m': wrong number of inputs (found 0, expected 1 for each run)"));
  inputs_[1] = Blob::own(std::vector<std::byte>(3));
  EXPECT_FALSE(run("", {inputs_}));
  EXPECT_THAT(text_of(diags_), HasSubstr("'x': input is of the wrong size (found 3 bytes, expected 4 bytes)"));
}

// Whose functions are missing: the linker says so, by name.
TEST_F(RunLibrary, ALibraryThatNeedsMore) {
  EXPECT_THAT(refused("return of_a_driver();"), HasSubstr("m.a: error: cannot be linked: "));
  EXPECT_THAT(text_of(diags_), HasSubstr("of_a_driver"));
}

}  // namespace
}  // namespace byoc
