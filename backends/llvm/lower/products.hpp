// What the lowerings of convolutions and matrix products share.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backends/llvm/emitter.hpp"
#include "backends/llvm/kernels/product.hpp"

namespace byoc::bitcode {

// One float for each channel of every group, each group filled up with zeros to whole tiles; all zeros without `bias`.
[[nodiscard]] std::vector<float> packed_bias(const codegen::Value* bias, std::int64_t groups, std::int64_t channels,
                                             std::int64_t tile);

// The kernel of a product, written where there is none of its kind.
[[nodiscard]] std::string product_kernel(Emitter& emitter, const std::string& family, const Product& p,
                                         const Tile& tile);

}  // namespace byoc::bitcode
