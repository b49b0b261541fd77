#include "sdk/base/support/helper_program.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <new>

#include "sdk/base/support/mapping_guard.hpp"
#include "sdk/base/support/message.hpp"
#include "sdk/base/support/supervise.hpp"
#include "sdk/base/support/want_of_memory.hpp"

#ifndef BYOC_VERSION
#define BYOC_VERSION ""
#endif

namespace byoc {
namespace {

namespace fs = std::filesystem;

// The descriptors of a worker, as Worker::start() has them.
constexpr int kChannel = 3, kPage = 4, kLifeline = 5;
constexpr const char* kVariable = "BYOC_WORKER";

std::atomic<bool> is_own_helper = false;

// State for a worker's signal handler and new handler, which cannot take arguments.
volatile std::uint32_t* out_of_memory_flag = nullptr;
std::uint64_t memory_at_limit = 0;

// The size of this process's address space in bytes; 0 if unknown. Safe in signal handlers.
std::uint64_t address_space() {
  std::array<char, 64> text{};
  const int fd = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  const ssize_t n = ::read(fd, text.data(), text.size() - 1);
  ::close(fd);
  std::uint64_t pages = 0;
  for (ssize_t i = 0; i < n && text[static_cast<std::size_t>(i)] >= '0' && text[static_cast<std::size_t>(i)] <= '9';
       ++i)
    pages = pages * 10 + static_cast<std::uint64_t>(text[static_cast<std::size_t>(i)] - '0');
  return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

// Code that does not look at what malloc returned dies of it: told apart from other deaths by how much it had.
void on_fatal_signal(int number, siginfo_t* info, void*) {
  if (number == SIGBUS && info->si_code > 0 && mend_mapping(info->si_addr)) return;
  constexpr std::uint64_t kSlack = std::uint64_t{4} << 20;  // the pieces that allocators ask for
  if (address_space() + kSlack > memory_at_limit) *out_of_memory_flag = 1;
  ::signal(number, SIG_DFL);
  ::raise(number);
}

void on_failed_new() {
  *out_of_memory_flag = 1;
  ::_exit(1);
}

void limit_memory(std::uint64_t bytes) {
  memory_at_limit = address_space() + bytes;
  const rlimit limit{memory_at_limit, memory_at_limit};
  ::setrlimit(RLIMIT_AS, &limit);
  std::set_new_handler(on_failed_new);
  static std::array<char, 65536> stack;  // of the handlers, for when the thread's own has run out
  stack_t own{};
  own.ss_sp = stack.data();
  own.ss_size = stack.size();
  ::sigaltstack(&own, nullptr);
  struct sigaction action{};
  action.sa_sigaction = on_fatal_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (const int s : {SIGSEGV, SIGBUS, SIGABRT}) ::sigaction(s, &action, nullptr);
}

bool is_helper_name(const char* path) {
  const std::string_view name(path);
  return name.substr(name.rfind('/') + 1) == kHelperName;
}

// Sets up this process. False: nobody is there.
bool begin_worker() {
  for (const int fd : {kChannel, kPage, kLifeline})
    if (::fcntl(fd, F_SETFD, FD_CLOEXEC) != 0) return false;
  void* page = ::mmap(nullptr, sizeof(SharedPage), PROT_READ | PROT_WRITE, MAP_SHARED, kPage, 0);
  if (page == MAP_FAILED) return false;
  out_of_memory_flag = &static_cast<SharedPage*>(page)->out_of_memory;
  // A file that becomes too large, and a reader that goes away, are errors of the write.
  for (const int number : {SIGXFSZ, SIGPIPE}) ::signal(number, SIG_IGN);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  supervise(kChannel, kLifeline);
  for (const int fd : {kPage, kLifeline}) ::close(fd);
  ::fcntl(kGivenDescriptor, F_SETFD, FD_CLOEXEC);
  return true;
}

[[noreturn]] void work(std::span<const Service> services) {
  Worker::Channel channel(kChannel);
  const auto first = channel.receive();
  if (!first) ::_exit(1);
  MessageReader in(*first);
  const std::string name = in.text();
  const auto memory = in.get<std::uint64_t>();
  const auto arguments = in.ended() ? channel.receive() : std::nullopt;
  if (!arguments) ::_exit(1);
  for (const Service& service : services) {
    if (name != service.name) continue;
    if (memory != 0) limit_memory(memory);
    try {
      service.run(channel, *arguments);
    } catch (const std::bad_alloc&) {
      *out_of_memory_flag = 1;
      ::_exit(1);
    }
    ::_exit(0);
  }
  std::fprintf(stderr, "this program has no service '%s'\n", name.c_str());
  ::_exit(1);
}

}  // namespace

const char* helper_version() { return BYOC_VERSION; }

std::optional<int> helper_main(int argc, char** argv, std::span<const Service> services) {
  is_own_helper = true;
  if (argc < 1 || !is_helper_name(argv[0])) return std::nullopt;
  if (argc != 2 || ::fcntl(kChannel, F_GETFD) < 0) {
    std::fprintf(stderr, "%s is started by byoc and libbyoc, and is no command\n", kHelperName);
    return 2;
  }
  if (std::string_view(argv[1]) != helper_version()) {
    std::fprintf(stderr, "%s is of version %s, and what started it of version %s\n", kHelperName, helper_version(),
                 argv[1]);
    return 2;
  }
  std::set_terminate(on_terminate);
  may_end_for_want_of_memory();
  guard_mappings();
  if (!begin_worker()) return 2;
  work(services);
}

bool is_worker() { return out_of_memory_flag != nullptr; }

std::string find_helper_program(std::string& why) {
  if (const char* named = ::secure_getenv(kVariable); named != nullptr && *named != '\0') return named;
  if (is_own_helper) return "/proc/self/exe";
  Dl_info info{};
  std::error_code error;
  const bool known = ::dladdr(reinterpret_cast<const void*>(&helper_version), &info) != 0;
  const fs::path library = known ? fs::canonical(info.dli_fname, error) : fs::path();
  for (const char* up : {"..", "../.."}) {
    const std::string path = (library.parent_path() / up / "bin" / "byoc").lexically_normal().string();
    if (::access(path.c_str(), X_OK) == 0) return path;
    why += (why.empty() ? "there is no " : " and no ") + path;
  }
  why += std::string("; install the program byoc, or say in ") + kVariable + " where it is";
  return {};
}

}  // namespace byoc
