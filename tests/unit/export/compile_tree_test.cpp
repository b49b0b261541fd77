#include "sdk/export/compile_tree.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/objects.hpp"

namespace byoc {
namespace {

using test::blob;
using test::target;
using test::text_of;
using ::testing::HasSubstr;

// A tree whose root is C, with a module that a plug-in handed over.
ModuleTree tree_with(ModuleKind kind, Blob bytes) {
  ModuleTree tree;
  tree.modules.push_back({.content = CCode{},
                          .name = "root",
                          .bytes = blob("int root(void);\nint root(void) { return 1; }\n"),
                          .imports = {1}});
  tree.modules.push_back({.content = content_of(kind), .name = "npu", .bytes = std::move(bytes), .codegen = "acme"});
  return tree;
}

struct Misfit {
  const char* what;
  const char* target;
  std::vector<std::string> compiler;  // empty: `text` is the module itself
  const char* text;
  const char* expected;
};

constexpr const char* kCode =
    "enum mode { off, on };\nfloat f(float x, enum mode m);\n"
    "float f(float x, enum mode m) { return m == on ? x : 2 * x; }\n";

// What linkers let pass, each refused with the object, the plug-in and the field.
class CompileTree : public ::testing::TestWithParam<Misfit> {};

TEST_P(CompileTree, RefusesAnObjectOfAnotherTarget) {
  const Misfit& misfit = GetParam();
  Blob object = blob(misfit.text);
  if (!misfit.compiler.empty()) {
    auto compiled = test::assemble(misfit.compiler, misfit.text);
    if (!compiled) GTEST_SKIP() << misfit.compiler.front() << " is not installed";
    object = Blob::own(std::move(*compiled));
  }
  Diagnostics diags;
  EXPECT_FALSE(compile_tree(tree_with(ModuleKind::object, std::move(object)), target(misfit.target), {}, diags));
  EXPECT_THAT(text_of(diags), HasSubstr("npu.o: error: codegen 'acme': "));
  EXPECT_THAT(text_of(diags), HasSubstr(misfit.expected));
}

INSTANTIATE_TEST_SUITE_P(
    Linkers, CompileTree,
    ::testing::Values(
        Misfit{"soft_float",
               "cortex-m4f",
               {"arm-none-eabi-gcc", "-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=soft"},
               kCode,
               "cortex-m4f: float arguments (Tag_ABI_VFP_args) (found not said, that is the soft convention, "},
        Misfit{"hard_float",
               "cortex-m4",
               {"arm-none-eabi-gcc", "-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16"},
               kCode,
               "cortex-m4: float arguments (Tag_ABI_VFP_args) (found hard convention, in VFP registers, "},
        Misfit{"arm_state",
               "cortex-m4f",
               {"arm-none-eabi-gcc", "-march=armv5te", "-marm"},
               kCode,
               "cortex-m4f: instruction set (Tag_ARM_ISA_use) (found ARM state, expected Thumb state only)"},
        Misfit{"big_endian",
               "cortex-m4f",
               {"arm-none-eabi-gcc", "-mcpu=cortex-m4", "-mthumb", "-mbig-endian"},
               kCode,
               "cortex-m4f: byte order (found big endian, expected little endian)"},
        Misfit{"rv64",
               "riscv32imc",
               {"riscv64-unknown-elf-gcc", "-march=rv64imac", "-mabi=lp64"},
               kCode,
               "riscv32imc: ELF class (found ELF64, expected ELF32)"},
        Misfit{"rv32",
               "riscv64gc",
               {"riscv64-unknown-elf-gcc", "-march=rv32imac", "-mabi=ilp32"},
               kCode,
               "riscv64gc: ELF class (found ELF32, expected ELF64)"},
        Misfit{"long_enums",
               "cortex-m4",
               {"arm-none-eabi-gcc", "-mcpu=cortex-m4", "-mthumb", "-fno-short-enums"},
               kCode,
               "cortex-m4: enum size (Tag_ABI_enum_size) (found 32-bit enums, expected short enums)"},
        Misfit{"short_enums",
               "arm-none-eabi -mcpu=cortex-m4 -fno-short-enums",
               {"arm-none-eabi-gcc", "-mcpu=cortex-m4", "-mthumb"},
               kCode,
               "enum size (Tag_ABI_enum_size) (found short enums, expected 32-bit enums)"},
        Misfit{"host", "cortex-m4f", {"gcc"}, kCode, "cortex-m4f: machine (found x86-64, expected arm)"},
        Misfit{"source", "cortex-m4f", {}, kCode, "is not an object file (found no ELF header, expected ELF)"}),
    [](const auto& info) { return std::string(info.param.what); });

// Members are told apart by who brought them: one codegen's own library is as it is.
TEST(CompileTree, AMemberThatTwoCodegensBringIsThereOnce) {
  const auto object = test::assemble(
      {"arm-none-eabi-gcc", "-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16"}, kCode);
  if (!object) GTEST_SKIP() << "arm-none-eabi-gcc is not installed";
  ModuleTree tree = tree_with(ModuleKind::object, Blob::own({object->begin(), object->end()}));
  tree.modules[1].codegen = "acme";
  Module again = tree.modules[1];
  again.name = "again";
  again.codegen = "other";
  tree.modules[0].imports.push_back(tree.modules.size());
  tree.modules.push_back(again);
  const auto copies = [&] {
    Diagnostics diags;
    const auto members = compile_tree(tree, target("cortex-m4f"), {}, diags);
    EXPECT_TRUE(members) << text_of(diags);
    return std::count_if(members->begin(), members->end(),
                         [&](const LibraryMember& m) { return std::ranges::equal(m.object, *object); });
  };
  EXPECT_EQ(copies(), 1);
  tree.modules.back().codegen = "acme";
  EXPECT_EQ(copies(), 2);  // the archive says that this is twice
}

TEST(CompileTree, RefusesModulesOfAnotherTriple) {
  const std::string text = "target triple = \"riscv32-unknown-none-elf\"\ndefine void @f() {\n  ret void\n}\n";
  for (const bool lto : {false, true}) {
    ModuleTree tree = tree_with(ModuleKind::llvm, blob(text));
    tree.modules[1].origin = "npu.bc";
    tree.lto = lto;
    Diagnostics diags;
    EXPECT_FALSE(compile_tree(tree, target("cortex-m4f"), {}, diags));
    EXPECT_THAT(text_of(diags),
                HasSubstr("npu.bc: error: codegen 'acme': is for another target than cortex-m4f: triple "
                          "(found riscv32-unknown-none-elf, expected thumbv7em-"));
  }
}

TEST(CompileTree, TakesWhatCompilersAndAssemblersMake) {
  const std::vector<std::string> gcc{"arm-none-eabi-gcc", "-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=hard",
                                     "-mfpu=fpv4-sp-d16"};
  auto code = test::assemble(gcc, kCode);
  if (!code) GTEST_SKIP() << "arm-none-eabi-gcc is not installed";
  auto data = test::assemble(gcc, ".section .rodata\n.global table\ntable: .word 1, 2\n", ".s");
  ASSERT_TRUE(data);
  for (auto* object : {&*code, &*data}) {
    Diagnostics diags;
    EXPECT_TRUE(compile_tree(tree_with(ModuleKind::object, Blob::own(*object)), target("cortex-m4f"), {}, diags))
        << text_of(diags);
    EXPECT_TRUE(diags.all().empty()) << text_of(diags);
  }
}

}  // namespace
}  // namespace byoc
