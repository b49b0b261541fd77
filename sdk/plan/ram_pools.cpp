#include "sdk/plan/ram_pools.hpp"

namespace byoc::plan {

std::vector<RamPool> ram_pools(const TargetSpec& target) {
  std::vector<RamPool> out;
  for (const MemoryPool& p : target.pools)
    if (p.kind == PoolKind::ram) out.push_back({p.name, p.section, p.size});
  if (out.empty()) out.push_back({"ram", "", 0});
  return out;
}

}  // namespace byoc::plan
