// SHA-256, for people and tools that compare files with those of others.
#pragma once

#include <string>

namespace byoc {

// 64 hexadecimal digits, of what is in the file; "" if it cannot be read. Takes no memory that depends on its size.
[[nodiscard]] std::string sha256_of_file(const std::string& path);

}  // namespace byoc
