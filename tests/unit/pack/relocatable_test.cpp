#include "sdk/library/pack/relocatable.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "sdk/library/object/localise.hpp"
#include "sdk/library/object/object_facts.hpp"
#include "tests/support/objects.hpp"

namespace byoc {
namespace {

using test::target;
using test::text_of;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> names(const std::vector<ObjectSymbol>& symbols) {
  std::vector<std::string> out;
  for (const ObjectSymbol& s : symbols) out.push_back(s.name);
  return out;
}

class Relocatable : public ::testing::Test {
 protected:
  void SetUp() override {
    if (find_program("arm-none-eabi-gcc").empty()) GTEST_SKIP() << "arm-none-eabi-gcc is not installed";
  }
  static std::vector<std::byte> object(const std::string& text, const std::string& more = "-mfloat-abi=hard") {
    return *test::assemble({"arm-none-eabi-gcc", "-mcpu=cortex-m4", "-mthumb", "-Os", "-ffunction-sections", more},
                           text);
  }
  std::vector<ArchiveMember> members() {
    std::vector<ArchiveMember> m;
    m.push_back({"root.o", object("extern const unsigned char m_w[4]; int kernel(int); int m_run(int x);"
                                  "int m_run(int x) { return kernel(x) + m_w[1]; }\n")});
    m.push_back({"kernel.o", object("int kernel(int); int expf(int); int kernel(int x) { return expf(x) * 3; }\n")});
    std::vector<ConstantArtifact> c(1);
    c[0].symbol = "m_w";
    c[0].bytes = Blob::own({std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}});
    m.push_back({"constants.o", std::move(*ConstantObject::create(spec_, c, diags_))});
    return m;
  }
  Result<void> write(const std::vector<ArchiveMember>& m, const std::string& name) {
    const auto keep = [](std::string_view symbol) { return symbol.starts_with("m_"); };
    return write_relocatable(m, spec_, keep, dir_->path() + "/" + name, name, diags_);
  }
  TargetSpec spec_ = target("cortex-m4f");
  Diagnostics diags_;
  Result<TemporaryDirectory> dir_ = TemporaryDirectory::create(diags_);
};

// The root and the constants are seen, the kernel is not, what the C library has to bring is still asked for; functions
// and constants have sections of their own.
TEST_F(Relocatable, OneObjectOfAll) {
  ASSERT_TRUE(write(members(), "m.o")) << text_of(diags_);
  auto facts = read_object_facts(test::file_bytes(dir_->path() + "/m.o"), "m.o", diags_);
  ASSERT_TRUE(facts) << text_of(diags_);
  EXPECT_THAT(names(facts->defined), ElementsAre("m_run", "m_w"));
  EXPECT_THAT(facts->undefined, ElementsAre("expf"));
  std::vector<std::string> sections;
  for (const ObjectSection& s : facts->sections) {
    sections.push_back(s.name);
    EXPECT_FALSE(s.allocated && s.writable && s.size != 0) << s.name;
  }
  EXPECT_THAT(sections, Contains(".text.m_run"));
  EXPECT_THAT(sections, Contains(".text.kernel"));
  EXPECT_THAT(sections, Contains(".rodata.m_w"));
}

TEST_F(Relocatable, TheSameBytesEachTime) {
  ASSERT_TRUE(write(members(), "one.o"));
  ASSERT_TRUE(write(members(), "two.o"));
  EXPECT_EQ(test::file_bytes(dir_->path() + "/one.o"), test::file_bytes(dir_->path() + "/two.o"));
}

TEST_F(Relocatable, WhatDoesNotFitIsRefused) {
  auto twice = members();
  twice.push_back({"again.o", object("int m_run(int x); int m_run(int x) { return x; }\n")});
  EXPECT_FALSE(write(twice, "m.o"));
  EXPECT_THAT(text_of(diags_), HasSubstr("'m_run': is defined twice (found root.o and again.o"));
  diags_ = {};
  // LLD itself accepts hard beside soft float.
  std::vector<ArchiveMember> soft;
  soft.push_back({"soft.o", object("int f(int); int f(int x) { return x; }\n", "-mfloat-abi=soft")});
  EXPECT_FALSE(write(soft, "m.o"));
  EXPECT_THAT(text_of(diags_), HasSubstr("m.o: error: does not fit target cortex-m4f"));
  diags_ = {};
  const auto x86 = test::assemble({"gcc"}, "int f(int x) { return x; }\n");
  if (!x86) return;
  std::vector<ArchiveMember> mixed = members();
  mixed.push_back({"host.o", *x86});
  EXPECT_FALSE(write(mixed, "m.o"));
  EXPECT_THAT(text_of(diags_), HasSubstr("m.o: error: cannot be linked:"));
}

TEST_F(Relocatable, CommonSymbolsStayWhatTheyAre) {
  const auto common = test::assemble({"arm-none-eabi-gcc", "-mcpu=cortex-m4", "-fcommon"}, "int c; int f;\n");
  auto local = localise_symbols(*common, [](std::string_view) { return false; }, "c.o", diags_);
  ASSERT_TRUE(local) << text_of(diags_);
  auto facts = read_object_facts(*local, "c.o", diags_);
  ASSERT_TRUE(facts);
  EXPECT_THAT(names(facts->defined), ElementsAre("c", "f"));
  const std::vector<std::byte> text(8, std::byte{'x'});
  EXPECT_FALSE(localise_symbols(text, [](std::string_view) { return false; }, "text.o", diags_));
  EXPECT_THAT(text_of(diags_), HasSubstr("text.o: error: is not an object file"));
}

}  // namespace
}  // namespace byoc
