// SHA-256, for people and tools that compare files with those of others.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace byoc {

// SHA-256 of data that comes in pieces.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;
  void update(std::span<const std::byte> bytes);
  [[nodiscard]] std::array<std::uint8_t, 32> finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// 64 hexadecimal digits, of what is in the file; "" if it cannot be read. Takes no memory that depends on its size.
[[nodiscard]] std::string sha256_of_file(const std::string& path);

// Both of one file, read once; "" if it cannot be read. SHA-1 is what SPDX wants of every file.
struct FileHashes {
  std::string sha1;
  std::string sha256;
};
[[nodiscard]] FileHashes hashes_of_file(const std::string& path);

// 40 and 64 hexadecimal digits.
[[nodiscard]] std::string sha1_of(std::string_view text);
[[nodiscard]] std::string sha256_of(std::string_view text);

}  // namespace byoc
