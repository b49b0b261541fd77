#include "sdk/library/compile/object_cache.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>

#include "sdk/library/compile/llvm_module.hpp"
#include "tests/support/objects.hpp"

namespace byoc {
namespace {

using test::target;
using test::text_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace fs = std::filesystem;

// A compiler that writes down what it is asked for, and a cache.
class Cache : public ::testing::Test {
 protected:
  void SetUp() override {
    auto made = TemporaryDirectory::create(diags_);
    ASSERT_TRUE(made) << text_of(diags_);
    folder_.emplace(std::move(*made));
    options_.cache = folder_->path() + "/deep/cache";
    options_.launcher = folder_->path() + "/launch";
    std::ofstream(options_.launcher) << "#!/bin/sh\nls *.c >> " << folder_->path() << "/log\nexec \"$@\"\n";
    fs::permissions(options_.launcher, fs::perms::owner_all);
  }
  std::unique_ptr<Compiler> compiler(const std::string& toolchain = "gnu") {
    CompileOptions options = options_;
    if (toolchain == "clang") options.launcher.clear();
    auto c = Compiler::create(target("cortex-m4f"), toolchain, options, diags_);
    EXPECT_TRUE(c) << text_of(diags_);
    return c ? std::move(*c) : nullptr;
  }
  ObjectBytes compiled(const Source& source, const HeaderMap& headers = {}, const std::string& toolchain = "gnu") {
    auto c = compiler(toolchain);
    auto object = c == nullptr ? Result<ObjectBytes>(failure) : c->compile(source, headers, diags_);
    EXPECT_TRUE(object) << text_of(diags_);
    return object ? *object : ObjectBytes();
  }
  // The sources that were compiled since the last call.
  std::vector<std::string> runs() {
    std::vector<std::string> out;
    std::ifstream log(folder_->path() + "/log");
    for (std::string line; std::getline(log, line);)
      if (line != "probe.c") out.push_back(line);
    fs::remove(folder_->path() + "/log");
    return out;
  }
  std::vector<fs::path> entries() const {
    std::vector<fs::path> out;
    for (const auto& e : fs::recursive_directory_iterator(options_.cache))
      if (e.is_regular_file()) out.push_back(e.path());
    return out;
  }
  static Source source(const std::string& text) { return {.name = "one", .text = text}; }

  Diagnostics diags_;
  std::optional<TemporaryDirectory> folder_;
  CompileOptions options_;
};

constexpr const char* kOne =
    "#include <stdint.h>\n#include \"a.h\"\nint32_t one(void);\n"
    "int32_t one(void) { return ONE; }\n";

TEST_F(Cache, CompilesOnlyWhatIsNew) {
  if (find_program("arm-none-eabi-gcc").empty()) GTEST_SKIP() << "arm-none-eabi-gcc is not installed";
  const HeaderMap headers{{"a.h", "#include \"b.h\"\n"}, {"b.h", "#define ONE 1\n"}, {"c.h", "#define TWO 2\n"}};
  const ObjectBytes first = compiled(source(kOne), headers);
  EXPECT_THAT(runs(), ElementsAre("one.c"));
  EXPECT_EQ(compiled(source(kOne), headers), first);
  HeaderMap others = headers;
  others["c.h"] = "#define TWO 3\n";  // which it does not include
  EXPECT_EQ(compiled(source(kOne), others), first);
  EXPECT_THAT(runs(), ElementsAre());
  others["b.h"] = "#define ONE 5\n";
  EXPECT_NE(compiled(source(kOne), others), first);
  EXPECT_NE(compiled(source(std::string(kOne) + "int32_t two(void);\nint32_t two(void) { return 2; }\n"), headers),
            first);
  Source fast = source(kOne);
  fast.opt_level = "3";
  (void)compiled(fast, headers);
  options_.defines = {"MORE"};
  (void)compiled(source(kOne), headers);
  EXPECT_EQ(runs().size(), 4u);
  EXPECT_EQ(entries().size(), 5u);
}

// Warnings are for everybody who compiles it; errors, too.
TEST_F(Cache, WhatIsSaidIsSaidAgain) {
  options_.warnings_as_errors = false;
  for (int i = 0; i < 2; ++i) {
    (void)compiled(source("static int unused;\nint one(void);\nint one(void) { return 1; }\n"), {}, "clang");
    EXPECT_THAT(text_of(diags_), HasSubstr("one.c:1:12: warning: unused variable"));
    diags_ = {};
  }
  for (int i = 0; i < 2; ++i) {
    EXPECT_FALSE(compiler("clang")->compile(source("int one(void) { return x; }\n"), {}, diags_));
    EXPECT_THAT(text_of(diags_), HasSubstr("one.c:1:24: error:"));
    diags_ = {};
  }
  EXPECT_TRUE(entries().empty());
}

// Who may write to the folder may put there what is no entry: it is replaced, and what it leads to stays as it is.
TEST_F(Cache, WhatIsNoRegularFileIsReplaced) {
  const Source one = source("int one(void);\nint one(void) { return 1; }\n");
  const ObjectBytes object = compiled(one, {}, "clang");
  ASSERT_EQ(entries().size(), 1u);
  const fs::path entry = entries().front(), mine = folder_->path() + "/mine", missing = folder_->path() + "/missing";
  const auto kept = test::file_bytes(entry);
  const std::function<void()> made[] = {[&] { fs::create_symlink(mine, entry); },
                                        [&] { fs::create_symlink(missing, entry); },
                                        [&] { fs::create_symlink(entry, entry); },
                                        [&] { fs::create_hard_link(mine, entry); },
                                        [&] { ASSERT_EQ(::mkfifo(entry.c_str(), S_IRWXU), 0); },
                                        [&] { fs::create_symlink("/dev/zero", entry); }};
  for (const auto& make : made) {
    std::ofstream(mine, std::ios::binary) << "mine";
    fs::remove(entry);
    make();
    EXPECT_EQ(compiled(one, {}, "clang"), object);
    EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(entry)));
    EXPECT_EQ(test::file_bytes(entry), kept);
    EXPECT_EQ(test::file_bytes(mine).size(), 4u);
    EXPECT_FALSE(fs::exists(missing));
    EXPECT_THAT(text_of(diags_), HasSubstr("an entry is damaged, and is made anew"));
    diags_ = {};
    fs::remove(mine);
  }
  // A folder of entries that leads elsewhere is none.
  const fs::path part = entry.parent_path(), elsewhere = folder_->path() + "/elsewhere";
  fs::rename(part, elsewhere);
  fs::create_symlink(elsewhere, part);
  fs::remove(elsewhere / entry.filename());
  EXPECT_EQ(compiled(one, {}, "clang"), object);
  EXPECT_TRUE(fs::is_empty(elsewhere));
}

TEST_F(Cache, ADamagedObjectIsMadeAnew) {
  const Source one = source("int one(void);\nint one(void) { return 1; }\n");
  const ObjectBytes object = compiled(one, {}, "clang");
  ASSERT_EQ(entries().size(), 1u);
  const fs::path entry = entries().front();
  const auto kept = test::file_bytes(entry);
  for (const std::size_t at : {std::size_t{3}, std::size_t{20}, kept.size() - 1}) {
    auto damaged = kept;
    damaged[at] ^= std::byte{1};
    std::ofstream(entry, std::ios::binary)
        .write(reinterpret_cast<const char*>(damaged.data()), static_cast<std::streamsize>(damaged.size()));
    EXPECT_EQ(compiled(one, {}, "clang"), object);
    EXPECT_EQ(test::file_bytes(entry), kept);
    EXPECT_THAT(text_of(diags_), HasSubstr("warning: '--cache': an entry is damaged, and is made anew"));
    diags_ = {};
  }
  fs::resize_file(entry, 10);
  EXPECT_EQ(compiled(one, {}, "clang"), object);
}

// A folder that another machine filled: paths and times of headers are others there.
TEST_F(Cache, KeysAreOfContentsAlone) {
  std::vector<std::string> keys;
  for (const char* name : {"/a.h", "/b.h"}) {
    std::ofstream(folder_->path() + name) << "#define A 1\n";
    keys.push_back(compile::CacheKey().add_file(folder_->path() + name).text());
  }
  EXPECT_EQ(keys[0], keys[1]);
  std::ofstream(folder_->path() + "/b.h") << "#define A 2\n";
  EXPECT_NE(compile::CacheKey().add_file(folder_->path() + "/b.h").text(), keys[0]);
}

TEST_F(Cache, WhatWasUsedLeastLatelyGoesFirst) {
  std::vector<Source> sources;
  for (const char* number : {"1", "2", "3"}) {
    sources.push_back(source(std::string("int one(void);\nint one(void) { return ") + number + "; }\n"));
    (void)compiled(sources.back(), {}, "clang");
  }
  std::uint64_t all = 0;
  for (const fs::path& e : entries()) {
    all += fs::file_size(e);
    fs::last_write_time(e, fs::file_time_type::clock::now() - std::chrono::hours(1));
  }
  (void)compiled(sources[1], {}, "clang");
  compile::trim_object_cache(options_.cache, all);
  EXPECT_EQ(entries().size(), 3u);
  compile::trim_object_cache(options_.cache, all / 2);
  ASSERT_EQ(entries().size(), 1u);
  (void)compiled(sources[1], {}, "clang");
  EXPECT_EQ(entries().size(), 1u);
  compile::trim_object_cache(folder_->path() + "/none", 0);
  std::ofstream(options_.cache + "/notes.txt") << "not an entry\n";
  compile::trim_object_cache(options_.cache, 0);
  EXPECT_THAT(entries(), ElementsAre(fs::path(options_.cache + "/notes.txt")));
}

// One that lies where another was is whole, and of something else.
TEST_F(Cache, AnotherObjectInItsPlaceIsAMiss) {
  std::vector<Source> sources;
  std::vector<ObjectBytes> objects;
  for (const char* number : {"1", "2", "3"}) {
    sources.push_back(source(std::string("int one(void);\nint one(void) { return ") + number + "; }\n"));
    objects.push_back(compiled(sources.back(), {}, "clang"));
  }
  const std::vector<fs::path> places = entries();
  ASSERT_EQ(places.size(), 3u);
  fs::rename(places[0], folder_->path() + "/kept");
  fs::rename(places[1], places[0]);
  fs::rename(places[2], places[1]);
  fs::rename(folder_->path() + "/kept", places[2]);
  for (std::size_t i = 0; i < sources.size(); ++i) EXPECT_EQ(compiled(sources[i], {}, "clang"), objects[i]) << i;
}

// Nothing is known of files beside a source of the user's.
TEST_F(Cache, SourcesThatIncludeOtherFilesAreNotKept) {
  std::ofstream(folder_->path() + "/mine.h") << "#define MINE 1\n";
  Source one = source("#include \"mine.h\"\nint one(void);\nint one(void) { return MINE; }\n");
  one.directory = folder_->path();
  const ObjectBytes first = compiled(one, {}, "clang");
  std::ofstream(folder_->path() + "/mine.h") << "#define MINE 2\n";
  EXPECT_NE(compiled(one, {}, "clang"), first);
  one = source("#include MINE\nint one(void);\nint one(void) { return ONE; }\n");
  one.text = "#define MINE \"mine.h\"\n" + one.text;
  (void)compiled(one, {{"mine.h", "#define ONE 1\n"}}, "clang");
  one = source("int one(void);\nint one(void) { return 1; }\n");
  one.include_directories = {folder_->path()};
  (void)compiled(one, {}, "clang");
  EXPECT_TRUE(entries().empty());
}

TEST_F(Cache, KeepsLlvmModulesAndLinks) {
  const std::string text = "define float @scale(float %x) {\n  ret float %x\n}\n";
  const auto module = [&] {
    return compile_llvm_module("a.ll", std::as_bytes(std::span(text)), target("cortex-m4f"), options_, diags_);
  };
  const auto link = [&](const std::set<std::string>& needed) {
    const LinkInput input{"a.ll", std::as_bytes(std::span(text)), false};
    return link_llvm_modules("all", {&input, 1}, needed, target("cortex-m4f"), options_, diags_);
  };
  auto first = module();
  auto linked = link({"scale"});
  ASSERT_TRUE(first && linked) << text_of(diags_);
  EXPECT_EQ(entries().size(), 2u);
  EXPECT_EQ(*module(), *first);
  EXPECT_EQ(link({"scale"})->object, linked->object);
  EXPECT_EQ(link({"scale"})->defined, linked->defined);
  EXPECT_EQ(entries().size(), 2u);
  EXPECT_NE(link({})->object, linked->object);
}

TEST_F(Cache, WhereThereCanBeNone) {
  options_.cache = options_.launcher;
  EXPECT_FALSE(Compiler::create(target("cortex-m4f"), "clang", options_, diags_));
  options_.launcher.clear();
  EXPECT_FALSE(Compiler::create(target("cortex-m4f"), "clang", options_, diags_));
  EXPECT_THAT(text_of(diags_), HasSubstr("launch: error: '--cache': the folder cannot be made"));
}

}  // namespace
}  // namespace byoc
