// One quantised layer with input and expected output, computed from the definition of its operator in int64 and double:
// no code is shared with the kernels or their lowerings.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "byoc/codegen.hpp"

namespace byoc::test {

struct Layer {
  std::string text;  // for messages
  codegen::Region region;
  std::vector<std::vector<std::int8_t>> inputs;  // bytes of region.inputs
  std::vector<std::int8_t> expected;             // bytes of region.outputs[0]
  std::vector<std::vector<std::byte>> storage;   // what the constants of the region point to
};

using Random = std::mt19937;

// Odd shapes, every layout, extreme quantisation. The same seed gives the same layer.
[[nodiscard]] Layer random_conv(Random&, Requant);
[[nodiscard]] Layer random_depthwise(Random&, Requant);
[[nodiscard]] Layer random_dense(Random&, Requant);
[[nodiscard]] Layer random_average_pool(Random&, Requant);
[[nodiscard]] Layer random_sum(Random&, Requant);
[[nodiscard]] Layer random_softmax(Random&);
[[nodiscard]] Layer random_quantize(Random&, Requant);  // Quantize, Dequantize, Relu, Clip

}  // namespace byoc::test
