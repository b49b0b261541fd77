#include "sdk/base/support/run_apart.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <new>

#include "tests/unit/support/jobs.hpp"

namespace byoc {

void test::do_apart(Worker::Channel& channel, std::string_view what) {
  answer_apart(channel, [&](MessageWriter& out, Diagnostics& said) {
    if (what == "aborts") std::abort();
    if (what == "exits") ::_exit(3);
    if (what == "is hungry") throw std::bad_alloc();
    while (what == "hangs") ::pause();
    if (what == "fails") return said.error("x.npy", {}, "is no tensor"), false;
    out.put<std::uint32_t>(7);
    said.warning("m.so", {}, "is odd");
    return true;
  });
}

namespace {

using testing::HasSubstr;

std::string text_of(const Diagnostics& diags) {
  std::string out;
  for (const Diagnostic& d : diags.all()) out += to_string(d) + "\n";
  return out;
}

TEST(RunApart, GivesWhatWasWrittenAndSaid) {
  Diagnostics diags;
  const auto answer = run_apart("m.so", "m", 60, "apart", "works", diags);
  ASSERT_TRUE(answer);
  EXPECT_EQ(MessageReader(*answer).get<std::uint32_t>(), 7);
  EXPECT_THAT(text_of(diags), HasSubstr("m.so: warning: is odd"));
}

TEST(RunApart, FailsAsTheWorkDoes) {
  Diagnostics diags;
  EXPECT_FALSE(run_apart("m.so", "m", 60, "apart", "fails", diags));
  EXPECT_EQ(text_of(diags), "x.npy: error: is no tensor\n");
}

TEST(RunApart, TellsHowTheProcessEnded) {
  const auto said = [](unsigned seconds, const char* what) {
    Diagnostics diags;
    EXPECT_FALSE(run_apart("m.so", "m", seconds, "apart", what, diags));
    return text_of(diags);
  };
  EXPECT_EQ(said(60, "aborts"), "m.so: error: 'm': the process that ran the model died of signal 6 (Aborted)\n");
  EXPECT_EQ(said(60, "exits"), "m.so: error: 'm': the process that ran the model ended the process with exit code 3\n");
  EXPECT_EQ(said(0, "is hungry"),
            "m.so: error: 'm': the process that ran the model needed more memory than there is\n");
  EXPECT_EQ(said(1, "hangs"), "m.so: error: 'm': the model did not finish (expected an end within 1 seconds)\n");
}

}  // namespace
}  // namespace byoc
