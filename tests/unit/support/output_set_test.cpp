#include "sdk/base/support/output_set.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <thread>

#include "sdk/base/support/file.hpp"

namespace byoc {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class OutputSetTest : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return dir_->path() + "/" + name; }
  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const auto& entry : fs::recursive_directory_iterator(dir_->path()))
      if (!fs::is_directory(entry.symlink_status()))
        out.push_back(fs::relative(entry.path().parent_path(), dir_->path()) / entry.path().filename());
    for (std::string& name : out)
      if (name.starts_with("./")) name.erase(0, 2);
    std::sort(out.begin(), out.end());
    return out;
  }
  void put(const std::string& name, const std::string& text) const { std::ofstream(path(name)) << text; }
  std::string get(const std::string& name) {
    const auto text = read_text(path(name), diags_);
    return text ? *text : "none";
  }
  // What is said of a set with these outputs, the last of which is refused. Nothing is touched.
  std::string refused(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs = {}) {
    const std::vector<std::string> before = names();
    std::vector<std::string> read;
    for (const std::string& i : inputs) read.push_back(path(i));
    Diagnostics diags;
    {
      OutputSet set(diags, stamps_of(read));
      for (const std::string& o : outputs) EXPECT_EQ(bool(set.add(path(o), o)), &o != &outputs.back()) << o;
    }
    EXPECT_EQ(names(), before);
    return diags.all().empty() ? "" : to_string(diags.all()[0]);
  }
  std::string refused_folder(const std::string& name) {
    Diagnostics diags;
    OutputSet set(diags);
    EXPECT_FALSE(set.add_folder(path(name), "marker"));
    return diags.all().empty() ? "" : to_string(diags.all()[0]);
  }
  void write_folder(const std::string& name, const std::string& text) {
    OutputSet set(diags_);
    ASSERT_TRUE(set.add_folder(path(name), "marker") && set.add(path(name) + "/marker", "") &&
                set.add(path(name) + "/sub/text", text) && set.commit());
  }
  // A device of the memory driver: for root one of its own, so that a test that fails costs the machine nothing.
  std::string device(const std::string& name, unsigned minor) const {
    if (::geteuid() != 0) return "/dev/" + name;
    const std::string own = path("dev_" + name);
    return ::mknod(own.c_str(), S_IFCHR | 0666, ::makedev(1, minor)) == 0 ? own : std::string();
  }
  Diagnostics diags_;
  Result<TemporaryDirectory> dir_ = TemporaryDirectory::create(diags_);
};

TEST_F(OutputSetTest, FoldersAreMadeInOneThatIsThere) {
  make_folders_for(dir_->path(), "a/b/c.h");
  EXPECT_TRUE(std::filesystem::is_directory(dir_->path() + "/a/b"));
  EXPECT_FALSE(std::filesystem::exists(dir_->path() + "/a/b/c.h"));
  make_folders_for(dir_->path() + "/gone", "a/b/c.h");
  EXPECT_FALSE(std::filesystem::exists(dir_->path() + "/gone"));
}

TEST_F(OutputSetTest, FilesAppearTogetherAndReplaceOthers) {
  put("a", "old");
  OutputSet set(diags_);
  ASSERT_TRUE(set.add(path("a"), "new") && set.add(path("b"), "text"));
  EXPECT_EQ(get("a"), "old");
  ASSERT_TRUE(set.commit());
  EXPECT_THAT(names(), ElementsAre("a", "b"));
  EXPECT_EQ(get("a") + get("b"), "newtext");
}

TEST_F(OutputSetTest, WhatIsNotCommittedLeavesNothing) {
  put("a", "old");
  {
    OutputSet set(diags_);
    ASSERT_TRUE(set.add(path("a"), "new") && set.add(path("b"), "") && set.make_folders(path("x/y")) &&
                set.add(path("x/y/z"), ""));
  }
  EXPECT_THAT(names(), ElementsAre("a"));
  EXPECT_FALSE(fs::exists(path("x")));
  EXPECT_EQ(get("a"), "old");
}

TEST_F(OutputSetTest, OneThatCannotBePlacedTakesTheOthersBack) {
  put("a", "old");
  fs::create_directory(path("gone"));
  OutputSet set(diags_);
  ASSERT_TRUE(set.add(path("a"), "new") && set.add(path("b"), "new") && set.add(path("gone/c"), "new"));
  fs::rename(path("gone"), path("elsewhere"));
  EXPECT_FALSE(set.commit());
  EXPECT_EQ(get("a"), "old");
  EXPECT_FALSE(fs::exists(path("b")));
}

TEST_F(OutputSetTest, TwoOfOneNameAreRefused) {
  EXPECT_THAT(refused({"x", "x"}), HasSubstr("/x: error: would be written twice"));
  fs::create_directory(path("d"));
  EXPECT_THAT(refused({"d/x", "d/../d/./x"}), HasSubstr("would be written twice"));
  fs::create_symlink("d", path("link"));
  EXPECT_THAT(refused({"d/x", "link/x"}), HasSubstr("would be written twice"));
  fs::create_symlink("d/x", path("y"));
  EXPECT_THAT(refused({"y", "d/x"}), HasSubstr("would be written twice"));
}

TEST_F(OutputSetTest, TwoThatAreOneFileAreRefused) {
  put("a", "old");
  fs::create_hard_link(path("a"), path("b"));
  EXPECT_THAT(refused({"a", "b"}), HasSubstr("would be written twice (found the same file as '" + path("a") + "'"));
}

TEST_F(OutputSetTest, AFileThatIsReadIsNotReplaced) {
  put("in", "text");
  fs::create_hard_link(path("in"), path("hard"));
  fs::create_symlink("in", path("soft"));
  for (const char* out : {"in", "hard", "soft", "./in"})
    EXPECT_THAT(refused({out}, {"in"}), HasSubstr("would replace a file that the command reads (found " + path("in")));
  EXPECT_THAT(refused({"in"}, {"soft"}), HasSubstr("would replace a file that the command reads"));
}

TEST_F(OutputSetTest, LinksAreFollowedAndStay) {
  fs::create_directory(path("store"));
  put("store/a", "old");
  fs::create_symlink("store/a", path("a"));
  fs::create_symlink("a", path("again"));
  fs::create_symlink("store/new", path("b"));
  OutputSet set(diags_);
  ASSERT_TRUE(set.add(path("again"), "new") && set.add(path("b"), "made") && set.commit());
  EXPECT_TRUE(fs::is_symlink(path("a")) && fs::is_symlink(path("again")) && fs::is_symlink(path("b")));
  EXPECT_EQ(get("store/a") + get("store/new"), "newmade");
  fs::create_symlink("loop", path("loop"));
  EXPECT_THAT(refused({"loop"}), HasSubstr("loop: error: cannot be written: Too many levels of symbolic links"));
}

TEST_F(OutputSetTest, MissingFoldersAreNamed) {
  EXPECT_THAT(refused({"no/such/file"}),
              HasSubstr("cannot be written: there is no such folder (found " + path("no") + ", expected a folder"));
  put("file", "");
  EXPECT_THAT(refused({"file/x"}), HasSubstr("cannot be written: Not a directory"));
  fs::create_directory(path("d"));
  EXPECT_THAT(refused({"d"}), HasSubstr("cannot be written (found a folder, expected a file"));
}

TEST_F(OutputSetTest, PipesAndDevicesAreWrittenTo) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  std::string read;
  std::thread reader([&] {
    std::ifstream in(path("pipe"));
    std::getline(in, read);
  });
  const std::string null = device("null", 3);
  OutputSet set(diags_);
  ASSERT_TRUE(set.add(path("pipe"), "text\n") && (null.empty() || (set.add(null, "a") && set.add(null, "b"))));
  ASSERT_TRUE(set.commit());
  reader.join();
  EXPECT_EQ(read, "text");
  EXPECT_TRUE(fs::is_fifo(path("pipe")));
  EXPECT_TRUE(null.empty() || fs::is_character_file(null));
}

TEST_F(OutputSetTest, ADescriptorIsWrittenToWhereItStands) {
  put("log", "before\n");
  const int fd = ::open(path("log").c_str(), O_WRONLY | O_APPEND);
  ASSERT_GE(fd, 0);
  OutputSet set(diags_);
  ASSERT_TRUE(set.add("/dev/fd/" + std::to_string(fd), "after\n") && set.commit());
  EXPECT_EQ(::write(fd, "end\n", 4), 4);
  ::close(fd);
  EXPECT_EQ(get("log"), "before\nafter\nend\n");
  EXPECT_THAT(refused({"/../../../../dev/fd/" + std::to_string(fd)}), HasSubstr("cannot be written"));
}

TEST_F(OutputSetTest, AStreamThatFailsLeavesTheFilesAsTheyWere) {
  put("a", "old");
  const std::string full = device("full", 7);
  if (full.empty()) GTEST_SKIP() << "device nodes cannot be made here";
  OutputSet set(diags_);
  ASSERT_TRUE(set.add(path("a"), "new") && set.add(full, "text"));
  EXPECT_FALSE(set.commit());
  EXPECT_THAT(to_string(diags_.all()[0]), HasSubstr("full: error: cannot be written: No space left on device"));
  EXPECT_EQ(get("a"), "old");
}

TEST_F(OutputSetTest, AnInputThatChangedIsAnError) {
  for (const char* how : {"longer", "later", "other", "gone"}) {
    put("in", "text");
    Diagnostics diags;
    const std::vector<std::string> read{path("in")};
    OutputSet set(diags, stamps_of(read));
    ASSERT_TRUE(set.add(path("out"), "text"));
    if (how == std::string("longer")) put("in", "longer text");
    if (how == std::string("later"))
      fs::last_write_time(path("in"), fs::file_time_type::clock::now() + std::chrono::hours(1));
    if (how == std::string("other")) {
      put("in2", "text");
      fs::rename(path("in2"), path("in"));
    }
    if (how == std::string("gone")) fs::remove(path("in"));
    EXPECT_FALSE(set.commit());
    EXPECT_THAT(to_string(diags.all()[0]), HasSubstr("/in: error: changed while it was read (found ")) << how;
    EXPECT_FALSE(fs::exists(path("out")));
  }
}

TEST_F(OutputSetTest, FoldersAppearWholeAndReplaceTheirLike) {
  write_folder("new", "first");
  write_folder("new/", "second");
  EXPECT_THAT(names(), ElementsAre("new/marker", "new/sub/text"));
  EXPECT_EQ(get("new/sub/text"), "second");
  fs::create_directory(path("empty"));
  write_folder("empty", "third");
  EXPECT_EQ(get("empty/sub/text"), "third");
  fs::create_symlink("empty", path("link"));
  write_folder("link", "fourth");
  EXPECT_EQ(get("empty/sub/text"), "fourth");
  EXPECT_TRUE(fs::is_symlink(path("link")));
}

TEST_F(OutputSetTest, AFolderThatIsNotCommittedLeavesTheOldOne) {
  write_folder("d", "old");
  {
    OutputSet set(diags_);
    ASSERT_TRUE(set.add_folder(path("d"), "marker") && set.add(path("d/sub/text"), "new"));
  }
  EXPECT_THAT(names(), ElementsAre("d/marker", "d/sub/text"));
  EXPECT_EQ(get("d/sub/text"), "old");
}

TEST_F(OutputSetTest, OtherPeoplesFoldersAreLeftAlone) {
  fs::create_directory(path("src"));
  put("src/main.c", "int main;");
  put("file", "text");
  EXPECT_THAT(refused_folder("src"),
              HasSubstr("is a folder that holds something else, and is left as it is (found no marker"));
  EXPECT_THAT(refused_folder("file"), HasSubstr("cannot be written (found a file, expected a folder or nothing)"));
  EXPECT_THAT(refused_folder("no/such/folder"), HasSubstr("there is no such folder"));
  EXPECT_THAT(names(), ElementsAre("file", "src/main.c"));
}

TEST_F(OutputSetTest, FilesOfAFolderAndBesideIt) {
  write_folder("d", "old");
  put("d/in", "text");
  Diagnostics diags;
  const std::vector<std::string> read{path("d/in")};
  EXPECT_FALSE(OutputSet(diags, stamps_of(read)).add_folder(path("d"), "marker"));
  EXPECT_THAT(to_string(diags.all()[0]), HasSubstr("would replace a folder with a file that the command reads"));

  OutputSet set(diags_);
  ASSERT_TRUE(set.add(path("d/x"), "") && set.add_folder(path("e"), "marker") && set.add(path("e/x"), ""));
  EXPECT_FALSE(set.add_folder(path("d"), "marker"));
  EXPECT_THAT(to_string(diags_.all()[0]), HasSubstr("no other output can lie in it"));
  EXPECT_FALSE(set.add(path("e/./x"), ""));
  EXPECT_THAT(to_string(diags_.all()[1]), HasSubstr("would be written twice"));
}

TEST_F(OutputSetTest, AWriteThatFailsIsTold) {
  OutputSet set(diags_);
  EXPECT_FALSE(set.add(path("big"), [](int) {
    errno = ENOSPC;
    return false;
  }));
  EXPECT_THAT(to_string(diags_.all()[0]), HasSubstr("/big: error: cannot be written: No space left"));
}

TEST_F(OutputSetTest, WhatAnotherProgramMakesMayBeAnotherFile) {
  OutputSet set(diags_);
  ASSERT_TRUE(set.add_made(path("made"), [&](const std::string& temporary) -> Result<void> {
    std::ofstream(temporary + ".new") << "text";
    fs::rename(temporary + ".new", temporary);
    return {};
  }));
  ASSERT_TRUE(set.commit());
  EXPECT_EQ(get("made"), "text");
  EXPECT_THAT(names(), ElementsAre("made"));
}

}  // namespace
}  // namespace byoc
