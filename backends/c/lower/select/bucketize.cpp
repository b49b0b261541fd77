// byoc.Bucketize: a binary search for each element.
#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/step/element_type.hpp"
#include "backends/c/lower/step/operands.hpp"
#include "backends/c/lower/step/typed_step.hpp"

namespace byoc::c {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;

codegen::Verdict accepts_bucketize(const Region& region, const Node& node, const TargetSpec&) {
  const Value &x = region.values[node.inputs[0]], &boundaries = region.values[node.inputs[1]];
  if (x.quantised()) return refuse(Reason::unsupported_quantisation, "found quantised operands, expected plain ones");
  if (x.dtype != DType::f32 && x.dtype != DType::f64 && x.dtype != DType::i32 && x.dtype != DType::i64)
    return refuse_dtype(x.dtype, "f32, f64, i32, i64");
  if (boundaries.dtype != DType::f32) return refuse_dtype(boundaries.dtype, "f32");
  if (!fits_int32(region, node)) return refuse(Reason::unsupported_shape, "a tensor of 2 GiB or more");
  return claim();
}

bool lower_bucketize(Emitter& emitter, const Node& node) {
  const Value &x = *emitter.input(node, 0), &boundaries = *emitter.input(node, 1);
  Kernel kernel{"bucketize.c", typed_symbol("bucketize", {x.dtype}), {}};
  kernel.defines["BYOC_ELEMENT"] = c_type(x.dtype);
  kernel.defines["BYOC_REAL"] = x.dtype == DType::f64 ? "double" : "float";
  TypedStep s(emitter, node);
  s.call(kernel, "byoc_bucketize.h", "BYOC_BUCKETIZE", {std::string(c_type(x.dtype))},
         {std::to_string(x.elements()), s.in(0), std::to_string(boundaries.elements()), s.in(1), s.out(0)});
  return s.emit();
}

}  // namespace byoc::c
