#include "sdk/export/build_tree.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "sdk/library/object/object_facts.hpp"
#include "sdk/library/pack/manifest.hpp"
#include "sdk/library/pack/static_library.hpp"
#include "tests/support/objects.hpp"

namespace byoc {
namespace {

using test::target;
using test::text_of;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kTarget = "arm-none-eabi -mcpu=cortex-m4 -mfloat-abi=hard";
constexpr const char* kModule = R"(
target triple = "thumbv7em-none-unknown-eabihf"
declare float @offset()
define float @scale(float %x) {
  %o = call float @offset()
  %y = fmul float %x, 2.0
  %z = fadd float %y, %o
  ret float %z
}
)";

class BuildTree : public ::testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& text) {
    const std::string path = dir_->path() + "/" + name;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }
  std::string file(const std::string& name, const std::vector<std::byte>& bytes) {
    return file(name, std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  }
  std::string built(const std::vector<std::string>& files, const std::string& toolchain = "clang") {
    Diagnostics diags;
    const std::string out = dir_->path() + "/tree.a";
    EXPECT_TRUE(build_tree(files, target(kTarget), {toolchain}, out, diags)) << text_of(diags);
    return out;
  }
  std::string refused(const std::vector<std::string>& files, const std::string& name = kTarget,
                      const std::string& output = "none.a") {
    Diagnostics diags;
    const std::string out = dir_->path() + "/" + output;
    EXPECT_FALSE(build_tree(files, target(name), {}, out, diags));
    EXPECT_TRUE(diags.has_errors());
    EXPECT_FALSE(std::filesystem::exists(out));
    return text_of(diags);
  }
  Diagnostics diags_;
  Result<TemporaryDirectory> dir_ = TemporaryDirectory::create(diags_);
};

// The C is inlined into the module that calls it, and both are one object, in which all that they define is visible.
TEST_F(BuildTree, LinkTimeOptimisation) {
  const std::string module = file("filter.ll", kModule);
  const std::string source = file("offset.c", "float offset(void); float offset(void) { return 1.5f; }\n");
  BuildOptions options;
  options.compiler.lto = true;
  const std::string out = dir_->path() + "/tree.a";
  ASSERT_TRUE(build_tree(std::vector{module, source}, target(kTarget), options, out, diags_)) << text_of(diags_);
  auto members = run_process({"ar", "t", out}, diags_);
  EXPECT_EQ(members->output, "filter.ll.o\n");
  auto objects = read_static_library(test::file_bytes(out), out, diags_);
  ASSERT_TRUE(objects && objects->size() == 1);
  auto facts = read_object_facts(objects->front().second, out, diags_);
  ASSERT_TRUE(facts);
  EXPECT_TRUE(facts->undefined.empty());
  EXPECT_EQ(facts->defined.size(), 2u);
  options.compiler.toolchain = "gnu";
  EXPECT_FALSE(build_tree(std::vector{module, source}, target(kTarget), options, dir_->path() + "/none.a", diags_));
  EXPECT_THAT(text_of(diags_), HasSubstr("'--lto': link-time optimisation is for C that Clang compiles (found gnu, "
                                         "expected --toolchain clang)"));
}

// The user's module calls the user's C and the other way round; both came out for one target and GNU ld has nothing to
// say about it.
TEST_F(BuildTree, AModuleAndCSourcesBesideIt) {
  if (find_program("arm-none-eabi-gcc").empty()) GTEST_SKIP() << "arm-none-eabi-gcc is not installed";
  const std::string module = file("filter.ll", kModule);
  file("tree/offset.h", "#define OFFSET 1.5f\n");
  const std::string source =
      file("tree/offset.c", "#include <stdint.h>\n#include \"offset.h\"\nfloat offset(void) { return OFFSET; }\n");
  const std::string main = file("main.c",
                                "float scale(float); volatile float out; int _start(void); int _start(void) { out = "
                                "scale(3.0f); return 0; }\n");
  for (const char* toolchain : {"clang", "gnu"}) {
    const std::string archive = built({module, source}, toolchain);
    auto members = run_process({"ar", "t", archive}, diags_);
    ASSERT_TRUE(members);
    EXPECT_EQ(members->output, "filter.ll.o\noffset.c.o\n");
    auto linked = run_process({"arm-none-eabi-gcc", "-mcpu=cortex-m4", "-mfloat-abi=hard", "-nostdlib",
                               "-Wl,--fatal-warnings", main, archive, "-o", dir_->path() + "/firmware.elf"},
                              diags_);
    ASSERT_TRUE(linked);
    EXPECT_EQ(linked->exit_code, 0) << linked->errors;
  }
}

// One object: everything that the files define is seen.
TEST_F(BuildTree, OneObject) {
  const std::string module = file("filter.ll", kModule);
  const std::string source = file("offset.c", "float offset(void) { return 1.5f; }\n");
  const std::string out = dir_->path() + "/tree.o";
  const std::vector<std::string> files{module, source};
  ASSERT_TRUE(build_tree(files, target(kTarget), {}, out, diags_)) << text_of(diags_);
  auto facts = read_object_facts(test::file_bytes(out), out, diags_);
  ASSERT_TRUE(facts) << text_of(diags_);
  EXPECT_TRUE(check_object(*facts, target(kTarget), out, diags_)) << text_of(diags_);
  std::vector<std::string> defined;
  for (const ObjectSymbol& s : facts->defined) defined.push_back(s.name);
  EXPECT_THAT(defined, ::testing::UnorderedElementsAre("scale", "offset"));
  EXPECT_THAT(facts->undefined, ::testing::IsEmpty());
}

TEST_F(BuildTree, TheSameBytesFromAnotherFolder) {
  const std::string source = "#include <assert.h>\nint f(int x) { assert(x); return __FILE__[0] + x; }\n";
  const std::string first = built({file("filter.ll", kModule), file("a/f.c", source)});
  const auto bytes = test::file_bytes(first);
  EXPECT_EQ(bytes, test::file_bytes(built({file("other/place/filter.ll", kModule), file("b/f.c", source)})));
  EXPECT_FALSE(bytes.empty());
  std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  EXPECT_THAT(text, Not(HasSubstr(dir_->path())));
}

TEST_F(BuildTree, BitcodeAndObjects) {
  const auto bitcode =
      test::assemble({"clang-19", "--target=arm-none-eabi", "-mcpu=cortex-m4", "-mfloat-abi=hard", "-emit-llvm"},
                     "int two(void) { return 2; }");
  const auto object =
      test::assemble({"arm-none-eabi-gcc", "-mcpu=cortex-m4", "-mfloat-abi=hard"}, "int three(void) { return 3; }");
  if (!bitcode || !object) GTEST_SKIP() << "the compilers are not installed";
  built({file("two.bc", *bitcode), file("three.o", *object)});
  const auto soft = test::assemble({"arm-none-eabi-gcc", "-mcpu=cortex-m4"}, "int four(void) { return 4; }");
  EXPECT_THAT(refused({file("three.o", *object), file("soft.o", *soft)}),
              HasSubstr("/soft.o: error: does not fit target cortex-m4f: float arguments"));
}

TEST_F(BuildTree, AModuleOfAnotherTargetIsNamed) {
  const std::string good = file("filter.ll", kModule);
  const std::string other =
      file("npu.ll", "target triple = \"x86_64-unknown-linux-gnu\"\ndefine i32 @npu() {\n  ret i32 1\n}\n");
  const std::string text = refused({good, other});
  EXPECT_THAT(text, HasSubstr("npu.ll: error: is for another target than cortex-m4f: triple (found "
                              "x86_64-unknown-linux-gnu, expected thumbv7em-unknown-none-eabihf)"));
  EXPECT_THAT(text, Not(HasSubstr("filter.ll")));
}

TEST_F(BuildTree, EveryBadFileIsNamed) {
  const std::string c = file("ok.c", "int ok(void) { return 1; }\n");
  EXPECT_THAT(refused({}), HasSubstr("there is nothing to build it from"));
  EXPECT_THAT(refused({c, file("notes.txt", "hello")}),
              HasSubstr("notes.txt: error: has an unknown suffix (found .txt"));
  EXPECT_THAT(refused({file("Makefile", "all:")}),
              HasSubstr("found none, expected .bc, .ll, .c, .cpp, .S, .o, .a or .bin"));
  EXPECT_THAT(refused({dir_->path() + "/missing.c"}), HasSubstr("missing.c: error: cannot be opened"));
  const std::string several =
      refused({file("bad.c", "int f( {\n"), file("bad.ll", "define i32 @f( {\n"), file("bad.o", "text")});
  EXPECT_THAT(several, HasSubstr("bad.c:1:"));
  EXPECT_THAT(several, HasSubstr("bad.ll:2:1: error: is not an LLVM module"));
  EXPECT_THAT(several, HasSubstr("bad.o: error: is not an object file"));
  EXPECT_THAT(refused({c, file("twice.c", "int ok(void) { return 2; }\n")}),
              HasSubstr("'ok': is defined twice (found ok.c.o and twice.c.o"));
}

// As people build: definitions, folders, standards and features of the compiler; C++ and assembly beside C.
TEST_F(BuildTree, LanguagesAndOptions) {
  file("include/taps.h", "#define TAPS 3\n");
  const std::vector<std::string> files{
      file("fir.c",
           "#include <taps.h>\n#include \"beside.h\"\nint fir(void) { typeof(1) n = TAPS; return n + GAIN + BESIDE; "
           "}\n"),
      file(
          "gain.cpp",
          "template <int N> static int twice() { return 2 * N; }\nextern \"C\" int gain() { return twice<GAIN>(); }\n"),
      file("start.S",
           ".syntax unified\n.thumb\n.section .text.start,\"ax\"\n.globl start\n.type start, %function\n"
           "start:\n  movs r0, #GAIN\n  bx lr\n.size start, . - start\n")};
  file("beside.h", "#define BESIDE 1\n");
  BuildOptions options;
  options.sources.include_directories = {dir_->path() + "/include"};
  options.sources.defines = {"GAIN=7"};
  options.sources.standards = {"gnu99", "c++20"};
  options.sources.flags = {"-fno-strict-aliasing", "-Wno-unused"};
  for (const char* toolchain : {"clang", "gnu"}) {
    if (std::string(toolchain) == "gnu" && find_program("arm-none-eabi-gcc").empty()) continue;
    options.compiler.toolchain = toolchain;
    Diagnostics diags;
    const std::string out = dir_->path() + "/" + toolchain + ".a";
    ASSERT_TRUE(build_tree(files, target(kTarget), options, out, diags)) << toolchain << text_of(diags);
    auto objects = read_static_library(test::file_bytes(out), out, diags);
    ASSERT_TRUE(objects && objects->size() == 3);
    std::vector<std::string> defined;
    for (const auto& [name, bytes] : *objects) {
      const auto facts = read_object_facts(bytes, name, diags);
      ASSERT_TRUE(facts) << text_of(diags);
      for (const ObjectSymbol& s : facts->defined) defined.push_back(s.name);
    }
    EXPECT_THAT(defined, ::testing::ElementsAre("fir", "gain", "start"));
  }
  Diagnostics diags;
  options.compiler.toolchain = "clang";
  // Headers that were found go along, so that the source in a .tar compiles by itself.
  const std::string tar = dir_->path() + "/fir.tar";
  ASSERT_TRUE(build_tree({&files[0], 1}, target(kTarget), options, tar, diags)) << text_of(diags);
  auto listed = run_process({"tar", "tf", tar}, diags);
  EXPECT_THAT(listed->output, HasSubstr("include/taps.h"));
  EXPECT_THAT(listed->output, HasSubstr("include/beside.h"));
  options.sources.defines = {"1X"};
  EXPECT_FALSE(build_tree(files, target(kTarget), options, tar, diags));
  EXPECT_THAT(text_of(diags), HasSubstr("'-D': is no definition (expected NAME or NAME=VALUE)"));
  options.sources = {.flags = {"-mcpu=cortex-m7"}};
  EXPECT_FALSE(build_tree(files, target(kTarget), options, tar, diags));
  EXPECT_THAT(text_of(diags), HasSubstr("'-mcpu=cortex-m7': is no option for sources"));
}

TEST_F(BuildTree, FilesOfOneNameAndBlobs) {
  const std::string c = file("ok.c", "extern const unsigned char fir_taps[];\nint ok(void) { return fir_taps[0]; }\n");
  const std::vector<std::string> files{c, file("again/ok.c", "int again(void) { return 1; }\n"),
                                       file("gain.bin", "abcd")};
  BuildOptions options;
  options.blobs = {{file("taps", "0123456789"), "fir_taps"}};
  options.edges = {"again_ok.c:gain.bin"};
  const std::string out = dir_->path() + "/libfir.a";
  ASSERT_TRUE(build_tree(files, target(kTarget), options, out, diags_)) << text_of(diags_);
  auto members = run_process({"ar", "t", out}, diags_);
  EXPECT_EQ(members->output, "ok.c.o\nagain_ok.c.o\nok.c_constants.o\n");
  // What verify reads: both are constants in flash.
  const auto constants =
      read_manifest_constants(*read_text(dir_->path() + "/libfir.json", diags_), "libfir.json", diags_);
  ASSERT_TRUE(constants) << text_of(diags_);
  ASSERT_EQ(constants->size(), 2U);
  EXPECT_EQ((*constants)[0].symbol, "gain_bin");
  EXPECT_EQ((*constants)[1].symbol, "fir_taps");
  EXPECT_EQ((*constants)[1].size, 10U);
  const std::string folder = dir_->path() + "/tree/";
  ASSERT_TRUE(build_tree(files, target(kTarget), options, folder, diags_)) << text_of(diags_);
  EXPECT_THAT(*read_text(folder + "Makefile", diags_), HasSubstr("$(BUILD)/ok.a"));
  EXPECT_THAT(*read_text(folder + "tree.json", diags_), HasSubstr("\"imports\": [\n        \"gain.bin\"\n      ]"));
  options.edges = {"ok.c:none.c"};
  EXPECT_FALSE(build_tree(files, target(kTarget), options, out, diags_));
  EXPECT_THAT(text_of(diags_), HasSubstr("'--import': names a file that is not among those given (found ok.c:none.c"));
  options.edges.clear();
  options.blobs = {{c, "1x"}};
  EXPECT_FALSE(build_tree(files, target(kTarget), options, out, diags_));
  EXPECT_THAT(text_of(diags_), HasSubstr("'--blob': has no C identifier for its symbol (found '1x'"));
}

TEST_F(BuildTree, TheManifestHasTablesOfTheCode) {
  const std::string c =
      file("t.c",
           "#include <stdint.h>\nconst int16_t sines[40] = {1, 2, 3};\nconst char *const names[2] = {\"a\", "
           "\"b\"};\nint counts[3] = {1};\nstatic const int own[9] = {1};\n__attribute__((weak)) const int "
           "level = 3;\nint f(int i) { return sines[i] + own[i] + names[0][i] + counts[i] + level; }\n");
  ASSERT_TRUE(build_tree({&c, 1}, target(kTarget), {}, dir_->path() + "/libt.a", diags_)) << text_of(diags_);
  const auto constants = read_manifest_constants(*read_text(dir_->path() + "/libt.json", diags_), "libt.json", diags_);
  ASSERT_TRUE(constants) << text_of(diags_);
  ASSERT_EQ(constants->size(), 1U);
  EXPECT_EQ((*constants)[0].symbol, "sines");
  EXPECT_EQ((*constants)[0].size, 80U);
  EXPECT_EQ((*constants)[0].region, "flash");
  EXPECT_TRUE((*constants)[0].may_be_dropped);
  // A program that uses it, one that does not, and one for which it was made writable.
  const auto verified = [&](const std::string& name, const std::string& text, bool gcs, const std::string& more = {}) {
    const std::string elf = dir_->path() + "/" + name;
    std::vector<std::string> link{"arm-none-eabi-gcc",
                                  "-mcpu=cortex-m4",
                                  "-mthumb",
                                  "-mfloat-abi=hard",
                                  "-nostdlib",
                                  "-Wl,-e,main",
                                  file(name + ".c", text),
                                  "-o",
                                  elf};
    if (gcs) link.emplace_back("-Wl,--gc-sections");
    if (more.empty()) link.push_back(dir_->path() + "/libt.a");
    EXPECT_TRUE(run_process(link, diags_)) << text_of(diags_);
    const auto image = read_text(elf, diags_);
    Diagnostics said;
    const bool good = bool(verify_image(std::as_bytes(std::span(*image)), name, *constants, said));
    EXPECT_EQ(good, !said.has_errors());
    return text_of(said);
  };
  EXPECT_EQ(verified("used", "extern int f(int); int main(void) { return f(1); }", true), "");
  EXPECT_EQ(verified("unused", "int main(void) { return 0; }", true), "");
  EXPECT_THAT(verified("other", "short sines[40] = {1, 2, 3}; int main(void) { return sines[1]; }", false, "alone"),
              HasSubstr("'sines': the constant lies in a writable section"));
}

TEST_F(BuildTree, DataOfAModuleThatCanBeWrittenIsTold) {
  const std::string module = file("m.ll",
                                  "@table = global [4 x i32] [i32 1, i32 2, i32 3, i32 4]\n@zeros = global [4 x "
                                  "i32] zeroinitializer\n@fixed = constant [2 x i32] [i32 1, i32 2]\n");
  ASSERT_TRUE(build_tree({&module, 1}, target(kTarget), {}, dir_->path() + "/m.a", diags_)) << text_of(diags_);
  ASSERT_EQ(diags_.all().size(), 1U) << text_of(diags_);
  EXPECT_THAT(text_of(diags_),
              HasSubstr("warning: '.data.table': a global of the LLVM module is not constant, and lies in "
                        "RAM (found 16 bytes, expected constant, or zero at the start)"));
}

// What a triple says is in the object's header, in the byte order that this says, too.
TEST_F(BuildTree, B10TriplesAreMachines) {
  const std::string module = file("m.ll", "define i32 @f() {\n  ret i32 1\n}\n");
  struct Row {
    const char* target;
    unsigned machine;  // e_machine
    unsigned bits;     // e_ident[EI_CLASS] * 32
  };
  for (const Row& row :
       {Row{"i386-pc-linux-gnu", 0x03, 32}, Row{"armv7-none-linux-gnueabihf", 0x28, 32}, Row{"cortex-m4f", 0x28, 32},
        Row{"riscv32imc", 0xf3, 32}, Row{"aarch64-linux-gnu", 0xb7, 64}, Row{"x86_64-linux-gnu", 0x3e, 64}}) {
    Diagnostics diags;
    const auto t = resolve_target(row.target, diags);
    ASSERT_TRUE(t) << text_of(diags);
    const std::string out = dir_->path() + "/m.o";
    ASSERT_TRUE(build_tree({&module, 1}, *t, {}, out, diags)) << row.target << text_of(diags);
    const std::vector<std::byte> bytes = test::file_bytes(out);
    ASSERT_GT(bytes.size(), 20u);
    const auto at = [&](std::size_t i) { return std::to_integer<unsigned>(bytes[i]); };
    const bool big = at(5) == 2;
    EXPECT_EQ(at(18 + (big ? 1 : 0)) + 256 * at(18 + (big ? 0 : 1)), row.machine) << row.target;
    EXPECT_EQ(at(4) * 32, row.bits) << row.target;
  }
}

TEST_F(BuildTree, OutputsThatCannotBe) {
  const std::string c = file("ok.c", "int ok(void) { return 1; }\n");
  EXPECT_THAT(refused({c}, kTarget, "tree.so"), HasSubstr("a shared library cannot be made for this target"));
  EXPECT_THAT(refused({c}, kTarget, "ok.c/tree.a"), HasSubstr("cannot be written"));
  const std::string old = file("old.a", "old");
  Diagnostics diags;
  const std::vector<std::string> bad{file("bad.c", "int f( {\n")};
  EXPECT_FALSE(build_tree(bad, target(kTarget), {}, old, diags));
  EXPECT_EQ(*read_text(old, diags), "old");
}

}  // namespace
}  // namespace byoc
