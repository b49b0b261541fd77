#include "sdk/base/support/nearest.hpp"

#include <gmock/gmock.h>
#include <vector>

#include "sdk/base/support/word_list.hpp"

namespace byoc {
namespace {

TEST(Nearest, WordThatWasMeant) {
  const std::vector<std::string> words{"--target", "--toolchain", "--tap", "export", "-O"};
  EXPECT_EQ(nearest("--taget", words), "--target");
  EXPECT_EQ(nearest("--tagret", words), "--target");
  EXPECT_EQ(nearest("--TARGET", words), "--target");
  EXPECT_EQ(nearest("exprot", words), "export");
  EXPECT_EQ(nearest("--colour", words), "");
  EXPECT_EQ(nearest("x", words), "");
  EXPECT_EQ(nearest("", words), "");
  EXPECT_EQ(nearest("exprot", {}), "");
}

TEST(Nearest, AsAQuestion) {
  const std::vector<std::string> words{"speed", "size"};
  EXPECT_EQ(did_you_mean("sped", words), "; did you mean speed?");
  EXPECT_EQ(did_you_mean("fast", words), "");
}

TEST(WordList, LastWord) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(word_list(Words{}, "or"), "");
  EXPECT_EQ(word_list(Words{"a"}, "or"), "a");
  EXPECT_EQ(word_list(Words{"a", "b"}, "or"), "a or b");
  EXPECT_EQ(word_list(Words{"a", "b", "c"}, "and"), "a, b and c");
}

}  // namespace
}  // namespace byoc
