#include "sdk/run/remote/kernel_rules.hpp"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

// Numbers of calls that headers of older kernels do not have.
#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

namespace byoc::remote {
namespace {

namespace fs = std::filesystem;

// Landlock. Its structs have grown from version to version; older kernels take the front of them.
struct Handled {
  std::uint64_t files = 0, network = 0, scoped = 0;
};
struct __attribute__((packed)) Beneath {
  std::uint64_t allowed = 0;
  std::int32_t folder = -1;
};
constexpr int kVersion = 1;      // a flag that asks for the version
constexpr int kPathBeneath = 1;  // a kind of rule
constexpr std::uint64_t kExecute = 1, kReadFile = 4, kReadFolder = 8;
constexpr std::uint64_t kSocketsAndSignals = 3;

class Landlock {
 public:
  Landlock() {
    const long version = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, kVersion);
    if (version < 1) return;
    Handled handled;
    // Thirteen rights of the first version, and one each of the second (links to other folders), the third (lengths)
    // and the fifth (devices).
    handled.files = (std::uint64_t{1} << (13 + (version >= 2) + (version >= 3) + (version >= 5))) - 1;
    if (version >= 6) handled.scoped = kSocketsAndSignals;
    const std::size_t size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
    rules_ = static_cast<int>(::syscall(SYS_landlock_create_ruleset, &handled, size, 0));
  }
  ~Landlock() {
    if (rules_ >= 0) ::close(rules_);
  }
  Landlock(const Landlock&) = delete;
  Landlock& operator=(const Landlock&) = delete;

  // Lets `path`, and what is in it, be read. One that is not there needs no rule.
  void let_read(const fs::path& path) {
    const int at = ::open(path.c_str(), O_PATH | O_CLOEXEC | O_NOFOLLOW);
    struct stat status{};
    if (at >= 0 && ::fstat(at, &status) == 0 && !S_ISLNK(status.st_mode)) {
      const Beneath rule{kExecute | kReadFile | (S_ISDIR(status.st_mode) ? kReadFolder : 0), at};
      (void)::syscall(SYS_landlock_add_rule, rules_, kPathBeneath, &rule, 0);
    }
    if (at >= 0) ::close(at);
  }

  bool restrict_self() { return rules_ >= 0 && ::syscall(SYS_landlock_restrict_self, rules_, 0) == 0; }

 private:
  int rules_ = -1;
};

// Everything may be read but what lies in the folder around `folder`, the uploads of others.
bool restrict_files(const std::string& folder) {
  std::error_code error;
  const fs::path own = fs::canonical(folder, error);
  if (error) return false;
  Landlock rules;
  fs::path at = "/";
  for (const fs::path& name : own.relative_path()) {
    const fs::path next = at / name;
    if (next == own) break;
    for (fs::directory_iterator entry(at, error), end; !error && entry != end; entry.increment(error))
      if (entry->path() != next) rules.let_read(entry->path());
    at = next;
  }
  rules.let_read(own);
  return rules.restrict_self();
}

// seccomp. The machines whose calls are known here; of others nothing is said.
#if defined(__x86_64__)
constexpr std::uint32_t kMachine = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kMachine = AUDIT_ARCH_AARCH64;
#elif defined(__arm__) && defined(__ARMEL__)
constexpr std::uint32_t kMachine = AUDIT_ARCH_ARM;
#elif defined(__riscv) && __riscv_xlen == 64
constexpr std::uint32_t kMachine = AUDIT_ARCH_RISCV64;
#else
constexpr std::uint32_t kMachine = 0;
#endif
constexpr std::uint32_t kOtherCalls = 0x40000000;  // of x32, which x86-64 has besides

// Calls by which a process reaches another, the network, or what Landlock does not know of.
constexpr long kRefused[] = {
    SYS_execve,
    SYS_execveat,
    SYS_unshare,
    SYS_setns,
    SYS_mount,
    SYS_umount2,
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_kcmp,
    SYS_pidfd_open,
    SYS_pidfd_send_signal,
    SYS_pidfd_getfd,
    SYS_tkill,
    SYS_rt_sigqueueinfo,
    SYS_rt_tgsigqueueinfo,
    SYS_socket,
    SYS_socketpair,
    SYS_bind,
    SYS_connect,
    SYS_listen,
    SYS_accept4,
    SYS_io_uring_setup,
    SYS_bpf,
    SYS_perf_event_open,
    SYS_userfaultfd,
    SYS_add_key,
    SYS_request_key,
    SYS_keyctl,
    SYS_open_by_handle_at,
    SYS_shmget,
    SYS_shmat,
    SYS_msgget,
    SYS_semget,
    SYS_mq_open,
    SYS_mq_unlink,
    SYS_fchmod,
    SYS_fchmodat,
    SYS_fchown,
    SYS_fchownat,
    SYS_utimensat,
    SYS_setxattr,
    SYS_lsetxattr,
    SYS_fsetxattr,
    SYS_removexattr,
    SYS_lremovexattr,
    SYS_fremovexattr,
    SYS_ioprio_set,
    SYS_setpriority,
#ifdef SYS_accept
    SYS_accept,
#endif
#ifdef SYS_fork
    SYS_fork,
    SYS_vfork,
#endif
#ifdef SYS_chmod
    SYS_chmod,
    SYS_chown,
    SYS_lchown,
#endif
#ifdef SYS_utime
    SYS_utime,
#endif
#ifdef SYS_utimes
    SYS_utimes,
    SYS_futimesat,
#endif
    452,  // fchmodat2
};
// Calls that are for this process alone: their first argument is its number. 0 means it, too, but in signals the group.
constexpr long kOwn[] = {SYS_prlimit64, SYS_sched_setaffinity, SYS_sched_setscheduler, SYS_sched_setparam,
                         SYS_sched_setattr};
constexpr long kOwnSignals[] = {SYS_kill, SYS_tgkill};

class Filter {
 public:
  Filter() {
    load(offsetof(seccomp_data, arch));
    add(BPF_JMP | BPF_JEQ | BPF_K, kMachine, 1, 0);
    end(refuse(EPERM));
    load(offsetof(seccomp_data, nr));
    add(BPF_JMP | BPF_JGE | BPF_K, kOtherCalls, 0, 1);
    end(refuse(EPERM));
    for (const long call : kRefused) {
      add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(call), 0, 1);
      end(refuse(EPERM));
    }
    const auto own = static_cast<std::uint32_t>(::getpid());
    for (const long call : kOwn) let_own(call, own, 0);
    for (const long call : kOwnSignals) let_own(call, own, own);
    let_threads();
    end(SECCOMP_RET_ALLOW);
  }

  [[nodiscard]] bool apply() {
    const sock_fprog program{static_cast<unsigned short>(code_.size()), code_.data()};
    return kMachine != 0 && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
  }

 private:
  static std::uint32_t refuse(int error) { return SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error); }
  void add(int code, std::uint32_t k, std::uint8_t if_true = 0, std::uint8_t if_false = 0) {
    code_.push_back({static_cast<std::uint16_t>(code), if_true, if_false, k});
  }
  void load(std::size_t offset) { add(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)); }
  void end(std::uint32_t result) { add(BPF_RET | BPF_K, result); }

  // The first argument's lower half: a number of a process has 32 bits.
  void let_own(long call, std::uint32_t a, std::uint32_t b) {
    add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(call), 0, 5);
    load(offsetof(seccomp_data, args));
    add(BPF_JMP | BPF_JEQ | BPF_K, a, 2, 0);
    add(BPF_JMP | BPF_JEQ | BPF_K, b, 1, 0);
    end(refuse(EPERM));
    end(SECCOMP_RET_ALLOW);
  }

  // Threads, and no processes. The C library asks clone() where there is no clone3(), whose flags a filter cannot see.
  void let_threads() {
    add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(SYS_clone3), 0, 1);
    end(refuse(ENOSYS));
    add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(SYS_clone), 0, 4);
    load(offsetof(seccomp_data, args));
    add(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 1, 0);
    end(refuse(EPERM));
    end(SECCOMP_RET_ALLOW);
  }

  std::vector<sock_filter> code_;
};

}  // namespace

KernelRules follow_kernel_rules(const std::string& folder) {
  KernelRules out;
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return out;
  out.files = restrict_files(folder);
  Filter filter;
  out.calls = filter.apply();
  return out;
}

}  // namespace byoc::remote
