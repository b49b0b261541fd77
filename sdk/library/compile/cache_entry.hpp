// The files of a cache. Others may write to its folder: no link is followed, and nothing but a regular file is read.
// Internal to this folder.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace byoc::compile {

struct CacheFile {
  bool is_there = false;             // whatever it is
  std::optional<std::string> bytes;  // of a regular file that can be read
};
// The file `name` in the folder `part` of `folder`. Its time of use is now.
[[nodiscard]] CacheFile read_cache_file(const std::string& folder, const std::string& part, const std::string& name);
// Replaces whatever stands there. What cannot be written is not kept.
void write_cache_file(const std::string& folder, const std::string& part, const std::string& name,
                      std::string_view bytes);

}  // namespace byoc::compile
