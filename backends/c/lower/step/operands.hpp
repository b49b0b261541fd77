// Small questions and steps that most lowerings share.
#pragma once

#include <string>

#include "backends/c/emitter.hpp"
#include "backends/c/lower/step/extent.hpp"
#include "backends/c/operators.hpp"
#include "byoc/nodes/operand.hpp"

namespace byoc::c {

[[nodiscard]] inline codegen::NodeId node_id(const Emitter& emitter, const codegen::Node& node) {
  return static_cast<codegen::NodeId>(&node - emitter.region.nodes.data());
}

[[nodiscard]] inline bool is_float(const codegen::Region& region, const codegen::Node& node) {
  return region.values[node.inputs[0]].dtype == DType::f32;
}

// The start of a node's symbols: its name, or its operator and position.
[[nodiscard]] inline std::string stem(const Emitter& emitter, const codegen::Node& node) {
  return node.name.empty() ? node.op + "_" + std::to_string(node_id(emitter, node)) : node.name;
}

// The C expression of an operand: a new input of the step, or the symbol of a constant.
[[nodiscard]] inline std::string operand(Emitter& emitter, codegen::Step& step, codegen::ValueId id,
                                         std::string_view constant_stem) {
  if (emitter.value(id).is_constant) return emitter.constant_value(constant_stem, id);
  step.inputs.push_back({id});
  return "in" + std::to_string(step.inputs.size() - 1);
}

// A kernel takes sizes as int32_t: every value of the node must be below 2^31 bytes. Values with open dims are checked
// at run time.
[[nodiscard]] inline bool fits_int32(const codegen::Region& region, const codegen::Node& node) {
  for (const auto& list : {node.inputs, node.outputs})
    for (codegen::ValueId v : list)
      if (v != codegen::kNoValue && !is_open(region.values[v]) && region.values[v].bytes() > 0x7fffffffu) return false;
  return true;
}

}  // namespace byoc::c
