#include "sdk/target/target/target.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>

#include "sdk/base/support/file.hpp"
#include "sdk/target/module/module.hpp"
#include "sdk/target/target/cores.hpp"
#include "sdk/target/target/source_target.hpp"
#include "tests/support/source_dir.hpp"

namespace byoc {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string errors_of(const Diagnostics& diags) {
  std::string out;
  for (const Diagnostic& d : diags.all()) out += to_string(d) + "\n";
  return out;
}

TargetSpec resolved(const std::string& text) {
  Diagnostics diags;
  auto t = resolve_target(text, diags);
  EXPECT_TRUE(t) << errors_of(diags);
  return t ? *t : TargetSpec();
}

std::string refused_target(const std::string& text) {
  Diagnostics diags;
  EXPECT_FALSE(resolve_target(text, diags)) << text;
  return errors_of(diags);
}

TEST(KnownTargets, AreTheDocumentedOnes) {
  std::vector<std::string> names;
  for (const TargetSpec& t : known_targets()) names.push_back(t.name);
  EXPECT_THAT(names,
              ElementsAre("aarch64-linux-gnu", "armv7-linux-gnueabihf", "cortex-m0", "cortex-m0plus", "cortex-m23",
                          "cortex-m3", "cortex-m33", "cortex-m33-nodsp-soft", "cortex-m33-soft", "cortex-m4",
                          "cortex-m4-softfp", "cortex-m4f", "cortex-m52", "cortex-m55", "cortex-m7", "cortex-m7-sp",
                          "cortex-m85", "esp32", "esp32s3", "host", "i386-linux-gnu", "riscv32imac", "riscv32imafc",
                          "riscv32imc", "riscv64gc", "riscv64gcv", "x86-64-v2", "x86-64-v3", "x86-64-v4"));
}

TEST(KnownTargets, SourcesHaveOneOfTheirOwn) {
  const TargetSpec c = resolved("c");
  EXPECT_TRUE(makes_sources(c));
  EXPECT_FALSE(c.hosted);
  EXPECT_TRUE(c.isa.empty());
  for (const TargetSpec& t : known_targets()) EXPECT_FALSE(makes_sources(t)) << t.name;
}

TEST(KnownTargets, AreComplete) {
  for (const TargetSpec& t : known_targets()) {
    SCOPED_TRACE(t.name);
    EXPECT_FALSE(t.triple.empty());
    // The compiler of these is its maker's, with a C library of its own, and no simulator has them.
    const bool is_foreign = t.triple.starts_with("xtensa");
    EXPECT_EQ(t.simulator.empty(), is_foreign);
    EXPECT_EQ(t.include_dirs.empty(), is_foreign);
    const auto is = [](PoolKind k) { return [k](const MemoryPool& p) { return p.kind == k; }; };
    EXPECT_TRUE(std::any_of(t.pools.begin(), t.pools.end(), is(PoolKind::ram)));
    EXPECT_TRUE(std::any_of(t.pools.begin(), t.pools.end(), is(PoolKind::flash)));
    EXPECT_EQ(t.has("thumb"), t.triple.starts_with("thumb"));
  }
}

// set(CMAKE_C_FLAGS_INIT "...") and the like.
std::map<std::string, std::string> cmake_settings(const std::string& text) {
  std::map<std::string, std::string> out;
  const std::regex line(R"re(set\((\w+) "?([^")]*)"?\))re");
  for (std::sregex_iterator it(text.begin(), text.end(), line), end; it != end; ++it) out[(*it)[1]] = (*it)[2];
  return out;
}

TEST(KnownTargets, CMakeToolchainFilesSayTheSame) {
  for (const TargetSpec& t : known_targets()) {
    SCOPED_TRACE(t.name);
    Diagnostics diags;
    auto text = read_text(test::source_dir() + "/toolchains/" + t.name + ".cmake", diags);
    ASSERT_TRUE(text);
    auto cmake = cmake_settings(*text);
    std::string flags;
    for (const std::string& f : t.gnu_flags) flags += (flags.empty() ? "" : " ") + f;
    for (const char* language : {"C", "CXX", "ASM"})
      EXPECT_EQ(cmake["CMAKE_" + std::string(language) + "_FLAGS_INIT"], flags);
    EXPECT_EQ(cmake["CMAKE_C_COMPILER"], t.gnu_command);
    EXPECT_EQ(cmake["BYOC_TARGET"], t.name);
  }
}

// The GNU flags and the fields that Clang's flags come from name one target.
TEST(KnownTargets, GnuFlagsAreTheFields) {
  for (const TargetSpec& t : known_targets()) {
    SCOPED_TRACE(t.name);
    const auto has = [&](const std::string& f) {
      return std::find(t.gnu_flags.begin(), t.gnu_flags.end(), f) != t.gnu_flags.end();
    };
    const bool by_march = t.triple.starts_with("x86_64") || t.name == "i386-linux-gnu";
    // Cores that are newer than Debian's GCC.
    const bool of_one_chip = t.triple.starts_with("xtensa");  // its compiler
    const std::string cpu = t.cpu == "cortex-m52" || t.cpu == "cortex-m85"
                                ? "-march=armv8.1-m.main+dsp+mve.fp+fp.dp"
                                : (by_march ? "-march=" : "-mcpu=") + t.cpu + target::cpu_options(t);
    EXPECT_TRUE(t.cpu.empty() || of_one_chip || has(cpu));
    EXPECT_TRUE(t.march.empty() || has("-march=" + t.march));
    EXPECT_TRUE(t.fpu.empty() || has("-mfpu=" + t.fpu));
    EXPECT_TRUE(t.float_abi.empty() || has("-mfloat-abi=" + t.float_abi));
    EXPECT_TRUE(t.abi.empty() || has("-mabi=" + t.abi));
    EXPECT_EQ(t.code_model == "medium", has("-mcmodel=medany"));
  }
}

TEST(ResolveTarget, TriplesAsOthersSpellThem) {
  EXPECT_EQ(resolved("thumbv7em-none-eabihf -mcpu=cortex-m4").name, "cortex-m4f");
  EXPECT_EQ(resolved("thumbv7em-none-eabi").name, "cortex-m4");
  EXPECT_EQ(resolved("thumbv7em-unknown-none-eabihf -mcpu=cortex-m7 -mfpu=fpv5-d16").name, "cortex-m7");
  EXPECT_EQ(resolved("armv7em-none-eabi -mcpu=cortex-m4 -mfloat-abi=softfp").name, "cortex-m4-softfp");
  EXPECT_EQ(resolved("thumbv6m-none-eabi -mcpu=cortex-m0plus").name, "cortex-m0plus");
  EXPECT_EQ(resolved("thumbv8m.base-none-eabi").name, "cortex-m23");
  EXPECT_EQ(resolved("thumbv8m.main-none-eabihf").name, "cortex-m33");
  EXPECT_EQ(resolved("arm-none-eabihf -mcpu=cortex-m85").name, "cortex-m85");
  EXPECT_EQ(resolved("riscv32imac-unknown-none-elf").name, "riscv32imac");
  EXPECT_EQ(resolved("riscv32imafc-unknown-none-elf").name, "riscv32imafc");
  EXPECT_EQ(resolved("riscv32-unknown-none-elf -march=rv32imc -mabi=ilp32").name, "riscv32imc");
  EXPECT_EQ(resolved("riscv64gc-unknown-none-elf -mcmodel=medany").name, "riscv64gc");
  EXPECT_EQ(resolved("aarch64-none-linux-gnu").name, "aarch64-linux-gnu");
  EXPECT_EQ(resolved("arm-linux-gnueabihf").name, "armv7-linux-gnueabihf");
  EXPECT_EQ(resolved("armv7-none-linux-gnueabihf").name, "armv7-linux-gnueabihf");
  EXPECT_EQ(resolved("i686-pc-linux-gnu").name, "i386-linux-gnu");
}

TEST(ResolveTarget, CoresOfOtherProfiles) {
  const TargetSpec r5 = resolved("armv7r-none-eabihf -mcpu=cortex-r5");
  EXPECT_EQ(r5.triple, "thumbv7r-unknown-none-eabihf");
  EXPECT_EQ(r5.fpu, "vfpv3-d16");
  EXPECT_TRUE(r5.simulator.empty());
  EXPECT_EQ(resolved("arm-none-eabi -mcpu=cortex-r52 -mfloat-abi=hard").triple, "thumbv8r-unknown-none-eabihf");
  const TargetSpec a7 = resolved("armv7-linux-gnueabihf -mcpu=cortex-a7");
  EXPECT_EQ(a7.cpu, "cortex-a7");
  EXPECT_EQ(a7.march, "");
  EXPECT_THAT(a7.gnu_flags, ElementsAre("-mfpu=vfpv3-d16", "-mfloat-abi=hard", "-mcpu=cortex-a7"));
  EXPECT_EQ(resolved("armv7-linux-gnueabihf -mcpu=cortex-a53").triple, "armv8-unknown-linux-gnueabihf");
  EXPECT_THAT(clang_flags(r5), testing::Contains("-mthumb"));
  EXPECT_THAT(resolved("aarch64-linux-gnu -mcpu=cortex-a53").gnu_flags, ElementsAre("-mcpu=cortex-a53"));
}

TEST(ResolveTarget, TriplesThatDoNotFitTheRest) {
  EXPECT_EQ(refused_target("thumbv7m-none-eabi -mcpu=cortex-m4"),
            "error: 'thumbv7m-none-eabi -mcpu=cortex-m4': the triple is of another architecture than cortex-m4 (found "
            "v7m, expected v7em)\n");
  EXPECT_EQ(refused_target("thumbv7em-none-eabihf -mcpu=cortex-m4 -mfloat-abi=soft"),
            "error: 'thumbv7em-none-eabihf -mcpu=cortex-m4 -mfloat-abi=soft': the triple says another float ABI (found "
            "-mfloat-abi=soft, expected -mfloat-abi=hard)\n");
  EXPECT_EQ(refused_target("thumbv6m-none-eabihf"),
            "error: 'thumbv6m-none-eabihf': cortex-m0 has no floating point unit (found -mfloat-abi=hard, expected "
            "-mfloat-abi=soft)\n");
  EXPECT_EQ(refused_target("riscv32imac-unknown-none-elf -march=rv32imc"),
            "error: 'riscv32imac-unknown-none-elf -march=rv32imc': the triple is of another architecture (found "
            "-march=rv32imc, expected -march=rv32imac)\n");
}

TEST(ResolveTarget, KnownNameAndEquivalentString) {
  EXPECT_EQ(resolved("cortex-m4f").fpu, "fpv4-sp-d16");
  EXPECT_EQ(resolved("arm-none-eabi -mcpu=cortex-m4 -mfloat-abi=hard").name, "cortex-m4f");
  EXPECT_EQ(resolved("--target=arm-none-eabi -mthumb -mcpu=cortex-m4 -mfpu=fpv4-sp-d16 -mfloat-abi=hard").name,
            "cortex-m4f");
  EXPECT_EQ(resolved("arm-none-eabi -mcpu=cortex-m4").name, "cortex-m4");
  EXPECT_EQ(resolved("riscv64-unknown-elf -march=rv32imc -mabi=ilp32").name, "riscv32imc");
  EXPECT_EQ(resolved("riscv64-unknown-elf -march=rv64gc -mabi=lp64d -mcmodel=medany").name, "riscv64gc");
  EXPECT_EQ(resolved("aarch64-linux-gnu").name, "aarch64-linux-gnu");
  EXPECT_EQ(resolved("x86_64-linux-gnu").name, "host");
  EXPECT_EQ(resolved("x86_64-linux-gnu -march=x86-64-v3").name, "x86-64-v3");
}

TEST(ResolveTarget, NativeIsAKnownTargetOfThisMachine) {
  const TargetSpec native = resolved("native");
  EXPECT_EQ(native.cpu, resolved(native.name).cpu);
  for (const std::string& word : resolved(native.name).isa) EXPECT_TRUE(native.has(word)) << word;
  EXPECT_EQ(native.simulator, "native");
}

TEST(ResolveTarget, DerivesWhatIsNotInTheList) {
  const TargetSpec soft7 = resolved("arm-none-eabi -mcpu=cortex-m7 -mfloat-abi=soft");
  EXPECT_EQ(soft7.name, "cortex-m7-soft");
  EXPECT_EQ(soft7.triple, "thumbv7em-unknown-none-eabi");
  EXPECT_THAT(soft7.isa, ElementsAre("thumb", "dsp", "hwdiv"));
  EXPECT_EQ(soft7.simulator, "mps2-an500");
  const TargetSpec softfp = resolved("arm-none-eabi -mcpu=cortex-m4 -mfloat-abi=softfp");
  EXPECT_TRUE(softfp.has("fp.sp"));
  EXPECT_EQ(softfp.triple, "thumbv7em-unknown-none-eabi");
  EXPECT_THAT(softfp.gnu_flags, ElementsAre("-mcpu=cortex-m4", "-mthumb", "-mfpu=fpv4-sp-d16", "-mfloat-abi=softfp"));
  const TargetSpec rv = resolved("riscv64-unknown-elf -march=rv32imafc_zicsr -mabi=ilp32f");
  EXPECT_EQ(rv.pointer_width, 32u);
  EXPECT_THAT(rv.isa, ElementsAre("hwdiv", "fp.sp"));
}

TEST(ResolveTarget, RefusesAndSaysWhatIsMissing) {
  EXPECT_THAT(refused_target("arm-none-eabi"), HasSubstr("the CPU is missing"));
  EXPECT_THAT(refused_target("arm-none-eabi -mfloat-abi=hard"), HasSubstr("the CPU is missing"));
  EXPECT_THAT(refused_target("riscv32-unknown-elf"), HasSubstr("the architecture is missing"));
  EXPECT_THAT(refused_target("riscv32-unknown-elf -march=rv32imc"), HasSubstr("the ABI is missing"));
  EXPECT_THAT(refused_target("-mcpu=cortex-m4"), HasSubstr("the triple is missing"));
}

TEST(ResolveTarget, RefusesTheUnknown) {
  const std::string unknown = refused_target("cortex-m99");
  EXPECT_THAT(unknown, HasSubstr("unknown target"));
  for (const TargetSpec& t : known_targets()) EXPECT_THAT(unknown, HasSubstr(t.name));
  EXPECT_THAT(refused_target(""), HasSubstr("found nothing"));
  EXPECT_THAT(refused_target("arm-none-eabi -mcpu=cortex-a53"), HasSubstr("the CPU is not known"));
  EXPECT_THAT(refused_target("arm-none-eabi -mcpu=cortex-m4 -mfloat-abi=double"), HasSubstr("float ABI is not known"));
  const TargetSpec enums = resolved("arm-none-eabi -mcpu=cortex-m4 -mfloat-abi=hard -fno-short-enums");
  EXPECT_EQ(enums.name, "cortex-m4-hard-long-enums");
  EXPECT_FALSE(enums.short_enums);
  EXPECT_EQ(enums.gnu_flags.back(), "-fno-short-enums");
  EXPECT_EQ(resolved("arm-none-eabi -mcpu=cortex-m4 -mfloat-abi=hard -fshort-enums").name, "cortex-m4f");
  EXPECT_THAT(refused_target("arm-none-eabi -mcpu=cortex-m4 -mfpu=neon -mfloat-abi=hard"),
              HasSubstr("-mfpu=fpv4-sp-d16"));
  EXPECT_THAT(refused_target("arm-none-eabi -mcpu=cortex-m3 -mfloat-abi=hard"),
              HasSubstr("has no floating point unit"));
  EXPECT_THAT(refused_target("arm-none-eabi -mcpu=cortex-m4 -O3"), HasSubstr("found -O3"));
  EXPECT_THAT(refused_target("arm-none-eabi aarch64-linux-gnu"), HasSubstr("two triples"));
  EXPECT_THAT(refused_target("riscv32-unknown-elf -march=rv99 -mabi=ilp32"),
              HasSubstr("the architecture is not known"));
  EXPECT_THAT(refused_target("riscv32-unknown-elf -march=rv32imc -mabi=lp64"), HasSubstr("does not fit rv32imc"));
  EXPECT_THAT(refused_target("riscv32-unknown-elf -march=rv32imc -mabi=ilp32f"),
              HasSubstr("passes floats in registers"));
  EXPECT_THAT(refused_target("riscv32-unknown-elf -march=rv32imc -mabi=ilp32 -mcmodel=huge"), HasSubstr("code model"));
  EXPECT_THAT(refused_target("no-such-file.json"), HasSubstr("cannot be opened"));
}

std::string malformed(const std::string& json) {
  Diagnostics diags;
  EXPECT_FALSE(parse_target(json, "t.json", diags)) << json;
  return errors_of(diags);
}

TEST(ParseTarget, ReadsAFileAndNamesWhatIsWrong) {
  Diagnostics diags;
  auto dir = TemporaryDirectory::create(diags);
  const std::string path = dir->path() + "/mine.json";
  std::ofstream(path) << R"({"name": "mine", "triple": "thumbv6m-unknown-none-eabi", "gnu_command": "arm-none-eabi-gcc",
      "cpu": "cortex-m0", "pools": [{"name": "fast", "size": 1024, "attributes": ["tcm"]}]})";
  const TargetSpec mine = resolved(path);
  EXPECT_EQ(mine.name, "mine");
  EXPECT_EQ(mine.pools.at(0).size, 1024u);

  const std::string head = R"({"name": "x", "triple": "y", "gnu_command": "z", )";
  EXPECT_THAT(malformed("{"), HasSubstr("is not JSON"));
  EXPECT_THAT(malformed("[]"), HasSubstr("is not a target description"));
  EXPECT_THAT(malformed("{}"), HasSubstr("'triple': is missing"));
  EXPECT_THAT(malformed(head + R"("colour": 1})"), HasSubstr("'colour': is not a field"));
  EXPECT_THAT(malformed(head + R"("cpu": 4})"), HasSubstr("expected a string"));
  EXPECT_THAT(malformed(head + R"("pic": 4})"), HasSubstr("expected true or false"));
  EXPECT_THAT(malformed(head + R"("isa": "dsp"})"), HasSubstr("expected a list of strings"));
  EXPECT_THAT(malformed(head + R"("isa": [3]})"), HasSubstr("expected a list of strings"));
  EXPECT_THAT(malformed(head + R"("float_abi": "firm"})"), HasSubstr("found firm, expected soft | softfp | hard"));
  EXPECT_THAT(malformed(head + R"("pointer_width": 16})"), HasSubstr("expected 32 | 64"));
  EXPECT_THAT(malformed(head + R"("pools": {}})"), HasSubstr("expected a list of pools"));
  EXPECT_THAT(malformed(head + R"("pools": [1]})"), HasSubstr("expected an object for each pool"));
  EXPECT_THAT(malformed(head + R"("pools": [{"size": 1}]})"), HasSubstr("a pool has no name"));
  EXPECT_THAT(malformed(head + R"("pools": [{"name": "a", "size": -1}]})"), HasSubstr("a whole number, not negative"));
  EXPECT_THAT(malformed(head + R"("pools": [{"name": "a", "latency": 0}]})"),
              HasSubstr("of pool 'a' is out of range (found 0, expected 1 to 1000000)"));
  const auto fast =
      parse_target(head + R"("pools": [{"name": "a", "bandwidth": 4, "cache_line": 32}]})", "t.json", diags);
  ASSERT_TRUE(fast);
  EXPECT_EQ(pool_speed(fast->pools.back(), "bandwidth"), 4U);
  EXPECT_EQ(pool_speed(fast->pools.back(), "cache_line"), 32U);
  EXPECT_EQ(pool_speed(fast->pools.back(), "latency"), 0U);
  EXPECT_THAT(malformed(head + R"("pools": [{"name": "a"}, {"name": "a"}]})"), HasSubstr("two pools"));
  EXPECT_THAT(malformed(head + R"("gnu_flags": ["-mthumb", "a\nb"]})"),
              HasSubstr("'gnu_flags': has text that it cannot have"));
  EXPECT_THAT(malformed(head + R"("march": "rv32; id"})"), HasSubstr("'march': has text that it cannot have"));
  EXPECT_THAT(malformed(R"({"name": "../x", "triple": "y", "gnu_command": "-z"})"),
              HasSubstr("'name': has text that it cannot have (found '../x', expected letters, digits and _ . + -"));
  EXPECT_THAT(malformed(R"({"name": "x", "triple": "y", "gnu_command": "-z"})"),
              HasSubstr("is an option and no program"));
}

TEST(ParseTarget, ADescriptionExtendsAKnownTarget) {
  Diagnostics diags;
  const auto board = parse_target(R"({"extends": "cortex-m4f", "name": "board", "pools": [
      {"name": "npu_flash", "kind": "flash", "size": 4096, "section": ".npu_flash"},
      {"name": "ram", "kind": "ram", "size": 65536}]})",
                                  "board.json", diags);
  ASSERT_TRUE(board) << errors_of(diags);
  TargetSpec expected = resolved("cortex-m4f");
  expected.name = "board";
  for (MemoryPool& p : expected.pools)
    if (p.name == "ram") p = {"ram", PoolKind::ram, 65536, {}, {}};
  expected.pools.push_back({"npu_flash", PoolKind::flash, 4096, {}, ".npu_flash"});
  EXPECT_EQ(board->pools, expected.pools);
  EXPECT_EQ(board->name, "board");
  EXPECT_EQ(board->gnu_flags, expected.gnu_flags);
  EXPECT_EQ(board->simulator, expected.simulator);
  EXPECT_EQ(resolved("aarch64-linux-gnu").pointer_width, 64u);
  EXPECT_EQ(parse_target(R"({"extends": "aarch64-linux-gnu", "name": "b"})", "b.json", diags)->pointer_width, 64u);

  EXPECT_THAT(malformed(R"({"extends": "cortex-m4f"})"), HasSubstr("'name': is missing"));
  EXPECT_THAT(malformed(R"({"extends": 4, "name": "b"})"), HasSubstr("expected a string"));
  EXPECT_THAT(malformed(R"({"extends": "m99", "name": "b"})"),
              HasSubstr("'extends': is no known target (found m99, expected aarch64-linux-gnu, armv7-linux-gnueabihf, "
                        "cortex-m0"));
  EXPECT_THAT(malformed(R"({"extends": "", "name": "b"})"), HasSubstr("is no known target"));
}

TEST(MergeTargets, NamesEveryModuleAndTheFirstFieldThatDiffers) {
  Diagnostics diags;
  using Entry = std::pair<std::string, TargetSpec>;
  const std::vector<Entry> same{{"a", resolved("cortex-m4f")}, {"b", resolved("cortex-m4f")}};
  auto merged = merge_targets(same, diags);
  ASSERT_TRUE(merged);
  EXPECT_EQ(merged->name, "cortex-m4f");

  TargetSpec soft = resolved("cortex-m4f");
  soft.float_abi = "softfp";
  const std::vector<Entry> mixed{{"root", resolved("cortex-m4f")}, {"npu", soft}, {"c", resolved("cortex-m4f")}};
  EXPECT_FALSE(merge_targets(mixed, diags));
  EXPECT_THAT(errors_of(diags), HasSubstr("float_abi differs (found root: hard; npu: softfp; c: hard"));

  Diagnostics none;
  EXPECT_FALSE(merge_targets({}, none));
  EXPECT_THAT(errors_of(none), HasSubstr("there is no module"));
}

TEST(ClangFlags, SelectTheTarget) {
  EXPECT_THAT(clang_flags(resolved("cortex-m4f")),
              ElementsAre("--target=thumbv7em-unknown-none-eabihf", "-mcpu=cortex-m4", "-mfpu=fpv4-sp-d16",
                          "-mfloat-abi=hard", "-fshort-enums", "-fno-pic"));
  EXPECT_THAT(clang_flags(resolved("riscv64gc")), ElementsAre("--target=riscv64-unknown-unknown-elf", "-march=rv64gc",
                                                              "-mabi=lp64d", "-mcmodel=medium", "-fno-pic"));
  EXPECT_THAT(clang_flags(resolved("host")),
              ElementsAre("--target=x86_64-unknown-linux-gnu", "-march=x86-64", "-fPIC"));
}

TEST(Target, ManyConstantsWantTheMediumCodeModelOnX8664) {
  const auto model = [](const char* name, std::uint64_t bytes, std::uint64_t limit = kMostSmallConstants) {
    return for_constants(resolved(name), bytes, limit).code_model;
  };
  EXPECT_EQ(model("host", std::uint64_t{1} << 30), "");
  EXPECT_EQ(model("host", (std::uint64_t{1} << 30) + 1), "medium");
  EXPECT_EQ(model("host", 101, 100), "medium");
  EXPECT_EQ(model("aarch64-linux-gnu", 101, 100), "");
  EXPECT_EQ(model("cortex-m4f", 101, 100), "");
  const TargetSpec medium = for_constants(resolved("host"), 101, 100);
  EXPECT_EQ(medium.gnu_flags.back(), "-mcmodel=medium");
  EXPECT_THAT(clang_flags(medium), testing::Contains("-mcmodel=medium"));
  TargetSpec large = medium;
  large.code_model = "large";
  EXPECT_EQ(for_constants(large, 101, 100).code_model, "large");
}

TEST(Target, WhatIsWrittenIsReadAgain) {
  for (const TargetSpec& known : known_targets()) {
    Diagnostics diags;
    const std::string text = write_target(known);
    auto again = parse_target(text, "written", diags);
    ASSERT_TRUE(again) << errors_of(diags);
    EXPECT_EQ(write_target(*again), text);
    const std::vector<std::pair<std::string, TargetSpec>> both{{"known", known}, {"again", *again}};
    EXPECT_TRUE(merge_targets(both, diags)) << errors_of(diags);
    EXPECT_EQ(again->pools, known.pools);
    EXPECT_EQ(again->gnu_flags, known.gnu_flags);
    EXPECT_EQ(again->simulator, known.simulator);
  }
}

}  // namespace
}  // namespace byoc
