#include "sdk/target/module/device_blob.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace byoc {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The worked example of the format's description: root "k", whose payload is the string "P", imports the library.
constexpr unsigned char kWorked[] = {
    0x6a, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x6b, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x50, 0x04, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x5f, 0x6c, 0x69, 0x62, 0x0c, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x5f, 0x69, 0x6d,
    0x70, 0x6f, 0x72, 0x74, 0x5f, 0x74, 0x72, 0x65, 0x65, 0x03, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00};

std::vector<std::byte> worked() {
  const auto bytes = std::as_bytes(std::span(kWorked));
  return {bytes.begin(), bytes.end()};
}

// Writes as dmlc streams do.
class Writer {
 public:
  Writer& number(std::uint64_t n) {
    for (std::size_t i = 0; i < 8; ++i) bytes_.push_back(static_cast<std::byte>(n >> (8 * i) & 0xff));
    return *this;
  }
  Writer& string(const std::string& text) { return number(text.size()).raw(text); }
  Writer& raw(const std::string& text) {
    for (const char c : text) bytes_.push_back(static_cast<std::byte>(c));
    return *this;
  }
  Writer& strings(const std::vector<std::string>& all) {
    number(all.size());
    for (const std::string& s : all) string(s);
    return *this;
  }
  Writer& numbers(const std::vector<std::uint64_t>& all) {
    number(all.size());
    for (const std::uint64_t n : all) number(n);
    return *this;
  }
  // float32 [1]
  Writer& tensor() {
    number(0xDD5E40F096B4A13F).number(0).number(1);
    return raw(std::string("\1\0\0\0\2\x20\1\0", 8)).number(1).number(4).raw("abcd");
  }
  Writer& tree(const std::vector<std::uint64_t>& rows, const std::vector<std::uint64_t>& children) {
    return string("_import_tree").numbers(rows).numbers(children);
  }
  // With the length and the number of entries before it.
  [[nodiscard]] std::vector<std::byte> sealed(std::uint64_t entries) const {
    Writer out;
    out.number(bytes_.size() + 8).number(entries);
    out.bytes_.insert(out.bytes_.end(), bytes_.begin(), bytes_.end());
    return out.bytes_;
  }

 private:
  std::vector<std::byte> bytes_;
};

std::vector<std::string> keys(const std::vector<DeviceBlobNode>& nodes) {
  std::vector<std::string> out;
  for (const DeviceBlobNode& n : nodes) out.emplace_back(n.key);
  return out;
}

std::string error_of(const std::vector<std::byte>& block) {
  Diagnostics diags;
  EXPECT_FALSE(read_device_blob(block, "lib.so", diags));
  return diags.all().empty() ? "" : to_string(diags.all().front());
}

TEST(DeviceBlob, ReadsTheWorkedExample) {
  ASSERT_EQ(sizeof kWorked, 114U);
  Diagnostics diags;
  const std::vector<std::byte> block = worked();
  const auto nodes = read_device_blob(block, "lib.so", diags);
  ASSERT_TRUE(nodes) << to_string(diags.all().at(0));
  EXPECT_THAT(keys(*nodes), ElementsAre("k", "_lib"));
  EXPECT_EQ((*nodes)[0].payload.size(), 9U);
  EXPECT_THAT((*nodes)[0].imports, ElementsAre(1U));
  EXPECT_TRUE((*nodes)[1].imports.empty());
}

TEST(DeviceBlob, KnowsWhereEveryKindOfModuleEnds) {
  Writer b;
  b.string("GraphExecutorFactory").string("{}").number(1).strings({"p0"}).tensor().string("default");
  b.string("_lib");
  b.string("metadata").strings({"c0"}).number(1).tensor().strings({"f"}).number(1).strings({"c0"});
  b.string("dnnl_json").string("f").string("{}").strings({"c0"});
  b.string("c").string("int f;").string("c").strings({"f"}).strings({});
  b.string("static_library").string("bytes").strings({"f"});
  b.string("AotExecutorFactory").number(0).strings({}).string("default");
  b.string("VMExecutable").string("code");
  b.tree({0, 2, 4, 4, 4, 4, 4, 4, 5}, {1, 7, 3, 2, 4});
  Diagnostics diags;
  const std::vector<std::byte> block = b.sealed(9);
  const auto nodes = read_device_blob(block, "lib.so", diags);
  ASSERT_TRUE(nodes) << to_string(diags.all().at(0));
  EXPECT_THAT(keys(*nodes), ElementsAre("GraphExecutorFactory", "_lib", "metadata", "dnnl_json", "c", "static_library",
                                        "AotExecutorFactory", "VMExecutable"));
  EXPECT_THAT((*nodes)[1].imports, ElementsAre(3U, 2U));  // in order
}

TEST(DeviceBlob, OlderOnesHaveNoTree) {
  Writer b;
  b.string("dnnl_json")
      .string("f")
      .string("{}")
      .strings({})
      .string("c")
      .string("x")
      .string("c")
      .strings({})
      .strings({});
  Diagnostics diags;
  const std::vector<std::byte> block = b.sealed(2);
  const auto nodes = read_device_blob(block, "lib.so", diags);
  ASSERT_TRUE(nodes);
  EXPECT_THAT(keys(*nodes), ElementsAre("_lib", "dnnl_json", "c"));
  EXPECT_THAT((*nodes)[0].imports, ElementsAre(1U, 2U));
  const std::vector<std::byte> nothing = Writer().sealed(0);
  const auto alone = read_device_blob(nothing, "lib.so", diags);
  ASSERT_TRUE(alone);
  EXPECT_THAT(keys(*alone), ElementsAre("_lib"));
}

TEST(DeviceBlob, ADiamondIsNoCycle) {
  const auto tree = [](const std::vector<std::uint64_t>& rows, const std::vector<std::uint64_t>& children) {
    return Writer().string("a_json").string("").string("").strings({}).string("_lib").tree(rows, children).sealed(3);
  };
  Diagnostics diags;
  const auto block = tree({0, 1, 1}, {1});
  EXPECT_TRUE(read_device_blob(block, "lib.so", diags));
  EXPECT_THAT(error_of(tree({0, 1, 2}, {1, 0})), HasSubstr("import each other in a cycle"));
  EXPECT_THAT(error_of(tree({0, 1, 1}, {2})), HasSubstr("imports one that is not there (found 2, expected below 2)"));
  EXPECT_THAT(error_of(tree({0, 1}, {1})), HasSubstr("is of other modules than there are"));
  EXPECT_THAT(error_of(tree({0, 1, 1}, {})), HasSubstr("is of other modules than there are"));
  EXPECT_THAT(error_of(tree({0, 2, 1}, {1})), HasSubstr("ends before it begins"));
}

TEST(DeviceBlob, EveryPieceIsAnError) {
  const std::vector<std::byte> block = worked();
  for (std::size_t n = 0; n < block.size(); ++n) {
    std::vector<std::byte> piece(block.begin(), block.begin() + static_cast<std::ptrdiff_t>(n));
    EXPECT_THAT(error_of(piece), HasSubstr("has another length than it says")) << n;
    if (n < 16) continue;
    for (std::size_t i = 0; i < 8; ++i) piece[i] = static_cast<std::byte>((n - 8) >> (8 * i) & 0xff);
    // Without its tree it is a file as older versions wrote it.
    if (n != 46) {
      EXPECT_NE(error_of(piece), "") << n;
    }
  }
}

TEST(DeviceBlob, WhatIsWrongIsSaid) {
  EXPECT_THAT(error_of(Writer().string("_lib").string("_lib").tree({0, 1, 1}, {1}).sealed(3)),
              HasSubstr("has several libraries (found 2, expected one)"));
  EXPECT_THAT(error_of(Writer().tree({0}, {}).sealed(1)), HasSubstr("has no module"));
  EXPECT_THAT(error_of(Writer().string("_lib").sealed(1000000)), HasSubstr("has too many modules"));
  EXPECT_THAT(error_of(Writer().string("_lib").sealed(3)), HasSubstr("is damaged"));
  EXPECT_THAT(error_of(Writer().string("c").number(1ull << 60).sealed(1)), HasSubstr("is damaged"));
  // Nothing is looked for without an end.
  EXPECT_THAT(error_of(Writer().string("k").raw(std::string(100000, '\1')).sealed(900)), HasSubstr("is damaged"));
}

}  // namespace
}  // namespace byoc
