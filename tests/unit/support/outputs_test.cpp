// Text of others in the languages of outputs: each is read by a program of that language, and is what it was.
// Lines that other programs execute are in quoting_test.cpp.
#include <gtest/gtest.h>

#include <fstream>
#include <optional>

#include "byoc/c_text.hpp"
#include "sdk/base/support/file.hpp"
#include "sdk/base/support/json.hpp"
#include "sdk/base/support/markup.hpp"
#include "sdk/base/support/name_table.hpp"
#include "sdk/base/support/process.hpp"
#include "sdk/base/support/valid_text.hpp"
#include "sdk/base/support/visible.hpp"
#include "tests/unit/support/hostile_texts.hpp"

namespace byoc {
namespace {

std::string hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (const char c : bytes) {
    out += kDigits[static_cast<unsigned char>(c) >> 4U];
    out += kDigits[static_cast<unsigned char>(c) & 15U];
  }
  return out + "\n";
}

// A language, and what its own reader makes of its strings.
struct Language {
  const char* name;
  std::string (*quoted)(std::string_view);   // between double quotes, unless the text before and behind says more
  std::string (*meaning)(std::string_view);  // what is read
  const char *begin, *before, *behind, *end;
  const char* script;  // reads the file "texts" and prints a line of hexadecimal digits for each
  const char* program;
  const char* module;  // of Python, that may be missing; "" for none
};

constexpr const char* kFromPython =
    "import sys\nfor text in read(open('texts', encoding='utf-8', newline='').read()):\n"
    "    print(text.encode().hex())\n";

const Language kLanguages[] = {
    {"JSON", json_escaped, utf8, "[", "\"", "\",", "\"\"]", "from json import loads\nread = lambda t: loads(t)[:-1]\n",
     "python3", "json"},
    {"YAML", json_escaped, utf8, "", "- \"", "\"\n", "", "from yaml import safe_load as read\n", "python3", "yaml"},
    {"TOML", json_escaped, utf8, "a = [\n", "\"", "\",\n", "]\n",
     "from tomllib import loads\nread = lambda t: loads(t)['a']\n", "python3", "tomllib"},
    {"Python", json_escaped, utf8, "[\n", "\"", "\",\n", "]\n", "from ast import literal_eval as read\n", "python3",
     "ast"},
    {"JavaScript", json_escaped, utf8, "'use strict';\nfor (const t of [\n", "\"", "\",\n",
     "]) console.log(Buffer.from(t).toString('hex'));\n", nullptr, "node", ""},
    {"XML", markup_text, visible_multiline, "<a>", "<t n=\"", "\"/>", "</a>",
     "from xml.etree.ElementTree import fromstring\nread = lambda t: [e.get('n') for e in fromstring(t)]\n", "python3",
     "xml.etree.ElementTree"},
    {"XML's content", markup_text, visible_multiline, "<a>", "<t>", "</t>", "</a>",
     "from xml.etree.ElementTree import fromstring\nread = lambda t: [e.text for e in fromstring(t)]\n", "python3",
     "xml.etree.ElementTree"},
    {"HTML", markup_text, visible_multiline, "<!DOCTYPE html><body>", "<p>", "</p>", "</body>",
     "from html.parser import HTMLParser\n"
     "class Reader(HTMLParser):\n"
     "    def handle_starttag(self, tag, attributes):\n"
     "        self.texts += [''] if tag == 'p' else []\n"
     "    def handle_data(self, data):\n"
     "        self.texts[-1] += data\n"
     "def read(text):\n"
     "    reader = Reader()\n"
     "    reader.texts = []\n"
     "    reader.feed(text)\n"
     "    return reader.texts\n",
     "python3", "html.parser"},
};

class Folder {
 public:
  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_->path() + "/" + name, std::ios::binary) << text;
  }
  // What a program prints; nothing where it fails.
  std::optional<std::string> run(std::vector<std::string> words) {
    ProcessOptions options;
    options.directory = folder_->path();
    const auto done = run_process(words, diags_, options);
    return done && done->exit_code == 0 ? std::optional(done->output) : std::nullopt;
  }

 private:
  Diagnostics diags_;
  Result<TemporaryDirectory> folder_ = TemporaryDirectory::create(diags_);
};

class Outputs : public testing::TestWithParam<Language> {};

TEST_P(Outputs, anyTextIsReadAsItWas) {
  const Language& language = GetParam();
  if (find_program(language.program).empty()) GTEST_SKIP() << language.program << " is not installed";
  Folder folder;
  if (*language.module != '\0' && !folder.run({language.program, "-c", std::string("import ") + language.module}))
    GTEST_SKIP() << "Python has no " << language.module;
  std::string text = language.begin, expected;
  for (const std::string& t : test::hostile_texts()) {
    text += language.before + language.quoted(t) + language.behind;
    expected += hex(language.meaning(t));
  }
  folder.write("texts", text + language.end);
  if (language.script != nullptr) folder.write("script", std::string(language.script) + kFromPython);
  EXPECT_EQ(folder.run({language.program, language.script != nullptr ? "script" : "texts"}), expected);
}

INSTANTIATE_TEST_SUITE_P(Languages, Outputs, testing::ValuesIn(kLanguages),
                         [](const auto& row) { return to_identifier(row.param.name); });

// C, and linker scripts, whose comments are the same: names become identifiers or stand in comments.
TEST(Comments, noTextEndsThem) {
  if (find_program("cc").empty() || find_program("ld").empty()) GTEST_SKIP() << "no C compiler";
  Folder folder;
  std::string source, script;
  for (const std::string& t : test::hostile_texts()) {
    const std::string comment = c_comment(t);
    EXPECT_EQ(visible_text(comment), comment);
    source += "/* " + comment + " */\n/*" + comment + " */\n// " + comment + "\n";
    script += "/* " + comment + " */\n";
    EXPECT_TRUE(is_identifier(to_identifier(t))) << t;
  }
  folder.write("a.c", source + "int a;\n");
  folder.write("a.ld", script + "SECTIONS { .text : { *(.text) } }\n");
  EXPECT_TRUE(folder.run({"cc", "-c", "-Wall", "-Werror", "-trigraphs", "a.c", "-o", "a.o"})) << "C";
  EXPECT_TRUE(folder.run({"ld", "-r", "-T", "a.ld", "a.o", "-o", "b.o"})) << "linker script";
}

// What is behind no backslash means nothing in Markdown.
TEST(Markdown, noTextIsMoreThanText) {
  for (const std::string& t : test::hostile_texts()) {
    const std::string out = markdown_text(t);
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (out[i] == '\\') {
        ASSERT_LT(++i, out.size()) << t;
        continue;
      }
      EXPECT_EQ(std::string_view("`*[]#|~<>\n\r\t\"").find(out[i]), std::string_view::npos) << t;
    }
  }
  EXPECT_EQ(markdown_text("ds_cnn, _a_ <b> [c](d)"), "ds_cnn, \\_a\\_ &lt;b&gt; \\[c\\](d)");
}

}  // namespace
}  // namespace byoc
