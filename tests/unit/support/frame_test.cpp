#include "sdk/base/support/frame.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace byoc {
namespace {

constexpr FrameFormat kFormat{"thing", "BYOCTHNG", 3};

std::vector<std::byte> framed(std::string_view body) {
  std::vector<std::byte> out(kFrameHeadBytes);
  for (const char c : body) out.push_back(static_cast<std::byte>(c));
  finish_frame(out, kFormat);
  return out;
}

std::string opened(std::span<const std::byte> block, FrameEnd end = FrameEnd::of_block) {
  Diagnostics diags;
  const auto frame = open_frame(block, kFormat, end, "f", diags);
  if (!frame) return to_string(diags.all().at(0));
  return {reinterpret_cast<const char*>(frame->data()) + kFrameHeadBytes, frame->size() - kFrameHeadBytes};
}

TEST(Frame, GivesItsBody) {
  EXPECT_EQ(opened(framed("body")), "body");
  EXPECT_EQ(opened(framed("")), "");
  std::vector<std::byte> more = framed("body");
  more.push_back(std::byte{1});
  EXPECT_EQ(opened(more, FrameEnd::anywhere), "body");
  EXPECT_EQ(opened(more), "f: error: 'thing': does not have the size that it states (found 37 bytes, expected 36)");
}

TEST(Frame, DamageIsNamed) {
  const std::vector<std::byte> good = framed("body");
  const auto changed = [&](std::size_t at) {
    std::vector<std::byte> out = good;
    out[at] ^= std::byte{1};
    return opened(out);
  };
  EXPECT_EQ(opened({}), "f: error: 'thing': does not begin as it should");
  EXPECT_EQ(opened(std::span(good).first(kFrameHeadBytes - 1)), "f: error: 'thing': does not begin as it should");
  EXPECT_EQ(changed(0), "f: error: 'thing': does not begin as it should");
  EXPECT_EQ(changed(24), "f: error: 'thing': does not begin as it should");
  EXPECT_EQ(changed(8), "f: error: 'thing': is of another version (found 2, expected 3)");
  EXPECT_EQ(opened(std::span(good).first(35)),
            "f: error: 'thing': does not have the size that it states (found 35 bytes, expected 36)");
  EXPECT_EQ(changed(12), "f: error: 'thing': is damaged: its checksum is another");
  EXPECT_EQ(changed(35), "f: error: 'thing': is damaged: its checksum is another");
}

TEST(Frame, ThatIsSealedAgainHasItsChecksum) {
  std::vector<std::byte> block = framed("body");
  block[33] = std::byte{'a'};
  seal_frame(block);
  EXPECT_EQ(opened(block), "bady");
  seal_frame(std::span(block).first(35));  // it states more than is there: nothing is written
  EXPECT_EQ(opened(block), "bady");
}

}  // namespace
}  // namespace byoc
