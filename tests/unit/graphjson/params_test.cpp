#include "sdk/program/graphjson/params.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

namespace byoc {
namespace {

using ::testing::HasSubstr;

// "3f a1 | 00*8 | ..." as the format's description has it.
std::vector<std::byte> hex(const std::string& text) {
  std::vector<std::byte> out;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    if (text[i] == ' ') {
      --i;
      continue;
    }
    out.push_back(static_cast<std::byte>(std::stoi(text.substr(i, 2), nullptr, 16)));
  }
  return out;
}

constexpr const char* kZeros = "00 00 00 00 00 00 00 00 ";

std::string tensor_of_one_and_two() {
  return std::string("3f a1 b4 96 f0 40 5e dd ") + kZeros + "01 00 00 00 00 00 00 00 01 00 00 00 02 20 01 00 " +
         "02 00 00 00 00 00 00 00 08 00 00 00 00 00 00 00 00 00 80 3f 00 00 00 40 ";
}

std::string head(int count) {
  return std::string("b7 9c 04 05 4f 8d e5 f7 ") + kZeros + "0" + std::to_string(count) + " 00 00 00 00 00 00 00 ";
}

std::string count(int n) { return "0" + std::to_string(n) + " 00 00 00 00 00 00 00 "; }

// The dictionary of 98 bytes: {"p0": float32 [2] {1, 2}}.
std::vector<std::byte> one() { return hex(head(1) + count(2) + "70 30 " + count(1) + tensor_of_one_and_two()); }

TEST(Params, ReadsTheBytesOfTheFormat) {
  const std::vector<std::byte> file = one();
  ASSERT_EQ(file.size(), 98U);
  Diagnostics diags;
  const auto params = read_params(file, "m.params", diags);
  ASSERT_TRUE(params) << to_string(diags.all().at(0));
  ASSERT_EQ(params->size(), 1U);
  EXPECT_EQ((*params)[0].name, "p0");
  EXPECT_EQ(shape_text((*params)[0].type, (*params)[0].shape), "float32[2]");
  float values[2];
  ASSERT_EQ((*params)[0].bytes.size(), sizeof values);
  std::memcpy(values, (*params)[0].bytes.data(), sizeof values);
  EXPECT_EQ(values[0], 1.0F);
  EXPECT_EQ(values[1], 2.0F);
}

TEST(Params, WritesTheBytesOfTheFormatSortedByName) {
  const std::vector<std::byte> file = one();
  Diagnostics diags;
  const auto read = read_params(file, "m.params", diags);
  ASSERT_TRUE(read);
  EXPECT_EQ(write_params(*read), file);
  std::vector<Param> two{(*read)[0], (*read)[0]};
  two[1].name = "a0";
  const std::vector<std::byte> written = write_params(two);
  const auto again = read_params(written, "m.params", diags);
  ASSERT_TRUE(again);
  EXPECT_EQ((*again)[0].name, "a0");
  EXPECT_EQ((*again)[1].name, "p0");
}

// {x: (10, 2), y: (1, 2, 3)}, the same array under both names, byte by byte as the format has them: what is read is
// that, and what is written of it is the same file.
TEST(Params, B29ReadsWhatOthersWrote) {
  std::string file;
  const auto number = [&](std::uint64_t n, int bytes) {
    for (int i = 0; i < bytes; ++i) file += static_cast<char>(n >> (8 * i) & 0xff);
  };
  std::string values;
  for (char i = 0; i < 80; ++i) values += i;
  number(0xF7E58D4F05049CB7, 8);
  number(0, 8);
  number(2, 8);
  for (const char name : {'x', 'y'}) {
    number(1, 8);
    file += name;
  }
  number(2, 8);
  for (const auto& shape : {std::vector<std::uint64_t>{10, 2}, {1, 2, 3}}) {
    number(0xDD5E40F096B4A13F, 8);
    number(0, 8);
    number(1, 4);
    number(0, 4);
    number(shape.size(), 4);
    file += {2, 32, 1, 0};  // float32
    std::uint64_t bytes = 4;
    for (const std::uint64_t d : shape) {
      number(d, 8);
      bytes *= d;
    }
    number(bytes, 8);
    file += values.substr(0, bytes);
  }
  Diagnostics diags;
  const auto read = read_params(std::as_bytes(std::span(file)), "f", diags);
  ASSERT_TRUE(read) << to_string(diags.all().front());
  ASSERT_EQ(read->size(), 2U);
  EXPECT_EQ((*read)[0].name, "x");
  EXPECT_EQ((*read)[0].shape, (std::vector<std::int64_t>{10, 2}));
  EXPECT_EQ((*read)[1].shape, (std::vector<std::int64_t>{1, 2, 3}));
  const auto text = [](std::span<const std::byte> b) {
    return std::string(reinterpret_cast<const char*>(b.data()), b.size());
  };
  EXPECT_EQ(text((*read)[0].bytes), values);
  EXPECT_EQ(text((*read)[1].bytes), values.substr(0, 24));
  EXPECT_EQ(text(write_params(*read)), file);
}

// The same, and more, by byoc's own writer.
TEST(Params, B29KeepsEveryEntry) {
  std::vector<std::byte> bytes(10 * 2 * 4);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i);
  const byoc_dl_data_type_t f32{BYOC_DL_FLOAT, 32, 1};
  const std::span<const std::byte> all(bytes);
  const std::vector<std::byte> file = write_params({{"x", f32, {10, 2}, all},
                                                    {"y", f32, {1, 2, 3}, all.first(24)},
                                                    {"same", f32, {10, 2}, all},
                                                    {"s", f32, {}, all.first(4)}});
  Diagnostics diags;
  const auto read = read_params(file, "f", diags);
  ASSERT_TRUE(read);
  ASSERT_EQ(read->size(), 4U);
  EXPECT_EQ((*read)[0].name, "s");
  EXPECT_TRUE((*read)[0].shape.empty());
  EXPECT_EQ((*read)[1].name, "same");
  EXPECT_TRUE(std::equal((*read)[1].bytes.begin(), (*read)[1].bytes.end(), (*read)[2].bytes.begin()));
  EXPECT_EQ((*read)[3].shape, (std::vector<std::int64_t>{1, 2, 3}));
  EXPECT_TRUE(std::equal((*read)[3].bytes.begin(), (*read)[3].bytes.end(), bytes.begin()));
}

std::string error_of(const std::vector<std::byte>& file) {
  Diagnostics diags;
  EXPECT_FALSE(read_params(file, "f", diags));
  return diags.all().empty() ? "" : to_string(diags.all().front());
}

TEST(Params, EveryPieceOfAFileIsAnError) {
  const std::vector<std::byte> file = one();
  for (std::size_t n = 0; n < file.size(); ++n)
    EXPECT_NE(error_of({file.begin(), file.begin() + static_cast<std::ptrdiff_t>(n)}), "") << n;
}

struct Damage {
  std::size_t at;
  unsigned char byte;
  const char* message;
};

TEST(Params, WhatIsWrongIsSaid) {
  constexpr Damage kDamages[] = {
      {0, 0, "is no file of parameters"},
      {34, 2, "has different numbers of tensors and names"},
      {42, 0, "is no tensor"},
      {58, 2, "is on a device that is not the CPU"},
      {66, 200, "a number of dimensions that is out of range"},
      {70, 3, "has an unknown element type"},
      {71, 0, "has an unknown element type"},
      {72, 2, "has an unknown element type"},
      {74, 3, "has another size than its shape"},
      {81, 0x80, "has another size than its shape"},
      {82, 9, "has another size than its shape"},
  };
  for (const Damage& d : kDamages) {
    std::vector<std::byte> file = one();
    file[d.at] = static_cast<std::byte>(d.byte);
    EXPECT_THAT(error_of(file), HasSubstr(d.message)) << d.at;
  }
  std::vector<std::byte> longer = one();
  longer.push_back({});
  EXPECT_THAT(error_of(longer), HasSubstr("1 bytes follow the last parameter"));
  EXPECT_THAT(error_of(hex(head(2) + count(1) + "70 " + count(1) + "70 " + count(2))),
              HasSubstr("two parameters have this name"));
  EXPECT_THAT(error_of(hex(head(1) + "ff ff ff ff ff ff ff ff ")), HasSubstr("ends early"));
}

}  // namespace
}  // namespace byoc
