#include "sdk/program/plan/steps.hpp"

#include <algorithm>

namespace byoc::plan {

Steps::Steps(const ir::Graph& graph, const plugin::GraphPart& part)
    : part_(part),
      storage_(graph.values.size()),
      first_write_(graph.values.size(), kNoStep),
      end_of_reads_(graph.values.size(), 0) {
  find_storage();
  for (std::uint32_t s = 0; s < count(); ++s) {
    const plugin::Step& step = part.steps[s];
    overlays_.push_back(step.decl.overlays);
    for (const plugin::StepOperand& o : step.inputs)
      if (o.value != ir::kNoValue) end_of_reads_[storage_[o.value]] = s + 1;
    for (const plugin::StepOperand& o : step.outputs)
      if (o.value != ir::kNoValue && first_write_[storage_[o.value]] == kNoStep) first_write_[storage_[o.value]] = s;
  }
}

// Follows each chain of aliases to its end, which all on the way share.
void Steps::find_storage() {
  constexpr ir::ValueId kOpen = ir::kNoValue;
  std::vector<bool> circular(storage_.size(), false);
  std::vector<bool> on_the_way(storage_.size(), false);
  std::fill(storage_.begin(), storage_.end(), kOpen);
  std::vector<ir::ValueId> way;
  for (ir::ValueId v = 0; v < storage_.size(); ++v) {
    way.clear();
    ir::ValueId at = v;
    for (auto alias = part_.aliases.find(at); storage_[at] == kOpen && !on_the_way[at] && alias != part_.aliases.end();
         alias = part_.aliases.find(at)) {
      way.push_back(at);
      on_the_way[at] = true;
      at = alias->second;
    }
    const bool is_circle = on_the_way[at] || circular[at];
    if (storage_[at] == kOpen) storage_[at] = at;
    for (const ir::ValueId w : way) {
      storage_[w] = storage_[at];
      circular[w] = is_circle;
      on_the_way[w] = false;
    }
    if (circular[v]) circular_.push_back(v);
  }
}

bool Steps::overlays(std::uint32_t step, const codegen::Overlay& overlay) const {
  return std::any_of(overlays_[step].begin(), overlays_[step].end(), [&](const codegen::Overlay& o) {
    return o.output == overlay.output && o.input == overlay.input && o.lead == overlay.lead;
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
  const std::uint32_t s = first_write_[to];
  if (s == kNoStep || end_of_reads_[from] > s + 1) return false;
  const std::vector<plugin::StepOperand>& outputs = part_.steps[s].outputs;
  for (std::uint32_t o = 0; o < outputs.size(); ++o)
    if (is(outputs[o], to) && !can_take_both(s, o, from)) return false;
  return true;
}

}  // namespace byoc::plan
