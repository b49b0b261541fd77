// DeformConv: a 2-D convolution whose taps are moved.
#include "backends/c/lower/conv/conv_any.hpp"
#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/normalise/normalise.hpp"
#include "backends/c/lower/step/element_type.hpp"

namespace byoc::c {

using codegen::Node;
using codegen::Region;

codegen::Verdict accepts_deform_conv(const Region& region, const Node& node, const TargetSpec&) {
  if (auto no = refuse_unless_real(region, node)) return *no;
  std::string why;
  if (!read_spatial_convolution(region, node, 1, why)) return refuse(codegen::Reason::unsupported_attribute, why);
  return claim();
}

bool lower_deform_conv(Emitter& emitter, const Node& node) {
  std::string why;
  const auto c = read_spatial_convolution(emitter.region, node, 1, why);
  if (!c) return emitter.error(node, why);
  const DType dtype = emitter.input(node, 0)->dtype;
  Kernel kernel{"deform_conv.c", typed_symbol("deform_conv", {dtype}), {}};
  define_element(kernel, "BYOC_X", dtype);
  define_arithmetic(kernel, dtype);
  TypedStep s(emitter, node);
  ParameterText p;
  p.add("conv", conv_any_parameters(*c).nested("byoc_conv_any_t"))
      .add("offset_groups", node.integer("offset_group", 1));
  const std::string parameters = s.parameters(p, "byoc_deform_conv_t");
  s.call(kernel, "byoc_conv_any.h", "BYOC_DEFORM_CONV", {std::string(c_type(dtype))},
         {parameters, s.in(0), s.in(1), s.in(2), s.in(3), s.in(4), s.out(0)});
  s.step.macs = c->macs();
  return s.emit();
}

}  // namespace byoc::c
