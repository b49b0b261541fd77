#include "sdk/program/plan/fit.hpp"

#include <algorithm>

namespace byoc::plan {

ModelRam ram_of(const Program& program) {
  ModelRam out;
  for (const PoolUse& pool : program.main.workspaces) out.workspaces += pool.bytes;
  out.instance = program.instance.bytes;
  for (const Tensor& t : program.main.inputs) out.inputs += t.bytes;
  for (const Tensor& t : program.main.outputs) out.outputs += t.bytes;
  return out;
}

std::uint64_t workspace_limit(const TargetSpec& target) {
  std::uint64_t most = 0;
  for (const MemoryPool& p : target.pools) {
    if (p.kind != PoolKind::ram) continue;
    if (p.size == 0) return 0;
    most = std::max(most, p.size);
  }
  return most;
}

namespace {

// The bytes of a pool's workspace, with the instance if that is in this pool and the pool is not the first.
std::uint64_t need(const Program& program, std::size_t pool) {
  const std::uint64_t bytes = program.main.workspaces[pool].bytes;
  if (pool == 0 || pool != program.instance.pool) return bytes;
  const std::uint64_t align = program.instance.align;
  return (bytes + align - 1) / align * align + program.instance.bytes;
}

// Bytes that a pool's workspace may have; 0: not bounded.
std::uint64_t room(const Program& program, std::size_t pool) {
  const std::vector<RamPool>& pools = program.pools;
  if (pool != 0) return pools[pool].size;
  std::uint64_t most = 0;
  for (std::size_t p = 0; p < pools.size(); ++p) {
    if (pools[p].size == 0) return 0;
    const std::uint64_t taken = p == 0 ? 0 : need(program, p);
    most = std::max(most, pools[p].size - std::min(taken, pools[p].size));
  }
  return most;
}

std::uint64_t excess(const Program& program, std::size_t pool) {
  const std::uint64_t most = room(program, pool), bytes = need(program, pool);
  return most == 0 || bytes <= most ? 0 : bytes - most;
}

// "4096 bytes, workspace of step 'm_a' of codegen 'x' 3000, ...": the largest of what is there at the fullest step.
std::string contents(const Program& program, std::uint32_t pool) {
  constexpr std::size_t kMost = 3;
  const std::vector<std::uint64_t> live = live_bytes(program.memory, pool);
  const auto fullest = static_cast<std::uint32_t>(std::max_element(live.begin(), live.end()) - live.begin());
  std::vector<const Buffer*> there;
  for (const Buffer& b : program.memory.buffers)
    if (b.pool == pool && b.first <= fullest && fullest <= b.last) there.push_back(&b);
  std::stable_sort(there.begin(), there.end(), [](const auto* a, const auto* b) { return a->bytes > b->bytes; });
  std::string out = std::to_string(need(program, pool)) + " bytes";
  if (pool != 0 && pool == program.instance.pool) out += ", the instance " + std::to_string(program.instance.bytes);
  for (std::size_t i = 0; i < std::min(there.size(), kMost); ++i)
    out += ", " + there[i]->name + " " + std::to_string(there[i]->bytes);
  return out;
}

}  // namespace

std::uint64_t excess(const Program& program) {
  std::uint64_t most = 0;
  for (std::size_t p = 0; p < program.pools.size(); ++p) most = std::max(most, excess(program, p));
  return most;
}

Result<void> check_fit(const Program& program, const TargetSpec& target, Diagnostics& diags) {
  bool ok = true;
  for (std::uint32_t p = 0; p < program.pools.size(); ++p) {
    if (excess(program, p) == 0) continue;
    ok = false;
    const std::string most = "at most " + std::to_string(room(program, p)) + " bytes";
    if (p == 0)
      diags.error(program.file, {}, "the workspace does not fit into any RAM of target '" + target.name + "'",
                  contents(program, p), most);
    else
      diags.error(program.file, {},
                  "the workspace" + std::string(p == program.instance.pool ? " and the instance" : "") +
                      " in memory pool '" + program.pools[p].name + "' of target '" + target.name + "' does not fit",
                  contents(program, p), most);
  }
  return ok ? Result<void>() : failure;
}

}  // namespace byoc::plan
