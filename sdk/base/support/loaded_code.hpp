// The identity of the code that is loaded into this process.
#pragma once

#include <string>
#include <vector>

namespace byoc {

// An identity of this program and of each shared object that is loaded now, plug-ins and what they brought along among
// them, sorted: the linker's build id, or a hash of the file where there is none. No names, paths or addresses.
[[nodiscard]] std::vector<std::string> identify_loaded_code();

// The identity of this program alone.
[[nodiscard]] std::string identify_program();

}  // namespace byoc
