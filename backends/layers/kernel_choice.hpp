// Chooses the kernel of each layer of a request.
//
// Time T is that of all layers together, in estimated cycles if the CPU has an estimate and otherwise in instructions;
// flash F is their constants and the code of every kernel that one of them takes, which is there once. The choice
// minimises
//   speed:    T; if two are equal, F
//   size:     F, among those with at most 2.5 times the time of the choice for speed
//   balanced: T * T * T * F, so that a percent of time may cost three percent of flash
// RAM decides if the host asks for less: an option that exceeds its budget is excluded then.
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

// The remark for reports: "rows 64, copied 1728, results 1024, products 27648; conv_s8_small: 61200 instructions, 448
// bytes". It has the work of the chosen option, then the cost of the others, constants and code.
[[nodiscard]] std::string remark_on(const LayerOptions&, std::size_t taken);

}  // namespace byoc::layers
