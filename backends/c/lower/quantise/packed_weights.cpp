#include "backends/c/lower/quantise/packed_weights.hpp"

#include <utility>

namespace byoc::c {
namespace {

// 16 * 8 * 128 * depth stays below 2^31.
constexpr std::int64_t kMostDepth = (std::int64_t{1} << 17) - 1;

}  // namespace

unsigned packed_bits(const QuantisedLayer& layer, std::size_t axis, std::int64_t depth) {
  if (layer.weight_bits == 8 || depth > kMostDepth) return 8;
  return weights_fit(layer.weights, axis, layer.weight_bits) ? layer.weight_bits : 8;
}

bool is_general(const QuantisedLayer& layer, std::size_t axis, std::int64_t depth, Objective objective) {
  if (!is_s8_layer(layer, axis)) return true;
  return objective == Objective::size && layer.weight_bits < 8 && packed_bits(layer, axis, depth) == 8;
}

std::string bits_suffix(unsigned bits) { return bits == 8 ? "" : "_w" + std::to_string(bits); }

Kernel with_bits(Kernel kernel, unsigned bits) {
  if (bits == 8) return kernel;
  kernel.symbol += bits_suffix(bits);
  kernel.defines["BYOC_WEIGHT_BITS"] = std::to_string(bits);
  return kernel;
}

std::vector<unsigned> bits_to_choose(unsigned packed, Objective objective) {
  if (packed < 8 && objective == Objective::speed) return {packed, 8};
  return {packed};
}

ChosenForm chosen_form(std::string_view option, unsigned packed) {
  if (option.empty()) return {option, packed};
  for (const unsigned bits : {4U, 2U})
    if (option.ends_with(bits_suffix(bits))) return {option.substr(0, option.size() - 3), bits};
  return {option, 8};
}

}  // namespace byoc::c
