// What libFuzzer calls, without libFuzzer: each file that is named, and some damage done to each, so that every build
// runs what the fuzzers found worth keeping.
//
//   replay_readers [--mutations=N] [--seed=S] FILE...
//
// A file that breaks a rule ends the program; the last line says which, and which damage.
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using Bytes = std::vector<std::uint8_t>;

std::string now_reading;  // for the signal handler

void tell(int signal) {
  (void)!write(STDERR_FILENO, now_reading.data(), now_reading.size());
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

class Damage {
 public:
  explicit Damage(std::uint64_t seed) : random_(seed) {}

  Bytes of(Bytes bytes) {
    for (std::size_t i = 0, count = 1 + below(4); i < count && !bytes.empty(); ++i) once(bytes);
    return bytes;
  }

 private:
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }

  void once(Bytes& bytes) {
    constexpr std::uint8_t kTelling[] = {0, 1, 0x7f, 0x80, 0xff, '"', '/', '-', '9'};
    const std::size_t at = below(bytes.size());
    const auto place = bytes.begin() + static_cast<std::ptrdiff_t>(at);
    const std::size_t length = 1 + below(std::min<std::size_t>(bytes.size() - at, 16));
    const auto end = place + static_cast<std::ptrdiff_t>(length);
    switch (below(6)) {
      case 0: *place ^= static_cast<std::uint8_t>(1U << below(8)); break;
      case 1: *place = kTelling[below(std::size(kTelling))]; break;
      case 2: bytes.erase(place, end); break;
      case 3: bytes.resize(at); break;
      case 4: std::fill(place, end, kTelling[below(std::size(kTelling))]); break;
      default: {
        const Bytes piece(place, end);
        bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(below(bytes.size() + 1)), piece.begin(), piece.end());
      }
    }
  }

  std::mt19937_64 random_;
};

void read(const Bytes& bytes) { (void)LLVMFuzzerTestOneInput(bytes.data(), bytes.size()); }

}  // namespace

int main(int count, char** words) {
  std::size_t mutations = 0;
  std::uint64_t seed = 1;
  std::vector<std::string> files;
  for (const std::string_view word : std::span(words, static_cast<std::size_t>(count)).subspan(1)) {
    if (word.starts_with("--mutations="))
      mutations = std::stoul(std::string(word.substr(word.find('=') + 1)));
    else if (word.starts_with("--seed="))
      seed = std::stoull(std::string(word.substr(word.find('=') + 1)));
    else
      files.emplace_back(word);
  }
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL}) std::signal(signal, tell);
  Damage damage(seed);
  for (const std::string& file : files) {
    std::ifstream in(file, std::ios::binary);
    const Bytes bytes{std::istreambuf_iterator<char>(in), {}};
    now_reading = file + ": breaks a rule\n";
    if (in.bad() || !in.is_open()) return std::fprintf(stderr, "%s: cannot be read\n", file.c_str()), 2;
    read(bytes);
    for (std::size_t i = 0; i < mutations; ++i) {
      now_reading = file + ": breaks a rule once it is damaged, change " + std::to_string(i) + "\n";
      read(damage.of(bytes));
    }
  }
  std::printf("%zu files, each with %zu changes\n", files.size(), mutations);
  return 0;
}
