#include "sdk/run/remote/confine.hpp"

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/mount.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>

#include "sdk/base/support/file.hpp"
#include "sdk/base/support/message.hpp"
#include "sdk/base/support/worker.hpp"
#include "sdk/run/remote/kernel_rules.hpp"

namespace byoc::remote {
namespace {

bool write_proc(const char* path, const std::string& text) {
  const int fd = ::open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool ok = ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  ::close(fd);
  return ok;
}

// Namespaces, in which this user is who he was.
bool enter_namespaces() {
  const uid_t user = ::geteuid();
  const gid_t group = ::getegid();
  if (::unshare(CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWNS) != 0) return false;
  const auto same = [](unsigned id) { return std::to_string(id) + " " + std::to_string(id) + " 1"; };
  return write_proc("/proc/self/setgroups", "deny") && write_proc("/proc/self/uid_map", same(user)) &&
         write_proc("/proc/self/gid_map", same(group));
}

int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

[[noreturn]] void end_like(int status) {
  if (WIFSIGNALED(status)) {
    ::signal(WTERMSIG(status), SIG_DFL);
    ::kill(::getpid(), WTERMSIG(status));
  }
  ::_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

// Every descriptor but the standard ones: whoever is asked for something at the other end sees it end with the model.
void close_others(int but) {
  if (but > STDERR_FILENO + 1) (void)::syscall(SYS_close_range, STDERR_FILENO + 1, but - 1, 0);
  (void)::syscall(SYS_close_range, but + 1, ~0U, 0);
}

// The first process of the namespace, which no signal from within ends: it waits for the second, and with it all end.
// `tell`: how that one ended.
[[noreturn]] void be_first(int tell, pid_t second) {
  close_others(tell);
  int status = 0;
  for (pid_t ended = 0; ended != second;) {
    ended = ::waitpid(-1, &status, 0);
    if (ended < 0 && errno != EINTR) break;
  }
  ::_exit(::write(tell, &status, sizeof status) == sizeof status ? 0 : 1);
}

// Comes back in the second process of the new namespace of processes.
bool go_on_inside() {
  std::array<int, 2> told{};
  if (::pipe2(told.data(), O_CLOEXEC) != 0) return false;
  const pid_t first = ::fork();
  if (first < 0) return false;
  if (first > 0) {
    close_others(told[0]);
    const int ended = wait_for(first);
    int status = 0;
    end_like(::read(told[0], &status, sizeof status) == sizeof status ? status : ended);
  }
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != 0) ::_exit(1);  // the parent is outside: its number is 0 here, unless it is gone
  const pid_t second = ::fork();
  if (second < 0) ::_exit(1);
  if (second > 0) be_first(told[1], second);
  for (const int fd : told) ::close(fd);
  return true;
}

// The numbers of processes outside are not to be seen.
void replace_proc() {
  if (::mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) == 0) return;
  (void)::mount("none", "/proc", "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, "size=4k");
}

// In the place of the folder for temporary files there is one that has `folder` alone; all is read-only.
bool hide_files(const std::string& folder) {
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return false;
  const int own = ::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  const std::string around = std::filesystem::path(folder).parent_path().string();
  bool ok = own >= 0 && ::mount("none", around.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, "size=64k") == 0 &&
            ::mkdir(folder.c_str(), S_IRWXU) == 0 &&
            ::mount(("/proc/self/fd/" + std::to_string(own)).c_str(), folder.c_str(), nullptr, MS_BIND, nullptr) == 0;
  if (own >= 0) ::close(own);
  if (!ok) return false;
  replace_proc();
  mount_attr read_only{};
  read_only.attr_set = MOUNT_ATTR_RDONLY;
  return ::syscall(SYS_mount_setattr, AT_FDCWD, "/", AT_RECURSIVE, &read_only, sizeof read_only) == 0;
}

// Capabilities would let it change the namespaces themselves.
void drop_capabilities() {
  for (int c = 0; ::prctl(PR_CAPBSET_DROP, c, 0, 0, 0) == 0; ++c) {
  }
  __user_cap_header_struct head{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, 2> none{};
  (void)::syscall(SYS_capset, &head, none.data());
}

}  // namespace

Confinement confine(const std::string& folder) {
  Confinement out;
  if (enter_namespaces() && go_on_inside()) {
    out.namespaces = out.processes = true;
    out.files = hide_files(folder);
    drop_capabilities();
  }
  // It has no files to write, and nobody's rights to gain.
  const rlimit no_files{0, 0};
  ::setrlimit(RLIMIT_FSIZE, &no_files);
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (out.whole()) return out;
  const KernelRules rules = follow_kernel_rules(folder);
  out.processes = out.processes || rules.calls;
  out.files = out.files || rules.files;
  return out;
}

namespace {

void answer_confinement(Worker::Channel& channel, std::string_view folder) {
  const Confinement got = confine(std::string(folder));
  MessageWriter answer;
  answer.put(got.namespaces);
  answer.put(got.processes);
  answer.put(got.files);
  channel.send(answer.bytes());
}

}  // namespace

extern const Service kConfinementService{"confinement", answer_confinement};

Confinement try_confinement() {
  Diagnostics ignored;
  const auto folder = TemporaryDirectory::create(ignored);
  if (!folder) return {};
  constexpr unsigned kSeconds = 10;
  const JobResult answer = run_job(kConfinementService.name, folder->path(), {kSeconds});
  if (!answer.bytes) return {};
  MessageReader in(*answer.bytes);
  Confinement out;
  out.namespaces = in.flag();
  out.processes = in.flag();
  out.files = in.flag();
  return out;
}

std::string describe(const Confinement& given) {
  const std::string by = given.namespaces ? "models have namespaces of their own"
                                          : "the kernel gives no namespaces to this user, and keeps models by rules";
  if (given.whole()) return by + ": no other process, no network, no file to write";
  if (given.processes) return by + ": no other process, no network; but a model can read what others upload";
  return "the kernel gives no namespaces to this user, and has no rules: whoever has the token can end this server, "
         "read what others upload and use the network";
}

}  // namespace byoc::remote
