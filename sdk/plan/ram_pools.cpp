#include "sdk/plan/ram_pools.hpp"

#include "sdk/module/module.hpp"
#include "sdk/support/name_table.hpp"

namespace byoc::plan {

std::vector<RamPool> ram_pools(const TargetSpec& target) {
  std::vector<RamPool> out;
  NameTable fields;
  for (const MemoryPool& p : target.pools) {
    if (p.kind != PoolKind::ram) continue;
    const std::string field = fields.claim(lower_case(to_identifier(p.name)));
    out.push_back({p.name, field, p.section.empty() ? ".bss." + field : p.section, p.size});
  }
  if (out.empty()) out.push_back({"ram", "ram", ".bss.ram", 0});
  return out;
}

std::string workspace_parameter(const std::vector<RamPool>& pools, std::size_t pool) {
  return pool == 0 ? "workspace" : "workspace_" + pools[pool].field;
}

}  // namespace byoc::plan
