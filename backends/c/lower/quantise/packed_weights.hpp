// Weights of 4 and 2 bits: which layers keep them packed in flash, and the form of a kernel that unpacks them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "backends/c/emitter.hpp"
#include "byoc/nodes/quantised_layer.hpp"

namespace byoc::c {

// The bits that each weight of an is_s8_layer() can have in flash: the model's, where the weights still fit in these
// without their zero points, and sums of `depth` products in 32 bits when they are 16 times as large; else 8. `axis`:
// of the weights' channels.
[[nodiscard]] unsigned packed_bits(const QuantisedLayer&, std::size_t axis, std::int64_t depth);

// True if the general kernels compute it: not an is_s8_layer(), or one that has fewer bits which only they keep, where
// size counts.
[[nodiscard]] bool is_general(const QuantisedLayer&, std::size_t axis, std::int64_t depth, Objective);

// "", "_w4" or "_w2": of kernels that unpack, and of the options that take them.
[[nodiscard]] std::string bits_suffix(unsigned bits);
// The form of a kernel for weights of `bits` bits.
[[nodiscard]] Kernel with_bits(Kernel, unsigned bits);

// The bits that a layer with these packed_bits() may take: they alone, but where speed is all that counts 8 as well,
// which need not be unpacked.
[[nodiscard]] std::vector<unsigned> bits_to_choose(unsigned packed, Objective);

// An option that was chosen, or nothing: what its kernel is called without its bits, and these. `packed`: of the layer
// where there was no choice.
struct ChosenForm {
  std::string_view kernel;
  unsigned bits = 8;
};
[[nodiscard]] ChosenForm chosen_form(std::string_view option, unsigned packed);

}  // namespace byoc::c
