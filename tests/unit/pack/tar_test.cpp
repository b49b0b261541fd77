#include "sdk/library/pack/tar.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <functional>

#include "tests/support/objects.hpp"

namespace byoc {
namespace {

class TarTest : public ::testing::Test {
 protected:
  std::string written(const std::function<bool(TarWriter&)>& fill, std::uint64_t time = 0) {
    const std::string path = dir_->path() + "/" + std::to_string(count_++) + ".tar";
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL, 0644);
    TarWriter tar(fd, time);
    EXPECT_TRUE(fill(tar) && tar.finish());
    ::close(fd);
    return path;
  }
  std::string run(std::vector<std::string> command) {
    auto result = run_process(command, diags_);
    EXPECT_TRUE(result && result->exit_code == 0) << (result ? result->errors : "");
    return result ? result->output : "";
  }
  Diagnostics diags_;
  Result<TemporaryDirectory> dir_ = TemporaryDirectory::create(diags_);
  int count_ = 0;
};

// Python's reader is the one that project generators use.
TEST_F(TarTest, OthersReadIt) {
  const std::string longest = "./" + std::string(300, 'n') + "/file.c";
  const std::string path = written(
      [&](TarWriter& tar) {
        return tar.add_folder(".") && tar.add_folder("./a") && tar.add_text("./a/text", "hello\n") &&
               tar.add_text("./empty", "") && tar.add_text(longest, std::string(513, 'x'));
      },
      1600000000);
  EXPECT_EQ(test::file_bytes(path).size() % 10240, 0u);
  const std::string script =
      "import sys, tarfile\n"
      "with tarfile.TarFile(sys.argv[1]) as t:\n"
      "  for m in t:\n"
      "    print(m.name, m.size, m.mode, m.mtime, m.uid, m.gid, m.uname, m.gname, m.isdir())\n"
      "  print(t.extractfile('./a/text').read())\n";
  EXPECT_EQ(run({"python3", "-c", script, path}),
            ". 0 493 1600000000 0 0 root root True\n./a 0 493 1600000000 0 0 root root True\n"
            "./a/text 6 420 1600000000 0 0 root root False\n./empty 0 420 1600000000 0 0 root root False\n" +
                longest + " 513 420 1600000000 0 0 root root False\nb'hello\\n'\n");
  EXPECT_EQ(run({"tar", "-tf", path}), "./\n./a/\n./a/text\n./empty\n" + longest + "\n");
}

// More than eleven octal digits can say, as a sparse file.
TEST_F(TarTest, LargeFiles) {
  const std::uint64_t size = (std::uint64_t{8} << 30) + 1;
  const std::string path = written([&](TarWriter& tar) {
    return tar.add("./big", size, [&](int fd) {
      return ::lseek(fd, static_cast<off_t>(size - 1), SEEK_CUR) >= 0 && ::write(fd, "x", 1) == 1;
    }) && tar.add_text("./after", "y");
  });
  EXPECT_EQ(run({"python3", "-c", "import sys, tarfile\nfor m in tarfile.TarFile(sys.argv[1]): print(m.name, m.size)\n",
                 path}),
            "./big 8589934593\n./after 1\n");
}

TEST_F(TarTest, AWriteThatFailsIsTold) {
  const int fd = ::open("/dev/full", O_WRONLY);
  if (fd < 0) GTEST_SKIP() << "no /dev/full";
  TarWriter tar(fd, 0);
  EXPECT_FALSE(tar.add_text("./a", "text"));
  ::close(fd);
}

}  // namespace
}  // namespace byoc
