#include "sdk/library/compile/llvm_module.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>

#include "sdk/library/compile/worker.hpp"
#include "sdk/library/object/object_facts.hpp"
#include "tests/support/objects.hpp"

namespace byoc {
namespace {

using test::target;
using test::text_of;
using ::testing::HasSubstr;

constexpr const char* kLayout = "target datalayout = \"e-m:e-p:32:32-Fi8-i64:64-v128:64:128-a:0:32-n32-S64\"\n";

std::string module_for(const std::string& triple, const std::string& attributes = "") {
  return (triple.empty() ? "" : std::string(kLayout) + "target triple = \"" + triple + "\"\n") +
         "define float @scale(float %x) " + (attributes.empty() ? "" : "#0 ") +
         "{\n  %y = fmul float %x, 2.0\n  ret float %y\n}\n" +
         (attributes.empty() ? "" : "attributes #0 = { " + attributes + " }\n");
}

Result<ObjectBytes> compile(const std::string& text, const std::string& name, Diagnostics& diags) {
  return compile_llvm_module("vendor.ll", std::as_bytes(std::span(text)), target(name), {}, diags);
}

ObjectFacts accepted(const std::string& text, const std::string& name) {
  Diagnostics diags;
  auto object = compile(text, name, diags);
  EXPECT_TRUE(object) << text_of(diags);
  if (!object) return {};
  auto facts = read_object_facts(*object, "vendor.o", diags);
  EXPECT_TRUE(facts && check_object(*facts, target(name), "vendor", diags)) << text_of(diags);
  return facts ? *facts : ObjectFacts();
}

std::string refused_module(const std::string& text, const std::string& name) {
  Diagnostics diags;
  EXPECT_FALSE(compile(text, name, diags));
  EXPECT_TRUE(diags.has_errors());
  return text_of(diags);
}

TEST(LlvmModule, TakesTheTargetOfTheExport) {
  for (const TargetSpec& t : known_targets()) {
    if (t.triple.starts_with("xtensa")) continue;  // for which LLVM makes no code
    SCOPED_TRACE(t.name);
    const ObjectFacts facts = accepted(module_for(""), t.name);
    ASSERT_EQ(facts.defined.size(), 1u);
    EXPECT_EQ(facts.defined[0].name, "scale");
    EXPECT_EQ(facts.defined[0].section, ".text.scale");
  }
  EXPECT_EQ(accepted(module_for(""), "cortex-m4f").arm.vfp_args, 1u);
}

TEST(LlvmModule, AcceptsOtherSpellingsOfTheTriple) {
  for (const char* triple : {"thumbv7em-none-unknown-eabihf", "thumbv7em-none-eabihf", "thumbv7em-unknown-none-eabihf",
                             "armv7em-none-eabihf", "arm-none-eabi"})
    accepted(module_for(triple), "cortex-m4f");
  accepted("target triple = \"riscv32-unknown-elf\"\n" + module_for(""), "riscv32imc");
  accepted("target triple = \"x86_64-pc-linux-gnu\"\n" + module_for(""), "host");
}

TEST(LlvmModule, RefusesAnotherTriple) {
  EXPECT_THAT(refused_module(module_for("thumbv7em-none-eabi"), "cortex-m4f"),
              HasSubstr("vendor.ll: error: is for another target than cortex-m4f: triple (found thumbv7em-none-eabi, "
                        "expected thumbv7em-unknown-none-eabihf)"));
  for (const char* triple : {"thumbv7m-none-eabihf", "thumbv8m.main-none-eabihf", "thumbebv7em-none-eabihf",
                             "thumbv7em-linux-gnueabihf", "armeb-none-eabi"})
    EXPECT_THAT(refused_module("target triple = \"" + std::string(triple) + "\"\n" + module_for(""), "cortex-m4f"),
                HasSubstr(std::string("found ") + triple));
  EXPECT_THAT(refused_module("target triple = \"x86_64-pc-linux-gnu\"\n" + module_for(""), "cortex-m4f"),
              HasSubstr("found x86_64-pc-linux-gnu"));
  EXPECT_THAT(refused_module("target triple = \"riscv64-unknown-elf\"\n" + module_for(""), "riscv32imc"),
              HasSubstr("triple"));
}

TEST(LlvmModule, RefusesAnotherDataLayout) {
  EXPECT_THAT(refused_module("target datalayout = \"e-p:64:64\"\n" + module_for(""), "cortex-m4f"),
              HasSubstr("data layout (found e-p:64:64, expected e-m:e-p:32:32"));
}

TEST(LlvmModule, RefusesFunctionsForAnotherCpu) {
  accepted(module_for("thumbv7em-none-eabihf", "\"target-cpu\"=\"cortex-m4\""), "cortex-m4f");
  accepted(module_for("arm-none-eabi", "\"target-cpu\"=\"cortex-m3\""), "cortex-m4f");
  EXPECT_THAT(refused_module(module_for("arm-none-eabi", "\"target-cpu\"=\"cortex-a9\""), "cortex-m4f"),
              HasSubstr("function 'scale' is for another target than cortex-m4f: needs"));
  EXPECT_THAT(refused_module(module_for("arm-none-eabi", "\"target-cpu\"=\"cortex-m7\""), "cortex-m4f"),
              HasSubstr("(found cortex-m7, expected cortex-m4)"));
  EXPECT_THAT(refused_module(module_for("arm-none-eabi", "\"target-features\"=\"+mve\""), "cortex-m4f"),
              HasSubstr("+mve"));
  EXPECT_THAT(refused_module(module_for("arm-none-eabi", "\"target-features\"=\"-thumb-mode\""), "cortex-m4f"),
              HasSubstr("needs ARM state"));
  EXPECT_THAT(refused_module(module_for("arm-none-eabi", "\"use-soft-float\"=\"true\""), "cortex-m4f"),
              HasSubstr("float convention (found soft, expected hard)"));
  EXPECT_THAT(
      refused_module("target triple = \"riscv32-unknown-elf\"\n" + module_for("", "\"target-features\"=\"+zbb\""),
                     "riscv32imc"),
      HasSubstr("needs zbb"));
}

TEST(LlvmModule, RefusesWhatIsNoModule) {
  EXPECT_THAT(refused_module("define i32 @f( {\n", "host"), HasSubstr("vendor.ll:2:1: error: is not an LLVM module"));
  EXPECT_THAT(refused_module("BC\xC0\xDE garbage of bitcode", "host"), HasSubstr("is not an LLVM module"));
  EXPECT_THAT(refused_module("define i32 @f() {\n  br label %a\na:\n  %x = phi i32 [0, %a]\n  ret i32 %x\n}\n", "host"),
              HasSubstr("is not a valid LLVM module"));
}

TEST(LlvmModule, TakesBitcodeOfClang) {
  const std::string source = "int add(int a, int b) { return a + b; }";
  const auto bitcode = test::assemble({"clang-19", "--target=arm-none-eabi", "-mcpu=cortex-m4", "-mfloat-abi=hard",
                                       "-O2", "-emit-llvm", "-fshort-enums"},
                                      source);
  if (!bitcode) GTEST_SKIP() << "clang-19 is not installed";
  Diagnostics diags;
  auto object =
      compile_llvm_module("add.bc", *bitcode, target("arm-none-eabi -mcpu=cortex-m4 -mfloat-abi=hard"), {}, diags);
  ASSERT_TRUE(object) << text_of(diags);
  Diagnostics others;
  EXPECT_FALSE(compile_llvm_module("add.bc", *bitcode, target("cortex-m4"), {}, others));
  EXPECT_THAT(text_of(others), HasSubstr("add.bc: error: is for another target than cortex-m4: triple"));
  // Cut short anywhere: an error, never a crash.
  for (std::size_t size = 4; size < bitcode->size(); size += 97) {
    Diagnostics cut;
    EXPECT_FALSE(compile_llvm_module("cut.bc", std::span(*bitcode).first(size), target("cortex-m4f"), {}, cut));
    EXPECT_TRUE(cut.has_errors());
  }
}

// Clang without -fshort-enums says of every module that its enums have 32 bits.
TEST(LlvmModule, TakesTheEnumsOfTheTarget) {
  const std::string text = module_for("") + "!llvm.module.flags = !{!0}\n!0 = !{i32 1, !\"min_enum_size\", i32 4}\n";
  Diagnostics diags;
  auto object = compile(text, "cortex-m4f", diags);
  ASSERT_TRUE(object) << text_of(diags);
  EXPECT_EQ(text_of(diags),
            "vendor.ll: warning: was compiled with enums of another size than those of cortex-m4f (found 32-bit enums, "
            "expected short enums)\n");
  auto facts = read_object_facts(*object, "vendor.o", diags);
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->arm.enum_size, 1u);
  Diagnostics none;
  EXPECT_TRUE(compile(text, "arm-none-eabi -mcpu=cortex-m4 -mfloat-abi=hard -fno-short-enums", none));
  EXPECT_TRUE(none.all().empty()) << text_of(none);
}

TEST(LlvmModule, NoUnwinderIsPulledIn) {
  const std::string calls =
      "declare void @other()\ndefine void @f() {\n  call void @other()\n  call void @other()\n  ret void\n}\n";
  EXPECT_THAT(accepted(calls, "cortex-m4").undefined, ::testing::ElementsAre("other"));
  const std::string throws =
      "declare void @other()\ndeclare i32 @__gxx_personality_v0(...)\n"
      "define void @f() personality ptr @__gxx_personality_v0 {\n  invoke void @other() to label %a unwind label %b\n"
      "a:\n  ret void\nb:\n  %x = landingpad { ptr, i32 } cleanup\n  resume { ptr, i32 } %x\n}\n";
  EXPECT_THAT(refused_module(throws, "cortex-m4"),
              HasSubstr("function 'f' handles exceptions (found __gxx_personality_v0, expected no exceptions"));
}

TEST(LlvmModule, BackEndErrorsAreDiagnostics) {
  EXPECT_THAT(
      refused_module("define void @f() {\n  call void asm sideeffect \"no such instruction\", \"\"()\n  ret void\n}\n",
                     "cortex-m4"),
      HasSubstr("vendor.ll: error:"));
}

class Linked : public ::testing::Test {
 protected:
  struct Text {
    std::string name;
    std::string text;
    bool visible = true;
  };
  Result<LinkedModule> link(const std::vector<Text>& texts, const std::set<std::string>& needed = {}) {
    std::vector<LinkInput> inputs;
    for (const Text& t : texts) inputs.push_back({t.name, std::as_bytes(std::span(t.text)), t.visible});
    return link_llvm_modules("the link", inputs, needed, target("cortex-m4f"), {}, diags_);
  }
  ObjectFacts facts_of(const LinkedModule& linked) {
    auto facts = read_object_facts(linked.object, "linked.o", diags_);
    EXPECT_TRUE(facts && check_object(*facts, target("cortex-m4f"), "linked", diags_)) << text_of(diags_);
    return facts ? *facts : ObjectFacts();
  }
  std::string refused_module(const std::vector<Text>& texts) {
    diags_ = {};
    EXPECT_FALSE(link(texts));
    return text_of(diags_);
  }
  static std::vector<std::string> names(const ObjectFacts& facts) {
    std::vector<std::string> out;
    for (const ObjectSymbol& s : facts.defined) out.push_back(s.name);
    return out;
  }
  Diagnostics diags_;
};

constexpr const char* kCaller =
    "declare float @offset(float)\ndeclare void @board(float)\n"
    "define void @root(float %x) {\n  %y = call float @offset(float %x)\n"
    "  call void @board(float %y)\n  ret void\n}\n";
constexpr const char* kCallee =
    "define float @offset(float %x) {\n  %y = fadd float %x, 2.0\n  ret float %y\n}\n"
    "define void @interrupt() {\n  ret void\n}\n";

TEST_F(Linked, WhatNobodySeesIsInlinedAndGone) {
  const auto linked = link({{"root.ll", kCaller}, {"vendor.ll", kCallee, false}});
  ASSERT_TRUE(linked) << text_of(diags_);
  const ObjectFacts facts = facts_of(*linked);
  EXPECT_EQ(names(facts), std::vector<std::string>{"root"});
  EXPECT_EQ(facts.undefined, std::vector<std::string>{"board"});
  const std::map<std::string, std::size_t> from{{"interrupt", 1}, {"offset", 1}, {"root", 0}};
  EXPECT_EQ(linked->defined, from);
}

TEST_F(Linked, WhatOthersNeedStays) {
  const std::string used = std::string(kCallee) +
                           "@llvm.used = appending global [1 x ptr] [ptr @interrupt], section "
                           "\"llvm.metadata\"\n";
  const auto needed = link({{"root.ll", kCaller}, {"vendor.ll", kCallee, false}}, {"offset"});
  ASSERT_TRUE(needed) << text_of(diags_);
  EXPECT_EQ(names(facts_of(*needed)), (std::vector<std::string>{"root", "offset"}));
  const auto marked = link({{"root.ll", kCaller}, {"vendor.ll", used, false}});
  ASSERT_TRUE(marked) << text_of(diags_);
  EXPECT_EQ(names(facts_of(*marked)), (std::vector<std::string>{"root", "interrupt"}));
  const auto visible = link({{"root.ll", kCaller}, {"vendor.ll", kCallee}});
  ASSERT_TRUE(visible) << text_of(diags_);
  EXPECT_EQ(names(facts_of(*visible)), (std::vector<std::string>{"root", "offset", "interrupt"}));
}

// A function of the C library that a module defines stays: the code generator makes calls of it.
TEST_F(Linked, RunTimeFunctionsStay) {
  const auto linked = link({{"root.ll", "define ptr @memcpy(ptr %a, ptr %b, i32 %n) {\n  ret ptr %a\n}\n", false}});
  ASSERT_TRUE(linked) << text_of(diags_);
  EXPECT_EQ(names(facts_of(*linked)), std::vector<std::string>{"memcpy"});
}

TEST_F(Linked, AWeakDefinitionGivesWay) {
  const std::string weak = "define weak float @offset(float %x) {\n  ret float %x\n}\n";
  const auto linked = link({{"weak.ll", weak}, {"vendor.ll", kCallee}});
  ASSERT_TRUE(linked) << text_of(diags_);
  EXPECT_EQ(linked->defined.at("offset"), 1u);
  EXPECT_EQ(names(facts_of(*linked)).size(), 2u);
}

TEST_F(Linked, WhatDoesNotFitIsNamed) {
  EXPECT_THAT(
      refused_module({{"a.ll", kCallee}, {"b.ll", kCallee}}),
      HasSubstr("b.ll: error: 'offset': defines a symbol that another module defines (found a.ll, expected one)"));
  EXPECT_THAT(refused_module({{"a.ll", kCallee}, {"b.ll", "define float @f( {"}}),
              HasSubstr("b.ll:1:19: error: is not an "));
  EXPECT_THAT(refused_module({{"a.ll", kCallee}, {"b.ll", module_for("riscv32-unknown-none-elf")}}),
              HasSubstr("b.ll: error: is for another target than cortex-m4f: triple"));
  const auto flagged = [](int size) {
    return "!llvm.module.flags = !{!0}\n!0 = !{i32 1, !\"wchar_size\", i32 " + std::to_string(size) + "}\n";
  };
  EXPECT_THAT(refused_module({{"a.ll", flagged(4)}, {"b.ll", flagged(2)}}),
              HasSubstr("b.ll: error: linking module flags 'wchar_size': IDs have conflicting values"));
}

TEST(Worker, DeathIsAnErrorThatNamesTheInput) {
  Diagnostics diags;
  WorkerEnd end;
  end.kind = WorkerEnd::Kind::signalled;
  end.code = SIGABRT;
  end.output = "LLVM ERROR: cannot go on\n";
  compile::report_death("bad.ll", end, diags);
  EXPECT_THAT(
      text_of(diags),
      HasSubstr(
          "bad.ll: error: the compiler did not survive it (found died of signal 6 (Aborted): LLVM ERROR: cannot go "
          "on, expected an object)"));
}

// One process does them all, unless it dies of one.
TEST(Worker, IsKeptForTheNextJobIfItLives) {
  const compile::KeptWorkers kept;
  const auto ask = [](const char* text) {
    compile::JobWorker worker({.seconds = 60});
    MessageWriter arguments;
    arguments.put("m.ll");
    arguments.put(text);
    return worker.ask(compile::Ask::symbols, arguments.bytes(), {});
  };
  const auto answer = ask("declare void @f()");
  ASSERT_TRUE(answer);
  EXPECT_EQ(ask("declare void @f()"), answer);
  Diagnostics diags;
  auto compiler = Compiler::create(test::target("host"), "clang", {.limits = {.seconds = 60}}, diags);
  ASSERT_TRUE(compiler);
  const std::vector<Source> deadly{
      {.name = "dies", .text = "#pragma clang __debug crash\n", .isolate = true, .label = "dies.c"}};
  EXPECT_FALSE((*compiler)->compile_all(deadly, {}, diags, {.seconds = 60}));
  EXPECT_THAT(text_of(diags), HasSubstr("dies.c: error: the compiler did not survive it (found died of signal"));
  EXPECT_EQ(ask("declare void @f()"), answer);
}

TEST(Worker, HandsOverLargeObjectsAndEveryDiagnostic) {
  Diagnostics own, diags;
  own.warning("f", "n", "message", "found", "expected");
  const auto object =
      compile::decode_outcome("big", compile::encode_outcome(ObjectBytes(3000000, std::byte{7}), own), diags);
  ASSERT_TRUE(object);
  EXPECT_EQ(object->size(), 3000000u);
  EXPECT_EQ(object->back(), std::byte{7});
  EXPECT_THAT(text_of(diags), HasSubstr("message (found found, expected expected)"));
  EXPECT_FALSE(diags.has_errors());
  EXPECT_FALSE(compile::decode_outcome("big", "xyz", diags));
  EXPECT_THAT(text_of(diags), HasSubstr("big: error: the compiler was damaged by it"));
}

}  // namespace
}  // namespace byoc
