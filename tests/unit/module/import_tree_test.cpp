#include "sdk/target/module/import_tree.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <random>

#include "sdk/base/support/frame.hpp"

namespace byoc {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Module module_of_kind(const std::string& name, ModuleKind kind, std::vector<std::size_t> imports,
                      std::vector<Symbol> symbols = {}) {
  Module m{.content = content_of(kind), .name = name, .symbols = std::move(symbols), .imports = std::move(imports)};
  m.bytes = Blob::own(std::vector<std::byte>(name.size(), std::byte{'#'}));
  if (kind == ModuleKind::opaque) m.content = LoaderData{"acme_graph"};
  return m;
}

// The root imports b before a; both import the opaque one.
ModuleTree diamond() {
  return {
      {module_of_kind("root", ModuleKind::c, {2, 1}, {{"run"}, {"table", false}}),
       module_of_kind("a", ModuleKind::llvm, {3}, {{"fa"}}),
       module_of_kind("b", ModuleKind::object, {3}, {{"fb"}, {"fa"}}), module_of_kind("net", ModuleKind::opaque, {})},
      {}};
}

std::string text_of_bytes(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string said(std::vector<std::byte> block) {
  Diagnostics diags;
  return read_import_tree(block, "lib.so", diags) ? "" : to_string(diags.all().at(0));
}

void set(std::vector<std::byte>& block, std::size_t at, unsigned value) {
  for (std::size_t i = 0; i < 4; ++i) block[at + i] = static_cast<std::byte>(value >> (8 * i) & 0xff);
}

TEST(ImportTree, OrderAndDiamondsAreKept) {
  const auto block = write_import_tree(diamond(), "{}");
  EXPECT_EQ(block, write_import_tree(diamond(), "{}"));
  if (const char* folder = std::getenv("BYOC_KEEP_MODELS"))  // where the fuzzer starts
    std::ofstream(std::string(folder) + "/diamond")
        .write(reinterpret_cast<const char*>(block.data()), static_cast<std::streamsize>(block.size()));
  Diagnostics diags;
  auto nodes = read_import_tree(block, "lib.so", diags);
  ASSERT_TRUE(nodes);
  ASSERT_EQ(nodes->size(), 4u);
  EXPECT_EQ((*nodes)[0].name, "root");
  EXPECT_THAT((*nodes)[0].imports, ElementsAre(2, 1));
  EXPECT_THAT((*nodes)[0].functions, ElementsAre("run"));
  EXPECT_THAT((*nodes)[2].functions, ElementsAre("fb", "fa"));
  EXPECT_EQ((*nodes)[2].kind, ModuleKind::object);
  EXPECT_TRUE((*nodes)[2].bytes.empty());
  EXPECT_EQ(text_of_bytes((*nodes)[0].bytes), "{}");
  const ImportNode& net = (*nodes)[3];
  EXPECT_EQ(net.loader, "acme_graph");
  EXPECT_EQ(text_of_bytes(net.bytes), "###");
  EXPECT_EQ((net.bytes.data() - block.data()) % 16, 0);
  EXPECT_THAT(net.imports, IsEmpty());
}

TEST(ImportTree, WhatIsDamagedIsNamed) {
  const auto good = write_import_tree(diamond(), "{}");
  const auto changed = [&](std::size_t at, unsigned value) {
    auto block = good;
    set(block, at, value);
    seal_frame(block);
    return said(block);
  };
  EXPECT_THAT(said({}), HasSubstr("lib.so: error: 'import tree': does not begin as it should"));
  auto flipped = good;
  flipped.back() ^= std::byte{1};
  EXPECT_THAT(said(flipped), HasSubstr("its checksum is another"));
  std::vector<std::byte> cut(good.begin(), good.begin() + 60);
  set(cut, 16, 60);
  seal_frame(cut);
  EXPECT_THAT(said(cut), HasSubstr("it is too short (found 60 bytes, expected 64)"));
  EXPECT_THAT(changed(32, 0), HasSubstr("it has no root"));
  EXPECT_THAT(changed(32, 0xffffffff), HasSubstr("its tables are cut"));
  EXPECT_THAT(changed(44, 0), HasSubstr("its strings have no end"));
  EXPECT_THAT(changed(64, 7), HasSubstr("a node is of an unknown kind"));
  EXPECT_THAT(changed(64 + 4, 0xffffffff), HasSubstr("no name starts where one should"));
  EXPECT_THAT(changed(64 + 16, 0xffffffff), HasSubstr("imports are not where they should be"));
  EXPECT_THAT(changed(64 + 24, 0xffffffff), HasSubstr("functions are not where they should be"));
  EXPECT_THAT(changed(64 + 3 * 48 + 40, 0x7fffffff), HasSubstr("a section is outside"));
  EXPECT_THAT(changed(64 + 3 * 48 + 32, 8), HasSubstr("a section is outside"));
  EXPECT_THAT(changed(64 + 4 * 48, 9), HasSubstr("an import is not there"));
  auto loose = good;  // the edge of b is nobody's any more
  set(loose, 64 + 2 * 48 + 16, 0);
  set(loose, 64 + 3 * 48 + 12, 3);
  seal_frame(loose);
  EXPECT_THAT(said(loose), HasSubstr("imports or functions belong to no node"));
  // The root's first edge leads to itself.
  EXPECT_THAT(changed(64 + 4 * 48, 0), HasSubstr("its imports make a cycle"));
}

// Whatever the bytes, reading ends, inside the block: sanitizers and the fuzzer look at the same.
TEST(ImportTree, RandomDamageNeverLeavesTheBlock) {
  const auto good = write_import_tree(diamond(), "{}");
  std::mt19937 random(7);
  std::size_t refused = 0;
  for (int i = 0; i < 20000; ++i) {
    auto block = good;
    for (std::uint32_t k = random() % 4 + 1; k > 0; --k)
      block[random() % block.size()] = static_cast<std::byte>(random() % 3 == 0 ? 0xff : random() % 256);
    if (random() % 4 == 0) block.resize(random() % block.size());
    seal_frame(block);
    Diagnostics diags;
    auto nodes = read_import_tree(block, "x", diags);
    if (!nodes) {
      ++refused;
      continue;
    }
    for (const ImportNode& n : *nodes) {
      for (const std::uint32_t to : n.imports) ASSERT_LT(to, nodes->size());
      ASSERT_TRUE(n.bytes.empty() ||
                  (n.bytes.data() >= block.data() && n.bytes.data() + n.bytes.size() <= block.data() + block.size()));
    }
  }
  EXPECT_GT(refused, 1000u);
}

}  // namespace
}  // namespace byoc
