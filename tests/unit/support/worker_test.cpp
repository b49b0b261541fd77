#include "sdk/base/support/worker.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <string>
#include <vector>

using namespace byoc;
using ::testing::HasSubstr;
using ::testing::StartsWith;

namespace {

std::atomic<int> waitid_delay_ms = 0;

}  // namespace

// In front of the C library's: after a while, as on a busy machine.
extern "C" int waitid(idtype_t type, id_t id, siginfo_t* info, int options) {
  if (waitid_delay_ms != 0) ::poll(nullptr, 0, waitid_delay_ms);
  return static_cast<int>(::syscall(SYS_waitid, type, id, info, options, nullptr));
}

namespace {

constexpr std::uint64_t kMebi = 1 << 20;

WorkerEnd end_of(const std::function<std::string()>& job, const WorkerLimits& limits = {}) {
  JobResult result = run_job(job, limits);
  EXPECT_FALSE(result.bytes);
  return result.end;
}

}  // namespace

TEST(Job, ReturnsItsBytes) {
  const JobResult small = run_job([] { return std::string("\0x", 2); }, {});
  ASSERT_TRUE(small.bytes);
  EXPECT_EQ(*small.bytes, std::string("\0x", 2));
  EXPECT_EQ(small.end.kind, WorkerEnd::Kind::done);
  const JobResult large = run_job([] { return std::string(20 * kMebi, 'a'); }, {60, 256 * kMebi});
  ASSERT_TRUE(large.bytes);
  EXPECT_EQ(large.bytes->size(), 20 * kMebi);
}

// A silent worker is looked after every 100 ms. What it sends, and its end, may fall between the look at the connection
// and the look at the process.
TEST(Job, AnswersThatComeWithTheEndAreKept) {
  waitid_delay_ms = 200;
  const JobResult result = run_job([] { return ::poll(nullptr, 0, 150), std::string("x"); }, {});
  waitid_delay_ms = 0;
  EXPECT_EQ(result.bytes, "x");
}

// What a worker starts ends with it, though it hides: a group and a session of its own, a parent that is gone.
TEST(Job, NothingEscapes) {
  for (const char* const way : {"returns", "crashes", "hangs"}) {
    SCOPED_TRACE(way);
    const std::string how = way;
    std::array<int, 2> pipe{};
    ASSERT_EQ(::pipe(pipe.data()), 0);
    const JobResult result = run_job(
        [&]() -> std::string {
          if (::fork() == 0) {
            ::setsid();
            if (::fork() != 0) ::_exit(0);
            const pid_t own = ::getpid();
            [[maybe_unused]] const ssize_t n = ::write(pipe[1], &own, sizeof own);
            for (;;) ::pause();
          }
          pollfd hidden{pipe[0], POLLIN, 0};
          ::poll(&hidden, 1, -1);
          if (how == "crashes") std::abort();
          while (how == "hangs") ::pause();
          return "done";
        },
        {1, 0});
    EXPECT_EQ(result.end.kind, how == "returns"   ? WorkerEnd::Kind::done
                               : how == "crashes" ? WorkerEnd::Kind::signalled
                                                  : WorkerEnd::Kind::timed_out);
    pid_t hidden = 0;
    ASSERT_EQ(::read(pipe[0], &hidden, sizeof hidden), static_cast<ssize_t>(sizeof hidden));
    EXPECT_EQ(::kill(hidden, 0), -1);
    EXPECT_EQ(errno, ESRCH);
    ::close(pipe[0]);
    ::close(pipe[1]);
  }
}

TEST(Job, SeesMemoryAndLeavesItAlone) {
  std::vector<int> numbers{1, 2, 3};
  const JobResult r = run_job(
      [&] {
        numbers.push_back(4);
        return std::to_string(numbers.size());
      },
      {});
  EXPECT_EQ(r.bytes, "4");
  EXPECT_EQ(numbers.size(), 3u);
}

TEST(Job, DeathsAreTold) {
  EXPECT_EQ(end_of([]() -> std::string { std::exit(3); }).text(), "ended the process with exit code 3");
  EXPECT_EQ(end_of([]() -> std::string { ::_exit(0); }).text(), "ended the process with exit code 0");
  EXPECT_THAT(end_of([]() -> std::string {
                ::raise(SIGKILL);
                return {};
              }).text(),
              StartsWith("died of signal 9 ("));
  const WorkerEnd aborted = end_of([]() -> std::string {
    [[maybe_unused]] const ssize_t n = ::write(2, "first\nlast words\n", 17);
    std::abort();
  });
  EXPECT_EQ(aborted.kind, WorkerEnd::Kind::signalled);
  EXPECT_EQ(aborted.code, SIGABRT);
  EXPECT_THAT(aborted.text(), HasSubstr("): last words"));
  // With a limit there is a handler in between; it is the same death.
  EXPECT_EQ(end_of([]() -> std::string { std::abort(); }, {0, 64 * kMebi}).code, SIGABRT);
}

TEST(Job, TimeIsLimited) {
  const WorkerEnd end = end_of(
      []() -> std::string {
        for (;;) ::pause();
      },
      {1, 0});
  EXPECT_EQ(end.text(), "took longer than 1 s");
}

TEST(Job, SilentGroupMembersDoNotHoldItUp) {
  // A process that it leaves behind has the connection open and is ended with it.
  const WorkerEnd end = end_of([]() -> std::string {
    if (::fork() == 0)
      for (;;) ::pause();
    ::_exit(7);
  });
  EXPECT_EQ(end.text(), "ended the process with exit code 7");
}

TEST(Job, MemoryIsLimited) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "at the limit, it is the sanitizer's own memory that is wanting";
#endif
  const auto text = "needed more than 64 MiB of memory";
  EXPECT_EQ(end_of([]() -> std::string { return std::string(256 * kMebi, 'x'); }, {60, 64 * kMebi}).text(), text);
  // C code that does not look at what malloc gives.
  EXPECT_EQ(end_of(
                []() -> std::string {
                  for (;;) *static_cast<volatile char*>(std::malloc(1 << 16)) = 1;
                },
                {60, 64 * kMebi})
                .text(),
            text);
  // What it sends counts as well.
  Worker worker(
      [](Worker::Channel& c) {
        while (c.send(std::string(kMebi, 'x'))) {
        }
      },
      {60, 16 * kMebi});
  int received = 0;
  while (worker.receive()) ++received;
  EXPECT_EQ(received, 16);
  EXPECT_EQ(worker.end().kind, WorkerEnd::Kind::out_of_memory);
}

TEST(Worker, Converses) {
  int doubled = 2;
  Worker worker(
      [&](Worker::Channel& c) {
        while (auto m = c.receive()) {
          doubled *= 2;
          c.send(*m + std::to_string(doubled));
        }
      },
      {60, 0});
  for (const char* expected : {"a4", "a8", "a16"}) {
    worker.begin_job();
    ASSERT_TRUE(worker.send("a"));
    EXPECT_EQ(worker.receive(), expected);
  }
  EXPECT_EQ(worker.finish().kind, WorkerEnd::Kind::done);
  EXPECT_FALSE(worker.send("b"));
  EXPECT_FALSE(worker.receive());
  EXPECT_EQ(doubled, 2);
}

TEST(Worker, GarbageOnTheWireIsTold) {
  Worker worker(
      [](Worker::Channel&) {
        const std::vector<char> junk(100, '\x7f');
        for (int fd = 3; fd < 64; ++fd) (void)::send(fd, junk.data(), junk.size(), MSG_NOSIGNAL);
        for (;;) ::pause();
      },
      {60, 0});
  EXPECT_FALSE(worker.receive());
  EXPECT_EQ(worker.end().text(), "sent what is no message");
}

TEST(Worker, AnOutputNobodyReadsDoesNotBlockIt) {
  const JobResult r = run_job(
      [] {
        const std::string line(1000, 'y');
        for (int i = 0; i < 1000; ++i) (void)!::write(1, line.data(), line.size());
        return std::string("done");
      },
      {60, 0});
  EXPECT_EQ(r.bytes, "done");
  EXPECT_EQ(r.end.output, std::string(4096, 'y'));
}
