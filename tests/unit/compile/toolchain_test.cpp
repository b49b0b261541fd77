// Compilers by description, launchers in front of them, and compilers that are functions.
#include "sdk/library/compile/toolchain.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "sdk/base/support/file.hpp"
#include "sdk/library/compile/compiler.hpp"
#include "sdk/library/object/object_facts.hpp"
#include "sdk/target/target/target.hpp"
#include "tests/support/objects.hpp"

namespace byoc {
namespace {

using test::target;
using test::text_of;
using ::testing::HasSubstr;

constexpr const char* kGcc = R"({
  "name": "our-gcc",
  "compile": ["arm-none-eabi-gcc", "-mcpu=cortex-m4", "-mthumb", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard",
              "-O{opt}", "-std={standard}", "{flags}", "-c", "{source}", "-o", "{object}"]
})";

class Files : public ::testing::Test {
 protected:
  void SetUp() override {
    auto made = TemporaryDirectory::create(diags_);
    ASSERT_TRUE(made) << text_of(diags_);
    folder_.emplace(std::move(*made));
  }
  std::string file(const std::string& name, const std::string& text, bool program = false) {
    const std::string path = folder_->path() + "/" + name;
    std::ofstream(path) << text;
    if (program) std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
  }
  Result<std::unique_ptr<Compiler>> compiler(const std::string& toolchain, const CompileOptions& options = {}) {
    return Compiler::create(target("cortex-m4f"), toolchain, options, diags_);
  }

  Diagnostics diags_;
  std::optional<TemporaryDirectory> folder_;
};

const Source kPlain{.name = "plain",
                    .text = "#include <stdint.h>\nint32_t one(void);\nint32_t one(void) { return 1; }\n"};

std::vector<std::string> symbols_of(const ObjectBytes& object) {
  Diagnostics diags;
  auto facts = read_object_facts(object, "object", diags);
  EXPECT_TRUE(facts) << text_of(diags);
  std::vector<std::string> out;
  if (facts)
    for (const ObjectSymbol& s : facts->defined) out.push_back(s.name);
  return out;
}

TEST_F(Files, ADescribedCompilerCompiles) {
  auto c = compiler(file("ours.json", kGcc));
  ASSERT_TRUE(c) << text_of(diags_);
  EXPECT_THAT((*c)->identity(), HasSubstr("our-gcc arm-none-eabi-gcc"));
  auto object = (*c)->compile(kPlain, {}, diags_);
  ASSERT_TRUE(object) << text_of(diags_);
  EXPECT_EQ(symbols_of(*object), std::vector<std::string>{"one"});
  EXPECT_FALSE((*c)->compile({.name = "bad", .text = "int f(void) { return y; }\n"}, {}, diags_));
  EXPECT_THAT(text_of(diags_), HasSubstr("bad.c:1:"));
}

TEST_F(Files, ItGetsFoldersDefinitionsLevelAndStandard) {
  CompileOptions options;
  options.defines = {"SEEN=7"};
  auto c = compiler(file("ours.json", kGcc), options);
  ASSERT_TRUE(c) << text_of(diags_);
  std::filesystem::create_directories(folder_->path() + "/more");
  file("more/more.h", "#define MORE 1\n");
  file("beside.h", "#define BESIDE 1\n");
  Source source{.name = "all",
                .text =
                    "#include <more.h>\n#include \"beside.h\"\n#include \"given.h\"\n"
                    "#if !MORE || !BESIDE || !GIVEN || SEEN != 7 || !__OPTIMIZE_SIZE__ || __STDC_VERSION__ != 201112L\n"
                    "#error something is missing\n#endif\nint x;\n"};
  source.directory = folder_->path();
  source.include_directories = {folder_->path() + "/more"};
  source.opt_level = "s";
  source.standard = "gnu11";
  EXPECT_TRUE((*c)->compile(source, {{"given.h", "#define GIVEN 1\n"}}, diags_)) << text_of(diags_);
}

TEST_F(Files, OneThatMakesOtherObjectsIsRefused) {
  std::string soft = kGcc;
  soft.replace(soft.find("hard"), 4, "soft");
  EXPECT_FALSE(compiler(file("soft.json", soft)));
  EXPECT_THAT(text_of(diags_), HasSubstr("our-gcc: error: does not fit target cortex-m4f: float"));
}

TEST_F(Files, OneThatWritesNothingIsRefused) {
  const std::string program = file("silent", "#!/bin/sh\necho 1.0\n", true);
  EXPECT_FALSE(compiler(file(
      "silent.json", R"({"name": "silent", "compile": [")" + program + R"(", "{flags}", "{source}", "{object}"]})")));
  EXPECT_THAT(text_of(diags_), HasSubstr("probe.c: error: silent ended well and wrote no object"));
}

TEST_F(Files, WhatIsWrongWithADescription) {
  const auto wrong = [&](const std::string& json) {
    Diagnostics diags;
    EXPECT_FALSE(parse_toolchain(json, "t.json", diags)) << json;
    return text_of(diags);
  };
  EXPECT_THAT(wrong("{"), HasSubstr("t.json: error: is not JSON"));
  EXPECT_THAT(wrong("[]"), HasSubstr("is not a toolchain description (found array, expected an object)"));
  EXPECT_THAT(wrong(R"({"compile": ["cc", "{source}", "{object}", "{flags}"]})"), HasSubstr("'name': is missing"));
  EXPECT_THAT(wrong(R"({"name": "x"})"), HasSubstr("'compile': is missing"));
  EXPECT_THAT(wrong(R"({"name": "x", "compile": ["cc", "{object}", "{flags}"]})"),
              HasSubstr("does not say where the file goes (expected {source})"));
  EXPECT_THAT(wrong(R"({"name": "x", "compile": ["cc", "{source}", "{object}"]})"),
              HasSubstr("has no place for further options (expected a word {flags})"));
  EXPECT_THAT(wrong(R"({"name": "x", "compile": ["cc", "{source}", "{object}", "{flags}", "{level}"]})"),
              HasSubstr("has an unknown word in braces (found {level}"));
  EXPECT_THAT(wrong(R"({"name": "x", "compile": ["cc", "{source}", "{object}", "{flags}"], "include": "-I"})"),
              HasSubstr("'include': has no place for the value (found -I, expected {})"));
  EXPECT_THAT(wrong(R"({"name": "x", "compile": "cc"})"), HasSubstr("has the wrong type (found string"));
  EXPECT_THAT(wrong(R"({"name": "x", "speed": 1})"), HasSubstr("'speed': is not a field of a toolchain description"));
}

TEST_F(Files, MissingFilesAndPrograms) {
  EXPECT_FALSE(compiler(folder_->path() + "/none.json"));
  EXPECT_THAT(text_of(diags_), HasSubstr("none.json: error: cannot be opened: No such file or directory"));
  EXPECT_FALSE(
      compiler(file("x.json", R"({"name": "x", "compile": ["no-such-cc", "{source}", "{object}", "{flags}"]})")));
  EXPECT_THAT(text_of(diags_), HasSubstr("no-such-cc is not installed"));
}

TEST_F(Files, ALauncherGetsTheCommand) {
  const std::string log = folder_->path() + "/log";
  CompileOptions options;
  options.launcher = file("launch", "#!/bin/sh\necho \"$@\" >> " + log + "\nexec \"$@\"\n", true);
  auto c = compiler("gnu", options);
  ASSERT_TRUE(c) << text_of(diags_);
  auto object = (*c)->compile(kPlain, {}, diags_);
  ASSERT_TRUE(object) << text_of(diags_);
  auto without = compiler("gnu");
  ASSERT_TRUE(without);
  EXPECT_EQ(*object, *(*without)->compile(kPlain, {}, diags_));
  auto text = read_text(log, diags_);
  ASSERT_TRUE(text);
  EXPECT_THAT(*text, HasSubstr("arm-none-eabi-gcc"));
  EXPECT_THAT(*text, HasSubstr("plain.c"));
}

TEST_F(Files, ALauncherIsForProgramsThatAreThere) {
  CompileOptions options;
  options.launcher = "no-such-launcher";
  EXPECT_FALSE(compiler("gnu", options));
  EXPECT_THAT(text_of(diags_), HasSubstr("'--compiler-launcher': no-such-launcher is not installed"));
  EXPECT_FALSE(compiler("clang", options));
  options.launcher = "env";
  options.bitcode = true;
  EXPECT_FALSE(compiler("clang", options));
  EXPECT_THAT(text_of(diags_), HasSubstr("with --lto nothing is compiled that could be kept (found env"));
}

// Debug information says nothing of where an object was made.
TEST_F(Files, DebugInformation) {
  CompileOptions options;
  options.debug_info = true;
  for (const char* toolchain : {"clang", "gnu"}) {
    auto with = compiler(toolchain, options);
    auto without = compiler(toolchain);
    ASSERT_TRUE(with && without) << text_of(diags_);
    const auto object = (*with)->compile(kPlain, {}, diags_);
    ASSERT_TRUE(object) << text_of(diags_);
    const std::string bytes(reinterpret_cast<const char*>(object->data()), object->size());
    EXPECT_NE(bytes.find(".debug_info"), std::string::npos) << toolchain;
    EXPECT_EQ(bytes.find(std::filesystem::current_path().string()), std::string::npos) << toolchain;
    EXPECT_EQ(bytes.find(std::filesystem::temp_directory_path().string() + "/"), std::string::npos) << toolchain;
    EXPECT_NE((*with)->flags(), (*without)->flags());
    EXPECT_EQ(*object, *(*with)->compile(kPlain, {}, diags_)) << toolchain;
  }
}

TEST_F(Files, AFunctionIsACompiler) {
  auto gnu = compiler("gnu");
  ASSERT_TRUE(gnu) << text_of(diags_);
  std::vector<std::string> seen;
  auto c = Compiler::from_function(
      target("cortex-m4f"), "mine 2.0",
      [&](const Source& source, const HeaderMap& headers, Diagnostics& diags) {
        seen.push_back(source.name);
        return (*gnu)->compile(source, headers, diags);
      },
      diags_);
  ASSERT_TRUE(c) << text_of(diags_);
  EXPECT_EQ((*c)->identity(), "mine 2.0");
  EXPECT_TRUE((*c)->compile(kPlain, {}, diags_));
  EXPECT_EQ(seen, (std::vector<std::string>{"probe", "plain"}));
  // One that fails and does not say why is told for it.
  bool fails = false;
  auto mute = Compiler::from_function(
      target("cortex-m4f"), "mute",
      [&](const Source& source, const HeaderMap& headers, Diagnostics& diags) -> Result<ObjectBytes> {
        if (fails) return failure;
        return (*gnu)->compile(source, headers, diags);
      },
      diags_);
  fails = true;
  Diagnostics told;
  EXPECT_FALSE((*mute)->compile(kPlain, {}, told));
  EXPECT_THAT(text_of(told),
              HasSubstr("plain.c: error: 'mute': was not compiled, and the compile function does not say "
                        "why"));
  EXPECT_FALSE(Compiler::from_function(
      target("host"), "mine 2.0",
      [&](const Source& source, const HeaderMap& headers, Diagnostics& diags) {
        return (*gnu)->compile(source, headers, diags);
      },
      diags_));
  EXPECT_THAT(text_of(diags_), HasSubstr("mine 2.0: error: does not fit target host"));
}

}  // namespace
}  // namespace byoc
