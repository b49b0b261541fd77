#include "sdk/library/compile/llvm_symbols.hpp"

#include <gtest/gtest.h>

namespace byoc {
namespace {

constexpr std::string_view kModule = R"(
$shared = comdat any
declare void @elsewhere(ptr)
@table = internal constant i32 7
define internal i32 @helper() {
  %v = load i32, ptr @table
  ret i32 %v
}
define i32 @shared(ptr %p) comdat {
  call void @elsewhere(ptr %p)
  call void @llvm.memset.p0.i32(ptr %p, i8 0, i32 4, i1 false)
  %v = call i32 @helper()
  ret i32 %v
}
declare void @llvm.memset.p0.i32(ptr, i8, i32, i1)
)";

using Names = std::set<std::string>;

std::span<const std::byte> bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

TEST(LlvmSymbols, areWhatOthersSee) {
  Diagnostics diags;
  const auto found = read_llvm_symbols("m.ll", bytes(kModule), WorkerLimits{}, diags);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->defined, Names{"shared"});
  EXPECT_EQ(found->used, Names{"elsewhere"});
}

TEST(LlvmSymbols, getOtherNames) {
  Diagnostics diags;
  const std::map<std::string, std::string> names = {{"shared", "shared_1"}, {"elsewhere", "there_2"}, {"helper", "no"}};
  const auto renamed = rename_llvm_symbols("m.ll", bytes(kModule), names, WorkerLimits{}, diags);
  ASSERT_TRUE(renamed);
  const auto found = read_llvm_symbols("m.bc", *renamed, WorkerLimits{}, diags);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->defined, Names{"shared_1"});
  EXPECT_EQ(found->used, Names{"there_2"});
  EXPECT_EQ(*renamed, *rename_llvm_symbols("m.ll", bytes(kModule), names, WorkerLimits{}, diags));
  EXPECT_EQ(*renamed, *rename_llvm_symbols("m.ll", bytes(kModule), names, std::nullopt, diags));
}

TEST(LlvmSymbols, aNameIsNotTakenTwice) {
  Diagnostics diags;
  EXPECT_FALSE(rename_llvm_symbols("m.ll", bytes(kModule), {{"shared", "helper"}}, WorkerLimits{}, diags));
  ASSERT_EQ(diags.all().size(), 1u);
  EXPECT_EQ(diags.all()[0].message, "cannot be renamed: the module has that name already");
}

TEST(LlvmSymbols, whatIsNoModuleIsRefused) {
  Diagnostics diags;
  EXPECT_FALSE(read_llvm_symbols("m.ll", bytes("this is no module"), WorkerLimits{}, diags));
  ASSERT_EQ(diags.all().size(), 1u);
  EXPECT_NE(diags.all()[0].message.find("is not an LLVM module: "), std::string::npos);
}

}  // namespace
}  // namespace byoc
