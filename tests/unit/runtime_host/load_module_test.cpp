#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "byoc/byoc.hpp"
#include "sdk/pack/write_package.hpp"
#include "sdk/pipeline/compile_tree.hpp"
#include "tests/support/objects.hpp"

namespace byoc {
namespace {

using test::target;
using test::text_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Blob blob(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return Blob::own({bytes.begin(), bytes.end()});
}

int seven() { return 7; }

// A "compiled graph" whose bytes are the name of the one function it has.
class Graph : public LoadedOpaque {
 public:
  Graph(std::string function, int* alive) : function_(std::move(function)), alive_(alive) { ++*alive_; }
  ~Graph() override { --*alive_; }
  void* find(const std::string& name) override { return name == function_ ? reinterpret_cast<void*>(&seven) : nullptr; }

 private:
  std::string function_;
  int* alive_;
};

class LoadModule : public ::testing::Test {
 protected:
  void SetUp() override {
    if (find_program(target("host").gnu_command).empty()) GTEST_SKIP() << "gcc is not installed";
  }
  // root imports second before first; both import the graph.
  ModuleTree tree() {
    ModuleTree t;
    t.modules.push_back(
        {.kind = ModuleKind::c,
         .name = "root",
         .bytes = blob("int one(void); int two(void);\nint twelve(void) { return 10 * one() + two(); }\n"),
         .imports = {2, 1}});
    t.modules.push_back({.kind = ModuleKind::llvm,
                         .name = "first.ll",
                         .bytes = blob("define i32 @one() {\n  ret i32 1\n}\n"),
                         .imports = {3}});
    t.modules.push_back({.kind = ModuleKind::c,
                         .name = "second",
                         .bytes = blob("int two(void) { return " + std::to_string(digit_) + "; }\n"),
                         .imports = {3}});
    t.modules.push_back({.kind = ModuleKind::opaque, .name = "net", .bytes = blob("seven"), .loader = "acme_graph"});
    if (with_blob_) {
      t.modules[0].bytes = blob("int one(void); int two(void);\nint root_sum(void) { return one() + two(); }\n");
      t.modules[0].imports.push_back(4);
      t.modules.push_back({.kind = ModuleKind::blob, .name = "logo", .bytes = blob("some data")});
    }
    return t;
  }
  std::string written(const std::string& spec = "host", const std::string& name = "lib.so") {
    Package p;
    p.target = target(spec);
    p.tree = tree();
    CompileTreeOptions how;
    how.compile.warnings = false;
    how.compile.warnings_as_errors = false;
    auto members = compile_tree(p.tree, p.target, how, diags_);
    EXPECT_TRUE(members) << text_of(diags_);
    if (members) p.members = std::move(*members);
    const std::string path = dir_->path() + "/" + name;
    EXPECT_TRUE(write_package(p, path, diags_)) << text_of(diags_);
    return path;
  }
  std::map<std::string, OpaqueLoader> loaders() {
    return {{"acme_graph", [this](std::span<const std::byte> bytes, Diagnostics&) -> std::unique_ptr<LoadedOpaque> {
               return std::make_unique<Graph>(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()),
                                              &alive_);
             }}};
  }
  std::string refused(const std::string& path) {
    Diagnostics diags;
    EXPECT_FALSE(load_module(path, loaders(), diags));
    return text_of(diags);
  }
  static std::size_t entries(const std::string& folder) {
    const std::filesystem::directory_iterator all(folder);
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
  }
  int alive_ = 0;
  int digit_ = 2;
  bool with_blob_ = false;
  Diagnostics diags_;
  Result<TemporaryDirectory> dir_ = TemporaryDirectory::create(diags_);
};

class LoadForm : public LoadModule, public ::testing::WithParamInterface<const char*> {
 protected:
  std::string made() { return written("host", GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(Forms, LoadForm, ::testing::Values("lib.so", "lib.a", "lib.o", "lib.tar", "lib/"),
                         [](const auto& form) { return std::string("form") + std::to_string(form.index); });

TEST_P(LoadForm, TheTreeIsThatOfTheExport) {
  auto root = load_module(made(), loaders(), diags_);
  ASSERT_TRUE(root) << text_of(diags_);
  EXPECT_EQ(root->name(), "root");
  const auto imports = root->imports();
  ASSERT_EQ(imports.size(), 2u);
  EXPECT_EQ(imports[0].name(), "second");
  EXPECT_EQ(imports[1].name(), "first.ll");
  EXPECT_EQ(imports[1].kind(), "llvm");
  ASSERT_EQ(imports[1].imports().size(), 1u);
  EXPECT_EQ(imports[1].imports()[0].kind(), "opaque");
  EXPECT_EQ(alive_, 1);  // the diamond's module is there once
}

TEST_P(LoadForm, B27FunctionsOfTheModuleAndOfItsImports) {
  auto root = load_module(made(), loaders(), diags_);
  ASSERT_TRUE(root) << text_of(diags_);
  auto twelve = root->function("twelve", Lookup::own, diags_);
  ASSERT_TRUE(twelve);
  EXPECT_EQ(twelve->as<int()>()(), 12);
  auto one = root->function("one", Lookup::with_imports, diags_);
  ASSERT_TRUE(one);
  EXPECT_EQ(one->as<int()>()(), 1);
  EXPECT_EQ(root->function("seven", Lookup::with_imports, diags_)->as<int()>()(), 7);
  EXPECT_TRUE(diags_.all().empty());
  EXPECT_FALSE(root->function("one", Lookup::own, diags_));
  EXPECT_THAT(text_of(diags_), HasSubstr("'root': the module has no such function (found one)"));
  EXPECT_FALSE(root->function("none", Lookup::with_imports, diags_));
  EXPECT_THAT(text_of(diags_), HasSubstr("neither the module nor its imports have such a function (found none)"));
  EXPECT_FALSE(root->imports()[0].function("twelve", Lookup::with_imports, diags_));
}

// What is linked is linked elsewhere, and gone with the last handle.
TEST_P(LoadForm, FunctionsOutliveTheModule) {
  const std::string path = made();
  const auto own = TemporaryDirectory::create(diags_);
  ::setenv("TMPDIR", own->path().c_str(), 1);
  const std::size_t files = entries(dir_->path());
  std::optional<LoadedFunction> twelve;
  {
    auto root = load_module(path, loaders(), diags_);
    ASSERT_TRUE(root) << text_of(diags_);
    auto found = root->function("twelve", Lookup::own, diags_);
    ASSERT_TRUE(found);
    twelve = *found;
  }
  EXPECT_EQ(entries(dir_->path()), files);
  std::filesystem::remove_all(path);
  EXPECT_EQ(twelve->as<int()>()(), 12);
  EXPECT_EQ(alive_, 1);
  twelve.reset();
  EXPECT_EQ(alive_, 0);
  EXPECT_EQ(entries(own->path()), 0u);
  ::unsetenv("TMPDIR");
}

// A name says nothing about what the dynamic linker has open already.
TEST_F(LoadModule, AFileThatTookThePlaceOfALoadedOneIsAnother) {
  const std::string path = written();
  auto before = load_module(path, loaders(), diags_);
  ASSERT_TRUE(before) << text_of(diags_);
  const auto old = before->function("twelve", Lookup::own, diags_);
  digit_ = 3;
  ASSERT_EQ(written(), path);
  auto after = load_module(path, loaders(), diags_);
  ASSERT_TRUE(after) << text_of(diags_);
  const auto fresh = after->function("twelve", Lookup::own, diags_);
  ASSERT_TRUE(old && fresh);
  EXPECT_EQ(old->as<int()>()(), 12);
  EXPECT_EQ(fresh->as<int()>()(), 13);
}

TEST_P(LoadForm, BytesOfABlobAndOfAnOpaqueModule) {
  with_blob_ = true;
  auto root = load_module(made(), loaders(), diags_);
  ASSERT_TRUE(root) << text_of(diags_);
  const auto text = [](std::span<const std::byte> bytes) {
    return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  const auto imports = root->imports();
  ASSERT_EQ(imports.size(), 3u);
  EXPECT_EQ(imports[2].kind(), "blob");
  EXPECT_EQ(text(imports[2].bytes()), "some data");
  const LoadedModule net = imports[0].imports()[0];
  EXPECT_EQ(text(net.bytes()), "seven");
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(net.bytes().data()) % 16, 0u);
  EXPECT_TRUE(root->bytes().empty());
}

TEST_P(LoadForm, AnotherFunctionByThePrefixOfItsModule) {
  with_blob_ = true;
  auto root = load_module(made(), loaders(), diags_);
  ASSERT_TRUE(root) << text_of(diags_);
  auto by_prefix = root->function("sum", Lookup::own, diags_), full = root->function("root_sum", Lookup::own, diags_);
  ASSERT_TRUE(by_prefix && full) << text_of(diags_);
  EXPECT_EQ(by_prefix->as<int()>(), full->as<int()>());
  EXPECT_EQ(by_prefix->as<int()>()(), 3);
  EXPECT_FALSE(root->entry(diags_));
  EXPECT_THAT(text_of(diags_), HasSubstr("the module has no such function (found root_run)"));
}

TEST_F(LoadModule, TheSameBytesEachTime) {
  const auto one = test::file_bytes(written());
  EXPECT_EQ(one, test::file_bytes(written()));
  EXPECT_THAT(std::string(reinterpret_cast<const char*>(one.data()), one.size()),
              ::testing::Not(HasSubstr(dir_->path())));
}

TEST_F(LoadModule, WhatCannotBeLoaded) {
  if (!find_program("aarch64-linux-gnu-gcc").empty() && target("host").triple.starts_with("x86_64")) {
    EXPECT_THAT(
        refused(written("aarch64-linux-gnu", "arm.so")),
        HasSubstr("arm.so: error: is for another machine (found 'aarch64-linux-gnu' (aarch64, 64-bit), expected "
                  "'host' (x86-64, 64-bit))"));
    EXPECT_THAT(refused(written("aarch64-linux-gnu", "arm.a")),
                HasSubstr("arm.a(root.o): error: is for another machine (found 'aarch64-linux-gnu'"));
  }
  EXPECT_THAT(refused(dir_->path() + "/none.so"), HasSubstr("none.so: error: cannot be opened"));
  const std::string path = written();
  EXPECT_THAT(refused("/proc/self/maps"), HasSubstr("error"));
  Diagnostics diags;
  EXPECT_FALSE(load_module(path, {}, diags));
  EXPECT_THAT(text_of(diags), HasSubstr("'net': needs a loader that is not there (found acme_graph, expected none)"));
  EXPECT_FALSE(load_module(
      path, {{"acme_graph", [](std::span<const std::byte>, Diagnostics&) { return std::unique_ptr<LoadedOpaque>(); }}},
      diags));
  EXPECT_THAT(text_of(diags), HasSubstr("loader 'acme_graph' did not take it"));

  EXPECT_FALSE(load_module(path,
                           {{"acme_graph",
                             [](std::span<const std::byte>, Diagnostics&) -> std::unique_ptr<LoadedOpaque> {
                               throw std::runtime_error("no memory on the device");
                             }}},
                           diags));
  EXPECT_THAT(text_of(diags), HasSubstr("lib.so: error: cannot be loaded: no memory on the device"));

  std::string text = *read_text(path, diags_);
  const std::size_t tree = text.find("BYOCIMP");
  ASSERT_NE(tree, std::string::npos);
  text[tree + 70] ^= 1;
  std::ofstream(path, std::ios::binary) << text;
  EXPECT_THAT(refused(path), HasSubstr("the import tree is damaged: its checksum is wrong"));
  std::ofstream(path, std::ios::binary) << text.substr(0, 2000);
  EXPECT_THAT(refused(path), HasSubstr("lib.so: error:"));

  const std::string other = dir_->path() + "/other.so", object = dir_->path() + "/other.o";
  std::ofstream(dir_->path() + "/other.c") << "int f(void) { return 1; }\n";
  ASSERT_EQ(run_process({"gcc", "-shared", "-fPIC", dir_->path() + "/other.c", "-o", other}, diags_)->exit_code, 0);
  EXPECT_THAT(refused(other), HasSubstr("has no import tree"));
  ASSERT_EQ(run_process({"gcc", "-c", dir_->path() + "/other.c", "-o", object}, diags_)->exit_code, 0);
  EXPECT_THAT(refused(object), HasSubstr("other.o: error: has no import tree"));
}

}  // namespace
}  // namespace byoc
