// What a client makes of a server that lies.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "sdk/run/remote/client.hpp"
#include "tests/support/scripted_server.hpp"

namespace byoc::remote {
namespace {

using testing::HasSubstr;

constexpr const char* kScriptedToken = "token of a test";

std::string reply(std::string_view bytes) { return write(Reply{{}, std::string(bytes)}); }

// Of two runs of a model with an input of two bytes and an output of three.
std::deque<std::string> conversation(const Ran& ran) {
  const std::string outputs(6, '\1');
  return {write(Hello{kProtocolVersion, this_machine(), std::string(32, 'n')}),
          write(Welcome{}),
          reply("there"),  // the library
          reply(""),       // is loaded
          reply("there"),  // the inputs
          reply("there"),
          reply(write(ran)),
          reply(outputs)};
}

struct Talk {
  Diagnostics diags;
  Result<RemoteRun> ran = failure;

  explicit Talk(std::deque<std::string> messages) {
    // For fuzzers to begin with: messages, each behind a length of two bytes.
    if (const char* folder = std::getenv("BYOC_KEEP_MODELS")) {
      std::string all;
      for (const std::string& m : messages) {
        const auto size = static_cast<std::uint16_t>(m.size());
        all.append(reinterpret_cast<const char*>(&size), sizeof size) += m;
      }
      std::ofstream(folder + std::string("/conversation") + std::to_string(all.size())) << all;
    }
    auto client = Client::over(std::make_unique<test::ScriptedServer>(std::move(messages), kScriptedToken), "there:1",
                               kScriptedToken, diags);
    const std::vector<std::byte> library(8), input(2);
    if (client && client->load(library, {"m", {}, {{2, 1}}, {{3, 1}}, {}}, diags))
      ran = client->run(std::vector<std::span<const std::byte>>{input, input}, false, 2, diags);
  }
  [[nodiscard]] std::string error() const { return diags.all().empty() ? "" : to_string(diags.all().back()); }
};

TEST(Client, hasWhatTheServerSends) {
  const Talk talk(conversation({{5, 7}, 6}));
  ASSERT_TRUE(talk.ran) << talk.error();
  EXPECT_EQ(talk.ran->outputs.size(), 2U);
  EXPECT_EQ(talk.ran->nanoseconds, (std::vector<std::uint64_t>{5, 7}));
}

// Whoever asks for times takes the least of them.
TEST(Client, aServerThatKeepsTimesToItselfIsNotBelieved) {
  EXPECT_THAT(Talk(conversation({{}, 6})).error(), HasSubstr("the server sent what is no result"));
  EXPECT_THAT(Talk(conversation({{5}, 6})).error(), HasSubstr("the server sent what is no result"));
}

TEST(Client, aServerThatSendsOtherOutputsIsNotBelieved) {
  EXPECT_THAT(Talk(conversation({{5, 7}, 7})).error(), HasSubstr("the server sent what is no result"));
  auto messages = conversation({{5, 7}, 6});
  messages.back() = reply("short");
  EXPECT_THAT(Talk(std::move(messages)).error(), HasSubstr("the server sent what is no result"));
}

TEST(Client, aServerThatStopsIsGone) {
  auto messages = conversation({{5, 7}, 6});
  for (; messages.size() > 2; messages.pop_back()) {
    auto some = messages;
    some.pop_back();
    EXPECT_THAT(Talk(std::move(some)).error(), HasSubstr("the server is gone")) << messages.size();
  }
  EXPECT_THAT(Talk({"no hello"}).error(), HasSubstr("is no byoc server"));
}

TEST(Client, whatIsNoReplyIsAnError) {
  auto messages = conversation({{5, 7}, 6});
  messages[3] = "x";
  EXPECT_THAT(Talk(std::move(messages)).error(), HasSubstr("the server sent what is no reply"));
}

}  // namespace
}  // namespace byoc::remote
