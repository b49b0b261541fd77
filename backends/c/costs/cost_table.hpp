// Instructions and code of the kernels that there is a choice of, as tests/bench/costs.py measured them.
#pragma once

#include <span>
#include <string_view>

#include "backends/layers/kernel_option.hpp"
#include "byoc/target.hpp"
#include "byoc/types.hpp"

namespace byoc::c {

using layers::KernelOption;
using layers::Work;

// CPUs on which a kernel takes the same paths. Others than these count as Armv7-M.
enum class Machine : std::uint8_t { armv6m, armv7m, armv7em, armv8_1m, rv32 };
[[nodiscard]] Machine machine_of(const TargetSpec&);
// True for cores with DSP instructions that run faster with loads between products instead of next to each other. Used
// by kernels' assembly.
[[nodiscard]] bool wants_loads_apart(const TargetSpec&);
// Cycles that a byte of constants takes to come out of flash, beside those of the load; 0: none, or it is not said.
[[nodiscard]] double waits_for_flash(const TargetSpec&);
// False where the table is another machine's: good enough to choose by, no estimate.
[[nodiscard]] bool is_measured(const TargetSpec&);

// instructions = call + start * starts + row * rows + copied * copied + result * results + product * products
struct KernelCost {
  std::string_view kernel, way;
  Machine machine;
  Objective objective;  // which says how hard kernels are optimised
  std::uint32_t code_bytes;
  double call, start, row, copied, result, product;
};

// The cost of a kernel in a core's estimated cycles.
struct CoreCost {
  std::string_view cpu;
  KernelCost cost;
};

[[nodiscard]] std::span<const KernelCost> cost_table();
[[nodiscard]] std::span<const CoreCost> cycle_table();

// Fills in what `option` costs; cycles with those that its constants take to come. Leaves zeros where the table has no
// row for it.
void add_costs(KernelOption& option, const TargetSpec&, Objective);

}  // namespace byoc::c
