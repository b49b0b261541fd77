// Operators that move nothing (Reshape, Flatten, Squeeze, Unsqueeze, Identity, Dropout): the output is the input's
// bytes.
#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/move/movement.hpp"

namespace byoc::c {

codegen::Verdict accepts_reshape(const codegen::Region& region, const codegen::Node& node, const TargetSpec&) {
  if (node.outputs.size() > 1 && node.outputs[1] != codegen::kNoValue)
    return refuse(codegen::Reason::unsupported_attribute, "found a second output, expected one");
  if (!same_quantisation(region, region.values[node.inputs[0]], region.values[node.outputs[0]]))
    return refuse(codegen::Reason::unsupported_quantisation,
                  "found different quantisations of input and output, expected one");
  if (node.op == "Dropout" && node.inputs.size() > 2 && node.inputs[2] != codegen::kNoValue)
    return refuse(codegen::Reason::unsupported_attribute, "found a training_mode input, expected none");
  return claim();
}

bool lower_reshape(Emitter& emitter, const codegen::Node& node) {
  emitter.alias(node.outputs[0], node.inputs[0]);
  return true;
}

}  // namespace byoc::c
