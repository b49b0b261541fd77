#include "backends/c/lower/lookup_quantised.hpp"

#include <algorithm>
#include <cmath>

namespace byoc::c {

codegen::Verdict accepts_lookup(const codegen::Region& region, const codegen::Node& node) {
  if (auto no = refuse_unless_s8(region.values[node.inputs[0]], "input")) return *no;
  if (auto no = refuse_unless_s8(region.values[node.outputs[0]], "output")) return *no;
  return claim();
}

std::int64_t quantise_onnx(float real, const Affine& to) {
  return static_cast<std::int64_t>(std::nearbyint(std::clamp(real / to.scale, -1e9F, 1e9F))) + to.zero;
}

bool lower_lookup(Emitter& emitter, const codegen::Node& node,
                  const std::function<std::int64_t(std::int32_t)>& function) {
  std::vector<std::int8_t> table;
  for (std::int32_t q = -128; q <= 127; ++q)
    table.push_back(static_cast<std::int8_t>(std::clamp<std::int64_t>(function(q), -128, 127)));
  codegen::Step step;
  step.nodes = {static_cast<codegen::NodeId>(&node - emitter.region.nodes.data())};
  const std::string stem = "lookup_" + std::to_string(step.nodes[0]);
  step.symbol = emitter.host().claim(stem);
  step.kernel = emitter.kernel({"lookup_s8.c", "byoc_lookup_s8", {}});
  step.inputs = {{node.inputs[0]}};
  step.outputs = {{node.outputs[0]}};
  step.overlays = {{0, 0}};
  StepText text;
  text.includes = {"byoc_lookup_s8.h"};
  text.body = "  " + step.kernel + "(" + std::to_string(emitter.value(node.outputs[0]).elements()) + ", " +
              emitter.constant<std::int8_t>(stem + "_table", table, false) + ", in0, out0);\n";
  emitter.step(node, std::move(step), text);
  return true;
}

}  // namespace byoc::c
