// Names of others in build files and scripts, read by the programs that they are for.
#include "sdk/base/support/quoting.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include "sdk/base/support/file.hpp"

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

  // What a shell prints and its exit code, in the folder.
  std::pair<std::string, int> run(const std::string& command) {
    const std::string line = "cd " + folder_.string() + " && " + command + " 2>&1";
    FILE* const pipe = ::popen(line.c_str(), "r");
    std::string out;
    for (int c = 0; (c = std::fgetc(pipe)) != EOF;) out += static_cast<char>(c);
    return {out, ::pclose(pipe)};
  }
  bool has(const char* program) { return run(std::string("command -v ") + program).second == 0; }

  // Names with each byte in the middle and at both ends, and what makes a line mean something else.
  static std::vector<std::string> hostile_names() {
    std::vector<std::string> out{"a;touch PWNED;b",
                                 "$(shell touch PWNED)",
                                 "${IFS}",
                                 "`touch PWNED`",
                                 "a:=b",
                                 "a =b",
                                 "a|b",
                                 "|",
                                 "a&b",
                                 "*",
                                 "a?",
                                 "[ab]",
                                 "~root",
                                 "a(b)",
                                 "lib(b) c",
                                 "a\\ b",
                                 "a\\\\#b",
                                 "%",
                                 "a%b",
                                 "a\nb: c",
                                 "-include",
                                 "\xe2\x80\xae"
                                 "gnp",
                                 "a b",
                                 "$$",
                                 "a$b c#d:e",
                                 "'q'",
                                 "\"q\""};
    for (int byte = 1; byte < 256; ++byte) {
      const char c = static_cast<char>(byte);
      if (c == '/') continue;
      out.push_back(std::string{'x', c, 'y'} + std::to_string(byte));
      if (c != '.') out.push_back(std::string{c} + "first" + std::to_string(byte));
      out.push_back("last" + std::to_string(byte) + std::string{c});
    }
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
    rules += target + ": \\\n  " + *quoted + "\n\t@:\n";
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
    write(target + ".kept", target + ": \\\n  " + *quoted + "\n");
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
    build += "build t" + std::to_string(++told) + ": r " + *quoted + "\n  text = " + doubled_dollars(shell_word(name)) +
             "\n";
  }
  write("build.ninja", build);
  const auto [out, code] = run("ninja");
  EXPECT_EQ(code, 0) << out;
  EXPECT_FALSE(fs::exists(folder_ / "PWNED"));
}

TEST_F(QuotingTest, aShellSeesOneWord) {
  std::string script;
  int number = 0;
  for (const std::string& name : hostile_names())
    script += "printf %s " + shell_word(name) + " > out" + std::to_string(number++) + "\n";
  write("script.sh", script);
  EXPECT_EQ(run("sh script.sh").second, 0);
  number = 0;
  for (const std::string& name : hostile_names()) {
    std::ifstream in(folder_ / ("out" + std::to_string(number++)), std::ios::binary);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), name);
  }
  EXPECT_FALSE(fs::exists(folder_ / "PWNED"));
  EXPECT_EQ(shell_word(""), "''");
}

TEST_F(QuotingTest, cmakeSeesOneElement) {
  if (!has("cmake")) GTEST_SKIP() << "cmake is not installed";
  std::string script;
  int number = 0;
  for (const std::string& name : hostile_names())
    script += "file(WRITE out" + std::to_string(number++) + " \"" + cmake_text(name) + "\")\n";
  write("script.cmake", script);
  const auto [out, code] = run("cmake -P script.cmake");
  EXPECT_EQ(code, 0) << out;
  EXPECT_FALSE(fs::exists(folder_ / "PWNED"));
}

TEST(Quoting, namesThatMakeCannotBeTold) {
  for (const char* name :
       {"", "a;b", "a=b", "a|b", "a&b", "*", "a?", "[a]", "~", "lib(m)", "a\nb", "a\tb", "a\\b", "a%", "`", "<"})
    EXPECT_FALSE(make_name(name)) << name;
  EXPECT_EQ(make_name("/a b/m$#:.onnx"), "/a\\ b/m$$\\#\\:.onnx");
  EXPECT_EQ(make_name("model (1).onnx"), "model\\ (1).onnx");
  EXPECT_FALSE(ninja_path("a\nb"));
}

}  // namespace
}  // namespace byoc
