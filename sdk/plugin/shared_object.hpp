// What a shared object shows of itself before it is loaded.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sdk/support/diagnostics.hpp"

namespace byoc::plugin {

struct SharedObjectSymbols {
  std::vector<std::string> exported;     // defined and visible to others, sorted
  std::vector<std::string> undefined;    // expected from others, weak ones aside, sorted
  std::vector<std::string> unversioned;  // those of them that no version of a library is asked for, sorted
  std::vector<std::string> needed;       // names of the shared objects that it brings along
};

// Reads the dynamic symbols of an ELF shared object of this machine, without loading it. Errors: cannot be read, is
// none of those, is damaged.
[[nodiscard]] Result<SharedObjectSymbols> read_shared_object(const std::string& path, Diagnostics& diags);

// What a plug-in may show: exactly one symbol of byoc's, the query function, and none of LLVM's; what it expects of
// LLVM it must bring along itself.
Result<void> check_symbols(const SharedObjectSymbols& symbols, const std::string& path, Diagnostics& diags);

// Does this process have a symbol already?
using InProcess = std::function<bool(const std::string& symbol)>;

// That its code can run in this process: errors are a sanitizer whose runtime is not here, and a C++ runtime beside
// this program's, either of which would end the process, at once or at the first exception.
Result<void> check_runtimes(const SharedObjectSymbols& symbols, const std::string& path, const InProcess& in_process,
                            Diagnostics& diags);

}  // namespace byoc::plugin
