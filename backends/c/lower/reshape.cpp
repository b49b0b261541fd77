// Reshape moves nothing: the output is the input's bytes.
#include "backends/c/lower/lowerings.hpp"

namespace byoc::c {

codegen::Verdict accepts_reshape(const codegen::Region&, const codegen::Node&, const TargetSpec&) { return claim(); }

bool lower_reshape(Emitter& emitter, const codegen::Node& node) {
  emitter.alias(node.outputs[0], node.inputs[0]);
  return true;
}

}  // namespace byoc::c
