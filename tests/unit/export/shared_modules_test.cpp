// Kernels that models share, as C and as LLVM modules: their names, and the names in whatever calls them.
#include "sdk/export/shared_modules.hpp"

#include <gtest/gtest.h>

#include "sdk/export/kernel_names.hpp"

namespace byoc {
namespace {

plugin::OtherArtifact module(const std::string& name, const std::string& text, bool shared) {
  plugin::OtherArtifact out;
  out.decl.kind = codegen::ArtifactKind::llvm_bitcode;
  out.decl.name = name;
  out.decl.shared = shared;
  if (shared) out.decl.symbol = name;
  const auto bytes = std::as_bytes(std::span(text));
  out.bytes = {bytes.begin(), bytes.end()};
  out.codegen = "toy";
  return out;
}

std::string calling(const std::string& callee, const std::string& definition) {
  return "declare void @" + callee + "()\ndefine void @" + definition + "() {\n  call void @" + callee +
         "()\n  ret void\n}\n";
}

plugin::Compilation two_kernels(const std::string& inner) {
  plugin::Compilation out;
  out.others.push_back(module("inner", "define void @inner() {\n  " + inner + "ret void\n}\n", true));
  out.others.push_back(module("outer", calling("inner", "outer"), true));
  out.others.push_back(module("steps", calling("outer", "m_step"), false));
  return out;
}

std::map<std::string, std::string> names_of(const plugin::Compilation& compilation) {
  Diagnostics diags;
  const auto symbols = read_module_symbols(compilation, {}, {}, diags);
  EXPECT_TRUE(symbols);
  return name_kernels(compilation, *symbols, [](const std::string&) { return "toolchain"; });
}

TEST(SharedModules, areNamedAfterAllThatTheyAreMadeOf) {
  const auto names = names_of(two_kernels(""));
  const auto same = names_of(two_kernels(""));
  const auto others = names_of(two_kernels("fence seq_cst\n  "));
  ASSERT_EQ(names.size(), 2u);
  EXPECT_EQ(names, same);
  EXPECT_NE(names.at("inner"), others.at("inner"));
  EXPECT_NE(names.at("outer"), others.at("outer"));  // it calls the other
  EXPECT_TRUE(names.at("outer").starts_with("outer_"));
}

TEST(SharedModules, haveTheirNamesWhereTheyAreCalled) {
  const plugin::Compilation compilation = two_kernels("");
  const std::map<std::string, std::string> names = {{"inner", "inner_1"}, {"outer", "outer_2"}};
  Diagnostics diags;
  const auto symbols = read_module_symbols(compilation, {}, {}, diags);
  ASSERT_TRUE(symbols);
  const auto renamed = rename_in_modules(compilation, *symbols, names, {}, {}, diags);
  ASSERT_TRUE(renamed);
  ASSERT_EQ(renamed->size(), 3u);
  const auto steps = read_llvm_symbols("steps", renamed->at(2).bytes(), WorkerLimits{}, diags);
  ASSERT_TRUE(steps);
  EXPECT_EQ(steps->used, std::set<std::string>{"outer_2"});
  EXPECT_EQ(steps->defined, std::set<std::string>{"m_step"});
}

TEST(SharedModules, defineTheirSymbolAndNothingElse) {
  for (const char* text : {"define void @inner() {\n  ret void\n}\ndefine void @more() {\n  ret void\n}\n",
                           "define void @other() {\n  ret void\n}\n"}) {
    plugin::Compilation compilation;
    compilation.others.push_back(module("inner", text, true));
    Diagnostics diags;
    EXPECT_FALSE(read_module_symbols(compilation, {}, {}, diags));
    ASSERT_EQ(diags.all().size(), 1u);
    EXPECT_EQ(diags.all()[0].message, "a shared LLVM module has one external definition, its symbol");
    EXPECT_EQ(diags.all()[0].expected, "'inner'");
  }
}

TEST(SharedModules, ofThoseWhoShareNothingAreNotLookedInto) {
  plugin::Compilation compilation;
  compilation.others.push_back(module("opaque", "no module at all", false));
  Diagnostics diags;
  const auto symbols = read_module_symbols(compilation, {}, {}, diags);
  ASSERT_TRUE(symbols);
  EXPECT_TRUE(symbols->empty());
}

}  // namespace
}  // namespace byoc
