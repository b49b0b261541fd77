#include "backends/llvm/lower/products.hpp"

#include "backends/llvm/kernels/pixels.hpp"
#include "backends/llvm/lower/reals.hpp"
#include "byoc/nodes/operand.hpp"
#include "byoc/nodes/verdict.hpp"

namespace byoc::bitcode {

using codegen::Reason;

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
  const bool convolves = node.op == "Conv" || node.op == "ConvTranspose";
  const bool second = convolves && node.text("data_layout", "NCHW") == "NCHW";
  return dims.empty() ? 1 : static_cast<std::size_t>(second ? dims[1] : dims.back());
}

}  // namespace

std::optional<codegen::Verdict> refuse_computed_filter(const codegen::Region& region, const codegen::Node& node) {
  const codegen::Value* bias = nodes::given_input(region, node, 2);
  if (!region.values[node.inputs[1]].is_constant)
    return nodes::refuse(Reason::not_constant, "found computed weights, expected a constant");
  if (bias != nullptr && !bias->is_constant)
    return nodes::refuse(Reason::not_constant, "found a computed bias, expected a constant");
  return std::nullopt;
}

std::optional<codegen::Verdict> refuse_spatial(const codegen::Region& region, const codegen::Node& node,
                                               const nodes::Spatial& s) {
  if (!nodes::without_depth(s))
    return nodes::refuse(Reason::unsupported_shape, "found three spatial dims, expected one or two");
  const codegen::Value* bias = nodes::given_input(region, node, 2);
  if (bias != nullptr && bias->elements() != s.out_channels)
    return nodes::refuse(Reason::unsupported_shape, "found a bias " + nodes::shape_text(*bias) + ", expected [" +
                                                        std::to_string(s.out_channels) + "]");
  if (!nodes::activation_bounds(node))
    return nodes::refuse(Reason::unsupported_attribute, "found activation " + node.text("activation", ""));
  return std::nullopt;
}

std::vector<Argument> channel_arguments(Emitter& emitter, const codegen::Node& node, const Fused& fused,
                                        std::int64_t groups, std::int64_t tile) {
  std::vector<float> bias(channels_of(emitter, node), 0.0F);
  if (const codegen::Value* given = emitter.given(node, 2)) {
    const std::vector<float> elements = reals(*given);
    for (std::size_t c = 0; c < bias.size(); ++c) bias[c] = elements[elements.size() == 1 ? 0 : c];
  }
  for (std::size_t c = 0; c < fused.shift.size(); ++c)
    bias[c] = bias[c] * (fused.scale.empty() ? 1 : fused.scale[c]) + fused.shift[c];
  const std::string stem = emitter.stem(node);
  std::vector<Argument> out{constant(emitter.floats(stem + "_bias", packed(bias, groups, tile)))};
  if (!fused.scale.empty()) out.push_back(constant(emitter.floats(stem + "_scale", packed(fused.scale, groups, tile))));
  return out;
}

codegen::Step fused_step(const codegen::Node& node, const Fused& fused, std::uint64_t macs) {
  codegen::Step step;
  step.inputs = {{node.inputs[0]}};
  if (fused.added != codegen::kNoValue) step.inputs.push_back({fused.added});
  step.outputs = {{fused.output}};
  step.nodes = fused.nodes;
  step.macs = macs;
  return step;
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
