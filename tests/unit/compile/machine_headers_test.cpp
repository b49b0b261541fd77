// Folders of C library headers: this machine's, or those of a release archive.
#include "sdk/library/compile/machine_headers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "sdk/base/support/file.hpp"
#include "tests/support/objects.hpp"

namespace byoc::compile {
namespace {

using test::text_of;
using ::testing::ElementsAre;

class MachineHeaders : public ::testing::Test {
 protected:
  void SetUp() override {
    Diagnostics diags;
    auto made = TemporaryDirectory::create(diags);
    ASSERT_TRUE(made) << text_of(diags);
    folder_.emplace(std::move(*made));
  }
  std::string with_header(const std::string& name) {
    const std::string folder = folder_->path() + name;
    std::filesystem::create_directories(folder);
    std::ofstream(folder + "/string.h") << "\n";
    return folder;
  }

  std::optional<TemporaryDirectory> folder_;
};

TEST_F(MachineHeaders, FoldersOfTheMachineComeFirst) {
  const std::string mine = with_header("/mine");
  with_header("/bundle" + mine);
  const std::vector<std::string> folders{"/nonexistent", mine};
  EXPECT_EQ(c_library_folders(folders, folder_->path() + "/bundle"), folders);
}

TEST_F(MachineHeaders, FoldersOfTheArchiveServeWhereTheMachineHasNone) {
  const std::string root = folder_->path() + "/bundle";
  with_header("/bundle/nonexistent/newlib");
  const std::vector<std::string> folders{"/nonexistent/local", "/nonexistent/newlib"};
  EXPECT_THAT(c_library_folders(folders, root), ElementsAre(root + folders[0], root + folders[1]));
}

TEST_F(MachineHeaders, MessagesNameTheMachinesFoldersWhereBothHaveNone) {
  const std::vector<std::string> folders{"/nonexistent"};
  EXPECT_EQ(c_library_folders(folders, folder_->path()), folders);
  EXPECT_EQ(c_library_folders(folders, ""), folders);
  EXPECT_TRUE(c_library_folders(std::vector<std::string>{}, folder_->path()).empty());
}

TEST_F(MachineHeaders, ThisBuildIsNoArchive) {
  EXPECT_EQ(bundled_root(), "");
  EXPECT_FALSE(resource_directory().empty());
}

}  // namespace
}  // namespace byoc::compile
