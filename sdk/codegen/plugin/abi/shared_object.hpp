// Facts about a shared object that can be read before it is loaded.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sdk/base/support/diagnostics.hpp"

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

// Checks the symbols of a plug-in: it exports exactly one symbol of byoc's, the query function, and none of LLVM's; it
// must contain the parts of LLVM that it needs.
Result<void> check_symbols(const SharedObjectSymbols& symbols, const std::string& path, Diagnostics& diags);

// True if this process has a symbol already.
using InProcess = std::function<bool(const std::string& symbol)>;

// Checks that its code can run in this process. Errors: a sanitizer whose runtime is not here, and a C++ runtime
// besides this program's. Either would end the process, at once or at the first exception.
Result<void> check_runtimes(const SharedObjectSymbols& symbols, const std::string& path, const InProcess& in_process,
                            Diagnostics& diags);

}  // namespace byoc::plugin
