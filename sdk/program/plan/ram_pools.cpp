#include "sdk/program/plan/ram_pools.hpp"

#include <algorithm>

namespace byoc::plan {

std::vector<RamPool> ram_pools(const TargetSpec& target) {
  std::vector<RamPool> out;
  for (const MemoryPool& p : target.pools)
    if (p.kind == PoolKind::ram) out.push_back({p.name, p.section, p.size});
  if (out.empty()) out.push_back({"ram", "", 0});
  return out;
}

std::vector<std::uint32_t> named_pools(const std::vector<RamPool>& pools, const std::vector<std::string>& names) {
  std::vector<std::uint32_t> out;
  for (const std::string& name : names) {
    const auto pool = std::find_if(pools.begin(), pools.end(), [&](const RamPool& p) { return p.name == name; });
    if (pool != pools.end()) out.push_back(static_cast<std::uint32_t>(pool - pools.begin()));
  }
  return out;
}

}  // namespace byoc::plan
