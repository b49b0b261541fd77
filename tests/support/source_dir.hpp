// Where this source tree is. A function, so that only one file is compiled anew when the tree stands elsewhere.
#pragma once

#include <string>

namespace byoc::test {

[[nodiscard]] std::string source_dir();  // no slash at the end

}  // namespace byoc::test
