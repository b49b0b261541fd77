// libFuzzer's entry: a client that has the token may say what it likes; the session ends, and wrote into its own folder
// only. The bytes are messages, each behind a length of two bytes; the frames around them are right, for else nothing
// behind them would ever be read.
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>

#include "sdk/base/support/frame.hpp"
#include "sdk/run/remote/session.hpp"
#include "tests/support/scripted_stream.hpp"

namespace {

using namespace byoc::remote;

constexpr const char* kToken = "token of a fuzzer";

// What the client says first is made when the session listens: the greeting needs the session's number.
class Script : public byoc::test::ScriptedStream {
 public:
  using ScriptedStream::ScriptedStream;

  bool send(std::span<const std::byte> bytes, std::chrono::milliseconds) override {
    if (greeted_) return true;
    greeted_ = true;
    const std::string_view frame(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const auto hello = read_hello(frame.substr(byoc::kFrameHeadBytes));
    const std::string nonce(32, 'n');
    add_frame(write(Greeting{kProtocolVersion, nonce, proof(kToken, "client", *hello, nonce)}));
    return true;
  }

 private:
  bool greeted_ = false;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string directory = [] {
    std::string path = (std::filesystem::temp_directory_path() / "byoc_remote.XXXXXX").string();
    return ::mkdtemp(path.data()) == nullptr ? std::string() : path;
  }();
  if (directory.empty()) return -1;
  SessionOptions options;
  options.token = kToken;
  options.limits = {std::uint64_t{1} << 20, std::uint64_t{64} << 20, 5};
  Script script(byoc::test::messages_of({reinterpret_cast<const char*>(data), size}));
  (void)serve_session(script, directory, options);
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (entry.path().filename().string().size() != 64) std::abort();  // a hash
    std::filesystem::remove(entry.path());
  }
  return 0;
}
