#include "sdk/library/compile/compiler.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <fstream>

#include "sdk/base/support/file.hpp"
#include "sdk/base/support/process.hpp"
#include "sdk/base/support/worker.hpp"
#include "sdk/target/target/target.hpp"
#include "tests/support/objects.hpp"

namespace byoc {
namespace {

using test::target;
using test::text_of;
using ::testing::HasSubstr;

std::unique_ptr<Compiler> compiler(const TargetSpec& t, const std::string& toolchain,
                                   const CompileOptions& options = {}) {
  Diagnostics diags;
  auto c = Compiler::create(t, toolchain, options, diags);
  EXPECT_TRUE(c) << text_of(diags);
  return c ? std::move(*c) : nullptr;
}

ObjectBytes compiled(Compiler& c, const Source& source, const HeaderMap& headers = {}) {
  Diagnostics diags;
  auto object = c.compile(source, headers, diags);
  EXPECT_TRUE(object) << text_of(diags);
  return object ? std::move(*object) : ObjectBytes();
}

std::string refused(Compiler& c, const Source& source, const HeaderMap& headers = {}) {
  Diagnostics diags;
  EXPECT_FALSE(c.compile(source, headers, diags));
  return text_of(diags);
}

unsigned half(const ObjectBytes& object, std::size_t at) {
  return static_cast<unsigned>(object.at(at)) | static_cast<unsigned>(object.at(at + 1)) << 8;
}

Source plain(const std::string& name = "plain") {
  return {.name = name, .text = R"(#include <math.h>
#include <stdint.h>
#include <string.h>
int32_t total(const int8_t* a, int32_t n);
int32_t total(const int8_t* a, int32_t n) {
  int32_t s = 0;
  for (int32_t i = 0; i < n; ++i) s += a[i];
  return s;
}
float root(float x);
float root(float x) { return sqrtf(x); }
)"};
}

constexpr const char* kMve = R"(#include <arm_mve.h>
#include <stdint.h>
int32_t dot(const int8_t* a, const int8_t* b, int32_t n);
int32_t dot(const int8_t* a, const int8_t* b, int32_t n) {
  int32_t s = 0;
  for (; n > 0; n -= 16, a += 16, b += 16) {
    const mve_pred16_t p = vctp8q((uint32_t)n);
    s = vmladavaq_p_s8(s, vldrbq_z_s8(a, p), vldrbq_z_s8(b, p), p);
  }
  return s;
}
)";

class EveryTarget : public ::testing::TestWithParam<std::string> {};

std::string target_name(const ::testing::TestParamInfo<std::string>& test) {
  std::string name = test.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}
const auto kBareTargets = ::testing::Values("cortex-m0plus", "cortex-m3", "cortex-m4", "cortex-m4f", "cortex-m7",
                                            "cortex-m33", "cortex-m55", "riscv32imc", "riscv64gc");

INSTANTIATE_TEST_SUITE_P(Hosted, EveryTarget, ::testing::Values("host", "aarch64-linux-gnu"), target_name);
INSTANTIATE_TEST_SUITE_P(Bare, EveryTarget, kBareTargets, target_name);

TEST_P(EveryTarget, ClangMakesAnObjectFromAllowedHeadersOnly) {
  const TargetSpec t = target(GetParam());
  auto c = compiler(t, "clang");
  const ObjectBytes object = compiled(*c, plain());
  ASSERT_GT(object.size(), 64u);
  EXPECT_EQ(static_cast<unsigned>(object[4]), t.pointer_width / 32);
  EXPECT_EQ(half(object, 16), 1u) << "ET_REL";
  const std::vector<std::string> files = c->files_read();
  EXPECT_FALSE(files.empty());
  for (const std::string& file : files) {
    const bool from_clang = file.find("/clang/") != std::string::npos;
    const bool from_target = std::any_of(t.include_dirs.begin(), t.include_dirs.end(),
                                         [&](const std::string& d) { return file.starts_with(d + "/"); });
    EXPECT_TRUE(from_clang || from_target) << file;
  }
}

// Hosted targets have the C library of their system.
class EveryBareTarget : public EveryTarget {};
INSTANTIATE_TEST_SUITE_P(Bare, EveryBareTarget, kBareTargets, target_name);

TEST_P(EveryBareTarget, ClangNeverReadsTheHeadersOfThisMachine) {
  const TargetSpec t = target(GetParam());
  auto c = compiler(t, "clang");
  // There on Linux, in no bare-metal C library.
  EXPECT_THAT(refused(*c, {.name = "x", .text = "#include <sys/epoll.h>\n"}),
              HasSubstr("'sys/epoll.h' file not found"));
  const std::string around = t.include_dirs.front() + "/../../../../../../usr/include/limits.h";
  for (const std::string& path : {std::string("/usr/include/limits.h"), around})
    EXPECT_THAT(refused(*c, {.name = "x", .text = "#include \"" + path + "\"\n"}), HasSubstr("file not found"));
}

TEST_P(EveryTarget, GnuMakesAnObjectThatDoesNotDependOnItsFolder) {
  const TargetSpec t = target(GetParam());
  if (find_program(t.gnu_command).empty()) GTEST_SKIP() << t.gnu_command << " is not installed";
  auto c = compiler(t, "gnu");
  const ObjectBytes object = compiled(*c, plain());
  ASSERT_GT(object.size(), 64u);
  EXPECT_EQ(static_cast<unsigned>(object[4]), t.pointer_width / 32);
  EXPECT_EQ(object, compiled(*c, plain()));
  EXPECT_THAT(c->identity(), HasSubstr(t.gnu_command + " 1"));
}

TEST(ClangCompiler, IsReentrant) {
  const TargetSpec t = target("cortex-m4f");
  const ObjectBytes first = compiled(*compiler(t, "clang"), plain());
  auto again = compiler(t, "clang");
  EXPECT_EQ(first, compiled(*again, plain()));
  EXPECT_EQ(first, compiled(*again, plain()));
  EXPECT_THAT(again->identity(), HasSubstr("clang 19."));
  EXPECT_THAT(again->flags(), HasSubstr("-mfpu=fpv4-sp-d16 -mfloat-abi=hard"));
}

TEST(ClangCompiler, ParsesMveHeaderOnceAtAnyLevel) {
  auto c = compiler(target("cortex-m55"), "clang");
  for (const char* level : {"3", "2", "s", "z", "0"})
    EXPECT_GT(compiled(*c, {.name = "dot", .text = kMve, .opt_level = level}).size(), 64u) << level;
  const HeaderMap headers{{"inner.h", "#include <arm_mve.h>\n"}, {"outer.h", "#include \"inner.h\"\n"}};
  const std::string text =
      std::string(kMve).replace(0, std::string_view("#include <arm_mve.h>").size(), "#include \"outer.h\"");
  EXPECT_EQ(compiled(*c, {.name = "dot", .text = text}, headers), compiled(*c, {.name = "dot", .text = kMve}));
}

TEST(ClangCompiler, MveHeaderIsNotThereForTheOthers) {
  EXPECT_THAT(refused(*compiler(target("cortex-m4f"), "clang"), {.name = "dot", .text = kMve}),
              HasSubstr("arm_mve.h:"));
}

TEST(ClangCompiler, MveHeaderIsNotReadForThoseWhoNameItOnly) {
  auto c = compiler(target("cortex-m4f"), "clang");
  const HeaderMap headers{{"said.h", "/* Includes\n   no <arm_mve.h>. */\n"}};
  EXPECT_GT(
      compiled(*c, {.name = "plain", .text = "#include \"said.h\"\n/* not <arm_mve.h> */\nint f(void) { return 1; }\n"},
               headers)
          .size(),
      64u);
}

TEST(Compiler, OptimisationLevelIsPerSource) {
  for (const char* toolchain : {"clang", "gnu"}) {
    auto c = compiler(target("cortex-m4f"), toolchain, {.opt_level = "s"});
    Source fast = plain();
    fast.opt_level = "3";
    EXPECT_NE(compiled(*c, plain()), compiled(*c, fast)) << toolchain;
  }
}

// See gnu_target_flags().
TEST(GnuCompiler, MaySpoilNoBranchBehindALoopOfArmv81M) {
  EXPECT_THAT(compiler(target("cortex-m55"), "gnu")->flags(), HasSubstr("-fno-cse-follow-jumps"));
  EXPECT_EQ(compiler(target("cortex-m4f"), "gnu")->flags().find("-fno-cse-follow-jumps"), std::string::npos);
}

TEST(GnuCompiler, ConvertsNothingOnConditionOnArmv81M) {
  const TargetSpec t = target("cortex-m55");
  if (find_program(t.gnu_command).empty()) GTEST_SKIP() << t.gnu_command << " is not installed";
  auto c = compiler(t, "gnu");
  for (const char* level : {"1", "2", "3", "s"})
    compiled(*c, {.name = "convert",
                  .text = R"(
int truncated(float x);
int truncated(float x) {
  int out = 10;
  if (x != 0.0f) out = (int)x;
  return out;
}
float or_number(float x, int i);
float or_number(float x, int i) {
  float out = x;
  if (i != 0) out = (float)i;
  return out;
}
)",
                  .opt_level = level});
}

TEST(Compiler, DiagnosticsNameFileAndPlace) {
  for (const char* toolchain : {"clang", "gnu"}) {
    auto c = compiler(target("cortex-m4"), toolchain);
    EXPECT_THAT(refused(*c, {.name = "bad", .text = "int f(void);\nint f(void) { return x; }\n"}),
                HasSubstr("bad.c:2:22: error:"))
        << toolchain;
    EXPECT_THAT(refused(*c, {.name = "bad", .text = "#include \"h.h\"\n"}, {{"h.h", "\n#error broken\n"}}),
                HasSubstr("h.h:2:2: error:"))
        << toolchain;
    EXPECT_THAT(refused(*c, {.name = "bad", .text = "#include \"none.h\"\n"}), HasSubstr("none.h")) << toolchain;
  }
}

TEST(Compiler, WarningsAreErrorsUnlessSwitchedOff) {
  const Source source{.name = "w", .text = "int f(void);\nint f(void) { int unused; return 1; }\n"};
  for (const char* toolchain : {"clang", "gnu"}) {
    EXPECT_THAT(refused(*compiler(target("cortex-m4"), toolchain), source), HasSubstr("w.c:2:19: error: unused"))
        << toolchain;
    Diagnostics diags;
    auto lenient = compiler(target("cortex-m4"), toolchain, {.warnings_as_errors = false});
    EXPECT_TRUE(lenient->compile(source, {}, diags));
    EXPECT_THAT(text_of(diags), HasSubstr("warning: unused"));
    Diagnostics silent;
    auto quiet = compiler(target("cortex-m4"), toolchain, {.warnings = false, .warnings_as_errors = false});
    EXPECT_TRUE(quiet->compile(source, {}, silent));
    EXPECT_EQ(text_of(silent), "");
  }
}

// Of a library that its vendor's compilers took: what they alone know is no news, and nothing of it stops an export.
TEST(Compiler, SourcesOfCodegensAreTakenAsTheyAre) {
  const Source source{.name = "v",
                      .text =
                          "#pragma tiny_optimise(3)\n__attribute__((tiny_hot)) static int unused(int x) { return 1; }\n"
                          "int f(int);\nint f(int x) { int y; return 1; }\n",
                      .codegen = "acme"};
  for (const char* toolchain : {"clang", "gnu"}) {
    Diagnostics diags;
    auto c = compiler(target("cortex-m4"), toolchain);
    EXPECT_TRUE(c->compile(source, {}, diags)) << toolchain << text_of(diags);
    ASSERT_EQ(diags.all().size(), 1U) << toolchain << text_of(diags);
    EXPECT_THAT(text_of(diags), HasSubstr("v.c:4:20: warning: unused variable")) << toolchain;
  }
}

TEST(Compiler, GivenHeadersDefinesAndFolders) {
  Diagnostics diags;
  auto dir = TemporaryDirectory::create(diags);
  std::ofstream(dir->path() + "/beside.h") << "#define BESIDE 1\n";
  const HeaderMap headers{{"model.h", "#define MODEL 1\n"}, {"rt/types.h", "#define TYPES 1\n"}};
  const Source source{.name = "s",
                      .text =
                          "#include \"model.h\"\n#include <rt/types.h>\n#include \"beside.h\"\n"
                          "extern int x[MODEL + TYPES + BESIDE + GIVEN == 5 ? 1 : -1];\nint x[1] = {0};\n",
                      .directory = dir->path()};
  for (const char* toolchain : {"clang", "gnu"})
    EXPECT_FALSE(compiled(*compiler(target("cortex-m4"), toolchain, {.defines = {"GIVEN=2"}}), source, headers).empty())
        << toolchain;
}

TEST(Compiler, SanitizersOnRequest) {
  for (const char* toolchain : {"clang", "gnu"})
    for (const bool asked : {false, true}) {
      const auto c = compiler(target("host"), toolchain, {.sanitize = asked ? "address,undefined" : ""});
      const ObjectBytes object = compiled(*c, plain());
      const std::string_view bytes(reinterpret_cast<const char*>(object.data()), object.size());
      for (const char* name : {"__asan_report_load1", "__ubsan_handle_"})
        EXPECT_EQ(bytes.find(name) != std::string_view::npos, asked) << toolchain << " " << name;
    }
}

TEST(Compiler, CompilesManyInOrder) {
  for (const char* toolchain : {"clang", "gnu"}) {
    auto c = compiler(target("cortex-m4"), toolchain);
    std::vector<Source> sources;
    for (int i = 0; i < 5; ++i)
      sources.push_back(
          {.name = "f" + std::to_string(i),
           .text = "int f" + std::to_string(i) + "(void);\nint f" + std::to_string(i) + "(void) { return 1; }\n"});
    Diagnostics diags;
    auto objects = c->compile_all(sources, {}, diags);
    ASSERT_TRUE(objects) << text_of(diags);
    for (std::size_t i = 0; i < sources.size(); ++i) EXPECT_EQ(objects->at(i).object, compiled(*c, sources[i]));
    sources[1].text = sources[3].text = "wrong\n";
    EXPECT_FALSE(c->compile_all(sources, {}, diags));
    const std::string text = text_of(diags);
    EXPECT_LT(text.find("f1.c:1"), text.find("f3.c:1"));
  }
}

TEST(Compiler, SourcesOfCodegensAreTheSameFromTheirWorkers) {
  const compile::SourceRules rules{.prototypes = {}, .target = "t"};
  for (const char* toolchain : {"clang", "gnu"}) {
    auto c = compiler(target("cortex-m55"), toolchain);
    std::vector<Source> sources;
    for (int i = 0; i < 5; ++i) {
      sources.push_back(plain("f" + std::to_string(i)));
      if (i == 2) sources.back().text = "#include <arm_mve.h>\n" + sources.back().text;  // precompiled in its worker
      if (i != 0) sources.back().codegen = "test.vendor";
      if (i > 1) sources.back().rules = &rules;
    }
    Diagnostics diags;
    auto objects = c->compile_all(sources, {}, diags);
    ASSERT_TRUE(objects) << text_of(diags);
    EXPECT_EQ(text_of(diags), "");
    for (std::size_t i = 0; i < sources.size(); ++i) {
      EXPECT_EQ(objects->at(i).object, compiled(*c, sources[i])) << toolchain << i;
      EXPECT_TRUE(objects->at(i).findings.empty());
    }
    sources[1].text = sources[3].text = "wrong\n";
    EXPECT_FALSE(c->compile_all(sources, {}, diags));
    const std::string text = text_of(diags);
    EXPECT_LT(text.find("f1.c:1:1: error: codegen 'test.vendor': "), text.find("f3.c:1:1: error: codegen"));
  }
}

std::string not_created(const TargetSpec& t, const std::string& toolchain) {
  Diagnostics diags;
  EXPECT_FALSE(Compiler::create(t, toolchain, {}, diags));
  return text_of(diags);
}

TEST(Compiler, MissingToolchainsAreNamedWithTheirPackage) {
  TargetSpec t = target("cortex-m4");
  EXPECT_THAT(not_created(t, "armcc"),
              HasSubstr("unknown toolchain (found armcc, expected clang | gnu | a description (.json))"));
  t.gnu_command = "arm-none-eabi-nogcc";
  EXPECT_THAT(not_created(t, "gnu"), HasSubstr("expected the package gcc-arm-none-eabi"));
  t.gnu_command = "true";
  EXPECT_THAT(not_created(t, "gnu"), HasSubstr("does not say its version when it is run with -dumpfullversion"));
  t = target("cortex-m4f");
  t.gnu_flags = {"-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=soft"};
  EXPECT_THAT(not_created(t, "gnu"), HasSubstr("arm-none-eabi-gcc: error: does not fit target cortex-m4f: float"));
  t = target("riscv32imc");
  t.include_dirs = {"/nonexistent"};
  EXPECT_THAT(not_created(t, "clang"), HasSubstr("expected the package picolibc-riscv64-unknown-elf"));
  t = target("cortex-m4");
  t.cpu = "cortex-m99";
  EXPECT_THAT(not_created(t, "clang"), HasSubstr("cortex-m99"));
}

// With fewer workers than sources, the one that dies leaves some of its own behind.
TEST(CompileAll, WhatAWorkerThatDiedLeftIsCompiledAllTheSame) {
  const auto c = compiler(target("cortex-m4"), "clang");
  std::vector<Source> sources{
      {.name = "dies", .text = "#pragma clang __debug crash\n", .isolate = true, .label = "sub/dies.c"}};
  std::string expected;
  for (int i = 0; i < 99; ++i) {  // with the other one all that are told
    const std::string name = "bad" + std::to_string(i);
    sources.push_back({.name = name, .text = "#error is refused\nint x;\n", .isolate = true});
    expected += name + ".c:1:2: error: is refused\n";
  }
  Diagnostics diags;
  EXPECT_FALSE(c->compile_all(sources, {}, diags));
  const std::string told = text_of(diags);
  EXPECT_EQ(told.find("sub/dies.c: error: the compiler did not survive it"), 0u) << told.substr(0, 200);
  EXPECT_TRUE(told.ends_with("\n" + expected)) << told;
}

// Only this process has the code of a function of the caller's.
TEST(CompileAll, AFunctionOfTheCallersIsAskedHere) {
  if (find_program("gcc").empty()) GTEST_SKIP() << "gcc is not installed";
  std::atomic<int> compiled_here = 0;
  const CompileFunction function = [&](const Source& source, const HeaderMap&,
                                       Diagnostics& own) -> Result<ObjectBytes> {
    auto object = test::assemble({"gcc", "-fPIC"}, source.text);
    if (source.name == "probe" && object) return ObjectBytes(*object);
    ++compiled_here;
    return own.error(source.name + ".c", {}, "is refused");
  };
  Diagnostics diags;
  auto mine = Compiler::from_function(target("host"), "mine", function, diags);
  ASSERT_TRUE(mine) << text_of(diags);
  const std::vector<Source> sources{{.name = "f", .text = "int f;\n", .codegen = "test.vendor"},
                                    {.name = "g", .text = "int g;\n", .codegen = "test.vendor"}};
  EXPECT_FALSE((*mine)->compile_all(sources, {}, diags));
  EXPECT_EQ(text_of(diags),
            "f.c: error: codegen 'test.vendor': is refused\ng.c: error: codegen 'test.vendor': is refused\n");
  EXPECT_EQ(compiled_here, 2);
}

}  // namespace
}  // namespace byoc
