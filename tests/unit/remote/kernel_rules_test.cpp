// Code of clients where the kernel gives no namespaces: each deed is tried in a process of its own.
#include "sdk/run/remote/kernel_rules.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "sdk/base/support/file.hpp"

namespace byoc::remote {
namespace {

namespace fs = std::filesystem;

// The outcome of a deed, as a process tells it.
enum Outcome : int { kRefused = 0, kDone = 1, kNoRules = 77 };

struct Places {
  fs::path around;  // has the folders of two clients
  [[nodiscard]] std::string own(const char* name) const { return around / "a" / name; }
  [[nodiscard]] std::string other() const { return around / "b" / "upload"; }
  [[nodiscard]] std::string beside() const { return around.parent_path() / "library"; }
};

struct Deed {
  const char* what;
  bool (*is_done)(const Places&);
  bool (*has_rules)(const KernelRules&);  // those that it is about
  Outcome expected;
};

bool of_calls(const KernelRules& r) { return r.calls; }
bool of_files(const KernelRules& r) { return r.files; }

bool opens(const std::string& path, int flags) { return ::open(path.c_str(), flags, 0600) >= 0; }

const Deed kDeeds[] = {
    {"read_its_upload", [](const Places& p) { return opens(p.own("upload"), O_RDONLY); }, of_files, kDone},
    {"read_a_library", [](const Places& p) { return opens(p.beside(), O_RDONLY); }, of_files, kDone},
    {"read_the_upload_of_another", [](const Places& p) { return opens(p.other(), O_RDONLY); }, of_files, kRefused},
    {"see_the_others", [](const Places& p) { return opens(p.around, O_RDONLY | O_DIRECTORY); }, of_files, kRefused},
    {"make_a_file", [](const Places& p) { return opens(p.own("new"), O_CREAT | O_WRONLY); }, of_files, kRefused},
    {"write_a_file", [](const Places& p) { return opens(p.own("upload"), O_WRONLY); }, of_files, kRefused},
    {"make_a_folder", [](const Places& p) { return ::mkdir(p.own("new").c_str(), 0700) == 0; }, of_files, kRefused},
    {"remove_a_file", [](const Places& p) { return ::unlink(p.own("upload").c_str()) == 0; }, of_files, kRefused},
    {"make_a_link", [](const Places& p) { return ::symlink("/", p.own("new").c_str()) == 0; }, of_files, kRefused},
    {"change_rights", [](const Places& p) { return ::chmod(p.own("upload").c_str(), 0777) == 0; }, of_calls, kRefused},
    {"change_times", [](const Places& p) { return ::utimensat(AT_FDCWD, p.own("upload").c_str(), nullptr, 0) == 0; },
     of_calls, kRefused},
    {"signal_its_parent", [](const Places&) { return ::kill(::getppid(), 0) == 0; }, of_calls, kRefused},
    {"signal_its_group", [](const Places&) { return ::kill(0, 0) == 0; }, of_calls, kRefused},
    {"signal_itself", [](const Places&) { return ::kill(::getpid(), 0) == 0; }, of_calls, kDone},
    {"limit_its_parent",
     [](const Places&) {
       const rlimit none{0, 0};
       return ::prlimit(::getppid(), RLIMIT_CORE, &none, nullptr) == 0;
     },
     of_calls, kRefused},
    {"fork",
     [](const Places&) {
       const pid_t child = ::fork();
       if (child == 0) ::_exit(0);
       return child > 0;
     },
     of_calls, kRefused},
    {"become_a_program", [](const Places&) { return ::execl("/bin/false", "false", nullptr) == 0; }, of_calls,
     kRefused},
    {"open_a_socket", [](const Places&) { return ::socket(AF_INET, SOCK_STREAM, 0) >= 0; }, of_calls, kRefused},
    {"start_a_thread",
     [](const Places&) {
       bool ran = false;
       std::thread([&] { ran = true; }).join();
       return ran;
     },
     of_calls, kDone},
};

class KernelRule : public testing::TestWithParam<Deed> {};

TEST_P(KernelRule, isKept) {
  Diagnostics diags;
  const auto folder = TemporaryDirectory::create(diags);
  ASSERT_TRUE(folder);
  const Places places{fs::path(folder->path()) / "served"};
  for (const char* client : {"a", "b"}) {
    fs::create_directories(places.around / client);
    std::ofstream(places.around / client / "upload") << client;
  }
  std::ofstream(places.beside()) << "library";
  const pid_t child = ::fork();
  if (child == 0) {
    const KernelRules rules = follow_kernel_rules(places.around / "a");
    ::_exit(!GetParam().has_rules(rules) ? kNoRules : GetParam().is_done(places) ? kDone : kRefused);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status)) << status;
  if (WEXITSTATUS(status) == kNoRules) GTEST_SKIP() << "this kernel has no such rules";
  EXPECT_EQ(WEXITSTATUS(status), GetParam().expected);
}

INSTANTIATE_TEST_SUITE_P(Deeds, KernelRule, testing::ValuesIn(kDeeds),
                         [](const auto& row) { return std::string(row.param.what); });

}  // namespace
}  // namespace byoc::remote
