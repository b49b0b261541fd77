// Where this source tree is. Functions, so that only one file is compiled anew when the tree stands elsewhere.
#pragma once

#include <string>

namespace byoc::test {

[[nodiscard]] std::string source_dir();    // no slash at the end
[[nodiscard]] std::string networks_dir();  // what the build wrote by tests/networks/make.py

}  // namespace byoc::test
