// Small questions and steps that most lowerings share.
#pragma once

#include <string>

#include "backends/c/emitter.hpp"
#include "backends/c/operators.hpp"

namespace byoc::c {

[[nodiscard]] inline codegen::NodeId node_id(const Emitter& emitter, const codegen::Node& node) {
  return static_cast<codegen::NodeId>(&node - emitter.region.nodes.data());
}

[[nodiscard]] inline const codegen::Value* given_input(const codegen::Region& region, const codegen::Node& node,
                                                       std::size_t index) {
  if (index >= node.inputs.size() || node.inputs[index] == codegen::kNoValue) return nullptr;
  return &region.values[node.inputs[index]];
}

[[nodiscard]] inline bool is_float(const codegen::Region& region, const codegen::Node& node) {
  return region.values[node.inputs[0]].dtype == DType::f32;
}

// "found i16, expected f32 or i8"
[[nodiscard]] inline codegen::Verdict refuse_dtype(DType found, std::string_view expected) {
  return refuse(codegen::Reason::unsupported_dtype,
                "found " + std::string(to_string(found)) + ", expected " + std::string(expected));
}

// What the symbols of a node start with: its name, or its operator and position.
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

// "[2,3]"
[[nodiscard]] inline std::string shape_text(const codegen::Value& v) {
  std::string out = "[";
  for (std::size_t i = 0; i < v.dims.size(); ++i) out += (i ? "," : "") + std::to_string(v.dims[i]);
  return out + "]";
}

// True if `a` broadcasts to the shape of `y`.
[[nodiscard]] inline bool broadcasts_to(const codegen::Value& a, const codegen::Value& y) {
  if (a.dims.size() > y.dims.size()) return false;
  for (std::size_t i = 1; i <= a.dims.size(); ++i)
    if (a.dims[a.dims.size() - i] != 1 && a.dims[a.dims.size() - i] != y.dims[y.dims.size() - i]) return false;
  return true;
}

// A kernel takes sizes as int32_t: every value of the node must be below 2^31 bytes.
[[nodiscard]] inline bool fits_int32(const codegen::Region& region, const codegen::Node& node) {
  for (const auto& list : {node.inputs, node.outputs})
    for (codegen::ValueId v : list)
      if (v != codegen::kNoValue && region.values[v].bytes() > 0x7fffffffu) return false;
  return true;
}

}  // namespace byoc::c
