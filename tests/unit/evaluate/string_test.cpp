// Tensors of strings.
#include "tests/unit/evaluate/evaluating.hpp"

namespace byoc::test {
namespace {

using Texts = std::vector<std::string>;

Texts texts_of(const std::string& statements) {
  Diagnostics diags;
  const auto results = run_text(graph_text(statements + " output %y"), diags);
  EXPECT_TRUE(results) << all_errors(diags);
  return results ? *(*results)[0].texts : Texts{};
}

const char kAbc[] = "const %x : string[2,2] = [\"b\", \"a\", \"\", \"c\"] ";

TEST(String, elementsAreMoved) {
  EXPECT_EQ(texts_of(std::string(kAbc) + "%y = Transpose.13(%x)"), (Texts{"b", "", "a", "c"}));
  EXPECT_EQ(texts_of(std::string(kAbc) + "%y : string[4,2] = Concat.13(%x, %x) {axis=0}").size(), 8U);
  EXPECT_EQ(texts_of(std::string(kAbc) + "const %i : i64[2] = [1, 0] %y = Gather.13(%x, %i) {axis=1}"),
            (Texts{"a", "b", "c", ""}));
  EXPECT_EQ(texts_of(std::string(kAbc) + "const %s : i64[1] = [-1] %y = Reshape.13(%x, %s)"),
            (Texts{"b", "a", "", "c"}));
  EXPECT_EQ(texts_of(std::string(kAbc) + "const %p : i64[4] = [0, 0, 0, 1] %y = Pad.13(%x, %p)"),
            (Texts{"b", "a", "", "", "c", ""}));
  EXPECT_EQ(texts_of(std::string(kAbc) + "%y = Unique.11(%x)"), (Texts{"", "a", "b", "c"}));
  EXPECT_EQ(texts_of(std::string(kAbc) + "%y = Identity.13(%x)"), (Texts{"b", "a", "", "c"}));
  EXPECT_THAT(result_of<std::int64_t>(std::string(kAbc) + "%y = Shape.13(%x) output %y"), ElementsAre(2, 2));
}

TEST(String, elementsAreNotComputedWith) {
  EXPECT_THAT(error_of(std::string(kAbc) + "%y = Relu.6(%x) output %y"), HasSubstr("found string"));
  EXPECT_THAT(error_of(std::string(kAbc) + "const %i : i64[1,2] = [0, 0] const %u : string[1,2] = [\"u\", \"v\"] "
                                           "%y = ScatterElements.18(%x, %i, %u) {reduction=\"add\"} output %y"),
              HasSubstr("strings cannot be combined (found reduction add"));
}

TEST(String, equalComparesThem) {
  EXPECT_THAT(bytes_of(std::string(kAbc) + "const %a : string[2] = [\"b\", \"c\"] %y = Equal.19(%x, %a) output %y"),
              ElementsAre(1, 0, 0, 1));
}

TEST(String, concatJoinsEachPair) {
  EXPECT_EQ(texts_of(std::string(kAbc) + "const %s : string[] = [\"!\"] %y = StringConcat.20(%x, %s)"),
            (Texts{"b!", "a!", "!", "c!"}));
  EXPECT_THAT(
      error_of(std::string(kAbc) + "const %s : string[3] = [\"\", \"\", \"\"] %y = StringConcat.20(%x, %s) output %y"),
      HasSubstr("do not broadcast"));
}

Texts split(const std::string& text, const std::string& attributes) {
  return texts_of("const %x : string[1] = [\"" + text + "\"] %y, %n = StringSplit.20(%x) {" + attributes + "}");
}

TEST(String, splitCutsAtDelimiters) {
  EXPECT_EQ(split("a--b", "delimiter=\"-\""), (Texts{"a", "", "b"}));
  EXPECT_EQ(split("a-b-c", "delimiter=\"-\", maxsplit=1"), (Texts{"a", "b-c"}));
  EXPECT_EQ(split("  a  b ", ""), (Texts{"a", "b"}));
  EXPECT_EQ(split(" a  b  c ", "maxsplit=1"), (Texts{"a", "b  c "}));
  EXPECT_EQ(split("", "delimiter=\"-\""), (Texts{""}));
  EXPECT_EQ(split(" ", ""), Texts{});
  EXPECT_EQ(texts_of("const %x : string[2] = [\"a b\", \"c\"] %y : string[2,2], %n : i64[2] = StringSplit.20(%x)"),
            (Texts{"a", "b", "c", ""}));
  EXPECT_THAT(result_of<std::int64_t>("const %x : string[2] = [\"a b\", \"\"] %y, %n = StringSplit.20(%x) output %n"),
              ElementsAre(2, 0));
}

Texts normalised(const std::string& words, const std::string& attributes) {
  return texts_of("const %x : string[3] = " + words + " %y = StringNormalizer.10(%x) {" + attributes + "}");
}

TEST(String, normalizerDropsWordsAndChangesCase) {
  const std::string days = R"(["Monday", "tuesday", "ÄÖÿ"])";
  EXPECT_EQ(normalised(days, R"(is_case_sensitive=1, stopwords=["monday"])"), (Texts{"Monday", "tuesday", "ÄÖÿ"}));
  EXPECT_EQ(normalised(days, R"(stopwords=["MONDAY"], case_change_action="UPPER")"), (Texts{"TUESDAY", "ÄÖŸ"}));
  EXPECT_EQ(normalised(days, R"(case_change_action="LOWER")"), (Texts{"monday", "tuesday", "äöÿ"}));
  EXPECT_EQ(normalised(days, R"(stopwords=["monday", "tuesday", "äöÿ"])"), Texts{""});
  const std::string head = "const %x : string[2,2] = [\"\", \"\", \"\", \"\"] ";
  EXPECT_THAT(error_of(head + "%y = StringNormalizer.10(%x) output %y"), HasSubstr("the input must be one row"));
  EXPECT_THAT(error_of("const %x : string[1] = [\"I\"] %y = StringNormalizer.10(%x) {locale=\"tr_TR\"} output %y"),
              HasSubstr("letters of this locale are not supported (found tr_TR"));
}

TEST(String, patternsMatchTheWholeText) {
  const auto match = [](const std::string& text, const std::string& pattern) {
    return bytes_of("const %x : string[1] = [\"" + text + "\"] %y = RegexFullMatch.20(%x) {pattern=\"" + pattern +
                    "\"} output %y");
  };
  EXPECT_THAT(match("www.google.com", "www[.][a-z]+[.]com"), ElementsAre(1));
  EXPECT_THAT(match("xwww.google.com", "www[.][a-z]+[.]com"), ElementsAre(0));
  // Takes for ever where a pattern is tried step by step.
  EXPECT_THAT(match(std::string(5000, 'a') + "b", "(a*)*"), ElementsAre(0));
  EXPECT_THAT(error_of("const %x : string[1] = [\"\"] %y = RegexFullMatch.20(%x) {pattern=\"(\"} output %y"),
              HasSubstr("attribute pattern is no regular expression (found (: "));
}

TEST(String, castsRead) {
  const std::string x = R"(const %x : string[6] = ["1.5", "-2e3", "INF", "-inf", "NaN", "+7"] )";
  const auto read = floats(x + "%y = Cast.13(%x) {to=1} output %y");
  EXPECT_THAT(std::vector(read.begin(), read.begin() + 4), ElementsAre(1.5F, -2000.F, INFINITY, -INFINITY));
  EXPECT_TRUE(std::isnan(read[4]));
  EXPECT_EQ(read[5], 7);
  EXPECT_THAT(
      result_of<std::int64_t>("const %x : string[2] = [\"9007199254740993\", \"100.5\"] %y = Cast.13(%x) {to=7} "
                              "output %y"),
      ElementsAre(9007199254740993, 100));
  EXPECT_THAT(error_of("const %x : string[1] = [\"one\"] %y = Cast.13(%x) {to=1} output %y"),
              HasSubstr("a string is no number (found 'one', expected f32)"));
}

TEST(String, castsWrite) {
  EXPECT_EQ(texts_of("const %x : f32[8] = [0.1, 1.0, -0.0, 1e-05, 123456.79, 1e16, inf, nan(0x7fc00000)] "
                     "%y = Cast.13(%x) {to=8}"),
            (Texts{"0.1", "1.0", "-0.0", "1e-05", "123456.79", "1e+16", "inf", "nan"}));
  EXPECT_EQ(texts_of("const %x : f16[1] = hex\"662e\" %y = Cast.13(%x) {to=8}"), (Texts{"0.1"}));
  EXPECT_EQ(texts_of("const %x : i64[2] = [-5, 10] %y = Cast.13(%x) {to=8}"), (Texts{"-5", "10"}));
  EXPECT_EQ(texts_of("const %x : bool[2] = [0, 1] %y = Cast.13(%x) {to=8}"), (Texts{"False", "True"}));
}

TEST(String, labelsAreLookedUp) {
  const std::string keys = "const %k : string[2] = [\"a\", \"b\"] const %v : i64[2] = [5, 6] const %d : i64[1] = [-1] ";
  EXPECT_THAT(result_of<std::int64_t>(keys + "const %x : string[3] = [\"b\", \"c\", \"a\"] "
                                             "%y = ai.onnx.ml.LabelEncoder.4(%x, %k, %v, %d) output %y"),
              ElementsAre(6, -1, 5));
  EXPECT_EQ(texts_of("const %k : f32[2] = [nan(0x7fc00000), 1.0] const %v : string[2] = [\"none\", \"one\"] "
                     "const %d : string[1] = [\"?\"] const %x : f32[3] = [1.0, 2.0, nan(0x7fc00001)] "
                     "%y = ai.onnx.ml.LabelEncoder.4(%x, %k, %v, %d)"),
            (Texts{"one", "?", "none"}));
  EXPECT_THAT(error_of(keys + "const %x : i64[1] = [1] %y = ai.onnx.ml.LabelEncoder.4(%x, %k, %v, %d) output %y"),
              HasSubstr("different element types"));
  EXPECT_THAT(error_of(keys + "const %w : i64[1] = [1] %y = ai.onnx.ml.LabelEncoder.4(%k, %k, %w, %d) output %y"),
              HasSubstr("there must be a value for each key"));
}

TEST(String, gramsAreCounted) {
  const std::string pool =
      " {mode=\"TF\", min_gram_length=1, max_gram_length=2, max_skip_count=0, ngram_counts=[0, 2], "
      "ngram_indexes=[0, 1, 2], pool_strings=[\"a\", \"b\", \"a\", \"b\"]} output %y";
  EXPECT_THAT(floats("const %x : string[4] = [\"a\", \"b\", \"c\", \"a\"] %y = TfIdfVectorizer.9(%x)" + pool),
              ElementsAre(2, 1, 1));
  EXPECT_THAT(error_of("const %x : i64[1] = [1] %y = TfIdfVectorizer.9(%x)" + pool),
              HasSubstr("there must be one pool, of the input's elements"));
}

}  // namespace
}  // namespace byoc::test
