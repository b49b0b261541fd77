#include "sdk/support/output_directory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>

#include "sdk/support/file.hpp"

namespace byoc {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class OutputDirectoryTest : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return dir_->path() + "/" + name; }
  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const auto& entry : fs::recursive_directory_iterator(dir_->path()))
      if (entry.is_regular_file()) out.push_back(fs::relative(entry.path(), dir_->path()).string());
    std::sort(out.begin(), out.end());
    return out;
  }
  void write(const std::string& name, const std::string& text) {
    auto out = OutputDirectory::create(path(name), "marker", diags_);
    ASSERT_TRUE(out && out->add("marker", "") && out->add("sub/text", text) && out->commit());
  }
  std::string refused(const std::string& name) {
    Diagnostics diags;
    EXPECT_FALSE(OutputDirectory::create(path(name), "marker", diags));
    return diags.all().empty() ? "" : to_string(diags.all()[0]);
  }
  Diagnostics diags_;
  Result<TemporaryDirectory> dir_ = TemporaryDirectory::create(diags_);
};

TEST_F(OutputDirectoryTest, AppearsWholeAndReplacesItsLike) {
  write("new/", "first");
  write("new", "second");
  EXPECT_THAT(names(), ElementsAre("new/marker", "new/sub/text"));
  EXPECT_EQ(*read_text(path("new/sub/text"), diags_), "second");
  fs::create_directory(path("empty"));
  write("empty", "third");
  EXPECT_EQ(*read_text(path("empty/sub/text"), diags_), "third");
}

TEST_F(OutputDirectoryTest, WhatIsNotCommittedLeavesTheOldOne) {
  write("d", "old");
  {
    auto out = OutputDirectory::create(path("d"), "marker", diags_);
    ASSERT_TRUE(out && out->add("sub/text", "new"));
  }
  EXPECT_THAT(names(), ElementsAre("d/marker", "d/sub/text"));
  EXPECT_EQ(*read_text(path("d/sub/text"), diags_), "old");
}

TEST_F(OutputDirectoryTest, OtherPeoplesFilesAreLeftAlone) {
  fs::create_directory(path("src"));
  std::ofstream(path("src/main.c")) << "int main;";
  std::ofstream(path("file")) << "text";
  EXPECT_THAT(refused("src"),
              HasSubstr("is a folder that holds something else, and is left as it is (found no marker"));
  EXPECT_THAT(refused("file"), HasSubstr("cannot be written (found a file, expected a folder or nothing)"));
  EXPECT_THAT(refused("no/such/folder"), HasSubstr("cannot be written"));
  EXPECT_THAT(names(), ElementsAre("file", "src/main.c"));
}

TEST_F(OutputDirectoryTest, AWriteThatFailsIsTold) {
  auto out = OutputDirectory::create(path("d"), "marker", diags_);
  ASSERT_TRUE(out);
  EXPECT_FALSE(out->add("big", [](int) {
    errno = ENOSPC;
    return false;
  }));
  EXPECT_THAT(to_string(diags_.all()[0]), HasSubstr("/d/big: error: cannot be written: No space left"));
}

}  // namespace
}  // namespace byoc
