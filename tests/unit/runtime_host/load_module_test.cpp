#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "byoc/byoc.hpp"
#include "byoc/graph_executor.hpp"
#include "sdk/export/build_tree.hpp"
#include "sdk/export/compile_tree.hpp"
#include "sdk/library/pack/write_package.hpp"
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
        {.content = CCode{},
         .name = "root",
         .bytes = blob("int one(void); int two(void);\nint twelve(void) { return 10 * one() + two(); }\n"),
         .imports = {2, 1}});
    t.modules.push_back({.content = LlvmCode{},
                         .name = "first.ll",
                         .bytes = blob("define i32 @one() {\n  ret i32 1\n}\n"),
                         .imports = {3}});
    t.modules.push_back({.content = CCode{},
                         .name = "second",
                         .bytes = blob("int two(void) { return " + std::to_string(digit_) + "; }\n"),
                         .imports = {3}});
    t.modules.push_back({.content = LoaderData{"acme_graph"}, .name = "net", .bytes = blob("seven")});
    if (with_blob_) {
      t.modules[0].bytes = blob("int one(void); int two(void);\nint root_sum(void) { return one() + two(); }\n");
      t.modules[0].imports.push_back(4);
      t.modules.push_back({.content = RawData{}, .name = "logo", .bytes = blob("some data")});
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

// Functions of an object and of a library that others compiled are found by the names that the tree gives them, with
// those of a module beside them.
TEST_P(LoadForm, B5FunctionsOfWhatOthersCompiled) {
  const auto one = test::assemble({"gcc", "-fPIC"}, "int myadd1(int x) { return x + 1; }\n");
  const auto two = test::assemble({"gcc", "-fPIC"}, "int myadd2(int x) { return x + 2; }\n");
  ASSERT_TRUE(one && two);
  std::ofstream(dir_->path() + "/two.o", std::ios::binary)
      .write(reinterpret_cast<const char*>(two->data()), static_cast<std::streamsize>(two->size()));
  ASSERT_EQ(run_process({"ar", "rc", dir_->path() + "/libtwo.a", dir_->path() + "/two.o"}, diags_)->exit_code, 0);
  Package p;
  p.target = target("host");
  p.tree.modules = {{.content = LlvmCode{},
                     .name = "root",
                     .bytes = blob("declare i32 @myadd1(i32)\ndeclare i32 @myadd2(i32)\n"
                                   "define i32 @myadd3(i32 %x) {\n  %a = call i32 @myadd1(i32 %x)\n"
                                   "  %b = call i32 @myadd2(i32 %a)\n  ret i32 %b\n}\n"),
                     .imports = {1, 2}},
                    {.content = ElfObject{}, .name = "one.o", .bytes = Blob::own(std::vector(*one))},
                    {.content = ObjectLibrary{},
                     .name = "libtwo.a",
                     .bytes = Blob::own(test::file_bytes(dir_->path() + "/libtwo.a"))}};
  p.tree.modules[1].symbols = {{"myadd1"}};
  p.tree.modules[2].symbols = {{"myadd2"}};
  auto members = compile_tree(p.tree, p.target, {}, diags_);
  ASSERT_TRUE(members) << text_of(diags_);
  p.members = std::move(*members);
  const std::string path = dir_->path() + "/" + GetParam();
  ASSERT_TRUE(write_package(p, path, diags_)) << text_of(diags_);
  const auto root = load_module(path, {}, diags_);
  ASSERT_TRUE(root) << text_of(diags_);
  const auto imports = root->imports();
  ASSERT_EQ(imports.size(), 2u);
  EXPECT_EQ(imports[1].kind(), "static_library");
  for (const auto& [name, added] : {std::pair("myadd1", 1), {"myadd2", 2}, {"myadd3", 3}}) {
    const auto f = root->function(name, Lookup::with_imports, diags_);
    ASSERT_TRUE(f) << text_of(diags_);
    EXPECT_EQ(f->as<int(int)>()(4), 4 + added);
  }
  EXPECT_FALSE(root->function("myadd1", Lookup::own, diags_));
}

constexpr const char* kRamp = R"(
define void @ramp(ptr %a, i64 %n) {
start:
  br label %loop
loop:
  %i = phi i64 [ 0, %start ], [ %next, %body ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %end
body:
  %at = getelementptr i64, ptr %a, i64 %i
  store i64 %i, ptr %at
  %next = add i64 %i, 1
  br label %loop
end:
  ret void
}
)";

// The same kernel as text, as bitcode and as an object; and the library in a process that has nothing of byoc's.
TEST_F(LoadModule, B6ARampOfEveryFormOfLlvm) {
  if (find_program("clang-19").empty()) GTEST_SKIP() << "clang-19 is not installed";
  const std::string folder = dir_->path() + "/";
  std::ofstream(folder + "ramp.ll") << kRamp;
  const std::vector<std::string> clang{"clang-19", "-Wno-override-module", "-fPIC", "-c", folder + "ramp.ll", "-o"};
  for (const std::string& name : {std::string("ramp.bc"), std::string("ramp.o")}) {
    std::vector<std::string> command = clang;
    command.push_back(folder + name);
    if (name == "ramp.bc") command.emplace_back("-emit-llvm");
    ASSERT_EQ(run_process(command, diags_)->exit_code, 0);
  }
  for (const std::string name : {"ramp.ll", "ramp.bc", "ramp.o"}) {
    const std::vector<std::string> files{folder + name};
    const std::string library = folder + name + ".so";
    ASSERT_TRUE(build_tree(files, target("host"), {}, library, diags_)) << name << text_of(diags_);
    const auto root = load_module(library, {}, diags_);
    ASSERT_TRUE(root) << text_of(diags_);
    const auto ramp = root->function("ramp", Lookup::with_imports, diags_);
    ASSERT_TRUE(ramp) << text_of(diags_);
    std::vector<std::int64_t> a(11, -1);
    ramp->as<void(std::int64_t*, std::int64_t)>()(a.data(), 10);
    EXPECT_THAT(a, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, -1)) << name;
  }
  std::ofstream(folder + "main.c") << "#include <dlfcn.h>\n#include <stdint.h>\n"
                                      "int main(int argc, char **argv) {\n  int64_t a[10], i;\n"
                                      "  void *lib = argc == 2 ? dlopen(argv[1], RTLD_NOW) : 0;\n"
                                      "  void (*ramp)(int64_t *, int64_t) = (void (*)(int64_t *, int64_t))"
                                      "(lib ? dlsym(lib, \"ramp\") : 0);\n"
                                      "  if (!ramp) return 2;\n  ramp(a, 10);\n"
                                      "  for (i = 0; i < 10; ++i) if (a[i] != i) return 1;\n  return 0;\n}\n";
  ASSERT_EQ(run_process({"gcc", folder + "main.c", "-ldl", "-o", folder + "main"}, diags_)->exit_code, 0);
  EXPECT_EQ(run_process({folder + "main", folder + "ramp.bc.so"}, diags_)->exit_code, 0);
}

// Two objects become one library; what one of them keeps to itself nobody finds.
TEST_F(LoadModule, B8TwoObjectsInOneLibrary) {
  const std::string folder = dir_->path() + "/";
  std::vector<std::string> files;
  for (const char* n : {"1", "2"}) {
    const std::string name = folder + "myadd" + n;
    std::ofstream(name + ".c") << "static int by(int x) { return x + " << n << "; }\nint myadd" << n
                               << "(int x) { return by(x); }\n";
    ASSERT_EQ(run_process({"gcc", "-fPIC", "-c", name + ".c", "-o", name + ".o"}, diags_)->exit_code, 0);
    files.push_back(name + ".o");
  }
  ASSERT_TRUE(build_tree(files, target("host"), {}, folder + "both.so", diags_)) << text_of(diags_);
  const auto root = load_module(folder + "both.so", {}, diags_);
  ASSERT_TRUE(root) << text_of(diags_);
  for (const int n : {1, 2}) {
    const auto f = root->function("myadd" + std::to_string(n), Lookup::with_imports, diags_);
    ASSERT_TRUE(f) << text_of(diags_);
    EXPECT_EQ(f->as<int(int)>()(40), 40 + n);
  }
  EXPECT_FALSE(root->function("by", Lookup::with_imports, diags_));
}

TEST_F(LoadModule, B26AnExecutorIsForItsOwnKindOfLibrary) {
  const auto root = load_module(written(), loaders(), diags_);
  ASSERT_TRUE(root) << text_of(diags_);
  EXPECT_FALSE(GraphExecutor::create(*root, diags_));
  EXPECT_THAT(text_of(diags_), HasSubstr("'root': the library has no graph (expected one that was exported with "
                                         "--executor graph)"));
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
  const std::size_t tree = text.find("BYOCTREE");
  ASSERT_NE(tree, std::string::npos);
  text[tree + 70] ^= 1;
  std::ofstream(path, std::ios::binary) << text;
  EXPECT_THAT(refused(path), HasSubstr("'import tree': is damaged: its checksum is another"));
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
