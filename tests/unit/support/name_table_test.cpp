#include "sdk/support/name_table.hpp"

#include <gtest/gtest.h>

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

TEST(NameTable, cannotBreakOutOfACommentOrString) {
  EXPECT_EQ(to_comment("a*/b\n"), "a*_b_");
  EXPECT_EQ(to_c_string("a\"b\n"), "\"a\\042b\\012\"");
}

}  // namespace
}  // namespace byoc
