// Text of others, as a terminal is shown it.
#include "sdk/base/support/visible.hpp"

#include <gtest/gtest.h>

#include "sdk/base/support/diagnostics.hpp"

namespace byoc {
namespace {

TEST(Visible, everyByteAlone) {
  for (int byte = 1; byte < 256; ++byte) {
    const std::string text(1, static_cast<char>(byte));
    const std::string out = visible_text(text);
    if (byte >= 0x20 && byte < 0x7f)
      EXPECT_EQ(out, text);
    else
      EXPECT_EQ(out.substr(0, 2), "\\x") << byte;
  }
}

TEST(Visible, letters) {
  for (const char* text : {"", "a", "ä€𝄞", "日本語", "\xed\x9f\xbf", "\xf4\x8f\xbf\xbf"})
    EXPECT_EQ(visible_text(text), text);
}

TEST(Visible, charactersWithoutAShape) {
  EXPECT_EQ(visible_text("a\nb\tc\r"), "a\\x0ab\\x09c\\x0d");
  EXPECT_EQ(visible_text("\x1b[2J\x7f"), "\\x1b[2J\\x7f");
  EXPECT_EQ(visible_text("\xc2\x9b"), "\\xc2\\x9b");
  for (const char* text : {"\xe2\x80\xae", "\xe2\x80\x8f", "\xe2\x81\xa6", "\xe2\x80\xa8", "\xd8\x9c"})
    EXPECT_EQ(visible_text(text).substr(0, 2), "\\x");
}

TEST(Visible, noUtf8) {
  for (const char* text : {"\x9b", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x80", "\xff"})
    EXPECT_EQ(visible_text(text).find_first_not_of("\\x0123456789abcdef"), std::string::npos) << text;
  EXPECT_EQ(visible_text("\xe2(a"), "\\xe2(a");
}

TEST(Visible, aStreamWaitsForTheRestOfACharacter) {
  VisibleStream stream;
  std::string out;
  for (const char c : std::string("a\n\t€\xe2\x80\xae\x9b"
                                  "b"))
    out += stream.show({&c, 1});
  EXPECT_EQ(out, "a\n\t€\\xe2\\x80\\xae\\x9bb");
}

TEST(Visible, aNameForgesNoLineOfDiagnostics) {
  const std::string line =
      to_string({Level::error, "m.onnx\nx: error: y", "n\xe2\x80\xae", "is wrong", "'a\rb'", "\x1b]0;t\x07", "id\x1b"});
  EXPECT_EQ(line,
            "m.onnx\\x0ax: error: y: error: 'n\\xe2\\x80\\xae': codegen 'id\\x1b': is wrong (found 'a\\x0db', expected "
            "\\x1b]0;t\\x07)");
}

TEST(Visible, aMessageMayHaveSeveralLines) {
  EXPECT_EQ(to_string({Level::error, {}, {}, "ld says:\na.o: error: b\x1b", {}, {}}),
            "error: ld says:\n  a.o: error: b\\x1b");
}

}  // namespace
}  // namespace byoc
