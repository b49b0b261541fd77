#include "sdk/codegen/partition/borders.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "sdk/codegen/partition/report_parts.hpp"
#include "sdk/model/ir/control.hpp"
#include "sdk/model/ir/kind.hpp"
#include "sdk/target/target/target.hpp"

namespace byoc {
namespace {

const MemoryPool* first_ram(const TargetSpec& target) {
  const auto at = std::find_if(target.pools.begin(), target.pools.end(),
                               [](const MemoryPool& p) { return p.kind == PoolKind::ram; });
  return at == target.pools.end() ? nullptr : &*at;
}

std::uint64_t lines_of(std::uint64_t bytes, const MemoryPool* ram) {
  const std::uint64_t line = ram == nullptr ? 0 : pool_speed(*ram, "cache_line");
  return line == 0 ? 0 : (bytes + line - 1) / line;
}

void add(Border& b, std::uint64_t bytes, const TargetSpec& target) {
  ++b.values;
  b.bytes += bytes;
  b.cache_lines += lines_of(bytes, first_ram(target));
  if (const auto cycles = cycles_to_hand_over(bytes, target)) b.cycles = b.cycles.value_or(0) + *cycles;
}

}  // namespace

std::optional<std::uint64_t> cycles_to_hand_over(std::uint64_t bytes, const TargetSpec& target) {
  const MemoryPool* ram = first_ram(target);
  const std::uint64_t bandwidth = ram == nullptr ? 0 : pool_speed(*ram, "bandwidth");
  if (bandwidth == 0) return std::nullopt;
  const auto moved = [&](std::uint64_t b) { return (b + bandwidth - 1) / bandwidth; };
  return 2 * (moved(bytes) + pool_speed(*ram, "latency")) +
         moved(lines_of(bytes, ram) * pool_speed(*ram, "cache_line"));
}

std::vector<Border> borders_of(const ir::Graph& graph, const Partition& partition, const TargetSpec& target) {
  std::vector<Border> out;
  for_each_placed(graph, partition.nodes, partition, [&](const ir::Graph& g, const std::vector<NodePlacement>& nodes) {
    std::map<ir::ValueId, std::size_t> maker;
    for (std::size_t n = 0; n < g.nodes.size(); ++n)
      for (const ir::ValueId v : g.nodes[n].outputs)
        if (v != ir::kNoValue) maker[v] = nodes[n].codegen;
    std::set<std::pair<ir::ValueId, std::size_t>> counted;
    for (std::size_t n = 0; n < g.nodes.size(); ++n)
      for (const ir::ValueId v : g.nodes[n].inputs) {
        const auto from = v == ir::kNoValue ? maker.end() : maker.find(v);
        const std::size_t to = nodes[n].codegen;
        if (from == maker.end() || from->second == to || from->second == kExecutor || to == kExecutor) continue;
        if (!g.values[v].type.is_static() || !counted.insert({v, to}).second) continue;
        auto at =
            std::find_if(out.begin(), out.end(), [&](const Border& b) { return b.from == from->second && b.to == to; });
        if (at == out.end()) at = out.insert(at, {.from = from->second, .to = to, .cycles = std::nullopt});
        add(*at, g.values[v].type.bytes(), target);
      }
  });
  return out;
}

std::vector<RegionTotals> region_totals(const ir::Graph& graph, const Partition& partition,
                                        const ModelInterface& model) {
  std::map<std::string, std::size_t> region_of;
  for_each_placed(graph, partition.nodes, partition, [&](const ir::Graph& g, const std::vector<NodePlacement>& nodes) {
    for (std::size_t n = 0; n < g.nodes.size(); ++n)
      if (nodes[n].codegen != kExecutor) region_of.emplace(ir::describe_kind(g, g.nodes[n]), nodes[n].region);
  });
  std::vector<RegionTotals> out(partition.regions.size());
  std::vector<std::set<std::string>> kernels(out.size());
  for (const StepInfo& s : model.steps) {
    const auto at = std::find_if(s.nodes.begin(), s.nodes.end(), [&](const auto& n) { return region_of.contains(n); });
    if (at == s.nodes.end()) continue;
    const std::size_t r = region_of.at(*at);
    ++out[r].steps;
    out[r].constant_bytes += s.constant_bytes;
    if (kernels[r].insert(s.kernel).second) out[r].kernel_bytes += s.kernel_bytes;
    out[r].ram_bytes = std::max(out[r].ram_bytes, s.live_bytes);
    out[r].workspace_bytes = std::max(out[r].workspace_bytes, s.workspace_bytes);
  }
  return out;
}

}  // namespace byoc
