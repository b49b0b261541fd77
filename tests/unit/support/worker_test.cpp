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
#include <thread>
#include <vector>

#include "tests/unit/support/jobs.hpp"

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

JobResult job(std::string_view name, const WorkerLimits& limits = {}, int given = -1) {
  return run_job("job", name, limits, given);
}

WorkerEnd end_of(std::string_view name, const WorkerLimits& limits = {}) {
  JobResult result = job(name, limits);
  EXPECT_FALSE(result.bytes) << name;
  return result.end;
}

// Leaves a process behind that hides in a group and a session of its own, and has lost its parent.
void hide_a_process() {
  std::array<int, 2> begun{};
  if (::pipe(begun.data()) != 0) std::abort();
  if (::fork() == 0) {
    ::setsid();
    if (::fork() != 0) ::_exit(0);
    const pid_t own = ::getpid();
    for (const int to : {kGivenDescriptor, begun[1]}) (void)!::write(to, &own, sizeof own);
    for (;;) ::pause();
  }
  pid_t hidden = 0;
  (void)!::read(begun[0], &hidden, sizeof hidden);
}

std::string work(std::string_view name, Worker::Channel& channel) {
  if (name == "small") return std::string("\0x", 2);
  if (name == "large") return std::string(20 * kMebi, 'a');
  if (name == "late") return ::poll(nullptr, 0, 150), std::string("x");
  if (name == "returns" || name == "crashes" || name == "hangs") hide_a_process();
  if (name == "crashes" || name == "aborts") std::abort();
  if (name == "last words") {
    (void)!::write(2, "first\nlast words\n", 17);
    std::abort();
  }
  while (name == "hangs") ::pause();
  if (name == "exit 3") std::exit(3);
  if (name == "exit 0") ::_exit(0);
  if (name == "is killed") ::raise(SIGKILL);
  if (name == "leaves a member") {
    if (::fork() == 0)
      for (;;) ::pause();
    ::_exit(7);
  }
  if (name == "new") return std::string(256 * kMebi, 'x');
  // C code that does not look at what malloc gives.
  while (name == "malloc") *static_cast<volatile char*>(std::malloc(1 << 16)) = 1;
  if (name == "floods")
    while (channel.send(std::string(kMebi, 'x'))) {
    }
  if (name == "is garbled") {
    const std::vector<char> junk(100, '\x7f');
    for (int fd = 3; fd < 64; ++fd) (void)::send(fd, junk.data(), junk.size(), MSG_NOSIGNAL);
    for (;;) ::pause();
  }
  if (name == "prints") {
    const std::string line(1000, 'y');
    for (int i = 0; i < 1000; ++i) (void)!::write(1, line.data(), line.size());
  }
  if (name == "where") return is_worker() ? std::to_string(::getpid()) : std::string();
  return "done";
}

}  // namespace

void test::do_job(Worker::Channel& channel, std::string_view name) { channel.send(work(name, channel)); }

void test::converse(Worker::Channel& channel, std::string_view begin) {
  int doubled = std::stoi(std::string(begin));
  while (auto m = channel.receive()) {
    doubled *= 2;
    channel.send(*m + std::to_string(doubled));
  }
}

TEST(Job, ReturnsItsBytes) {
  const JobResult small = job("small");
  ASSERT_TRUE(small.bytes);
  EXPECT_EQ(*small.bytes, std::string("\0x", 2));
  EXPECT_EQ(small.end.kind, WorkerEnd::Kind::done);
  const JobResult large = job("large", {60, 256 * kMebi});
  ASSERT_TRUE(large.bytes);
  EXPECT_EQ(large.bytes->size(), 20 * kMebi);
}

// A silent worker is looked after every 100 ms. What it sends, and its end, may fall between the look at the connection
// and the look at the process.
TEST(Job, AnswersThatComeWithTheEndAreKept) {
  waitid_delay_ms = 200;
  const JobResult result = job("late");
  waitid_delay_ms = 0;
  EXPECT_EQ(result.bytes, "x");
}

// What a worker starts ends with it, though it hides: a group and a session of its own, a parent that is gone.
TEST(Job, NothingEscapes) {
  for (const std::string way : {"returns", "crashes", "hangs"}) {
    SCOPED_TRACE(way);
    std::array<int, 2> pipe{};
    ASSERT_EQ(::pipe(pipe.data()), 0);
    const JobResult result = job(way, {1, 0}, pipe[1]);
    EXPECT_EQ(result.end.kind, way == "returns"   ? WorkerEnd::Kind::done
                               : way == "crashes" ? WorkerEnd::Kind::signalled
                                                  : WorkerEnd::Kind::timed_out);
    pid_t hidden = 0;
    ASSERT_EQ(::read(pipe[0], &hidden, sizeof hidden), static_cast<ssize_t>(sizeof hidden));
    EXPECT_EQ(::kill(hidden, 0), -1);
    EXPECT_EQ(errno, ESRCH);
    ::close(pipe[0]);
    ::close(pipe[1]);
  }
}

TEST(Job, IsDoneElsewhere) {
  EXPECT_FALSE(is_worker());
  const auto where = job("where").bytes;
  ASSERT_TRUE(where);
  EXPECT_NE(*where, "");
  EXPECT_NE(*where, std::to_string(::getpid()));
}

TEST(Job, DeathsAreTold) {
  EXPECT_EQ(end_of("exit 3").text(), "ended the process with exit code 3");
  EXPECT_EQ(end_of("exit 0").text(), "ended the process with exit code 0");
  EXPECT_THAT(end_of("is killed").text(), StartsWith("died of signal 9 ("));
  const WorkerEnd aborted = end_of("last words");
  EXPECT_EQ(aborted.kind, WorkerEnd::Kind::signalled);
  EXPECT_EQ(aborted.code, SIGABRT);
  EXPECT_THAT(aborted.text(), HasSubstr("): last words"));
  // With a limit there is a handler in between; it is the same death.
  EXPECT_EQ(end_of("aborts", {0, 64 * kMebi}).code, SIGABRT);
}

TEST(Job, AServiceThatThereIsNotIsTold) {
  EXPECT_THAT(run_job("nothing", "", {}).end.text(), HasSubstr("this program has no service 'nothing'"));
}

TEST(Job, TimeIsLimited) { EXPECT_EQ(end_of("hangs", {1, 0}).text(), "took longer than 1 s"); }

TEST(Job, SilentGroupMembersDoNotHoldItUp) {
  // A process that it leaves behind has the connection open and is ended with it.
  EXPECT_EQ(end_of("leaves a member").text(), "ended the process with exit code 7");
}

TEST(Job, MemoryIsLimited) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "at the limit, it is the sanitizer's own memory that is wanting";
#endif
  const auto text = "needed more than 64 MiB of memory";
  EXPECT_EQ(end_of("new", {60, 64 * kMebi}).text(), text);
  EXPECT_EQ(end_of("malloc", {60, 64 * kMebi}).text(), text);
  // What it sends counts as well.
  Worker worker("job", "floods", {60, 16 * kMebi});
  int received = 0;
  while (worker.receive()) ++received;
  EXPECT_EQ(received, 16);
  EXPECT_EQ(worker.end().kind, WorkerEnd::Kind::out_of_memory);
}

TEST(Worker, Converses) {
  Worker worker("converse", "2", {60, 0});
  for (const char* expected : {"a4", "a8", "a16"}) {
    worker.begin_job();
    ASSERT_TRUE(worker.send("a"));
    EXPECT_EQ(worker.receive(), expected);
  }
  EXPECT_EQ(worker.finish().kind, WorkerEnd::Kind::done);
  EXPECT_FALSE(worker.send("b"));
  EXPECT_FALSE(worker.receive());
}

TEST(Worker, GarbageOnTheWireIsTold) {
  Worker worker("job", "is garbled", {60, 0});
  EXPECT_FALSE(worker.receive());
  EXPECT_EQ(worker.end().text(), "sent what is no message");
}

TEST(Worker, AnOutputNobodyReadsDoesNotBlockIt) {
  const JobResult r = job("prints", {60, 0});
  EXPECT_EQ(r.bytes, "done");
  EXPECT_EQ(r.end.output, std::string(4096, 'y'));
}

// Its thread may end before it does, and others may start theirs meanwhile.
TEST(Worker, AnyThreadMayHaveOne) {
  std::atomic<int> right = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&] {
      std::unique_ptr<Worker> worker;
      std::thread([&] { worker = std::make_unique<Worker>("converse", "1", WorkerLimits{60, 0}); }).join();
      for (const char* expected : {"b2", "b4", "b8"})
        if (worker->send("b") && worker->receive() == expected) ++right;
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(right, 24);
}
