#include "sdk/library/object/stack_note.hpp"

#include <gtest/gtest.h>

#include "sdk/library/object/object_facts.hpp"
#include "tests/support/objects.hpp"

namespace byoc {
namespace {

TEST(StackNote, IsTakenOutAndTheLinkerIsQuiet) {
  auto object = test::assemble({"clang-19", "--target=arm-none-eabi", "-mcpu=cortex-m4", "-fshort-enums"},
                               "int g(int); int g(int x) { return x + 1; }");
  if (!object || find_program("arm-none-eabi-gcc").empty()) GTEST_SKIP() << "the compilers are not installed";
  Diagnostics diags;
  auto dir = TemporaryDirectory::create(diags);
  std::ofstream(dir->path() + "/m.c") << "int g(int); int _start(void); int _start(void) { return g(1); }\n";
  const auto link = [&] {
    std::ofstream(dir->path() + "/g.o", std::ios::binary)
        .write(reinterpret_cast<const char*>(object->data()), static_cast<std::streamsize>(object->size()));
    auto result =
        run_process({"arm-none-eabi-gcc", "-mcpu=cortex-m4", "-nostdlib", "-Wl,--fatal-warnings", "m.c", "g.o"}, diags,
                    {.directory = dir->path()});
    return result ? result->exit_code : -1;
  };
  EXPECT_NE(link(), 0) << "the linker got used to the note: drop_stack_note is not needed any more";
  drop_stack_note(*object);
  EXPECT_EQ(link(), 0);
}

TEST(StackNote, LeavesAnythingElseAlone) {
  auto object = test::assemble({"gcc"}, "int g(int); int g(int x) { return x + 1; }");
  if (!object) GTEST_SKIP() << "gcc is not installed";
  for (std::size_t size = 0; size < object->size(); ++size) {
    std::vector<std::byte> cut(object->begin(), object->begin() + static_cast<std::ptrdiff_t>(size));
    const std::vector<std::byte> before = cut;
    drop_stack_note(cut);
    EXPECT_EQ(cut, before);
  }
}

}  // namespace
}  // namespace byoc
