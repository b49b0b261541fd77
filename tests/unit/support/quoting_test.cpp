// Names of others in build files and scripts, read by the programs that they are for.
#include "sdk/base/support/quoting.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <type_traits>

#include "sdk/base/support/file.hpp"
#include "tests/unit/support/hostile_texts.hpp"

namespace byoc {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

class QuotingTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto made = TemporaryDirectory::create(diags_);
    ASSERT_TRUE(made);
    folder_ = made->path();
    owner_.emplace(std::move(*made));
  }

  void write(const fs::path& name, const std::string& text) { std::ofstream(folder_ / name, std::ios::binary) << text; }

  static bool has_end(const std::string& text) { return text.find_first_of("\n\r") != std::string::npos; }

  // The file out0, out1 ...
  std::string read(std::size_t number) {
    std::ifstream in(folder_ / ("out" + std::to_string(number)), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  // What a shell prints and its exit code, in the folder.
  std::pair<std::string, int> run(const std::string& command) {
    const std::string line = "cd " + folder_.string() + " && " + command + " 2>&1";
    FILE* const pipe = ::popen(line.c_str(), "r");
    std::string out;
    for (int c = 0; (c = std::fgetc(pipe)) != EOF;) out += static_cast<char>(c);
    return {out, ::pclose(pipe)};
  }
  bool has(const char* program) { return run(std::string("command -v ") + program).second == 0; }

  // Those that a file may have as its name.
  static std::vector<std::string> hostile_names() {
    std::vector<std::string> out;
    for (const std::string& text : test::hostile_texts())
      if (text.find('/') == std::string::npos && text.front() != '.') out.push_back(text);
    return out;
  }

  Diagnostics diags_;
  std::optional<TemporaryDirectory> owner_;
  fs::path folder_;
};

TEST_F(QuotingTest, makeReadsTheNameOrIsNotToldIt) {
  if (!has("make")) GTEST_SKIP() << "make is not installed";
  std::string rules, all;
  int told = 0;
  for (const std::string& name : hostile_names()) {
    const auto quoted = make_name(name);
    if (!quoted) continue;
    write(name, "");
    const std::string target = "t" + std::to_string(++told);
    all += " " + target;
    rules += target + ": \\\n  " + quoted->text() + "\n\t@:\n";
  }
  write("Makefile", "all:" + all + "\n.PHONY: all" + all + "\n" + rules);
  EXPECT_GT(told, 3 * (26 + 26 + 10));
  const auto [out, code] = run("make -k all");
  EXPECT_EQ(code, 0) << out;  // there is no rule for what it reads otherwise
  EXPECT_FALSE(fs::exists(folder_ / "PWNED"));
}

TEST_F(QuotingTest, ninjaReadsTheNamesOfADepfile) {
  if (!has("ninja")) GTEST_SKIP() << "ninja is not installed";
  std::string build = "rule r\n  command = cp $out.kept $out.d && touch $out\n  depfile = $out.d\n";
  int told = 0;
  for (const std::string& name : hostile_names()) {
    const auto quoted = make_name(name);
    if (!quoted) continue;
    write(name, "");
    const std::string target = "t" + std::to_string(++told);
    write(target + ".kept", target + ": \\\n  " + quoted->text() + "\n");
    build += "build " + target + ": r\n";
  }
  write("build.ninja", build);
  EXPECT_EQ(run("ninja").second, 0);
  // What it cannot find it makes again every time.
  EXPECT_THAT(run("ninja -d explain").first, HasSubstr("no work to do"));
  EXPECT_FALSE(fs::exists(folder_ / "PWNED"));
}

TEST_F(QuotingTest, ninjaReadsPathsOfBuildLines) {
  if (!has("ninja")) GTEST_SKIP() << "ninja is not installed";
  std::string build = "rule r\n  command = : $text && touch $out\n";
  int told = 0;
  for (const std::string& name : hostile_names()) {
    const auto quoted = ninja_path(name);
    if (!quoted) continue;
    write(name, "");
    build += "build t" + std::to_string(++told) + ": r " + quoted->text() +
             "\n  text = " + ninja_value(shell_word(name))->text() + "\n";
  }
  write("build.ninja", build);
  const auto [out, code] = run("ninja");
  EXPECT_EQ(code, 0) << out;
  EXPECT_FALSE(fs::exists(folder_ / "PWNED"));
}

TEST_F(QuotingTest, aShellSeesOneWord) {
  const std::vector<std::string> texts = test::hostile_texts();
  std::string script;
  for (std::size_t i = 0; i < texts.size(); ++i)
    script += "printf %s " + shell_word(texts[i]).text() + " > out" + std::to_string(i) + "\n";
  write("script.sh", script);
  EXPECT_EQ(run("sh script.sh").second, 0);
  for (std::size_t i = 0; i < texts.size(); ++i) EXPECT_EQ(read(i), texts[i]);
  EXPECT_FALSE(fs::exists(folder_ / "PWNED"));
  EXPECT_EQ(shell_word("").text(), "''");
  EXPECT_EQ(shell_word("-mcpu=cortex-m4").text(), "-mcpu=cortex-m4");
  EXPECT_EQ(shell_word("a=b").text(), "'a=b'");  // an assignment, where it is the first
}

// A recipe, and a variable that recipes use.
TEST_F(QuotingTest, makeGivesAShellItsWord) {
  if (!has("make")) GTEST_SKIP() << "make is not installed";
  const std::vector<std::string> texts = test::hostile_texts();
  std::string makefile = "all:\n", variables;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string number = std::to_string(i);
    const auto line = make_recipe(ShellText("printf %s ") + shell_word(texts[i]) + " > out" + ShellText::number(i));
    const auto value = make_value(shell_word(texts[i]));
    EXPECT_EQ(bool(line), !has_end(texts[i])) << texts[i];
    EXPECT_EQ(bool(value), bool(line));
    if (!line || !value) continue;
    makefile += "\t@" + line->text() + "\n\t@printf %s $(V" + number + ") | cmp - out" + number + "\n";
    variables += "V" + number + " = " + value->text() + "\n";
  }
  write("Makefile", variables + makefile);
  const auto [out, code] = run("make all");
  EXPECT_EQ(code, 0) << out;
  for (std::size_t i = 0; i < texts.size(); ++i)
    if (!has_end(texts[i])) {
      EXPECT_EQ(read(i), texts[i]);
    }
  EXPECT_FALSE(fs::exists(folder_ / "PWNED"));
}

TEST_F(QuotingTest, cmakeSeesOneElement) {
  if (!has("cmake")) GTEST_SKIP() << "cmake is not installed";
  const std::vector<std::string> texts = test::hostile_texts();
  std::string script;
  for (std::size_t i = 0; i < texts.size(); ++i)
    script += "file(WRITE out" + std::to_string(i) + " \"" + cmake_text(texts[i]).text() + "\")\n";
  write("script.cmake", script);
  const auto [out, code] = run("cmake -P script.cmake");
  EXPECT_EQ(code, 0) << out;
  // CMake takes each kind of end of a line for one, and leaves the backslash of "\;", which lists take away.
  for (std::size_t i = 0; i < texts.size(); ++i)
    if (texts[i].find_first_of("\r;") == std::string::npos) {
      EXPECT_EQ(read(i), texts[i]);
    }
  EXPECT_FALSE(fs::exists(folder_ / "PWNED"));
}

TEST(Quoting, namesThatMakeCannotBeTold) {
  for (const char* name :
       {"", "a;b", "a=b", "a|b", "a&b", "*", "a?", "[a]", "~", "lib(m)", "a\nb", "a\tb", "a\\b", "a%", "`", "<"})
    EXPECT_FALSE(make_name(name)) << name;
  EXPECT_EQ(make_name("/a b/m$#:.onnx")->text(), "/a\\ b/m$$\\#\\:.onnx");
  EXPECT_EQ(make_name("model (1).onnx")->text(), "model\\ (1).onnx");
  EXPECT_FALSE(ninja_path("a\nb"));
}

// A name as it is, and one that is quoted for another language, does not compile.
template <class To, class From>
concept Takes = requires(To to, From from) { to += from; };
static_assert(Takes<MakeText, MakeText> && Takes<MakeText, Literal>);
static_assert(!Takes<MakeText, std::string> && !Takes<MakeText, std::string_view> && !Takes<MakeText, ShellText>);
static_assert(!Takes<ShellText, std::string> && !Takes<NinjaText, MakeText> && !Takes<CMakeText, std::string>);
static_assert(!std::is_constructible_v<ShellText, std::string> && !std::is_constructible_v<MakeText, ShellText>);

}  // namespace
}  // namespace byoc
