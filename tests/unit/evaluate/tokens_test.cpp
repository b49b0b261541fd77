// Tokenizer, MurmurHash3 of strings, BifurcationDetector.
#include "tests/unit/evaluate/evaluating.hpp"

namespace byoc::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> tokens(const std::string& texts, const std::string& attributes) {
  Diagnostics diags;
  const auto results =
      run_text(graph_text("const %x : string[2] = [" + texts + "] %y = byoc.Tokenizer.1(%x) {pad_value=\"_\", " +
                          attributes + "} output %y"),
               diags);
  EXPECT_TRUE(results) << all_errors(diags);
  return results ? *(*results)[0].texts : std::vector<std::string>{};
}

TEST(Tokens, ofStrings) {
  EXPECT_THAT(tokens(R"("ab", "c")", R"(mark=0, mincharnum=1, separators=[""])"), ElementsAre("a", "b", "c", "_"));
  EXPECT_THAT(tokens(R"("a;bc", "d")", R"(mark=1, mincharnum=1, separators=[";"])"),
              ElementsAre("\x02", "a", "bc", "\x03", "\x02", "d", "\x03", "_"));
  // Separators one after the other, the longest match of each; short tokens are left out.
  EXPECT_THAT(tokens(R"("a;;bcd,ef", "")", R"(mark=0, mincharnum=2, separators=[";+", ","])"),
              ElementsAre("bcd", "ef", "_", "_"));
  EXPECT_THAT(tokens(R"("a1b22", "3")", R"(mark=0, mincharnum=1, tokenexp="[0-9]+")"),
              ElementsAre("1", "22", "3", "_"));
  // Without any token there are no marks either. An empty match passes a character over.
  EXPECT_THAT(tokens(R"("", "")", R"(mark=1, mincharnum=1, separators=[";"])"), ElementsAre());
  EXPECT_THAT(tokens(R"("bb", "bab")", R"(mark=0, mincharnum=1, tokenexp="a?")"), ElementsAre("_", "a"));
}

TEST(Tokens, wrongAttributes) {
  const auto error = [](const std::string& attributes) {
    return error_of("const %x : string[1] = [\"a\"] %y = byoc.Tokenizer.1(%x) {pad_value=\"_\", mark=0, " + attributes +
                    "}");
  };
  EXPECT_THAT(error("mincharnum=1"), HasSubstr("needs separators or a tokenexp (found neither, expected one of them)"));
  EXPECT_THAT(error(R"(mincharnum=1, tokenexp="a", separators=["b"])"), HasSubstr("(found both"));
  EXPECT_THAT(error(R"(mincharnum=0, tokenexp="a")"), HasSubstr("attribute mincharnum is out of range (found 0"));
  EXPECT_THAT(error(R"(mincharnum=1, tokenexp="(")"), HasSubstr("an attribute is no regular expression"));
  EXPECT_THAT(error(R"(mincharnum=1, separators=["", "b"])"), HasSubstr("a separator is empty beside others"));
}

// By a program in Python.
TEST(Tokens, hashes) {
  EXPECT_THAT(result_of<std::int32_t>("const %x : string[2] = [\"foo\", \"hello\"] "
                                      "%y = byoc.MurmurHash3.1(%x) {positive=0, seed=42} output %y")[1],
              -488910111);
  EXPECT_THAT(result_of<std::uint32_t>("const %x : string[1] = [\"foo\"] %y = byoc.MurmurHash3.1(%x) output %y"),
              ElementsAre(0xf6a5c420U));
}

std::string detector(const std::string& predicted, const std::string& more = "") {
  return "const %s : i64[5] = [1, 2, 3, 4, 3] const %c : i64[1] = [9] const %p : i64[] = [1] " + predicted +
         " %y, %m = byoc.BifurcationDetector.1(%s, %c, %p" + (predicted.empty() ? "" : ", %n") + ")" + more;
}

TEST(Tokens, thatDiffer) {
  // 2 and 3 are as the source has them from place 1 on; 7 is what comes instead of 4.
  const std::string predicted = "const %n : i64[5] = [2, 3, 7, 3, 0]";
  EXPECT_THAT(result_of<std::int64_t>(detector(predicted) + " output %y"), ElementsAre(9, 2, 3, 7));
  EXPECT_THAT(result_of<std::int64_t>(detector(predicted) + " output %m"), ElementsAre(-1));
  // 3 is there twice, 2 3 once: it ends at place 3.
  const std::string matching = "const %n : i64[5] = [2, 3, 4, 3, 4]";
  EXPECT_THAT(result_of<std::int64_t>(detector(matching) + " output %m"), ElementsAre(4));
  EXPECT_THAT(result_of<std::int64_t>(detector("") + " output %y"), ElementsAre(9));
  EXPECT_THAT(error_of(detector("const %n : i64[1] = [2]") + " output %y"),
              HasSubstr("the predicted tokens have the wrong length (found 1, expected 5)"));
  EXPECT_THAT(error_of(detector("", " {min_ngram_size=0}") + " output %y"),
              HasSubstr("min_ngram_size or max_ngram_size is out of range (found 0 and 3"));
}

}  // namespace
}  // namespace byoc::test
