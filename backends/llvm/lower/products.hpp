// Helpers of the lowerings of convolutions, matrix products and transposes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "backends/llvm/emitter.hpp"
#include "backends/llvm/kernels/move.hpp"
#include "backends/llvm/kernels/product.hpp"
#include "byoc/nodes/spatial.hpp"

namespace byoc::bitcode {

// Refuses a node whose filter or bias, inputs 1 and 2, is not a constant.
[[nodiscard]] std::optional<codegen::Verdict> refuse_computed_filter(const codegen::Region& region,
                                                                     const codegen::Node& node);
// Refuses three spatial dims, a bias that is not one of the channels, an unknown activation.
[[nodiscard]] std::optional<codegen::Verdict> refuse_spatial(const codegen::Region& region, const codegen::Node& node,
                                                             const nodes::Spatial& s);

// A kernel's constants per channel: the bias of the node's input 2 and, if there are factors, the scale behind it; both
// [group][channels], each group filled up with zeros to whole tiles of channels.
[[nodiscard]] std::vector<Argument> channel_arguments(Emitter& emitter, const codegen::Node& node, const Fused& fused,
                                                      std::int64_t groups, std::int64_t tile);

// The step of a node and what is done with it in one pass, of its input 0 and what is added.
[[nodiscard]] codegen::Step fused_step(const codegen::Node& node, const Fused& fused, std::uint64_t macs);

// The kernel of a product, written where there is none of its kind.
[[nodiscard]] std::string product_kernel(Emitter& emitter, const std::string& family, const Product& p,
                                         const Tile& tile);

// The kernel of write_transposed.
[[nodiscard]] std::string transpose_kernel(Emitter& emitter, std::int64_t size, std::int64_t count, std::int64_t rows,
                                           std::int64_t cols);

// A kernel that makes f32 of `count` floats.
[[nodiscard]] std::string widening_kernel(Emitter& emitter, Real real, std::int64_t count);

}  // namespace byoc::bitcode
