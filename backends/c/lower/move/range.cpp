// Range, where its operands are computed: the length is the stated one, and a run whose numbers give another fails.
#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/step/element_type.hpp"
#include "backends/c/lower/step/operands.hpp"
#include "backends/c/lower/step/typed_step.hpp"

namespace byoc::c {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;

codegen::Verdict accepts_range(const Region& region, const Node& node, const TargetSpec&) {
  const DType type = region.values[node.inputs[0]].dtype;
  if (!is_float_type(type) && type != DType::i16 && type != DType::i32 && type != DType::i64)
    return refuse_dtype(type, "f16, bf16, f32, f64, i16, i32, i64");
  for (const codegen::ValueId v : node.inputs)
    if (const Value& x = region.values[v]; x.elements() != 1)
      return refuse(Reason::unsupported_shape, "found " + shape_text(x) + ", expected one element");
  if (!fits_int32(region, node)) return refuse(Reason::unsupported_shape, "a tensor of 2 GiB or more");
  return claim();
}

bool lower_range(Emitter& emitter, const Node& node) {
  const Value& y = emitter.value(node.outputs[0]);
  Kernel kernel{"range.c", typed_symbol("range", {y.dtype}), {}};
  define_element(kernel, "BYOC_X", y.dtype);
  if (is_float_type(y.dtype)) kernel.defines["BYOC_REAL"] = "1";
  TypedStep step(emitter, node);
  const std::string start = step.in(0), limit = step.in(1), delta = step.in(2), to = step.out(0);
  step.step.kernel = emitter.kernel(kernel);
  step.text.includes = {"byoc_arrange.h"};
  step.text.declarations = {"BYOC_RANGE(" + step.step.kernel + ", " + std::string(c_type(y.dtype)) + ");"};
  step.text.body = "  if (" + step.step.kernel + "(" + std::to_string(y.elements()) + ", " + start + ", " + limit +
                   ", " + delta + ", " + to + ") != 0) return 1;\n";
  step.step.failure = reason::kNumbers;
  return step.emit();
}

}  // namespace byoc::c
