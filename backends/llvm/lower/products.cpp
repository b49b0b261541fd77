#include "backends/llvm/lower/products.hpp"

#include "backends/llvm/kernels/pixels.hpp"
#include "backends/llvm/lower/reals.hpp"

namespace byoc::bitcode {
namespace {

std::vector<float> packed(const std::vector<float>& channels, std::int64_t groups, std::int64_t tile) {
  const std::int64_t each = static_cast<std::int64_t>(channels.size()) / groups,
                     whole = (each + tile - 1) / tile * tile;
  std::vector<float> out(static_cast<std::size_t>(groups * whole), 0.0F);
  for (std::int64_t g = 0; g < groups; ++g)
    for (std::int64_t c = 0; c < each; ++c)
      out[static_cast<std::size_t>(g * whole + c)] = channels[static_cast<std::size_t>(g * each + c)];
  return out;
}

// The dim of a result that has its channels: the last, or the second of an image that has them first.
std::size_t channels_of(Emitter& emitter, const codegen::Node& node) {
  const std::vector<std::int64_t>& dims = emitter.value(node.outputs[0]).dims;
  const bool second = node.op == "Conv" && node.text("data_layout", "NCHW") == "NCHW";
  return dims.empty() ? 1 : static_cast<std::size_t>(second ? dims[1] : dims.back());
}

}  // namespace

std::vector<Argument> channel_arguments(Emitter& emitter, const codegen::Node& node, const Fused& fused,
                                        std::int64_t groups, std::int64_t tile) {
  std::vector<float> bias(channels_of(emitter, node), 0.0F);
  if (const codegen::Value* given = emitter.given(node, 2)) {
    const std::vector<float> elements = reals(*given);
    for (std::size_t c = 0; c < bias.size(); ++c) bias[c] = elements[elements.size() == 1 ? 0 : c];
  }
  for (std::size_t c = 0; c < fused.scale.size(); ++c) bias[c] = bias[c] * fused.scale[c] + fused.shift[c];
  const std::string stem = emitter.stem(node);
  std::vector<Argument> out{constant(emitter.floats(stem + "_bias", packed(bias, groups, tile)))};
  if (!fused.scale.empty()) out.push_back(constant(emitter.floats(stem + "_scale", packed(fused.scale, groups, tile))));
  return out;
}

std::string product_kernel(Emitter& emitter, const std::string& family, const Product& p, const Tile& tile) {
  return emitter.modules().kernel(family, key_of(p, tile),
                                  [&](Code& code, const std::string& symbol) { write_product(code, symbol, p, tile); });
}

std::string transpose_kernel(Emitter& emitter, std::int64_t size, std::int64_t count, std::int64_t rows,
                             std::int64_t cols) {
  const std::string key =
      std::to_string(size) + " " + std::to_string(count) + " " + std::to_string(rows) + " " + std::to_string(cols);
  return emitter.modules().kernel("transpose", key, [&](Code& code, const std::string& symbol) {
    write_transposed(code, symbol, size, count, rows, cols);
  });
}

std::string widening_kernel(Emitter& emitter, Real real, std::int64_t count) {
  const std::string key = std::to_string(static_cast<int>(real)) + " " + std::to_string(count);
  return emitter.modules().kernel("widen", key, [&](Code& code, const std::string& symbol) {
    code.begin_function(symbol, 2, false, true);
    copy_floats(code, code.argument(1), code.argument(0), count, real);
    code.end_function();
  });
}

}  // namespace byoc::bitcode
