// byoc.AffineSample.
#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/step/operands.hpp"
#include "backends/c/lower/step/typed_step.hpp"

namespace byoc::c {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;

codegen::Verdict accepts_affine_sample(const Region& region, const Node& node, const TargetSpec&) {
  for (const codegen::ValueId v : node.inputs)
    if (region.values[v].dtype != DType::f32) return refuse_dtype(region.values[v].dtype, "f32");
  if (!fits_int32(region, node)) return refuse(Reason::unsupported_shape, "a tensor of 2 GiB or more");
  return claim();
}

bool lower_affine_sample(Emitter& emitter, const Node& node) {
  const Value &x = *emitter.input(node, 0), &y = emitter.value(node.outputs[0]);
  ParameterText p;
  p.add("height", x.dims[1]).add("width", x.dims[2]).add("channels", x.dims[3]);
  p.add("out_height", y.dims[1]).add("out_width", y.dims[2]);
  TypedStep s(emitter, node);
  const std::string parameters = s.parameters(p, "byoc_affine_sample_t");
  s.call({"affine_sample.c", "byoc_affine_sample", {}}, "byoc_affine_sample.h", "BYOC_AFFINE_SAMPLE", {},
         {parameters, s.in(0), s.in(1), s.out(0)});
  return s.emit();
}

}  // namespace byoc::c
