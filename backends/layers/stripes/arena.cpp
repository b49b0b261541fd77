#include "backends/layers/stripes/arena.hpp"

#include <algorithm>

namespace byoc::layers {
namespace {

std::uint64_t aligned(std::uint64_t n) { return (n + kArenaAlign - 1) / kArenaAlign * kArenaAlign; }

// The rows of a unit's result, or its workspace.
struct Block {
  std::uint64_t bytes;
  std::size_t unit;
  bool is_workspace;
  std::uint64_t* at;
};

// True if both are ever in use at the same time.
bool meet(const Block& a, const Block& b, const std::vector<std::uint64_t>& beside) {
  const auto is_beside = [&](std::size_t results, std::size_t unit) { return (beside[unit] >> results & 1) != 0; };
  if (a.is_workspace && b.is_workspace) return false;
  if (a.is_workspace) return is_beside(b.unit, a.unit);
  if (b.is_workspace) return is_beside(a.unit, b.unit);
  // Rows of one begin to be there, or are read for the last time, while a unit computes that the others are there for.
  return std::any_of(beside.begin(), beside.end(),
                     [&](std::uint64_t all) { return (all >> a.unit & all >> b.unit & 1) != 0; });
}

// The largest first, each in the lowest place where it meets nothing that is in use at the same time.
std::uint64_t place_blocks(std::vector<Block> blocks, const std::vector<std::uint64_t>& beside) {
  std::stable_sort(blocks.begin(), blocks.end(), [](const Block& a, const Block& b) { return a.bytes > b.bytes; });
  std::uint64_t peak = 0;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    Block& b = blocks[i];
    std::vector<std::pair<std::uint64_t, std::uint64_t>> taken;
    for (std::size_t k = 0; k < i; ++k)
      if (meet(blocks[k], b, beside)) taken.emplace_back(*blocks[k].at, *blocks[k].at + blocks[k].bytes);
    std::sort(taken.begin(), taken.end());
    *b.at = 0;
    for (const auto& [begin, end] : taken)
      if (begin < *b.at + b.bytes) *b.at = std::max(*b.at, end);
    peak = std::max(peak, *b.at + b.bytes);
  }
  return peak;
}

}  // namespace

std::uint64_t workspace_bytes(const codegen::Step& step) {
  std::uint64_t bytes = 0;
  for (const codegen::Workspace& w : step.workspaces) bytes += aligned(w.bytes);
  return bytes;
}

std::optional<std::uint64_t> PartSizes::workspace(const Unit& unit, const UnitRows& rows) {
  const auto [at, fresh] = known_.try_emplace({unit.output, rows});
  if (fresh) at->second = ask_(unit, rows);
  return at->second;
}

std::optional<Arena> lay_out(const codegen::Region& region, const Patch& patch, const Stripes& stripes,
                             PartSizes* sizes) {
  Arena arena;
  arena.buffers.resize(patch.units.size(), 0);
  arena.workspaces.resize(patch.units.size(), 0);
  std::vector<std::uint64_t> bytes(patch.units.size(), 0);
  for (const auto& calls : stripes.calls)
    for (const UnitCall& c : calls) {
      if (sizes == nullptr) continue;
      const auto workspace = sizes->workspace(patch.units[c.unit], c.rows);
      if (!workspace) return std::nullopt;
      bytes[c.unit] = std::max(bytes[c.unit], *workspace);
    }
  std::vector<Block> blocks;
  for (std::size_t u = 0; u < patch.units.size(); ++u) {
    const std::int64_t rows = stripes.buffer_rows[u];
    const auto size = static_cast<std::uint64_t>(rows * row_bytes(region.values[patch.units[u].output]));
    if (size != 0) blocks.push_back({aligned(size), u, false, &arena.buffers[u]});
    if (bytes[u] != 0) blocks.push_back({bytes[u], u, true, &arena.workspaces[u]});
  }
  arena.bytes = place_blocks(std::move(blocks), stripes.beside);
  return arena;
}

std::uint64_t lead_of(const Stripes& stripes) { return aligned(static_cast<std::uint64_t>(stripes.lead)); }

}  // namespace byoc::layers
