// Functions of objects as assembly.
#include "sdk/library/object/listing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/objects.hpp"

namespace byoc {
namespace {

using test::assemble;
using test::target;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kListedCode =
    "int callee(int);\n"
    "static __attribute__((noinline)) int inner(int x) { return x * 3; }\n"
    "int outer(int x) { return callee(inner(x) + 0x12345678) + 1; }\n";

const FunctionListing* find_listing(const std::vector<FunctionListing>& all, const std::string& name) {
  for (const FunctionListing& f : all)
    if (f.name == name) return &f;
  return nullptr;
}

TEST(Listing, HasEachFunctionWithWhatItRefersTo) {
  const auto object = assemble({"arm-none-eabi-gcc", "-mcpu=cortex-m4", "-mthumb", "-O1"}, kListedCode);
  if (!object) GTEST_SKIP() << "the compiler is not installed";
  const auto all = list_functions(target("cortex-m4f"), *object);
  const FunctionListing* outer = find_listing(all, "outer");
  ASSERT_NE(outer, nullptr);
  EXPECT_THAT(outer->text, HasSubstr("    0  push"));
  EXPECT_THAT(outer->text, HasSubstr("; callee\n"));
  EXPECT_THAT(outer->text, HasSubstr(".word 0x12345678\n"));  // a constant among the code
  const FunctionListing* inner = find_listing(all, "inner");
  ASSERT_NE(inner, nullptr);
  EXPECT_THAT(inner->text, HasSubstr("bx lr\n"));
}

TEST(Listing, OfRiscv) {
  const auto object = assemble({"riscv64-unknown-elf-gcc", "-march=rv32imc", "-mabi=ilp32", "-O1"}, kListedCode);
  if (!object) GTEST_SKIP() << "the compiler is not installed";
  const auto all = list_functions(target("riscv32imc"), *object);
  const FunctionListing* outer = find_listing(all, "outer");
  ASSERT_NE(outer, nullptr);
  EXPECT_THAT(outer->text, HasSubstr("; callee\n"));
}

TEST(Listing, OfWhatIsNoObjectIsEmpty) {
  EXPECT_THAT(list_functions(target("cortex-m4f"), {}), IsEmpty());
  const std::vector<std::byte> bytes(100, std::byte{0x7f});
  EXPECT_THAT(list_functions(target("cortex-m4f"), bytes), IsEmpty());
  EXPECT_THAT(list_functions(target("x86-64-v3"), bytes), IsEmpty());
}

}  // namespace
}  // namespace byoc
