#include "sdk/target/module/module.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sdk/target/target/target.hpp"

namespace byoc {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string text_of(const Diagnostics& diags) {
  std::string out;
  for (const Diagnostic& d : diags.all()) out += to_string(d) + "\n";
  return out;
}

Module module(const std::string& name, std::vector<std::size_t> imports = {}, ModuleKind kind = ModuleKind::c) {
  Module m{.content = content_of(kind), .name = name, .imports = std::move(imports)};
  m.bytes = Blob::own({std::byte{'x'}});
  return m;
}

std::string refused(std::vector<Module> modules) {
  Diagnostics diags;
  EXPECT_FALSE(check_tree({std::move(modules), {}}, diags));
  return text_of(diags);
}

TEST(Module, ContentSaysItsKind) {
  for (const ModuleKind kind : {ModuleKind::c, ModuleKind::llvm, ModuleKind::object, ModuleKind::constants,
                                ModuleKind::static_library, ModuleKind::blob, ModuleKind::opaque}) {
    Module m{.content = content_of(kind)};
    EXPECT_EQ(m.kind(), kind) << to_string(kind);
    EXPECT_EQ(m.compiled() != nullptr, kind == ModuleKind::c || kind == ModuleKind::llvm) << to_string(kind);
    EXPECT_EQ(m.opt_level() + m.loader(), "");
  }
  EXPECT_EQ(Module{.content = LlvmCode{{.opt_level = "s"}}}.opt_level(), "s");
  EXPECT_EQ(Module{.content = LoaderData{"acme"}}.loader(), "acme");
}

TEST(ModuleTree, ADiamondIsNoCycle) {
  // A diamond: d is imported by b and a.
  const ModuleTree tree{{module("root", {2, 1}), module("a", {3}), module("b", {3}), module("d")}, {}};
  Diagnostics diags;
  EXPECT_TRUE(check_tree(tree, diags)) << text_of(diags);
  // One that imports what its importer imports too is no cycle, in either order of the two.
  for (const auto& imports : {std::vector<std::size_t>{1, 2}, std::vector<std::size_t>{2, 1}}) {
    const ModuleTree shared{{module("r", imports), module("a", {2}), module("b")}, {}};
    EXPECT_TRUE(check_tree(shared, diags)) << text_of(diags);
  }
}

TEST(ModuleTree, ACycleIsRefusedWithItsPath) {
  EXPECT_THAT(refused({module("root", {1}), module("a", {2}), module("b", {1})}),
              HasSubstr("a.c: error: 'a': the imports make a cycle (found a -> b -> a"));
  EXPECT_THAT(refused({module("root", {0})}), HasSubstr("found root -> root"));
}

TEST(ModuleTree, WhatCannotBe) {
  EXPECT_THAT(refused({}), HasSubstr("the module tree is empty"));
  EXPECT_THAT(refused({module("root", {7})}), HasSubstr("imports a module that is not there (found number 7"));
  EXPECT_THAT(refused({module("root"), module("lost")}), HasSubstr("lost.c: error: 'lost': is not imported"));
  EXPECT_THAT(refused({module("root", {1}), module("../up")}), HasSubstr("cannot be the name of a module"));
  EXPECT_THAT(refused({module("root", {1}), module("")}), HasSubstr("cannot be the name of a module"));
  EXPECT_THAT(refused({module("foo", {1}), module("Foo")}),
              HasSubstr("two modules have one name (found Foo.c and foo.c"));
  Module empty = module("e");
  empty.bytes = {};
  EXPECT_THAT(refused({empty}), HasSubstr("a module of kind c has no bytes"));
  EXPECT_THAT(refused({module("k", {}, ModuleKind::constants)}), HasSubstr("kind constants has bytes of its own"));
  EXPECT_THAT(refused({module("o", {}, ModuleKind::opaque)}), HasSubstr("an opaque module says no loader"));
}

TEST(ModuleTree, OneTargetForAll) {
  Diagnostics diags;
  const auto m4f = resolve_target("cortex-m4f", diags), m4 = resolve_target("cortex-m4", diags);
  ModuleTree tree{{module("root", {1}), module("npu")}, {}};
  EXPECT_TRUE(target_of(tree, *m4f, diags));
  tree.modules[1].target = *m4f;
  EXPECT_TRUE(target_of(tree, *m4f, diags));
  tree.modules[1].target = *m4;
  tree.modules[1].codegen = "acme";
  EXPECT_FALSE(target_of(tree, *m4f, diags));
  EXPECT_THAT(text_of(diags), HasSubstr("npu.c of acme"));
  EXPECT_THAT(text_of(diags), HasSubstr("the library"));
}

TEST(ModuleTree, NamesOfModules) {
  EXPECT_EQ(module_name("conv-1.a+b_C"), "conv-1.a+b_C");
  EXPECT_EQ(module_name("a/b c:\xc3\xa9"), "a_b_c___");
  EXPECT_EQ(module_name(""), "_");
  EXPECT_EQ(module_name("../x"), "_.._x");
}

TEST(ModuleTree, NamesOfFiles) {
  EXPECT_EQ(file_name(module("steps")), "steps.c");
  EXPECT_EQ(file_name(module("filter.ll", {}, ModuleKind::llvm)), "filter.ll");
  EXPECT_EQ(file_name(module("npu", {}, ModuleKind::llvm)), "npu.bc");
  EXPECT_EQ(file_name(module("lib.a", {}, ModuleKind::static_library)), "lib.a");
}

}  // namespace
}  // namespace byoc
