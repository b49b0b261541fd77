// libFuzzer's entry: a server may say what it likes to byoc, as one that has the token does; a run ends in the outputs
// that were asked for, or in an error. The bytes are messages, each behind a length of two bytes.
#include <cstdio>
#include <cstdlib>

#include "sdk/run/remote/client.hpp"
#include "tests/support/scripted_server.hpp"

namespace byoc::remote {
namespace {

constexpr const char* kToken = "token of a fuzzer";
constexpr std::size_t kInput = 8, kOutput = 12;  // bytes
constexpr std::uint32_t kRepeats = 2;

[[noreturn]] void broken(const char* rule) {
  std::fprintf(stderr, "broken rule: %s\n", rule);
  std::abort();
}

bool talk(std::string_view said, Diagnostics& diags) {
  auto server = std::make_unique<test::ScriptedServer>(test::messages_of(said), kToken);
  auto client = Client::over(std::move(server), "a server", kToken, diags);
  if (!client) return false;
  (void)to_string(client->machine());
  const std::vector<std::byte> library(64), input(kInput);
  if (!client->load(library, {"m", {}, {{kInput, 4}}, {{kOutput, 4}}, {}}, diags)) return false;
  const auto ran = client->run(std::vector<std::span<const std::byte>>{input, input}, true, kRepeats, diags);
  if (!ran) return false;
  if (ran->outputs.size() != 2 || ran->outputs[0].size() != kOutput || ran->nanoseconds.size() != kRepeats)
    broken("what was asked for is there");
  return true;
}

}  // namespace
}  // namespace byoc::remote

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  byoc::Diagnostics diags;
  const bool ended = byoc::remote::talk({reinterpret_cast<const char*>(data), size}, diags);
  if (ended == diags.has_errors()) byoc::remote::broken("what fails has an error, what does not has none");
  return 0;
}
