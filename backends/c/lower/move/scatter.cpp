// ScatterElements and ScatterND: the data is copied, unless the result stands where it did, and the updates go into it.
#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/move/indexing.hpp"
#include "backends/c/lower/step/element_type.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;

// The new value of element y after update u; "" if the type has no such update.
std::string update(const std::string& reduction, const ElementType& t) {
  if (reduction == "none") return "(u)";
  if (t.dtype == DType::boolean) return reduction == "add" || reduction == "max" ? "((y) | (u))" : "((y) & (u))";
  const std::string sign = reduction == "add" ? "+" : reduction == "mul" ? "*" : reduction == "min" ? "<" : ">";
  if (reduction == "add" || reduction == "mul")
    return t.is_float() ? "((y)" + sign + "(u))" : "BYOC_WRAP(y, " + sign + ", u)";
  // NaN wins.
  if (t.is_float()) return "((y) == (y) && ((u) != (u) || (u) " + sign + " (y)) ? (u) : (y))";
  return "((u) " + sign + " (y) ? (u) : (y))";
}

codegen::Verdict accepts_scatter(const Region& region, const Node& node) {
  const Value& x = region.values[node.inputs[0]];
  const Value& y = region.values[node.outputs[0]];
  const std::string reduction = node.text("reduction", "none");
  if (reduction != "none" && reduction != "add" && reduction != "mul" && reduction != "min" && reduction != "max")
    return refuse(Reason::unsupported_attribute,
                  "found reduction " + reduction + ", expected none, add, mul, min or max");
  if (!element_type(x.dtype)) return refuse_dtype(x.dtype, "a type of whole bytes");
  if (!same_quantisation(region, x, y) || !same_quantisation(region, region.values[node.inputs[2]], y))
    return refuse_quantisation();
  if (x.quantised() && (reduction == "add" || reduction == "mul"))
    return refuse(Reason::unsupported_quantisation, "found reduction " + reduction + " of quantised values");
  if (!fits_int32(region, node)) return refuse(Reason::unsupported_shape, "a tensor of 2 GiB or more");
  return claim();
}

void emit_scatter(Emitter& emitter, const Node& node, const std::string& what, const std::string& macro,
                  const std::string& type, const ParameterText& p) {
  StepBuilder step(emitter, node);
  const Value& y = emitter.value(node.outputs[0]);
  std::string name = what;
  if (y.elements() != 0) {
    const std::string x = step.input(0), to = step.output(0);
    const std::string bytes = std::to_string(y.bytes());
    if (emitter.value(node.inputs[0]).is_constant)
      step.line("memcpy(" + to + ", " + x + ", " + bytes + ");");
    else
      step.line("if ((const void *)" + to + " != (const void *)" + x + ") memcpy(" + to + ", " + x + ", " + bytes +
                ");");
    step.text.includes.insert("<string.h>");
    step.overlay(0, 0);
    if (emitter.input(node, 2)->elements() != 0) {
      const Indices list = indices(step, node, 1);
      const std::string reduction = node.text("reduction", "none");
      // Only the size of elements matters if they are moved unchanged.
      constexpr DType kMoved[] = {DType::u8, DType::u16, DType::u32, DType::u64};
      const std::size_t size = element_size(y.dtype);
      const DType dtype = reduction == "none" ? kMoved[size == 8 ? 3 : size / 2] : y.dtype;
      const ElementType t = *element_type(dtype);
      Kernel kernel{what + ".c",
                    "byoc_" + what + "_" + (reduction == "none" ? "" : reduction + "_") +
                        std::string(to_string(dtype)) + "_" + list.name,
                    {}};
      define_element(kernel, "BYOC_X", dtype);
      if (reduction != "none") define_arithmetic(kernel, dtype);
      kernel.defines["BYOC_INDEX"] = list.type;
      kernel.defines["BYOC_UPDATE(y, u)"] = update(reduction, t);
      name = emitter.kernel(kernel);
      step.text.includes.insert("byoc_index.h");
      step.text.declarations.insert(macro + "(" + name + ", " + list.type + ");");
      step.call_checked(
          name + "(" + step.parameters(type, p) + ", " + list.expression + ", " + step.input(2) + ", " + to + ")",
          reason::kIndex);
    }
  }
  step.finish(name);
}

}  // namespace

codegen::Verdict accepts_scatter_elements(const Region& region, const Node& node, const TargetSpec&) {
  std::string why;
  if (!read_elements(region, node, why)) return refuse(Reason::unsupported_shape, why);
  const Dims& dims = region.values[node.inputs[0]].dims;
  const std::size_t axis = *read_axis(node.integer("axis", 0), dims.size(), why);
  if (auto v = accepts_indices(region, node, 1, [&](std::size_t) { return dims[axis]; }); !v.claimed) return v;
  return accepts_scatter(region, node);
}

bool lower_scatter_elements(Emitter& emitter, const Node& node) {
  std::string why;
  const auto p = read_elements(emitter.region, node, why);
  if (!p) return emitter.error(node, why);
  emit_scatter(emitter, node, "scatter_elements", "BYOC_SCATTER_ELEMENTS", "byoc_elements_t", *p);
  return true;
}

codegen::Verdict accepts_scatter_nd(const Region& region, const Node& node, const TargetSpec&) {
  std::string why;
  const auto t = read_tuples(region, node, 0, why);
  if (!t) return refuse(Reason::unsupported_shape, why);
  if (auto v = accepts_indices(region, node, 1, [&](std::size_t i) { return t->length[i % t->length.size()]; });
      !v.claimed)
    return v;
  return accepts_scatter(region, node);
}

bool lower_scatter_nd(Emitter& emitter, const Node& node) {
  std::string why;
  const auto t = read_tuples(emitter.region, node, 0, why);
  if (!t) return emitter.error(node, why);
  emit_scatter(emitter, node, "scatter_nd", "BYOC_SCATTER_ND", "byoc_tuples_t", t->text());
  return true;
}

}  // namespace byoc::c
