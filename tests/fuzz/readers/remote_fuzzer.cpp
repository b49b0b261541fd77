// libFuzzer's entry: a client that has the token may say what it likes; the session ends, and wrote into its own folder
// only. The bytes are messages, each behind a length of two bytes; the frames around them are right, for else nothing
// behind them would ever be read.
#include <stdlib.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "sdk/remote/session.hpp"

namespace {

using namespace byoc::remote;

constexpr const char* kToken = "token of a fuzzer";

// What the client says is made when the session listens: the greeting needs the session's number.
class Script : public Stream {
 public:
  explicit Script(std::span<const std::byte> said) : rest_(said) {}

  bool send(std::span<const std::byte> bytes, std::chrono::milliseconds) override {
    if (greeted_) return true;
    greeted_ = true;
    const std::string_view frame(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const auto hello = read_hello(frame.substr(8));
    const std::string nonce(32, 'n');
    add(write(Greeting{kProtocolVersion, nonce, proof(kToken, "client", *hello, nonce)}));
    return true;
  }

  bool receive(std::span<std::byte> bytes, std::chrono::milliseconds) override {
    while (pending_.size() < bytes.size() && !rest_.empty()) add_next();
    if (pending_.size() < bytes.size()) return false;
    std::memcpy(bytes.data(), pending_.data(), bytes.size());
    pending_.erase(0, bytes.size());
    return true;
  }
  [[nodiscard]] std::string problem() const override { return "no more"; }

 private:
  void add(const std::string& message) {
    const auto put = [&](std::uint32_t n) { pending_.append(reinterpret_cast<const char*>(&n), sizeof n); };
    put(static_cast<std::uint32_t>(message.size()));
    put(crc32c(std::as_bytes(std::span(message))));
    pending_ += message;
  }
  void add_next() {
    std::uint16_t size = 0;
    std::memcpy(&size, rest_.data(), std::min(rest_.size(), sizeof size));
    rest_ = rest_.subspan(std::min(rest_.size(), sizeof size));
    const auto message = rest_.first(std::min<std::size_t>(size, rest_.size()));
    add({reinterpret_cast<const char*>(message.data()), message.size()});
    rest_ = rest_.subspan(message.size());
  }

  std::span<const std::byte> rest_;
  std::string pending_;
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
  Script script(std::as_bytes(std::span(data, size)));
  (void)serve_session(script, directory, options);
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (entry.path().filename().string().size() != 64) std::abort();  // a hash
    std::filesystem::remove(entry.path());
  }
  return 0;
}
