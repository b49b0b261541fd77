// Temporary folders of processes that are gone.
#include "sdk/base/support/abandoned.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "sdk/base/support/file.hpp"

namespace byoc {
namespace {

namespace fs = std::filesystem;

TEST(Abandoned, whatNoProcessHoldsIsRemoved) {
  Diagnostics diags;
  const auto around = TemporaryDirectory::create(diags);
  ASSERT_TRUE(around);
  const auto make = [&](const std::string& name, bool filled) {
    const std::string path = around->path() + "/" + name;
    fs::create_directory(path);
    if (filled) std::ofstream(path + "/file") << "left";
    return path;
  };
  const std::string left = make("byoc.aaaaaa", true), empty = make("byoc.bbbbbb", false),
                    mine = make("byoc.cccccc", true), other = make("byoc.other", true),
                    longer = make("byoc.dddddd.d", true);
  std::ofstream(around->path() + "/byoc.eeeeee") << "a file";
  fs::create_directory_symlink(other, around->path() + "/byoc.ffffff");
  hold_folder(mine);
  remove_abandoned(around->path(), std::chrono::minutes(10));
  EXPECT_TRUE(fs::exists(left)) << "somebody without locks may have made it just now";
  remove_abandoned(around->path(), std::chrono::seconds(0));
  EXPECT_FALSE(fs::exists(left));
  EXPECT_FALSE(fs::exists(empty));
  for (const std::string& path : {mine, other, longer}) EXPECT_TRUE(fs::exists(path)) << path;
  EXPECT_TRUE(fs::exists(other + "/file"));
  EXPECT_TRUE(fs::is_regular_file(around->path() + "/byoc.eeeeee"));
  let_folder_go(mine);
  remove_abandoned(around->path(), std::chrono::seconds(0));
  EXPECT_FALSE(fs::exists(mine));
}

// However a process ends, its lock ends with it.
TEST(Abandoned, aProcessThatIsKilledHoldsNothing) {
  Diagnostics diags;
  const auto around = TemporaryDirectory::create(diags);
  ASSERT_TRUE(around);
  const std::string path = around->path() + "/byoc.aaaaaa";
  fs::create_directory(path);
  std::ofstream(path + "/file") << "left";
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    hold_folder(path);
    (void)!::write(ready[1], "r", 1);
    ::pause();
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  remove_abandoned(around->path(), std::chrono::seconds(0));
  EXPECT_TRUE(fs::exists(path));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  remove_abandoned(around->path(), std::chrono::seconds(0));
  EXPECT_FALSE(fs::exists(path));
}

}  // namespace
}  // namespace byoc
