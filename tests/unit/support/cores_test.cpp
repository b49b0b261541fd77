// Processors and the slots of a make.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>

#include "sdk/base/support/cores.hpp"

namespace byoc {
namespace {

TEST(Cores, affinityCounts) {
  cpu_set_t all, one;
  ASSERT_EQ(::sched_getaffinity(0, sizeof all, &all), 0);
  CPU_ZERO(&one);
  for (std::size_t cpu = 0; CPU_COUNT(&one) == 0; ++cpu)
    if (CPU_ISSET(cpu, &all)) CPU_SET(cpu, &one);
  ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(usable_cores(), 1U);
  ASSERT_EQ(::sched_setaffinity(0, sizeof all, &all), 0);
  EXPECT_GE(usable_cores(), 1U);
}

TEST(Cores, quotasAreRoundedUp) {
  EXPECT_EQ(cores_of_quota("max 100000\n"), 0U);
  EXPECT_EQ(cores_of_quota("100000 100000\n"), 1U);
  EXPECT_EQ(cores_of_quota("150000 100000\n"), 2U);
  EXPECT_EQ(cores_of_quota("1000 100000"), 1U);
  for (const char* none : {"", "12", "0 100000", "5 0", "x y", "-1 100000"})
    EXPECT_EQ(cores_of_quota(none), 0U) << none;
}

// What is in a pipe that nobody writes to any more.
std::string drain(int fd) {
  ::fcntl(fd, F_SETFL, O_NONBLOCK);
  std::string out;
  for (char c = 0; ::read(fd, &c, 1) == 1;) out += c;
  return out;
}

TEST(JobSlots, withoutAMakeThereAreAsManyAsAreAskedFor) {
  EXPECT_EQ(JobSlots(3, "").count(), 3U);
  EXPECT_EQ(JobSlots(3, "-j --no-print-directory").count(), 3U);
}

TEST(JobSlots, areTakenAsFarAsTheyGoAndGivenBackAsTheyWere) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  ASSERT_EQ(::write(ends[1], "abc", 3), 3);
  const std::string flags = " -j4 --jobserver-auth=" + std::to_string(ends[0]) + "," + std::to_string(ends[1]);
  {
    const JobSlots two(2, flags), others(2, flags), none(2, flags);
    EXPECT_EQ(two.count(), 2U);
    EXPECT_EQ(others.count(), 1U);
    EXPECT_EQ(none.count(), 0U);
  }
  // The descriptor that make shares with all its children blocks as before.
  EXPECT_EQ(::fcntl(ends[0], F_GETFL) & O_NONBLOCK, 0);
  std::string left = drain(ends[0]);
  std::sort(left.begin(), left.end());
  EXPECT_EQ(left, "abc");
  for (const int fd : ends) ::close(fd);
}

TEST(JobSlots, comeFromAFifoToo) {
  const std::string path = testing::TempDir() + "byoc_slots." + std::to_string(::getpid());
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const int keep = ::open(path.c_str(), O_RDWR);
  ASSERT_EQ(::write(keep, "++", 2), 2);
  {
    const JobSlots slots(8, "-j3 --jobserver-auth=3,4 --jobserver-auth=fifo:" + path);
    EXPECT_EQ(slots.count(), 2U);
    give_back_job_slots();  // as a signal would, and once only
  }
  EXPECT_EQ(drain(keep), "++");
  ::close(keep);
  std::filesystem::remove(path);
}

TEST(JobSlots, wrongOnesMeanOneJob) {
  for (const char* wrong : {"--jobserver-auth=", "--jobserver-auth=-2,-2", "--jobserver-auth=900,901",
                            "--jobserver-auth=fifo:/nowhere/at/all", "--jobserver-fds=x,y"})
    EXPECT_EQ(JobSlots(4, wrong).count(), wrong[sizeof "--jobserver-auth=" - 1] == '\0' ? 4U : 0U) << wrong;
}

}  // namespace
}  // namespace byoc
