// Taking names out of what other objects see.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sdk/base/support/diagnostics.hpp"

namespace byoc {

// A copy of a relocatable in which every global or weak definition that `keep` refuses is local. References and common
// symbols, which only a final link gives a place, stay as they are. `name` is for diagnostics. Error: no ELF object.
[[nodiscard]] Result<std::vector<std::byte>> localise_symbols(std::span<const std::byte> object,
                                                              const std::function<bool(std::string_view)>& keep,
                                                              const std::string& name, Diagnostics&);

}  // namespace byoc
