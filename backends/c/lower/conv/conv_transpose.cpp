// ConvTranspose on floats: every output element gathers the taps that reach it.
#include "backends/c/lower/conv/conv_transpose.hpp"

#include <numeric>

#include "backends/c/lower/conv/conv_any.hpp"
#include "backends/c/lower/elementwise/activation.hpp"
#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/normalise/normalise.hpp"
#include "backends/c/lower/step/element_type.hpp"
#include "backends/c/lower/step/operands.hpp"

namespace byoc::c {

using codegen::Node;
using codegen::Reason;
using codegen::Region;

codegen::Verdict accepts_conv_transpose(const Region& region, const Node& node, const TargetSpec& target) {
  if (region.values[node.inputs[0]].quantised()) return accepts_conv_transpose_quantised(region, node, target);
  if (auto no = refuse_unless_real(region, node)) return *no;
  std::string why;
  if (!read_transposed_convolution(region, node, why)) return refuse(Reason::unsupported_attribute, why);
  if (!activation_bounds(node))
    return refuse(Reason::unsupported_attribute, "found activation " + node.text("activation", ""));
  return claim();
}

bool lower_conv_transpose(Emitter& emitter, const Node& node) {
  if (emitter.input(node, 0)->quantised()) return lower_conv_transpose_quantised(emitter, node);
  std::string why;
  const auto c = read_transposed_convolution(emitter.region, node, why);
  if (!c) return emitter.error(node, why);
  const DType dtype = emitter.input(node, 0)->dtype;
  Kernel kernel{"conv_transpose.c", typed_symbol("conv_transpose", {dtype}), {}};
  define_element(kernel, "BYOC_X", dtype);
  define_arithmetic(kernel, dtype);
  // Taps that reach one output element are as far apart as stride and dilation meet.
  Dims3 tap_step{}, back{};
  for (std::size_t d = 0; d < 3; ++d) {
    const std::int64_t common = std::gcd(c->spatial.stride[d], c->spatial.dilation[d]);
    tap_step[d] = c->spatial.stride[d] / common;
    back[d] = c->spatial.dilation[d] / common;
  }
  TypedStep s(emitter, node);
  const Clamped clamped = fuse_clamp(emitter, node);
  ParameterText p;
  p.add("conv", conv_any_parameters(*c).nested("byoc_conv_any_t")).add("tap_step", tap_step).add("back", back);
  const std::string parameters = s.parameters(p, "byoc_conv_transpose_t");
  s.call(kernel, "byoc_conv_any.h", "BYOC_CONV_TRANSPOSE",
         {std::string(c_type(dtype)), std::string(element_type(dtype)->work)},
         {parameters, s.in(0), s.in(1), s.in(2), "out0", c_literal(dtype, static_cast<double>(clamped.bounds.lo)),
          c_literal(dtype, static_cast<double>(clamped.bounds.hi))});
  s.step.outputs = {{clamped.output}};
  s.step.nodes = clamped.nodes;
  s.step.macs = c->transposed_macs();
  return s.emit();
}

}  // namespace byoc::c
