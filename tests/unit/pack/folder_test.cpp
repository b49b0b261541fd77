#include "sdk/library/pack/folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "sdk/export/compile_tree.hpp"
#include "sdk/export/pack_tree.hpp"
#include "sdk/library/pack/write_package.hpp"
#include "tests/support/objects.hpp"

namespace byoc {
namespace {

using test::blob;
using test::target;
using test::text_of;
using ::testing::HasSubstr;

// A tree built by hand: C that includes a header of the tree, LLVM text, data, a constant that hangs off the C module.
class Folder : public ::testing::Test {
 protected:
  Package package() {
    Package p;
    p.target = target("cortex-m4f");
    p.tree.headers["api.h"] = "int half(int);\nextern const unsigned char table[4];\n";
    p.tree.modules.push_back({.content = CCode{.compiled = {.opt_level = "s"}},
                              .name = "root",
                              .bytes = blob("#include \"api.h\"\nint answer(void);\n"
                                            "int answer(void) { return half(80) + table[1]; }\n"),
                              .symbols = {{"answer"}},
                              .imports = {2, 1}});
    p.tree.modules.push_back({.content = LlvmCode{},
                              .name = "half.ll",
                              .bytes = blob("define i32 @half(i32 %x) {\n  %y = sdiv i32 %x, 2\n  ret i32 %y\n}\n"),
                              .imports = {2},
                              .codegen = "acme"});
    p.tree.modules.push_back({.content = RawData{}, .name = "firmware_logo", .bytes = blob("LOGO")});
    ConstantArtifact table{.symbol = "table", .bytes = blob("\1\2\3\4"), .align = 8};
    p.tree.modules[0].constants.push_back(table);
    p.tree.lto = lto_;
    auto members = compile_tree(p.tree, p.target, {}, diags_);
    EXPECT_TRUE(members) << text_of(diags_);
    if (members) p.members = std::move(*members);
    return p;
  }
  void write() { ASSERT_TRUE(write_package(package(), folder(), diags_)) << text_of(diags_); }
  std::string folder() const { return dir_->path() + "/tree"; }
  void replace(const std::string& name, const std::string& from, const std::string& to) {
    const std::string path = folder() + "/" + name;
    std::string text = *read_text(path, diags_);
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    std::ofstream(path, std::ios::binary) << text;
  }
  // What is said of the folder after a change.
  std::string refused(const std::string& name, const std::string& from, const std::string& to) {
    write();
    replace(name, from, to);
    Diagnostics diags;
    EXPECT_FALSE(pack_tree(folder(), {}, dir_->path() + "/out.a", diags));
    EXPECT_FALSE(std::filesystem::exists(dir_->path() + "/out.a"));
    return text_of(diags);
  }
  static Result<void> pack_tree(const std::string& folder, const BuildOptions& options, const std::string& out,
                                Diagnostics& diags) {
    return pack_trees({&folder, 1}, options, out, diags);
  }
  bool lto_ = false;
  Diagnostics diags_;
  Result<TemporaryDirectory> dir_ = TemporaryDirectory::create(diags_);
};

TEST_F(Folder, WhatIsReadIsWhatWasWritten) {
  write();
  auto again = read_folder(folder() + "/", {}, diags_);
  ASSERT_TRUE(again) << text_of(diags_);
  const Package first = package();
  ASSERT_EQ(again->tree.modules.size(), first.tree.modules.size());
  for (std::size_t i = 0; i < first.tree.modules.size(); ++i) {
    const Module &a = first.tree.modules[i], &b = again->tree.modules[i];
    EXPECT_EQ(a.kind(), b.kind());
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(a.imports, b.imports);
    EXPECT_EQ(a.symbols, b.symbols);
    EXPECT_EQ(a.codegen, b.codegen);
    EXPECT_TRUE(std::equal(a.bytes.bytes().begin(), a.bytes.bytes().end(), b.bytes.bytes().begin()));
    EXPECT_EQ(b.has_object(), a.compiled() != nullptr) << a.name;
    EXPECT_EQ(a.opt_level(), b.opt_level());
  }
  ASSERT_EQ(again->tree.modules[0].constants.size(), 1u);
  EXPECT_EQ(again->tree.modules[0].constants[0].align, 8u);
  EXPECT_EQ(again->tree.headers, first.tree.headers);
}

// The pack made of the folder is the one that is made directly, and so is the folder made of the folder.
TEST_F(Folder, GoesOnToTheSamePacks) {
  write();
  for (const char* out : {"x.a", "x.o"}) {
    ASSERT_TRUE(write_package(package(), dir_->path() + "/" + out, diags_)) << text_of(diags_);
    const auto direct = test::file_bytes(dir_->path() + "/" + out);
    ASSERT_TRUE(pack_tree(folder(), {}, dir_->path() + "/" + out, diags_)) << text_of(diags_);
    EXPECT_EQ(test::file_bytes(dir_->path() + "/" + out), direct) << out;
  }
  ASSERT_TRUE(pack_tree(folder(), {}, dir_->path() + "/again/", diags_)) << text_of(diags_);
  EXPECT_EQ(*read_text(folder() + "/tree.json", diags_), *read_text(dir_->path() + "/again/tree.json", diags_));
}

// One object of all code: it is taken as it is, and made anew of all sources where one was changed.
TEST_F(Folder, KeepsTheObjectOfLinkTimeOptimisation) {
  lto_ = true;
  write();
  auto members = run_process({"ls", folder() + "/lib"}, diags_);
  EXPECT_EQ(members->output, "root.o\nroot_constants.o\n");
  ASSERT_TRUE(write_package(package(), dir_->path() + "/x.a", diags_)) << text_of(diags_);
  const auto direct = test::file_bytes(dir_->path() + "/x.a");
  ASSERT_TRUE(pack_tree(folder(), {}, dir_->path() + "/x.a", diags_)) << text_of(diags_);
  EXPECT_EQ(test::file_bytes(dir_->path() + "/x.a"), direct);
  ASSERT_TRUE(pack_tree(folder(), {}, dir_->path() + "/again/", diags_)) << text_of(diags_);
  EXPECT_EQ(*read_text(folder() + "/tree.json", diags_), *read_text(dir_->path() + "/again/tree.json", diags_));
  replace("src/half.ll", "sdiv", "mul");
  ASSERT_TRUE(pack_tree(folder(), {}, dir_->path() + "/x.a", diags_)) << text_of(diags_);
  EXPECT_NE(test::file_bytes(dir_->path() + "/x.a"), direct);
}

// What was compiled module by module is linked where --lto asks for it.
TEST_F(Folder, IsLinkedWhenItIsPacked) {
  lto_ = true;
  ASSERT_TRUE(write_package(package(), dir_->path() + "/x.a", diags_)) << text_of(diags_);
  const auto direct = test::file_bytes(dir_->path() + "/x.a");
  lto_ = false;
  write();
  BuildOptions options;
  options.compiler.lto = true;
  ASSERT_TRUE(pack_tree(folder(), options, dir_->path() + "/x.a", diags_)) << text_of(diags_);
  EXPECT_EQ(test::file_bytes(dir_->path() + "/x.a"), direct);
}

TEST_F(Folder, SymbolsOfNoModuleAreNamed) {
  lto_ = true;
  EXPECT_THAT(refused("tree.json", "\"answer\": \"root\"", "\"answer\": \"branch\""),
              HasSubstr("'answer': comes from a module that is not there (found branch"));
}

TEST_F(Folder, AChangedSourceIsCompiledAgain) {
  write();
  replace("src/root.c", "answer(void) {", "changed(void); int changed(void) {");
  replace("tree.json", "\"answer\"", "\"changed\"");
  ASSERT_TRUE(pack_tree(folder(), {}, dir_->path() + "/out.a", diags_)) << text_of(diags_);
  const auto archive = test::file_bytes(dir_->path() + "/out.a");
  EXPECT_THAT(std::string(reinterpret_cast<const char*>(archive.data()), archive.size()), HasSubstr("changed"));
}

TEST_F(Folder, WhatDoesNotFitIsNamed) {
  EXPECT_THAT(refused("src/root.c", "half(80)", "half("), HasSubstr("root.c:3:"));
  EXPECT_THAT(refused("tree.json", "\"answer\"", "\"question\""),
              HasSubstr("'question': the module promised this symbol and does not define it"));
  EXPECT_THAT(refused("lib/root_constants.o", "\1\2\3\4", "\1\2\3\5"),
              HasSubstr("lib/root_constants.o: error: 'table': the constant is not what was exported"));
  EXPECT_THAT(refused("tree.json", "\"bytes\": 4", "\"bytes\": 40000"), HasSubstr("is too short for the constant"));
  EXPECT_THAT(refused("tree.json", "\"src/root.c\"", "\"../root.c\""), HasSubstr("names a file outside the folder"));
  EXPECT_THAT(refused("tree.json", "\"src/root.c\"", "\"/root.c\""), HasSubstr("names a file outside the folder"));
  EXPECT_THAT(refused("tree.json", "\"src/root.c\"", "\"src/none.c\""),
              HasSubstr("src/none.c: error: cannot be opened"));
  EXPECT_THAT(refused("tree.json", "\"half.ll\"\n", "\"nobody\"\n"), HasSubstr("imports a module that is not there"));
  EXPECT_THAT(refused("tree.json", "\"kind\": \"blob\"", "\"kind\": \"bulb\""),
              HasSubstr("a module of an unknown kind (found bulb"));
  EXPECT_THAT(refused("tree.json", "\"format\": 1", "\"format\": 2"),
              HasSubstr("a newer byoc wrote this version of the module tree (found 2, expected 1)"));
  EXPECT_THAT(refused("tree.json", "\"modules\"", "\"models\""), HasSubstr("is no module tree of byoc"));
  EXPECT_THAT(refused("tree.json", "{", "["), HasSubstr("is no module tree of byoc"));
  EXPECT_THAT(refused("tree.json", "\"element\": \"u8\"", "\"element\": \"u9\""),
              HasSubstr("'table': has an unknown element type"));
}

TEST_F(Folder, AnotherTargetIsRefusedThoughTheObjectsAreThere) {
  write();
  replace("tree.json", "\"float_abi\": \"hard\"", "\"float_abi\": \"soft\"");
  replace("tree.json", "\"codegen\": \"acme\"",
          "\"codegen\": \"acme\", \"target\": " + write_target(target("cortex-m4f")));
  Diagnostics diags;
  EXPECT_FALSE(pack_tree(folder(), {}, dir_->path() + "/out.a", diags));
  EXPECT_THAT(text_of(diags), HasSubstr("float_abi differs"));
}

TEST_F(Folder, AnOpaqueModuleIsCarriedAndNotPacked) {
  Package p = package();
  p.tree.modules[0].imports.push_back(3);
  p.tree.modules.push_back({.content = LoaderData{"acme_graph"}, .name = "net", .bytes = blob("graph")});
  ASSERT_TRUE(write_package(p, folder(), diags_)) << text_of(diags_);
  Diagnostics diags;
  EXPECT_FALSE(pack_tree(folder(), {}, dir_->path() + "/out.a", diags));
  EXPECT_THAT(text_of(diags), HasSubstr("'net': a module of kind opaque, for loader 'acme_graph'"));
  auto again = read_folder(folder(), {}, diags_);
  ASSERT_TRUE(again) << text_of(diags_);
  EXPECT_EQ(again->tree.modules[3].loader(), "acme_graph");
}

TEST_F(Folder, FilesThatCannotBeThere) {
  Package p = package();
  p.tree.headers["../api.h"] = "";
  EXPECT_FALSE(write_package(p, folder(), diags_));
  EXPECT_THAT(text_of(diags_), HasSubstr("'../api.h': a header cannot be written into a folder by this name"));
  p.tree.headers.erase("../api.h");
  p.tree.headers["root.c"] = "";
  EXPECT_FALSE(write_package(p, folder(), diags_));
  EXPECT_THAT(text_of(diags_), HasSubstr("'src/root.c': two files of the folder have this name"));
  EXPECT_FALSE(std::filesystem::exists(folder()));
}

}  // namespace
}  // namespace byoc
