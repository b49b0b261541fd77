#include "sdk/base/support/mapping_guard.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "sdk/base/support/blob.hpp"
#include "sdk/base/support/file.hpp"

namespace byoc {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class MappingGuardTest : public ::testing::Test {
 protected:
  std::shared_ptr<const MappedFile> mapped(const std::string& name) {
    const std::string path = dir_->path() + "/" + name;
    std::ofstream(path) << std::string(kBytes, 'x');
    return *MappedFile::open(path, diags_);
  }
  static constexpr std::size_t kBytes = 100'000;
  Diagnostics diags_;
  Result<TemporaryDirectory> dir_ = TemporaryDirectory::create(diags_);
};

TEST_F(MappingGuardTest, AFileThatIsCutOffReadsAsZerosAndIsTold) {
  const auto file = mapped("a"), other = mapped("b");
  EXPECT_TRUE(check_unchanged({&file->stamp(), 1}, diags_));
  fs::resize_file(file->path(), 5000);
  EXPECT_EQ(file->bytes()[4999], std::byte{'x'});
  EXPECT_EQ(file->bytes()[kBytes - 1], std::byte{0});
  EXPECT_EQ(file->bytes()[10'000], std::byte{0});
  EXPECT_TRUE(*file->stamp().lost);
  EXPECT_FALSE(*other->stamp().lost);
  EXPECT_FALSE(check_unchanged({&file->stamp(), 1}, diags_));
  EXPECT_THAT(to_string(diags_.all()[0]),
              HasSubstr("/a: error: changed while it was read (found 5000 bytes, expected the "
                        "file as it was, of 100000 bytes)"));
}

TEST_F(MappingGuardTest, WhatWasLostIsToldThoughTheFileIsAsItWas) {
  const auto file = mapped("a");
  const auto time = fs::last_write_time(file->path());
  fs::resize_file(file->path(), 0);
  EXPECT_EQ(file->bytes()[0], std::byte{0});
  fs::resize_file(file->path(), kBytes);
  fs::last_write_time(file->path(), time);
  EXPECT_FALSE(check_unchanged({&file->stamp(), 1}, diags_));
  EXPECT_THAT(to_string(diags_.all()[0]), HasSubstr("a part of it could not be read"));
}

TEST_F(MappingGuardTest, ASignalThatIsNoFaultEndsTheProcess) {
  const auto file = mapped("a");
  EXPECT_EXIT(::raise(SIGBUS), ::testing::KilledBySignal(SIGBUS), "");
}

TEST_F(MappingGuardTest, WhatIsNoRegularFileIsRefused) {
  ASSERT_EQ(::mkfifo((dir_->path() + "/pipe").c_str(), 0600), 0);
  for (const auto& [path, kind] : {std::pair<std::string, const char*>(dir_->path() + "/pipe", "a pipe"),
                                   {"/dev/zero", "a character device"},
                                   {dir_->path(), "a folder"}}) {
    Diagnostics diags;
    EXPECT_FALSE(MappedFile::open(path, diags));
    EXPECT_FALSE(read_text(path, diags));
    for (const Diagnostic& d : diags.all())
      EXPECT_THAT(to_string(d), HasSubstr(path + ": error: not a regular file (found " + kind + ", expected a file)"));
  }
  EXPECT_FALSE(read_text(std::string("a\0b", 3), diags_));
  EXPECT_THAT(to_string(diags_.all()[0]), HasSubstr("its name has a NUL in it"));
}

}  // namespace
}  // namespace byoc
