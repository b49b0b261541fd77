#include "sdk/base/support/name_table.hpp"

#include <gtest/gtest.h>

#include "byoc/c_text.hpp"

namespace byoc {
namespace {

TEST(NameTable, makesIdentifiers) {
  EXPECT_EQ(to_identifier("model/conv:0"), "model_conv_0");
  EXPECT_EQ(to_identifier("3x3"), "x_3x3");
  EXPECT_EQ(to_identifier(""), "x_");
}

TEST(NameTable, claimsEachNameOnceAndNeverAKeyword) {
  NameTable names;
  EXPECT_EQ(names.claim("a/b"), "a_b");
  EXPECT_EQ(names.claim("a.b"), "a_b_2");
  EXPECT_EQ(names.claim("int"), "int_2");
}

TEST(NameTable, givesTheFirstFreeSuffix) {
  NameTable names;
  EXPECT_EQ(names.claim("a_3"), "a_3");
  for (const char* name : {"a", "a_2", "a_4", "a_5"}) EXPECT_EQ(names.claim("a"), name);
  // So many that a search from the start for each would not end.
  std::string last;
  for (int i = 0; i < 300'000; ++i) last = names.claim("b");
  EXPECT_EQ(last, "b_300000");
}

TEST(NameTable, claimsNoNameOfAHeader) {
  NameTable names;
  for (const char* name : {"char8_t", "concept", "requires", "co_await", "INT32_MAX", "SIZE_MAX", "UINT8_C", "LONG_MIN",
                           "WCHAR_MAX", "int_least16_t", "uint_fast8_t", "intptr_t", "offsetof", "NAN", "thread_local"})
    EXPECT_EQ(names.claim(name), std::string(name) + "_2");
  for (const char* name : {"self", "in", "X_MAX", "int8", "A_C", "max", "input_t"}) EXPECT_EQ(names.claim(name), name);
}

TEST(CText, modelTextCannotEndAComment) { EXPECT_EQ(c_comment("a*/b\n/*c?\?/\\"), "a*_b_/_c__/_"); }

TEST(CText, floatsReadBackToTheSameBits) {
  for (float f : {0.1f, 1.0f, -3e-30f, 16777216.0f, 3.4e38f}) EXPECT_EQ(std::stof(c_float(f)), f) << c_float(f);
  EXPECT_EQ(c_float(2), "2.0f");
}

}  // namespace
}  // namespace byoc
