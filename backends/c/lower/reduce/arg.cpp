// ArgMax and ArgMin. The first, or last, of equal elements counts; a NaN is before all numbers.
#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/reduce/axis.hpp"
#include "backends/c/lower/step/element_type.hpp"

namespace byoc::c {

using codegen::Node;
using codegen::Region;
using codegen::Value;

codegen::Verdict accepts_arg(const Region& region, const Node& node, const TargetSpec&) {
  const Value& x = region.values[node.inputs[0]];
  // Elements of one quantisation are in the order of their integers.
  if (x.quantised() && x.quantisation.per_axis())
    return refuse(codegen::Reason::unsupported_quantisation, "found scales per axis, expected one");
  if (!is_float_type(x.dtype) && !is_integer_type(x.dtype)) return refuse_dtype(x.dtype, "a number");
  const DType y = region.values[node.outputs[0]].dtype;
  if (y != DType::i64) return refuse_dtype(y, "an output of i64");
  if (auto no = refuse_axis(x, node.integer("axis", 0))) return *no;
  const Extent count = split_at(x, node.integer("axis", 0)).count;
  if (!count.is_known())  // which may be 0
    return refuse(codegen::Reason::unsupported_shape, "found an axis that only a run knows the length of");
  if (count == 0) return refuse(codegen::Reason::unsupported_shape, "found an empty axis of " + shape_text(x));
  if (!fits_int32(region, node)) return refuse(codegen::Reason::unsupported_shape, "a tensor of 2 GiB or more");
  return claim();
}

bool lower_arg(Emitter& emitter, const Node& node) {
  const Value& x = *emitter.input(node, 0);
  const bool last = node.integer("select_last_index", 0) != 0;
  const std::string order = std::string(node.op == "ArgMax" ? ">" : "<") + (last ? "=" : "");
  std::string better = "(v " + order + " best)";
  if (is_float_type(x.dtype)) better = "(v " + order + " best || (v != v" + (last ? "" : " && best == best") + "))";
  Kernel kernel{"arg.c",
                std::string(node.op == "ArgMax" ? "byoc_arg_max_" : "byoc_arg_min_") + (last ? "last_" : "") +
                    std::string(to_string(x.dtype)),
                {{"BYOC_BETTER", better}}};
  define_element(kernel, "BYOC_X", x.dtype);
  return lower_along_axis(emitter, node, kernel, split_at(x, node.integer("axis", 0)), false);
}

}  // namespace byoc::c
