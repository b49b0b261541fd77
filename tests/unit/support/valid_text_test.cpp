#include "sdk/base/support/valid_text.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace byoc {
namespace {

struct Case {
  const TextRule* rule;
  std::vector<std::string> good, bad;
};

TEST(ValidText, rules) {
  const std::string long_name(300, 'a'), with_nul("a\0b", 3);
  const std::vector<Case> cases{
      {&kIdentifier, {"a", "_a9", long_name}, {"", "9a", "a-b", "a b", "a.b", "\xc3\xa4", with_nul}},
      {&kSymbolName, {"_ZN3foo3barEv", "a.llvm.7", "a$b"}, {"", "a b", "a;", "a*", "a\n", "$(x)"}},
      {&kSectionName, {".bss.dtcm", ".a_1"}, {"", ".", "bss", ".a*", ".a b", ".a)"}},
      {&kPlainName,
       {"kws_steps.c", "rv32imc_zba-ilp32", "a+b"},
       {"", ".a", "-a", "..", "a/b", "a b", "$(x)", long_name}},
      {&kPlainPath, {"a.h", "byoc/rt/steps.h"}, {"", "/a", "a//b", "a/../b", "./a", "a/", "a/-b", "a/$b"}},
      {&kOptionValue, {"", "armv8.1-m.main+mve", "a=b"}, {"a b", "a;b", "$a", "a/b", "a,b"}},
      {&kOneLine, {"", "my tools/$x #1", "\xc3\xa4"}, {"a\nb", "a\rb", "\x1b[2J", "\x7f", with_nul}}};
  for (const Case& c : cases) {
    for (const std::string& text : c.good) EXPECT_TRUE(c.rule->fits(text)) << c.rule->expected << ": " << text;
    for (const std::string& text : c.bad) EXPECT_FALSE(c.rule->fits(text)) << c.rule->expected << ": " << text;
  }
}

TEST(ValidText, pathsInsideAFolder) {
  for (const char* path : {"a", "a/b c", "..a/b..", "$x"}) EXPECT_TRUE(is_inside_path(path)) << path;
  for (const char* path : {"", "/a", "..", "a/..", "a/../b", "./a", "a/.", "a//b", "a/", "a\nb"})
    EXPECT_FALSE(is_inside_path(path)) << path;
}

TEST(ValidText, theFieldIsNamed) {
  Diagnostics diags;
  EXPECT_TRUE(check_text("a", kIdentifier, "f.json", "prefix", diags));
  EXPECT_FALSE(check_text("../a", kIdentifier, "f.json", "prefix", diags));
  EXPECT_EQ(to_string(diags.all().at(0)),
            "f.json: error: 'prefix': has text that it cannot have (found '../a', expected an identifier of C)");
}

}  // namespace
}  // namespace byoc
