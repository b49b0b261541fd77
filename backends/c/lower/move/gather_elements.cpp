// GatherElements and GatherND.
#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/move/indexing.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;

codegen::Verdict accepts_moved(const Region& region, const Node& node) {
  const Value& x = region.values[node.inputs[0]];
  if (element_size(x.dtype) == 0) return refuse_dtype(x.dtype, "elements of 1, 2, 4 or 8 bytes");
  if (!same_quantisation(region, x, region.values[node.outputs[0]])) return refuse_quantisation();
  if (!fits_int32(region, node)) return refuse(Reason::unsupported_shape, "a tensor of 2 GiB or more");
  return claim();
}

// The step that calls kernel `what` with parameters of `type`.
void emit_gather(Emitter& emitter, const Node& node, const std::string& what, const std::string& macro,
                 const std::string& type, const ParameterText& p) {
  StepBuilder step(emitter, node);
  std::string name = what;
  if (emitter.value(node.outputs[0]).elements() != 0) {
    const Indices list = indices(step, node, 1);
    name = moving_kernel(step, what, emitter.value(node.outputs[0]).dtype, list);
    step.text.includes.insert("byoc_index.h");
    step.text.declarations.insert(macro + "(" + name + ", " + list.type + ");");
    const std::string x = step.input(0);
    step.call_checked(
        name + "(" + step.parameters(type, p) + ", " + x + ", " + list.expression + ", " + step.output(0) + ")",
        reason::kIndex);
  }
  step.finish(name);
}

}  // namespace

codegen::Verdict accepts_gather_elements(const Region& region, const Node& node, const TargetSpec&) {
  std::string why;
  if (!read_elements(region, node, why)) return refuse(Reason::unsupported_shape, why);
  const Dims& dims = region.values[node.inputs[0]].dims;
  const std::size_t axis = *read_axis(node.integer("axis", 0), dims.size(), why);
  if (auto v = accepts_indices(region, node, 1, [&](std::size_t) { return dims[axis]; }); !v.claimed) return v;
  return accepts_moved(region, node);
}

bool lower_gather_elements(Emitter& emitter, const Node& node) {
  std::string why;
  const auto p = read_elements(emitter.region, node, why);
  if (!p) return emitter.error(node, why);
  emit_gather(emitter, node, "gather_elements", "BYOC_GATHER_ELEMENTS", "byoc_elements_t", *p);
  return true;
}

codegen::Verdict accepts_gather_nd(const Region& region, const Node& node, const TargetSpec&) {
  std::string why;
  const auto t = read_tuples(region, node, node.integer("batch_dims", 0), why);
  if (!t) return refuse(Reason::unsupported_shape, why);
  if (auto v = accepts_indices(region, node, 1, [&](std::size_t i) { return t->length[i % t->length.size()]; });
      !v.claimed)
    return v;
  return accepts_moved(region, node);
}

bool lower_gather_nd(Emitter& emitter, const Node& node) {
  std::string why;
  const auto t = read_tuples(emitter.region, node, node.integer("batch_dims", 0), why);
  if (!t) return emitter.error(node, why);
  emit_gather(emitter, node, "gather_nd", "BYOC_GATHER_ND", "byoc_tuples_t", t->text());
  return true;
}

}  // namespace byoc::c
