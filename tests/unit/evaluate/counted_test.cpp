// Results with room for the most there can be, and their counts.
#include "tests/unit/evaluate/evaluating.hpp"

namespace byoc::test {
namespace {

const std::string kCounted = "const %x : f32[2,3] = [0, 3, 0, 5, 0, nan] ";

std::vector<std::int64_t> longs(const std::string& statements) { return result_of<std::int64_t>(statements); }

TEST(Counted, whatIsFoundHasZerosBehindIt) {
  const std::string found = "%y : i64[2,4], %n = byoc.NonZero.1(%x) ";
  EXPECT_THAT(longs(kCounted + found + "output %y"), ElementsAre(0, 1, 1, 0, 1, 0, 2, 0));
  EXPECT_THAT(result_of<std::int32_t>(kCounted + found + "output %n"), ElementsAre(3));
  EXPECT_THAT(
      result_of<std::int32_t>("const %x : i8[5] = [3, 1, 3, 3, 1] %y : i8[5], %f : i64[5], %i, %c : i64[5], %n = "
                              "byoc.Unique.1(%x) output %n"),
      ElementsAre(2));
  EXPECT_THAT(longs("const %x : i8[5] = [3, 1, 3, 3, 1] _, _, _, %c : i64[4], %n = byoc.Unique.1(%x) output %c"),
              ElementsAre(2, 3, 0, 0));
  EXPECT_THAT(floats(kCounted +
                     "const %c : bool[3] = [0, 1, 0] %y : f32[2,3], %n = byoc.Compress.1(%x, %c) {axis=1} output %y"),
              ElementsAre(3, 0, 0, 0, 0, 0));
  EXPECT_THAT(longs(kCounted + "const %k : i64[1] = [1] _, %i : i64[2,3], %n = byoc.TopK.1(%x, %k) output %i"),
              ElementsAre(1, 0, 0, 2, 0, 0));
}

TEST(Counted, withoutACountTheLengthIsWhatTheTypeSays) {
  EXPECT_THAT(longs(kCounted + "%y : i64[2,3] = byoc.NonZero.1(%x) output %y"), ElementsAre(0, 1, 1, 1, 0, 2));
  EXPECT_THAT(error_of(kCounted + "%y : i64[2,4] = byoc.NonZero.1(%x) output %y"),
              HasSubstr("the result is not as long as its type says (found 3, expected 4)"));
  EXPECT_THAT(error_of(kCounted + "%y : i64[2,2], %n = byoc.NonZero.1(%x) output %y"),
              HasSubstr("the result is not as long as its type says (found 3, expected 2)"));
}

TEST(Counted, uniqueTellsLargeIntegersApart) {
  EXPECT_THAT(longs("const %x : i64[3] = [9007199254740993, 9007199254740992, 9007199254740993] "
                    "%y : i64[3], %f, %i, %c, %n = byoc.Unique.1(%x) output %y"),
              ElementsAre(9007199254740992, 9007199254740993, 0));
}

TEST(Counted, notANumberIsTheLargestAndItself) {
  EXPECT_THAT(longs("const %x : f32[4] = [nan, 1, nan, 0] %y, %f, %i = Unique.11(%x) output %i"),
              ElementsAre(2, 1, 2, 0));
}

}  // namespace
}  // namespace byoc::test
