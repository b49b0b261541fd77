// Definitions as text.
#include "byoc/c_text.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace byoc {
namespace {

using Names = std::vector<std::string>;

TEST(CDefines, areLinesBeforeTheText) {
  EXPECT_EQ(c_defines({}), "");
  EXPECT_EQ(c_defines(Names{"A", "B=2", "C(x, y)=((x) + (y))", "D="}),
            "#define A 1\n#define B 2\n#define C(x, y) ((x) + (y))\n#define D \n#line 1\n");
}

TEST(CDefines, whatIsNoneIsRefused) {
  for (const char* bad : {"", "=1", "1X", "A-B=1", "A B", "A=1\n#error", "A=\\", "A(x", "A(x)y=1"})
    EXPECT_FALSE(c_defines(Names{bad})) << bad;
}

}  // namespace
}  // namespace byoc
