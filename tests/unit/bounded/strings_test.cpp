// Strings as rows of bytes.
#include "tests/unit/bounded/bounding.hpp"

namespace byoc::test {
namespace {

const Room kRoom = {{"", "12B"}};
const char kTwo[] = "input %a \"a\" : string[3] input %b \"b\" : string[3] ";

TEST(BoundedStrings, moveAsRows) {
  const char* kUses[] = {
      "output %a",
      "%y = Concat.13(%a, %b) {axis=-1} output %y",
      "const %i : i64[2] = [2, -3] %y = Gather.13(%a, %i) output %y",
      "const %s : i64[3] = [3, 1, 1] %y = Reshape.13(%a, %s) output %y",
      "const %s : i64[2] = [2, 3] %y = Expand.13(%a, %s) %z = Transpose.13(%y) output %y output %z",
      "const %s : i64[1] = [-2] const %e : i64[1] = [9] const %x : i64[1] = [-1] %y = Slice.13(%a, %s, %e, %x) output "
      "%y",
      "const %r : i64[1] = [2] %y = Tile.13(%a, %r) output %y",
      "const %i : i64[2] = [2, 0] %y = GatherElements.13(%a, %i) {axis=0} output %y",
      "%c = Equal.19(%a, %b) %y = Where.16(%c, %a, %b) output %c output %y",
      "const %w : string[1] = [\"a longer string than those\"] %y = Concat.13(%a, %w) {axis=0} output %y",
      "%y = StringConcat.20(%a, %b) %z = StringConcat.20(%y, %a) output %y output %z",
      "const %w : string[1] = [\"-\"] const %s : i64[2] = [3, 1] %r = Reshape.13(%a, %s) %y = StringConcat.20(%r, %b) "
      "%z = StringConcat.20(%w, %y) output %z",
      "%y, %n = StringSplit.20(%a) output %y output %n",
      "%y, %n = StringSplit.20(%a) {delimiter=\"ab\"} output %y output %n",
      "%y, %n = StringSplit.20(%a) {delimiter=\".\", maxsplit=1} output %y output %n",
      "_, %n = StringSplit.20(%a) {delimiter=\".\"} output %n",
      "%y = StringNormalizer.10(%a) {case_change_action=\"UPPER\"} output %y",
      "%y = StringNormalizer.10(%a) {case_change_action=\"LOWER\", stopwords=[\"ab.c\", \"\"]} output %y",
      "%y = StringNormalizer.10(%a) {is_case_sensitive=1, stopwords=[\"ab.c\", \"x\", \"\", \"  \"]} output %y",
      "const %k : string[3] = [\"x\", \"ab.c\", \"x\"] const %v : i64[3] = [1, 2, 3] const %d : i64[1] = [-1] "
      "%y = ai.onnx.ml.LabelEncoder.2(%a, %k, %v, %d) output %y",
      "const %k : string[2] = [\"x\", \"ab.c\"] const %v : string[2] = [\"one\", \"two\"] const %d : string[1] = "
      "[\"none\"] "
      "%y = ai.onnx.ml.LabelEncoder.2(%a, %k, %v, %d) output %y",
  };
  const std::vector<std::vector<std::string>> values = {
      {"ab.c", "", "x"},
      {"x", "ab.c", "ab.c"},
      {"  ab  cd ", "abab.abcabab", "\xc3\x84\xc3\x9f\xcf\x82\xc3\xbf"},
      {"...", "123456789012", "aBCDe.fg.h"},
      {"", "", ""}};
  for (const char* use : kUses)
    for (const auto& a : values)
      for (const auto& b : values)
        EXPECT_EQ(difference_of(kTwo + std::string(use), kRoom, {texts(a), texts(b)}), "") << use << " " << a[0];
}

TEST(BoundedStrings, numbersBecomeLabels) {
  const std::string use =
      "input %x \"x\" : f32[4] const %k : f32[3] = [1, 2, nan] const %v : string[3] = [\"cat\", \"dog\", \"odd\"] "
      "const %d : string[1] = [\"?\"] %y = ai.onnx.ml.LabelEncoder.2(%x, %k, %v, %d) output %y";
  EXPECT_EQ(difference_of(use, {}, {floats({4}, {1, 2, 3, std::numeric_limits<float>::quiet_NaN()})}), "");
}

// What a classifier calls its classes.
TEST(BoundedStrings, labelsOfTheLargest) {
  const std::string use =
      "input %x \"x\" : f32[2,3] const %l : string[3] = [\"setosa\", \"\", \"virginica\"] "
      "%i = ArgMax.13(%x) {axis=1, keepdims=0} %y = Gather.13(%l, %i) output %y";
  EXPECT_EQ(difference_of(use, {}, {floats({2, 3}, {1, 5, 2, 1, 1, 7})}), "");
  EXPECT_EQ(difference_of(use, {}, {floats({2, 3}, {9, 5, 2, 0, 1, 0})}), "");
}

TEST(BoundedStrings, areRowsThatEndWithAZero) {
  const Bounded b = run_bounded(kTwo + std::string("output %a"), {{"a", "4B"}, {"", "2B"}},
                                {texts({"abcd", "", "x"}), texts({"", "", ""})});
  EXPECT_EQ(b.error, "");
  EXPECT_THAT(b.text, HasSubstr("\"a\" : u8[3,5]"));
  EXPECT_THAT(b.text, HasSubstr("\"b\" : u8[3,3]"));
  EXPECT_THAT(b.text, HasSubstr("bounded output a string 0 1"));
}

// Whatever a caller leaves behind the end of a string.
TEST(BoundedStrings, bytesBehindTheEndDoNotCount) {
  Diagnostics diags;
  const auto g = prepared("input %a \"a\" : string[2] input %b \"b\" : string[2] %y = Equal.19(%a, %b) output %y",
                          {{"", "3B"}}, false, diags);
  ASSERT_TRUE(g) << error_text(diags);
  const std::vector<Tensor> in{tensor<std::uint8_t>(DType::u8, {2, 4}, {'a', 0, 'x', 'y', 'a', 'b', 'c', 'd'}),
                               tensor<std::uint8_t>(DType::u8, {2, 4}, {'a', 0, 'z', 0, 'a', 'b', 'c', 0})};
  const auto y = evaluate::run(*g, in, diags);
  ASSERT_TRUE(y);
  EXPECT_EQ(difference((*y)[0], tensor<std::uint8_t>(DType::boolean, {2}, {1, 1}), {}), "");
}

TEST(BoundedStrings, inASequence) {
  const std::string use =
      "input %s \"s\" : seq(string[2]) input %p \"p\" : i64[] %x = SequenceAt.11(%s, %p) %y = SequenceErase.11(%s, %p) "
      "output %x output %y";
  const Tensor s = evaluate::sequence_of(DType::string, {texts({"one", "two"}), texts({"three", ""})});
  for (std::int64_t p = -2; p < 2; ++p) EXPECT_EQ(difference_of(use, {{"s", "3,6B"}}, {s, integer(p)}), "") << p;
}

TEST(BoundedStrings, patterns) {
  const char* kPatterns[] = {"",
                             "abc",
                             "a*b+c?",
                             "(ab|cd)*",
                             "[a-c]{2,3}x",
                             "[^a]+",
                             "^a.c$",
                             "\\\\d+\\\\.\\\\d*",
                             "a{3}",
                             "(a|b)*abb",
                             "[]a-]+",
                             "[\\\\w.]+@\\\\w+",
                             "(?:x|y){0,2}z",
                             ".*\xc3\xa4.*",
                             "\\\\S+ \\\\S+",
                             "a+?b*?",
                             "[^\\\\d]*",
                             "x|",
                             "(\\\\W|^)[\\\\w.\\\\-]{0,3}@(a|b)(\\\\W|$)",
                             "a^b|$",
                             "(^a|b)*$",
                             "^$|(^|a)b",
                             "a{0}b",
                             "(a{2,}|b)c"};
  const char* kAlphabet[] = {"a", "b", "c", "x", "z", "1", ".", "@", " ", "\xc3\xa4", "\n", "d", "]", "-"};
  std::vector<std::string> all{"", "abc", "aabbc", "abcd", "3.14", "a@b", "abb", "xyz", "ab cd", "aaa", "b", "aac"};
  for (std::uint32_t i = 0; i < 400; ++i) {
    std::string text;
    for (std::uint32_t r = i * 2654435761U; text.size() < i % 9; r = r * 1664525U + 1013904223U)
      text += kAlphabet[(r >> 16) % std::size(kAlphabet)];
    all.push_back(text);
  }
  const std::string count = std::to_string(all.size());
  for (const char* pattern : kPatterns)
    EXPECT_EQ(difference_of("input %a \"a\" : string[" + count + "] %y = RegexFullMatch.20(%a) {pattern=\"" +
                                std::string(pattern) + "\"} output %y",
                            kRoom, {texts(all)}),
              "")
        << pattern;
}

TEST(BoundedStrings, refusals) {
  const auto refusal = [](const std::string& statements, const Room& room) {
    Diagnostics diags;
    EXPECT_FALSE(prepared(statements, room, false, diags)) << statements;
    return error_text(diags);
  };
  EXPECT_THAT(refusal("input %a \"a\" : string[3] output %a", {}),
              HasSubstr("is a tensor of strings, which only an executor for hosts takes"));
  EXPECT_THAT(refusal("input %a \"a\" : string[3] %y = RegexFullMatch.20(%a) {pattern=\"(?i)a\"} output %y", kRoom),
              HasSubstr("is a tensor of strings"));
  EXPECT_THAT(run_bounded("input %a \"a\" : string[1] output %a", {{"a", "2B"}}, {texts({"abc"})}).error,
              HasSubstr("has a string that is longer than there is room for (found 3 bytes, expected at most 2"));
  EXPECT_THAT(
      run_bounded("input %a \"a\" : string[1] output %a", {{"a", "4B"}}, {texts({std::string("a\0b", 3)})}).error,
      HasSubstr("has a string with a byte of 0 in it"));
}

}  // namespace
}  // namespace byoc::test
