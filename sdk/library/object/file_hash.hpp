// Hashes of files, for people and tools that compare them with those of others.
#pragma once

#include <string>
#include <string_view>

namespace byoc {

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
