// Operators of models that keep a state between runs. Their steps turn the state into its successor.
#pragma once

#include <algorithm>
#include <string>

#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/step/typed_step.hpp"

namespace byoc::c {

[[nodiscard]] inline bool all_outputs_wanted(const codegen::Node& node) {
  return std::find(node.outputs.begin(), node.outputs.end(), codegen::kNoValue) == node.outputs.end();
}

// Says that the result `after` may lie where the operand `before` is, which the kernel must allow.
inline void overlay_state(TypedStep& s, const std::string& before, const std::string& after) {
  if (before.compare(0, 2, "in") != 0) return;  // a constant
  s.step.overlays.push_back({static_cast<std::uint32_t>(std::stoul(after.substr(3))),
                             static_cast<std::uint32_t>(std::stoul(before.substr(2)))});
}

}  // namespace byoc::c
