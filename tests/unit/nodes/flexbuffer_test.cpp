// FlexValue against what the FlatBuffers library writes.
#include "byoc/flexbuffer.hpp"

#include <flatbuffers/flexbuffers.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

namespace byoc {
namespace {

std::string finished(flexbuffers::Builder& builder) {
  builder.Finish();
  return {builder.GetBuffer().begin(), builder.GetBuffer().end()};
}

std::string everything() {
  flexbuffers::Builder b;
  b.Map([&] {
    b.Int("negative", -5);
    b.Int("wide", std::int64_t{1} << 40);
    b.UInt("unsigned", 200);
    b.Double("real", 0.1);
    b.Float("half", 0.5F);
    b.Bool("yes", true);
    b.String("text", "some words");
    b.Null("nothing");
    b.IndirectInt("far", -70000);
    b.IndirectFloat("far_real", 2.5F);
    b.Vector("mixed", [&] {
      b.Int(1);
      b.String("two");
      b.Double(3.5);
    });
    const std::int32_t typed[] = {10, -20, 30000};
    b.Vector("typed", typed, 3);
    const float pair[] = {1.5F, -2.5F};
    b.FixedTypedVector("pair", pair, 2);
    b.Map("inner", [&] { b.Int("x", 9); });
    const std::uint8_t bytes[] = {0, 1, 255};
    b.Key("blob");
    b.Blob(bytes, 3);
  });
  return finished(b);
}

TEST(FlexValue, readsWhatTheLibraryWrites) {
  const std::string buffer = everything();
  const FlexValue map = FlexValue::root(buffer);
  ASSERT_TRUE(map.is_map());
  EXPECT_EQ(map.size(), 15U);
  EXPECT_EQ(map.key_at(0), "blob");  // in the order of their names
  EXPECT_EQ(map.find("negative").integer(), -5);
  EXPECT_EQ(map.find("wide").integer(), std::int64_t{1} << 40);
  EXPECT_EQ(map.find("unsigned").integer(), 200);
  EXPECT_EQ(map.find("unsigned").real(), 200.0);
  EXPECT_EQ(map.find("real").real(), 0.1);
  EXPECT_EQ(map.find("half").real(), 0.5);
  EXPECT_EQ(map.find("half").integer(), 0);
  EXPECT_EQ(map.find("yes").integer(), 1);
  EXPECT_EQ(map.find("text").text(), "some words");
  EXPECT_TRUE(map.find("nothing").is_null());
  EXPECT_EQ(map.find("far").integer(), -70000);
  EXPECT_EQ(map.find("far_real").real(), 2.5);
  const FlexValue mixed = map.find("mixed");
  EXPECT_EQ(mixed.size(), 3U);
  EXPECT_EQ(mixed[0].integer(), 1);
  EXPECT_EQ(mixed[1].text(), "two");
  EXPECT_EQ(mixed[2].real(), 3.5);
  EXPECT_TRUE(mixed[3].is_null());
  const FlexValue typed = map.find("typed");
  EXPECT_EQ(typed.size(), 3U);
  EXPECT_EQ(typed[1].integer(), -20);
  EXPECT_EQ(typed[2].integer(), 30000);
  EXPECT_EQ(map.find("pair").size(), 2U);
  EXPECT_EQ(map.find("pair")[1].real(), -2.5);
  EXPECT_EQ(map.find("inner").find("x").integer(), 9);
  EXPECT_EQ(map.find("blob").text(), std::string_view("\0\1\377", 3));
  EXPECT_TRUE(map.find("missing").is_null());
  EXPECT_FALSE(map.find("text").integer());
  EXPECT_FALSE(map.find("negative").text());
}

TEST(FlexValue, aSingleNumber) {
  EXPECT_EQ(FlexValue::root(std::string_view("\1\4\1", 3)).integer(), 1);
  EXPECT_TRUE(FlexValue::root("").is_null());
  EXPECT_TRUE(FlexValue::root(std::string_view("\1\4\3", 3)).is_null());   // no width
  EXPECT_TRUE(FlexValue::root(std::string_view("\1\4\10", 3)).is_null());  // wider than the buffer
}

// Reads all that there is.
std::size_t walk(FlexValue v, int depth) {
  std::size_t seen = v.integer().has_value() + v.real().has_value() + v.text().value_or("").size();
  for (std::size_t i = 0; depth < 4 && i < std::min<std::size_t>(v.size(), 20); ++i)
    seen += v.key_at(i).size() + walk(v[i], depth + 1);
  return seen;
}

TEST(FlexValue, damagedBuffersReadAsSomething) {
  const std::string whole = everything();
  std::mt19937 random(7);
  for (int i = 0; i < 5000; ++i) {
    std::string damaged = whole.substr(random() % 3 == 0 ? random() % whole.size() : 0);
    for (int k = 0; k < 3 && !damaged.empty(); ++k) damaged[random() % damaged.size()] = static_cast<char>(random());
    EXPECT_LT(walk(FlexValue::root(damaged), 0), std::size_t{1} << 24);
  }
}

}  // namespace
}  // namespace byoc
