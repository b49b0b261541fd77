#include "sdk/run/simulate/simulate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>

#include "sdk/base/support/file.hpp"
#include "sdk/base/support/process.hpp"
#include "sdk/run/simulate/board.hpp"
#include "sdk/target/target/target.hpp"
#include "tests/e2e/simulate/small_model.hpp"

namespace byoc {
namespace {

using test::SmallModel;
using ::testing::AllOf;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::Le;

// What one inference of a small model does, on the target that the test is for.
class Simulate : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { use(GetParam()); }

  void use(const std::string& name) {
    auto resolved = resolve_target(name, diags);
    ASSERT_TRUE(resolved) << to_string(diags.all().front());
    target = *resolved;
    auto made = TemporaryDirectory::create(diags);
    ASSERT_TRUE(made);
    directory.emplace(std::move(*made));
    auto machine = machine_for(target, diags);
    ASSERT_TRUE(machine);
    if (find_program(target.gnu_command).empty()) GTEST_SKIP() << target.gnu_command << " is not installed";
    if (!machine->command.empty() && find_program(machine->command[0]).empty())
      GTEST_SKIP() << machine->command[0] << " is not installed";
  }

  void build(const std::string& body, bool stateful = false) {
    auto built = test::build_small_model(target, directory->path(), body, diags, stateful);
    ASSERT_TRUE(built) << to_string(diags.all().back());
    model = std::move(*built);
  }

  Result<RunResult> run(bool profile = false, bool dump = false, unsigned timeout = 60) {
    const std::vector<std::byte> x = {std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4},
                                      std::byte{5}, std::byte{6}, std::byte{7}, std::byte{8}};
    SimulateRequest request{target,
                            model.interface,
                            model.archive,
                            model.traced_archive,
                            model.directory + "/tiny.h",
                            {Blob::own(x)},
                            profile,
                            dump,
                            timeout};
    request.cycles = cycles;
    request.flash = flash;
    return simulate(request, diags);
  }

  RunResult good(const std::string& body, bool profile = false, bool dump = false) {
    build(body);
    if (HasFatalFailure()) return {};
    auto result = run(profile, dump);
    EXPECT_TRUE(result) << (diags.all().empty() ? "" : to_string(diags.all().back()));
    return result ? *result : RunResult{};
  }

  std::string error(const std::string& body, unsigned timeout = 60) {
    build(body);
    if (HasFatalFailure()) return "";
    EXPECT_FALSE(run(false, false, timeout));
    return diags.all().empty() ? "" : to_string(diags.all().back());
  }

  [[nodiscard]] bool counts() const { return target.simulator != "native" && target.simulator != "qemu-user"; }

  Diagnostics diags;
  TargetSpec target;
  std::optional<TemporaryDirectory> directory;
  SmallModel model;
  bool cycles = false;
  std::string flash;
};

std::string body(const std::string& statements, const std::string& before = "") {
  return before +
         "static int32_t tiny_body(const int8_t* x, int8_t* y, unsigned char* workspace) {\n  (void)workspace;\n" +
         statements + "\n  for (int i = 0; i < 8; i++) y[i] = (int8_t)(2 * x[i]);\n  return 0;\n}\n";
}

// Where instructions are counted and no operating system guards the stack.
class SimulateBare : public Simulate {};

TEST_P(Simulate, GivesOutputsAndFigures) {
  const RunResult result = good(body(""));
  ASSERT_EQ(result.outputs.size(), 1U);
  ASSERT_EQ(result.outputs[0].size(), 8U);
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(static_cast<int>(result.outputs[0][i]), static_cast<int>(2 * (i + 1)));
  EXPECT_EQ(result.instructions.has_value(), counts());
  EXPECT_EQ(result.nanoseconds.has_value(), target.simulator == "native");
  EXPECT_THAT(result.flash.text, AllOf(Ge(8U), Le(600U)));
  EXPECT_EQ(result.flash.data, 0U);
  EXPECT_EQ(result.ram.workspace, 64U);
  EXPECT_THAT(result.ram.stack, Le(target.hosted ? 4096U : 128U));
}

TEST_P(SimulateBare, CountsInstructionsExactly) {
  const RunResult shorter = good(body("SPIN(1000 + (uint32_t)x[0]);"));
  const RunResult longer = good(body("SPIN(1000000 + (uint32_t)x[0]);"));
  ASSERT_TRUE(shorter.instructions && longer.instructions);
  EXPECT_NEAR(static_cast<double>(*longer.instructions - *shorter.instructions), 2.0 * 999000, 4);
  EXPECT_THAT(*shorter.instructions, AllOf(Ge(2002U), Le(2200U)));
}

TEST_P(Simulate, ProfilesEachStep) {
  const std::string steps =
      "TRACE(-1);\nSPIN(1000 + (uint32_t)x[0]);\nTRACE(0);\nTRACE(1);\nSPIN(50000 + (uint32_t)x[0]);\nTRACE(2);";
  build(body(steps));
  model.interface.steps.resize(3);
  auto result = run(true);
  ASSERT_TRUE(result) << to_string(diags.all().back());
  ASSERT_EQ(result->step_counts.size(), 3U);
  if (!counts()) return;
  EXPECT_NEAR(static_cast<double>(result->step_counts[0]), 2002, 12);
  EXPECT_NEAR(static_cast<double>(result->step_counts[1]), 0, 8);
  EXPECT_NEAR(static_cast<double>(result->step_counts[2]), 100002, 12);
}

TEST_P(Simulate, EstimatesCyclesWhereTheCpuHasATable) {
  build(body("TRACE(-1);\nSPIN(1000 + (uint32_t)x[0]);\nTRACE(0);"));
  model.interface.steps.resize(1);
  cycles = true;
  auto result = run(true);
  // A subtraction and a taken branch.
  const std::map<std::string, double> turn = {{"cortex-m0plus", 3}, {"cortex-m4", 4},  {"cortex-m7", 2},
                                              {"cortex-m33", 3},    {"cortex-m55", 3}, {"cortex-m85", 2}};
  if (!turn.contains(target.cpu)) {
    EXPECT_FALSE(result);
    EXPECT_THAT(to_string(diags.all().back()), HasSubstr("cycles of this CPU are not estimated"));
    return;
  }
  ASSERT_TRUE(result) << to_string(diags.all().back());
  ASSERT_EQ(result->step_cycles.size(), 1U);
  EXPECT_NEAR(static_cast<double>(result->step_cycles[0]), turn.at(target.cpu) * 1001, 24);
}

TEST_P(Simulate, WaitsForFlashWhereThatIsAsked) {
  if (target.cpu != "cortex-m4") GTEST_SKIP();
  // 4 KiB of constants, a word in each 64 bits: as often waited for as there are.
  const std::string table = "static const int8_t table[4096] = {1};\n";
  build(
      body("TRACE(-1);\nfor (int i = 0; i < 4096; i += 8) workspace[0] += *(const volatile int8_t*)(table + i);\n"
           "TRACE(0);",
           table));
  model.interface.steps.resize(1);
  cycles = true;
  const auto without = run(true);
  flash = "l4r5@120";
  const auto with = run(true);
  ASSERT_TRUE(without && with) << to_string(diags.all().back());
  const std::uint64_t waited = with->step_cycles.at(0) - without->step_cycles.at(0);
  EXPECT_THAT(waited, AllOf(Ge(5U * 512), Le(5U * 512 + 100)));
}

TEST_P(Simulate, MeasuresStack) {
  const std::string deep =
      "__attribute__((noinline)) static int deep(int n) { volatile unsigned char a[6000];\n"
      "  for (int i = 0; i < 6000; i++) a[i] = (unsigned char)(n + i);\n  return a[n]; }\n";
  const RunResult result = good(body("workspace[0] = (unsigned char)deep(x[0]);", deep));
  EXPECT_THAT(result.ram.stack, AllOf(Ge(6000U), Le(target.hosted ? 10000U : 6200U)));
}

TEST_P(Simulate, MeasuresDataBssAndConstants) {
  const RunResult result = good(body(
      "for (int i = 0; i < 8; i++) { counts[i] += x[i]; zeroed[4 * x[i]] += x[i]; workspace[i] = table[16 * x[i]]; }",
      "static int32_t counts[100] = {1, 2, 3};\nstatic int32_t zeroed[200];\n"
      "static const unsigned char table[3000] = {1, 2, 3};\n"));
  EXPECT_THAT(result.flash.data, AllOf(Ge(400U), Le(448U)));
  EXPECT_THAT(result.ram.data, AllOf(Ge(400U), Le(448U)));
  EXPECT_THAT(result.ram.bss, AllOf(Ge(800U - 32), Le(800U + 64)));
  EXPECT_THAT(result.flash.rodata, AllOf(Ge(3000U - 32), Le(target.hosted ? 3600U : 3064U)));
}

TEST_P(Simulate, KeepsWeightsApartFromOtherConstants) {
  build(body("workspace[0] = table[16 * x[0]];", "static const unsigned char table[3000] = {1, 2, 3};\n"));
  model.interface.weight_bytes = 2900;
  auto result = run();
  ASSERT_TRUE(result);
  EXPECT_EQ(result->flash.weights, 2900U);
  EXPECT_THAT(result->flash.rodata, AllOf(Ge(100U - 32), Le(target.hosted ? 700U : 164U)));
}

TEST_P(Simulate, LinksTheMathLibrary) {
  const RunResult result =
      good(body("y[0] = 0;\nworkspace[0] = (unsigned char)expf((float)x[1] * 100.0f);\n"
                "if (!(expf((float)x[1] * 100.0f) > 1e30f)) return 9;",
                "#include <math.h>\n"));
  EXPECT_THAT(result.flash.text + result.flash.rodata, Ge(target.hosted ? 1U : 200U));
}

TEST_P(Simulate, DumpsTensorsFromWhereTheyAre) {
  build(
      body("TRACE(-1);\nfor (int i = 0; i < 64; i++) workspace[i] = (unsigned char)i;\nTRACE(0);\n"
           "for (int i = 0; i < 64; i++) workspace[i] = (unsigned char)(100 + i);\nTRACE(1);"));
  model.interface.steps.resize(2);
  StoredTensor dense;
  dense.name = "dense";
  dense.dtype = DType::u8;
  dense.dims = {4};
  dense.bytes = 4;
  dense.offset = 8;
  StoredTensor strided = dense;
  strided.name = "strided";
  strided.dims = {2, 3};
  strided.bytes = 6;
  strided.offset = 1;
  strided.strides = {16, 2};
  StoredTensor input = dense;
  input.place = Place::input;
  input.offset = 2;
  model.interface.steps[0].results = {dense, strided};
  model.interface.steps[1].results = {dense, input};
  auto result = run(false, true);
  ASSERT_TRUE(result) << to_string(diags.all().back());
  const auto numbers = [&](std::size_t i) {
    std::vector<int> values;
    for (const std::byte b : result->dumps.at(i).bytes) values.push_back(static_cast<int>(b));
    return values;
  };
  ASSERT_EQ(result->dumps.size(), 4U);
  EXPECT_EQ(numbers(0), (std::vector<int>{8, 9, 10, 11}));
  EXPECT_EQ(numbers(1), (std::vector<int>{1, 3, 5, 17, 19, 21}));
  EXPECT_EQ(numbers(2), (std::vector<int>{108, 109, 110, 111}));
  EXPECT_EQ(numbers(3), (std::vector<int>{3, 4, 5, 6}));
}

TEST_P(Simulate, LinksFurtherLibraries) {
  const SmallModel needy = *test::build_small_model(
      target, directory->path(), body("if (answer() != 42) return 1;", "int answer(void);\n"), diags, false);
  const SimulateRequest request{.target = target,
                                .model = needy.interface,
                                .archive = needy.archive,
                                .traced_archive = {},
                                .header = needy.directory + "/tiny.h",
                                .inputs = {Blob::own(std::vector<std::byte>(8, std::byte{1}))}};
  EXPECT_FALSE(simulate(request, diags));
  EXPECT_THAT(to_string(diags.all().back()), HasSubstr("undefined reference to `answer'"));
  const std::string driver = directory->path() + "/driver";
  std::filesystem::create_directory(driver);
  const SmallModel library = *test::build_small_model(
      target, driver, body("", "#define tiny_run other_run\nint answer(void);\nint answer(void) { return 42; }\n"),
      diags, false);
  SimulateRequest linked = request;
  linked.libraries = {library.archive};
  EXPECT_TRUE(simulate(linked, diags)) << to_string(diags.all().back());
}

TEST_P(Simulate, GivesAStatefulModelItsInstance) {
  build(body("if (workspace[0] != 41) return workspace[0];"), true);
  auto result = run();
  ASSERT_TRUE(result) << to_string(diags.all().back());
  EXPECT_EQ(result->ram.workspace, 64U + 16U);
}

TEST_P(Simulate, ReportsWhatInitReturns) {
  build(body("", "#define INIT_FAILS\n"), true);
  EXPECT_FALSE(run());
  EXPECT_THAT(to_string(diags.all().back()), HasSubstr("the init function failed (found 5, expected 0)"));
}

TEST_P(Simulate, ReportsWhatDeinitReturns) {
  build(body("", "#define DEINIT_FAILS\n"), true);
  EXPECT_FALSE(run());
  EXPECT_THAT(to_string(diags.all().back()), HasSubstr("the deinit function failed (found 41, expected 0)"));
}

TEST_P(Simulate, ReportsWhatRunReturns) {
  EXPECT_THAT(error(body("if (x[0] == 1) return -3;")), HasSubstr("the run function failed (found -3, expected 0)"));
}

TEST_P(SimulateBare, ReportsAStackOverflow) {
  const std::string deep =
      "__attribute__((noinline)) static int deep(int n) { volatile unsigned char a[1000];\n"
      "  for (int i = 0; i < 1000; i++) a[i] = (unsigned char)n;\n  return n == 0 ? a[0] : deep(n - 1) + a[n & 7]; }\n";
  EXPECT_THAT(error(body("workspace[0] = (unsigned char)deep(x[0] * 300);", deep)),
              HasSubstr("the model overflowed the stack of the simulated firmware (expected at most 262144 bytes)"));
}

TEST_P(Simulate, StopsWhatDoesNotEnd) {
  EXPECT_THAT(error(body("while (((volatile const int8_t*)x)[0] == 1) { }"), 2),
              HasSubstr("the model did not finish on " + target.name + " (expected an end within 2 seconds)"));
}

std::string target_name(const ::testing::TestParamInfo<const char*>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

// The mechanisms, on one of each kind of machine.
INSTANTIATE_TEST_SUITE_P(Kinds, Simulate, ::testing::Values("host", "cortex-m4f", "riscv32imc"), target_name);
INSTANTIATE_TEST_SUITE_P(Kinds, SimulateBare, ::testing::Values("cortex-m4f", "riscv32imc"), target_name);

// What differs from board to board (startup, memories, counter) and from core to core, in one model.
class SimulateEverywhere : public Simulate {};

TEST_P(SimulateEverywhere, RunsProfilesAndDumps) {
  build(body(
      "TRACE(-1);\nSPIN(1000 + (uint32_t)x[0]);\nfor (int i = 0; i < 8; i++) workspace[i] = (unsigned char)x[i];\n"
      "TRACE(0);\nSPIN(50000 + (uint32_t)x[0]);\nTRACE(1);\n"
      "if (!(expf(scale * (float)x[1]) > 1e30f) || counts[1] != 2) return 9;\n"
      "counts[x[0]] = deep(x[0]);",
      "#include <math.h>\nstatic volatile float scale = 100.0f;\nstatic volatile int32_t counts[100] = {1, 2, 3};\n"
      "__attribute__((noinline)) static int deep(int n) { volatile unsigned char a[6000];\n"
      "  for (int i = 0; i < 6000; i++) a[i] = (unsigned char)(n + i);\n  return a[n]; }\n"));
  model.interface.steps.resize(2);
  StoredTensor copied;
  copied.dtype = DType::i8;
  copied.dims = {8};
  copied.bytes = 8;
  model.interface.steps[0].results = {copied};
  auto result = run(true, true);
  ASSERT_TRUE(result) << to_string(diags.all().back());
  ASSERT_EQ(result->outputs.size(), 1U);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(static_cast<int>(result->outputs[0].at(i)), static_cast<int>(2 * (i + 1)));
    EXPECT_EQ(static_cast<int>(result->dumps.at(0).bytes.at(i)), static_cast<int>(i + 1));
  }
  EXPECT_THAT(result->ram.stack, AllOf(Ge(6000U), Le(target.hosted ? 10000U : 6400U)));
  EXPECT_THAT(result->ram.data, Ge(400U));
  EXPECT_EQ(result->step_counts.size(), target.simulator == "qemu-user" ? 0U : 2U);
  if (!counts()) return;
  EXPECT_NEAR(static_cast<double>(result->step_counts.at(1)), 100002, 12);
  EXPECT_THAT(*result->instructions, Ge(result->step_counts[0] + result->step_counts[1]));
}

TEST_P(SimulateEverywhere, ReportsAFault) {
  const std::string message = error(body("if (x[0] == 1) TRAP();"));
  if (target.hosted) {
    EXPECT_THAT(message, HasSubstr("ended with exit code 1"));
    return;
  }
  EXPECT_THAT(message, HasSubstr("the model faulted on " + target.name));
  EXPECT_THAT(message, HasSubstr(target.march.empty() ? "undefined instruction" : "illegal instruction"));
}

INSTANTIATE_TEST_SUITE_P(All, SimulateEverywhere,
                         ::testing::Values("host", "aarch64-linux-gnu", "cortex-m0plus", "cortex-m3", "cortex-m4",
                                           "cortex-m4f", "cortex-m7", "cortex-m33", "cortex-m55", "riscv32imc",
                                           "riscv64gc"),
                         target_name);

// What depends on the memories of the board.
class SimulateOn : public Simulate {};

TEST_P(SimulateOn, LargeConstantsGoWhereThereIsRoom) {
  const RunResult result =
      good(body("if (table[x[0] * (6 << 20) - 1] != 42) return 1;",
                "__asm__(\".section .rodata.table,\\\"a\\\"\\n.global table\\ntable: .space (6 << 20) - 1\\n.byte 42\\n"
                ".text\\n\");\nextern const unsigned char table[];\n"));
  EXPECT_GE(result.flash.rodata, 6U << 20);
}

// 6 MiB beside the code would not fit.
TEST_P(SimulateOn, FlashMemoriesOfTheTargetAreConstants) {
  target.pools.push_back({"vendor", PoolKind::flash, 0, {}, ".vendor_flash"});
  const RunResult result = good(body(
      "if (table[x[0] * (6 << 20) - 1] != 42) return 1;",
      "__asm__(\".section .vendor_flash.table,\\\"a\\\"\\n.global table\\ntable: .space (6 << 20) - 1\\n.byte 42\\n"
      ".text\\n\");\nextern const unsigned char table[];\n"));
  EXPECT_GE(result.flash.rodata, 6U << 20);
}

TEST_P(SimulateOn, WhatIsTooLargeForTheBoardIsRefused) {
  EXPECT_THAT(error(body("if (table[x[0] * (24 << 20) - 1] != 0) return 1;",
                         "__asm__(\".section .rodata.table,\\\"a\\\"\\n.global table\\ntable: .space 24 << 20\\n"
                         ".text\\n\");\nextern const unsigned char table[];\n")),
              AllOf(HasSubstr("the model does not fit the memories of " + target.simulator),
                    HasSubstr("constants of 2516"), HasSubstr(" bytes, ")));
}

TEST_P(SimulateOn, FaultAddressIsReported) {
  EXPECT_THAT(error(body("workspace[0] = *(volatile unsigned char*)(0xf0000000u + (uint32_t)x[0]);")),
              HasSubstr("address 0xf0000001"));
}

INSTANTIATE_TEST_SUITE_P(Boards, SimulateOn, ::testing::Values("cortex-m4f", "cortex-m33"), target_name);

class SimulateRefuses : public Simulate {};

TEST_P(SimulateRefuses, InputsOfTheWrongNumberOrSize) {
  build(body(""));
  EXPECT_FALSE(simulate({target, model.interface, model.archive, "", model.directory + "/tiny.h", {}}, diags));
  EXPECT_THAT(to_string(diags.all().back()), HasSubstr("wrong number of inputs (found 0, expected 1 for each run)"));
  EXPECT_FALSE(simulate({target, model.interface, model.archive, "", model.directory + "/tiny.h", {Blob()}}, diags));
  EXPECT_THAT(to_string(diags.all().back()),
              HasSubstr("'x': input is of the wrong size (found 0 bytes, expected 8 bytes)"));
}

TEST_P(SimulateRefuses, ProfileWithoutATracedArchive) {
  build(body(""));
  model.traced_archive.clear();
  EXPECT_FALSE(run(true));
  EXPECT_THAT(to_string(diags.all().back()), HasSubstr("needs an archive compiled for tracing"));
}

TEST_P(SimulateRefuses, TracedArchiveWithOtherOutputs) {
  build(body("TRACE(-1);\n#ifdef BYOC_TRACE\nif (x[0] == 1) { y[0] = 1; return 0; }\n#endif"));
  EXPECT_FALSE(run(true));
  EXPECT_THAT(to_string(diags.all().back()), HasSubstr("gives other outputs than the one without"));
}

TEST_P(SimulateRefuses, ToolsThatAreNotInstalled) {
  build(body(""));
  target.gnu_command = "no-such-gcc";
  EXPECT_FALSE(run());
  EXPECT_THAT(to_string(diags.all().back()), HasSubstr("is not installed (expected no-such-gcc)"));
}

TEST_P(SimulateRefuses, ArchiveThatDoesNotLink) {
  EXPECT_THAT(error(body("workspace[0] = missing();", "unsigned char missing(void);\n")),
              AllOf(HasSubstr("does not build"), HasSubstr("undefined reference to `missing'")));
}

INSTANTIATE_TEST_SUITE_P(OnM4, SimulateRefuses, ::testing::Values("cortex-m4f"));

}  // namespace
}  // namespace byoc
