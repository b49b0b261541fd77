#include "backends/llvm/lower/reals.hpp"

#include <bit>

#include "byoc/nodes/operand.hpp"

namespace byoc::bitcode {
namespace {

float wide(std::uint16_t bits, Real real) {
  if (real == Real::bf16) return std::bit_cast<float>(std::uint32_t{bits} << 16);
  const std::uint32_t rest = bits & 0x7fffU;
  // As in ir/halves.cpp: the exponent is too small by 112, subnormal or not.
  const auto magnitude = std::bit_cast<std::uint32_t>(std::bit_cast<float>(rest << 13) * 0x1p112F);
  const std::uint32_t not_finite = rest >= 0x7c00 ? 0x7f800000U : 0;
  return std::bit_cast<float>(magnitude | not_finite | (bits & 0x8000U) << 16);
}

}  // namespace

std::optional<Real> real_of(DType type) {
  switch (type) {
    case DType::f32: return Real::f32;
    case DType::f16: return Real::f16;
    case DType::bf16: return Real::bf16;
    default: return std::nullopt;
  }
}

Real real_of(const codegen::Value& value) { return real_of(value.dtype).value_or(Real::f32); }

std::vector<float> reals(const codegen::Value& constant) {
  const Real real = real_of(constant);
  if (real == Real::f32) return nodes::constant_elements<float>(constant);
  std::vector<float> out;
  for (const std::uint16_t bits : nodes::constant_elements<std::uint16_t>(constant)) out.push_back(wide(bits, real));
  return out;
}

std::optional<nodes::Bounds> clamp_bounds(const codegen::Region& region, const codegen::Node& node) {
  if (!node.domain.empty() || !real_of(region.values[node.outputs[0]].dtype)) return std::nullopt;
  if (node.op == "Relu") return nodes::Bounds{.lo = 0.0F};
  if (node.op != "Clip") return std::nullopt;
  nodes::Bounds bounds;
  for (const std::size_t i : {std::size_t{1}, std::size_t{2}}) {
    const codegen::Value* v = nodes::given_input(region, node, i);
    if (v == nullptr) continue;
    if (!v->is_constant || !real_of(v->dtype) || v->elements() != 1) return std::nullopt;
    (i == 1 ? bounds.lo : bounds.hi) = reals(*v)[0];
  }
  return bounds;
}

}  // namespace byoc::bitcode
