#include "sdk/base/support/run_apart.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <new>

namespace byoc {
namespace {

using testing::HasSubstr;

std::string text_of(const Diagnostics& diags) {
  std::string out;
  for (const Diagnostic& d : diags.all()) out += to_string(d) + "\n";
  return out;
}

TEST(RunApart, GivesWhatWasWrittenAndSaid) {
  Diagnostics diags;
  int here = 1;
  const auto answer = run_apart(
      "m.so", "m", 60,
      [&](MessageWriter& out, Diagnostics& said) {
        here = 2;
        out.put<std::uint32_t>(7);
        said.warning("m.so", {}, "is odd");
        return true;
      },
      diags);
  ASSERT_TRUE(answer);
  EXPECT_EQ(MessageReader(*answer).get<std::uint32_t>(), 7);
  EXPECT_EQ(here, 1);
  EXPECT_THAT(text_of(diags), HasSubstr("m.so: warning: is odd"));
}

TEST(RunApart, FailsAsTheWorkDoes) {
  Diagnostics diags;
  const auto work = [](MessageWriter&, Diagnostics& said) {
    said.error("x.npy", {}, "is no tensor");
    return false;
  };
  EXPECT_FALSE(run_apart("m.so", "m", 60, work, diags));
  EXPECT_EQ(text_of(diags), "x.npy: error: is no tensor\n");
}

TEST(RunApart, TellsHowTheProcessEnded) {
  const auto said = [](unsigned seconds, const std::function<void()>& work) {
    Diagnostics diags;
    EXPECT_FALSE(run_apart("m.so", "m", seconds, [&](MessageWriter&, Diagnostics&) { return work(), true; }, diags));
    return text_of(diags);
  };
  EXPECT_EQ(said(60, [] { std::abort(); }),
            "m.so: error: 'm': the process that ran the model died of signal 6 (Aborted)\n");
  EXPECT_EQ(said(60, [] { ::_exit(3); }),
            "m.so: error: 'm': the process that ran the model ended the process with exit code 3\n");
  EXPECT_EQ(said(0, [] { throw std::bad_alloc(); }),
            "m.so: error: 'm': the process that ran the model needed more memory than there is\n");
  EXPECT_EQ(said(1,
                 [] {
                   for (;;) ::pause();
                 }),
            "m.so: error: 'm': the model did not finish (expected an end within 1 seconds)\n");
}

}  // namespace
}  // namespace byoc
