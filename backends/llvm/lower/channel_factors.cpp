#include "backends/llvm/lower/channel_factors.hpp"

#include <cmath>

#include "backends/llvm/lower/reals.hpp"
#include "byoc/nodes/activation.hpp"
#include "byoc/nodes/operand.hpp"

namespace byoc::bitcode {

std::optional<ChannelFactors> channel_factors(const codegen::Region& region, const codegen::Node& node) {
  if (!node.domain.empty() || node.op != "BatchNormalization" || node.integer("training_mode", 0) != 0 ||
      node.inputs.size() < 5 || !nodes::activation_bounds(node))
    return std::nullopt;
  std::vector<std::vector<float>> p;  // scale, bias, mean, variance
  for (std::size_t i = 1; i <= 4; ++i) {
    const codegen::Value* v = nodes::given_input(region, node, i);
    if (v == nullptr || !v->is_constant || !real_of(v->dtype)) return std::nullopt;
    p.push_back(reals(*v));
  }
  ChannelFactors out;
  const double epsilon = static_cast<double>(node.real("epsilon", 1e-5F));
  for (std::size_t c = 0; c < p[0].size(); ++c) {
    const double scale = static_cast<double>(p[0][c]) / std::sqrt(static_cast<double>(p[3][c]) + epsilon);
    out.scale.push_back(static_cast<float>(scale));
    out.shift.push_back(static_cast<float>(static_cast<double>(p[1][c]) - static_cast<double>(p[2][c]) * scale));
  }
  return out;
}

std::optional<std::vector<float>> channel_shift(const codegen::Region& region, const codegen::Node& node,
                                                codegen::ValueId to) {
  if (!node.domain.empty() || node.op != "Add" || node.inputs.size() != 2 || !nodes::activation_bounds(node))
    return std::nullopt;
  const codegen::Value& other = region.values[node.inputs[node.inputs[0] == to ? 1 : 0]];
  const std::vector<std::int64_t>& dims = region.values[to].dims;
  if (!other.is_constant || other.dtype != DType::f32 || dims.empty() || other.dims.empty() ||
      other.elements() != dims.back() || other.dims.back() != dims.back() ||
      region.values[node.outputs[0]].dims != dims)
    return std::nullopt;
  return reals(other);
}

}  // namespace byoc::bitcode
