#include "backends/llvm/lower/products.hpp"

#include "byoc/nodes/operand.hpp"

namespace byoc::bitcode {

std::vector<float> packed_bias(const codegen::Value* bias, std::int64_t groups, std::int64_t channels,
                               std::int64_t tile) {
  const std::int64_t packed = (channels + tile - 1) / tile * tile;
  std::vector<float> out(static_cast<std::size_t>(groups * packed), 0.0F);
  if (bias == nullptr) return out;
  const std::vector<float> b = nodes::constant_elements<float>(*bias);
  for (std::int64_t c = 0; c < groups * channels; ++c)
    out[static_cast<std::size_t>(c / channels * packed + c % channels)] =
        b[b.size() == 1 ? 0 : static_cast<std::size_t>(c)];
  return out;
}

std::string product_kernel(Emitter& emitter, const std::string& family, const Product& p, const Tile& tile) {
  return emitter.modules().kernel(family, key_of(p, tile),
                                  [&](Code& code, const std::string& symbol) { write_product(code, symbol, p, tile); });
}

}  // namespace byoc::bitcode
