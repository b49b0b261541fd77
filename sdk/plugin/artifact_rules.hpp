// What the names that come with artifacts may be.
#pragma once

#include <string>

namespace byoc::plugin {

// A file name that stays where it is put and cannot break out of an #include.
[[nodiscard]] bool is_file_name(const std::string& name, bool folders);

// A language standard of C sources; "" is the usual one.
[[nodiscard]] bool is_standard(const std::string& name);

}  // namespace byoc::plugin
