// The memories that workspaces may be in.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "byoc/target.hpp"

namespace byoc::plan {

struct RamPool {
  std::string name;        // "dtcm"
  std::string section;     // where the target wants variables of this memory; "": it does not say
  std::uint64_t size = 0;  // bytes; 0: not bounded
};

// The target's RAM pools in its order, the default first; "ram" where it describes none. Pools of a plan are positions
// in this list.
[[nodiscard]] std::vector<RamPool> ram_pools(const TargetSpec& target);

// The pools that a codegen's list names, in its order; memories that the target does not have are skipped.
[[nodiscard]] std::vector<std::uint32_t> named_pools(const std::vector<RamPool>& pools,
                                                     const std::vector<std::string>& names);

}  // namespace byoc::plan
