#include "backends/c/costs/cost_table.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>

namespace byoc::c {
namespace {

constexpr KernelCost kTable[] = {
#include "backends/c/costs/measured.inc"
};

// The rows of estimated cycles, for the cores that have an estimate.
constexpr CoreCost kCycles[] = {
#include "backends/c/costs/measured_cycles.inc"
};

bool is_of(const KernelCost& c, const KernelOption& option, Machine machine, Objective objective) {
  return c.kernel == option.kernel && c.way == option.way && c.machine == machine && c.objective == objective;
}

// The core whose rows of cycles count for the target.
std::string_view core_of(const TargetSpec& target) {
  const bool has_rows =
      std::any_of(std::begin(kCycles), std::end(kCycles), [&](const CoreCost& c) { return c.cpu == target.cpu; });
  if (has_rows) return target.cpu;
  return machine_of(target) == Machine::armv7em ? "cortex-m4" : "";
}

// The value in the pool's attributes, such as "latency-5".
double speed_of(const MemoryPool& pool, std::string_view what) {
  double out = 0;
  for (const std::string_view a : pool.attributes)
    if (a.starts_with(what)) (void)std::from_chars(a.data() + what.size(), a.data() + a.size(), out);
  return out;
}

double of(const KernelCost& cost, const Work& w) {
  return cost.call + cost.start * w.starts + cost.row * w.rows + cost.copied * w.copied + cost.result * w.results +
         cost.product * w.products;
}

}  // namespace

Machine machine_of(const TargetSpec& target) {
  if (target.has("mve")) return Machine::armv8_1m;
  if (target.has("dsp")) return Machine::armv7em;
  if (target.triple.starts_with("riscv32")) return Machine::rv32;
  return target.has("thumb") && !target.has("hwdiv") ? Machine::armv6m : Machine::armv7m;
}

bool wants_loads_apart(const TargetSpec& target) { return target.cpu == "cortex-m7" || target.cpu == "cortex-m33"; }

double waits_for_flash(const TargetSpec& target) {
  const auto flash = std::find_if(target.pools.begin(), target.pools.end(),
                                  [](const MemoryPool& p) { return p.kind == PoolKind::flash; });
  if (flash == target.pools.end()) return 0;
  return speed_of(*flash, "latency-") / std::max(speed_of(*flash, "bandwidth-"), 4.0);
}

bool is_measured(const TargetSpec& target) { return target.has("thumb") || machine_of(target) == Machine::rv32; }

std::span<const KernelCost> cost_table() { return kTable; }
std::span<const CoreCost> cycle_table() { return kCycles; }

void add_costs(KernelOption& option, const TargetSpec& target, Objective objective) {
  const Machine machine = machine_of(target);
  const auto* cost = std::find_if(std::begin(kTable), std::end(kTable),
                                  [&](const KernelCost& c) { return is_of(c, option, machine, objective); });
  if (cost == std::end(kTable)) return;
  option.instructions = of(*cost, option.work);
  option.code_bytes = cost->code_bytes;
  const std::string_view core = core_of(target);
  const auto* cycles = std::find_if(std::begin(kCycles), std::end(kCycles), [&](const CoreCost& c) {
    return c.cpu == core && is_of(c.cost, option, machine, objective);
  });
  if (cycles != std::end(kCycles))
    option.cycles = of(cycles->cost, option.work) + option.reads * waits_for_flash(target);
}

}  // namespace byoc::c
