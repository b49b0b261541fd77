// Fused activations of float operators, those of the `activation` attribute and those of a node that follows.
#pragma once

#include <string>
#include <vector>

#include "backends/c/emitter.hpp"
#include "byoc/nodes/activation.hpp"

namespace byoc::c {

// A byoc_bounds_f32_t initialiser, and a float as a C expression; infinities need <math.h>.
[[nodiscard]] std::string c_bounds(const Bounds&);
[[nodiscard]] std::string c_bound(float);

// The result of a float operator that can clamp its results.
struct Clamped {
  codegen::ValueId output;
  std::vector<codegen::NodeId> nodes;
  Bounds bounds;
};

// The node with its own activation, and with the Relu or Clip that is its only reader, which is then fused.
[[nodiscard]] Clamped fuse_clamp(Emitter&, const codegen::Node&);
// True where the producer of this Relu or Clip computes it by fuse_clamp.
[[nodiscard]] bool clamp_is_fused(const Emitter&, const codegen::Node&);

}  // namespace byoc::c
