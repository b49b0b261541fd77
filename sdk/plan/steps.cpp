#include "sdk/plan/steps.hpp"

#include <algorithm>

namespace byoc::plan {

Steps::Steps(const ir::Graph& graph, const plugin::GraphPart& part) : part_(part), storage_(graph.values.size()) {
  for (ir::ValueId v = 0; v < graph.values.size(); ++v) {
    ir::ValueId root = v;
    std::size_t hops = 0;
    for (auto at = part.aliases.find(root); at != part.aliases.end() && hops <= graph.values.size();
         at = part.aliases.find(root)) {
      root = at->second;
      ++hops;
    }
    if (hops > graph.values.size()) circular_.push_back(v);
    storage_[v] = root;
  }
  for (const plugin::Step& s : part.steps) overlays_.push_back(s.decl.overlays);
}

bool Steps::overlays(std::uint32_t step, const codegen::Overlay& overlay) const {
  return std::any_of(overlays_[step].begin(), overlays_[step].end(), [&](const codegen::Overlay& o) {
    return o.output == overlay.output && o.input == overlay.input && o.lead == overlay.lead;
  });
}

bool Steps::read_after(std::uint32_t step, ir::ValueId storage) const {
  return std::any_of(part_.steps.begin() + step + 1, part_.steps.end(), [&](const plugin::Step& s) {
    return std::any_of(s.inputs.begin(), s.inputs.end(), [&](const plugin::StepOperand& o) { return is(o, storage); });
  });
}

bool Steps::can_take_both(std::uint32_t s, std::uint32_t output, ir::ValueId storage) const {
  const plugin::Step& step = part_.steps[s];
  for (std::uint32_t i = 0; i < step.inputs.size(); ++i)
    if (is(step.inputs[i], storage) && !overlays(s, {output, i})) return false;
  return true;
}

bool Steps::may_write_over(ir::ValueId from, ir::ValueId to) const {
  // The step that begins to write it is the last that may read the old value.
  for (std::uint32_t s = 0; s < part_.steps.size(); ++s) {
    const plugin::Step& step = part_.steps[s];
    bool begins = false;
    for (std::uint32_t o = 0; o < step.outputs.size(); ++o) {
      if (!is(step.outputs[o], to)) continue;
      begins = true;
      if (!can_take_both(s, o, from)) return false;
    }
    if (begins) return !read_after(s, from);
  }
  return false;
}

}  // namespace byoc::plan
