// Which kernel each layer of a request takes.
//
// Time T is that of all layers together, in estimated cycles where the CPU has an estimate and in instructions where it
// has none; flash F is their constants and the code of every kernel that one of them takes, which is there once. The
// choice is the one with the least
//   speed:    T; where two take as long, F
//   size:     F, among those with at most 2.5 times the time that speed would take
//   balanced: T * T * T * F, so that a percent of time may cost three percent of flash
// RAM decides where the host asks for less: what does not fit into its budget is no option then.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backends/layers/kernel_option.hpp"
#include "byoc/types.hpp"

namespace byoc::layers {

struct LayerOptions {
  std::vector<KernelOption> options;  // at least one, with their costs
  std::uint64_t operand_bytes = 0;    // of the larger of input and output
};

inline constexpr double kMostTimesOfSpeed = 2.5;  // time, of size

// The index of the option that each layer takes. `budget`: bytes of workspace that the model may take; 0: not bounded.
[[nodiscard]] std::vector<std::size_t> choose_kernels(std::vector<LayerOptions> layers, Objective objective,
                                                      std::uint64_t budget);

// What reports say of it: "rows 64, copied 1728, results 1024, products 27648; conv_s8_small: 61200 instructions,
// 448 bytes". The work of the option that was taken, then what the others would cost, constants and code.
[[nodiscard]] std::string remark_on(const LayerOptions&, std::size_t taken);

}  // namespace byoc::layers
