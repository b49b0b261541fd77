// Strings as rows of bytes.
#include <gmock/gmock.h>

#include <random>

#include "tests/support/text_bench.hpp"

namespace byoc::test {
namespace {

// UTF-8.
void append(std::vector<std::int64_t>& out, std::uint32_t code) {
  if (code < 0x80) {
    out.push_back(code);
  } else if (code < 0x800) {
    out.insert(out.end(), {std::int64_t{0xc0} | code >> 6, std::int64_t{0x80} | (code & 0x3f)});
  } else {
    out.insert(out.end(), {std::int64_t{0xe0} | code >> 12, std::int64_t{0x80} | (code >> 6 & 0x3f),
                           std::int64_t{0x80} | (code & 0x3f)});
  }
}

// Every letter that has a case, and every one that has none, in rows of 15 bytes and the 0.
TEST(Text, allLetters) {
  std::vector<std::int64_t> bytes;
  for (std::uint32_t code = 1; code < 0x10000; code += 5) {
    std::vector<std::int64_t> row;
    for (std::uint32_t c = code; c < std::min<std::uint32_t>(code + 5, 0x10000); ++c) append(row, c);
    row.resize(16);
    bytes.insert(bytes.end(), row.begin(), row.end());
  }
  const std::string shape = "u8[" + std::to_string(bytes.size() / 16) + ",16]";
  const std::string text = "input %x : " + shape + " %u : " + shape + " = byoc.TextCase.1(%x) {upper=1} %l : " + shape +
                           " = byoc.TextCase.1(%x) {upper=0} output %u output %l";
  EXPECT_EQ(TextBench(text).give("x", bytes).check(host_machine()), "");
}

// What is no UTF-8, and rows without a 0 at their end.
TEST(Text, anyBytes) {
  std::mt19937 random(3);
  for (int round = 0; round < 20; ++round) {
    std::vector<std::int64_t> bytes(40 * 9);
    for (std::int64_t& b : bytes) {
      const std::uint64_t kinds[] = {0xc3, 0xe1, 0x80 + random() % 64, 'a' + random() % 26, random() % 256, 0xce};
      b = kinds[random() % std::size(kinds)];
    }
    const std::string text =
        "input %x : u8[40,9] %u : u8[40,9] = byoc.TextCase.1(%x) {upper=1} %l : u8[40,9] = byoc.TextCase.1(%x) output "
        "%u output %l";
    EXPECT_EQ(TextBench(text).give("x", bytes).check(host_machine()), "");
  }
}

TEST(Text, pieces) {
  std::mt19937 random(4);
  for (const char* attributes :
       {"{pieces=12}", "{pieces=12, delimiter=\" \"}", "{pieces=12, delimiter=\"ab\"}", "{pieces=12, maxsplit=1}",
        "{pieces=12, delimiter=\"a\", maxsplit=2}", "{pieces=12, delimiter=\"a\", maxsplit=0}"})
    for (int round = 0; round < 10; ++round) {
      std::vector<std::int64_t> bytes(30 * 11);
      for (std::int64_t& b : bytes) b = "ab \t\n\0xab"[random() % 9];
      const std::string text =
          "input %x : u8[30,11] %y : u8[30,12,11], %n : i64[30], %m : i32[] = byoc.TextSplit.1(%x) " +
          std::string(attributes) +
          " _, %k : i64[30] = byoc.TextSplit.1(%x) {pieces=12} output %y output %n output %m output %k";
      EXPECT_EQ(TextBench(text).give("x", bytes).check(host_machine()), "") << attributes;
    }
}

}  // namespace
}  // namespace byoc::test
