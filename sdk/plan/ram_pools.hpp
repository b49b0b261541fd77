// The memories that workspaces may be in, and what the parts of a plan in them are called in C.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "byoc/target.hpp"

namespace byoc::plan {

struct RamPool {
  std::string name;        // "dtcm"
  std::string field;       // lower-case C identifier, unique among the pools of the target
  std::string section;     // where variables of this memory are put: the target's word, or ".bss.<field>"
  std::uint64_t size = 0;  // bytes; 0: not bounded
};

// The target's RAM pools in its order, the default first; "ram" where it describes none. Pools of a plan are positions
// in this list.
[[nodiscard]] std::vector<RamPool> ram_pools(const TargetSpec& target);

// "workspace", "workspace_dtcm": the parameter that points to the model's part of a pool.
[[nodiscard]] std::string workspace_parameter(const std::vector<RamPool>& pools, std::size_t pool);

}  // namespace byoc::plan
