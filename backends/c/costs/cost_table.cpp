#include "backends/c/costs/cost_table.hpp"

#include <algorithm>
#include <cmath>

namespace byoc::c {
namespace {

constexpr KernelCost kTable[] = {
#include "backends/c/costs/measured.inc"
};

}  // namespace

Machine machine_of(const TargetSpec& target) {
  if (target.has("mve")) return Machine::armv8_1m;
  if (target.has("dsp")) return Machine::armv7em;
  if (target.triple.starts_with("riscv32")) return Machine::rv32;
  return target.has("thumb") && !target.has("hwdiv") ? Machine::armv6m : Machine::armv7m;
}

bool is_measured(const TargetSpec& target) { return target.has("thumb") || machine_of(target) == Machine::rv32; }

std::span<const KernelCost> cost_table() { return kTable; }

void add_costs(KernelOption& option, const TargetSpec& target, Objective objective) {
  const Machine machine = machine_of(target);
  const auto* cost = std::find_if(std::begin(kTable), std::end(kTable), [&](const KernelCost& c) {
    return c.kernel == option.kernel && c.way == option.way && c.machine == machine && c.objective == objective;
  });
  if (cost == std::end(kTable)) return;
  const Work& w = option.work;
  option.instructions = cost->call + cost->start * w.starts + cost->row * w.rows + cost->copied * w.copied +
                        cost->result * w.results + cost->product * w.products;
  option.code_bytes = cost->code_bytes;
}

}  // namespace byoc::c
