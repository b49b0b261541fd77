#include "sdk/base/support/message.hpp"

#include <gtest/gtest.h>

using namespace byoc;

namespace {

enum class Colour : std::uint32_t { red, green };

std::string message() {
  MessageWriter w;
  w.put<std::int64_t>(-5);
  w.put(2.5);
  w.put(Colour::green);
  w.put("text");
  w.list(std::vector<std::uint32_t>{1, 2, 3});
  w.put(Diagnostic{Level::warning, "file", "node", "message", "found", "expected"});
  return w.take();
}

// Everything in it, whatever comes of it.
bool read(std::string_view bytes) {
  MessageReader r(bytes);
  bool same = r.get<std::int64_t>() == -5;
  same = r.get<double>() == 2.5 && same;
  same = r.choice(Colour::green) == Colour::green && same;
  same = r.text() == "text" && same;
  same = r.numbers<std::uint32_t>() == std::vector<std::uint32_t>{1, 2, 3} && same;
  const Diagnostic d = r.diagnostic();
  same = d.level == Level::warning &&
         d.file + d.node + d.message + d.found + d.expected == "filenodemessagefoundexpected" && same;
  return r.ended() && same;
}

}  // namespace

TEST(Message, ComesBack) { EXPECT_TRUE(read(message())); }

TEST(Message, EveryCutAndEveryChangedByteIsNoticed) {
  const std::string whole = message();
  for (std::size_t n = 0; n < whole.size(); ++n) EXPECT_FALSE(read(std::string_view(whole).substr(0, n))) << n;
  EXPECT_FALSE(read(whole + "x"));
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 0x55);
    EXPECT_FALSE(read(changed)) << at;
  }
}

TEST(Message, EnumeratorsAreInRange) {
  MessageWriter w;
  w.put<std::uint32_t>(2);
  MessageReader r(w.bytes());
  EXPECT_EQ(r.choice(Colour::green), Colour::red);
  EXPECT_FALSE(r.ok());
}
