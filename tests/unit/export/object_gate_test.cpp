// What is said of the objects of a library together.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sdk/export/compile_tree.hpp"
#include "tests/support/objects.hpp"

namespace byoc {
namespace {

using test::blob;
using test::target;
using test::text_of;
using ::testing::HasSubstr;

struct Part {
  const char* codegen;
  std::vector<std::string> flags;
  const char* code;
};

// A root that calls nobody, and objects made by gcc. Nothing: it is not installed.
std::optional<ModuleTree> tree_of(const std::vector<Part>& parts) {
  ModuleTree tree;
  tree.modules.push_back({.content = CCode{},
                          .name = "root",
                          .bytes = blob("int root(void);\nint kernel(void);\nint root(void) { return 1; }\n"
                                        "int kernel(void) { return 2; }\n"),
                          .codegen = "c"});
  for (const Part& p : parts) {
    std::vector<std::string> command{"gcc", "-O3", "-fPIC"};
    command.insert(command.end(), p.flags.begin(), p.flags.end());
    auto object = test::assemble(command, p.code);
    if (!object) return std::nullopt;
    tree.modules[0].imports.push_back(tree.modules.size());
    tree.modules.push_back({.content = ElfObject{},
                            .name = "part" + std::to_string(tree.modules.size()),
                            .bytes = Blob::own(std::move(*object)),
                            .codegen = p.codegen});
  }
  return tree;
}

constexpr const char* kWide =
    "void wide(float *a, const float *b) { for (int i = 0; i < 1024; ++i) a[i] = a[i] * b[i] + 1; }\n";
constexpr const char* kAsks = "int asks(void) { return __builtin_cpu_supports(\"avx512f\"); }\n";
constexpr const char* kWeak = "__attribute__((weak)) int kernel(void) { return 3; }\n";

std::string said(const ModuleTree& tree, bool is_good) {
  Diagnostics diags;
  EXPECT_EQ(bool(compile_tree(tree, target("host"), {}, diags)), is_good) << text_of(diags);
  return text_of(diags);
}

TEST(ObjectGate, InstructionsBeyondTheTarget) {
  const std::vector<std::string> avx512{"-mavx512f", "-mprefer-vector-width=512"};
  const auto alone = tree_of({{"acme", avx512, kWide}, {"other", {}, kAsks}});
  if (!alone) GTEST_SKIP() << "gcc is not installed";
  const std::string refused = said(*alone, false);
  EXPECT_THAT(refused, HasSubstr("part1.o: error: '.text"));
  EXPECT_THAT(refused, HasSubstr("codegen 'acme': has instructions that host does not have (found 'v"));
  EXPECT_THAT(refused, HasSubstr("of avx512f, and "));
  EXPECT_THAT(refused, HasSubstr("expected instructions of x86-64)"));
  const std::string warned = said(*tree_of({{"acme", avx512, kWide}, {"acme", {}, kAsks}}), true);
  EXPECT_THAT(warned, HasSubstr("part1.o: warning: '.text"));
  EXPECT_THAT(warned, HasSubstr("need not have; its code asks the CPU"));
}

TEST(ObjectGate, WeakDefinitionsOfWhatIsThere) {
  const auto vendor = tree_of({{"acme", {}, kWeak}});
  if (!vendor) GTEST_SKIP() << "gcc is not installed";
  EXPECT_THAT(said(*vendor, false),
              HasSubstr("part1.o: error: 'kernel': codegen 'acme': is a weak definition of what is defined elsewhere"));
  EXPECT_THAT(said(*tree_of({{"", {}, kWeak}}), false), HasSubstr("error: 'kernel': is a weak definition"));
  constexpr const char* kDefault = "__attribute__((weak)) int mine(void) { return 3; }\n";
  constexpr const char* kBetter = "int mine(void) { return 4; }\n";
  EXPECT_EQ(said(*tree_of({{"acme", {}, kDefault}, {"acme", {}, kBetter}}), true), "");
  EXPECT_THAT(said(*tree_of({{"", {}, kDefault}, {"", {}, kBetter}}), true), HasSubstr("warning: 'mine': is a weak"));
}

}  // namespace
}  // namespace byoc
