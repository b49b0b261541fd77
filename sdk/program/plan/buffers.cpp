#include "sdk/program/plan/buffers.hpp"

#include <algorithm>
#include <numeric>

namespace byoc::plan {

Buffers::Buffers(const ir::Graph& graph, const std::vector<codegen::PrivateValue>& private_values,
                 const std::vector<RamPool>& pools, std::uint32_t steps)
    : graph_(graph),
      private_values_(private_values),
      ram_pools_(static_cast<std::uint32_t>(pools.size())),
      end_(steps),
      of_value_(graph.values.size(), kNoBuffer),
      of_private_(private_values.size(), kNoBuffer) {
  problem.steps = steps;
  problem.pools = ram_pools_;
  for (const RamPool& p : pools) problem.sizes.push_back(p.size);
}

std::uint32_t Buffers::add(std::string name, std::uint64_t bytes, std::uint32_t align, std::uint32_t step) {
  problem.buffers.push_back({.name = std::move(name), .bytes = bytes, .align = align, .first = step, .last = step});
  return static_cast<std::uint32_t>(problem.buffers.size() - 1);
}

std::uint32_t Buffers::add_at_end(std::string name, std::uint64_t bytes) {
  problem.steps = end_ + 1;
  return add(std::move(name), bytes, kValueAlign, end_);
}

void Buffers::use(std::uint32_t buffer, std::uint32_t step) {
  Buffer& b = problem.buffers[buffer];
  b.first = std::min(b.first, step);
  b.last = std::max(b.last, step);
}

std::uint32_t Buffers::use_value(ir::ValueId v, std::uint32_t step) {
  const ir::Value& value = graph_.values[v];
  if (of_value_[v] == kNoBuffer) of_value_[v] = add(value.name, value.type.bytes(), kValueAlign, step);
  use(of_value_[v], step);
  return of_value_[v];
}

std::uint32_t Buffers::use_private(std::uint32_t id, std::uint32_t step, const std::string& name) {
  const codegen::PrivateValue& p = private_values_[id];
  if (of_private_[id] == kNoBuffer) of_private_[id] = add(name, p.bytes, p.align, step);
  use(of_private_[id], step);
  return of_private_[id];
}

void Buffers::keep_value(ir::ValueId v) {
  use_value(v, end_);
  problem.steps = end_ + 1;
}

void Buffers::add_input_pools() {
  has_input_pools_ = true;
  for (const ir::ValueId v : graph_.inputs) {
    const std::uint32_t buffer = use_value(v, 0);
    problem.buffers[buffer].pool = problem.pools++;
    problem.sizes.push_back(std::max<std::uint64_t>(problem.buffers[buffer].bytes, 1));  // 0 would be no bound
  }
}

void Buffers::offer_input_pools() {
  std::vector<std::uint32_t> inputs(graph_.inputs.size());
  std::iota(inputs.begin(), inputs.end(), ram_pools_);
  const std::vector<std::uint64_t>& sizes = problem.sizes;
  constexpr std::size_t kMost = 64;  // of more, the smallest that are large enough
  std::stable_sort(inputs.begin(), inputs.end(), [&](std::uint32_t a, std::uint32_t b) { return sizes[a] < sizes[b]; });
  for (Buffer& b : problem.buffers) {
    if (b.pool != 0 || !b.choices.empty() || b.bytes == 0) continue;
    const auto enough = std::lower_bound(inputs.begin(), inputs.end(), b.bytes,
                                         [&](std::uint32_t pool, std::uint64_t bytes) { return sizes[pool] < bytes; });
    const auto most = std::min<std::ptrdiff_t>(inputs.end() - enough, kMost);
    b.choices.assign(enough, enough + most);
    if (!b.choices.empty()) b.choices.push_back(0);
  }
}

std::vector<bool> Buffers::overwritten_inputs() const {
  std::vector<bool> out(graph_.inputs.size(), false);
  for (std::size_t b = graph_.inputs.size(); has_input_pools_ && b < problem.buffers.size(); ++b)
    if (problem.buffers[b].pool >= ram_pools_) out[problem.buffers[b].pool - ram_pools_] = true;
  return out;
}

Location Buffers::location(std::uint32_t buffer, const Plan& plan) const {
  const std::uint32_t pool = problem.buffers[buffer].pool;
  if (pool >= ram_pools_) return {Place::input, pool - ram_pools_, plan.offsets[buffer]};
  return {Place::workspace, pool, plan.offsets[buffer]};
}

}  // namespace byoc::plan
