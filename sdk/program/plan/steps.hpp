// The steps of one graph as the scheduler looks at them: who reads and writes which storage. Internal to this folder.
#pragma once

#include <cstdint>
#include <vector>

#include "sdk/codegen/codegen/compilation.hpp"
#include "sdk/model/ir/graph.hpp"

namespace byoc::plan {

class Steps {
 public:
  Steps(const ir::Graph& graph, const plugin::GraphPart& part);

  [[nodiscard]] const std::vector<plugin::Step>& all() const { return part_.steps; }
  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(part_.steps.size()); }

  // For each graph value, the value whose bytes it is (aliases resolved). circular(): the values whose aliases form a
  // cycle.
  [[nodiscard]] const std::vector<ir::ValueId>& storage() const { return storage_; }
  [[nodiscard]] ir::ValueId storage(ir::ValueId v) const { return storage_[v]; }
  [[nodiscard]] const std::vector<ir::ValueId>& circular() const { return circular_; }

  // True if the operand lies in this storage.
  [[nodiscard]] bool is(const plugin::StepOperand& o, ir::ValueId storage) const {
    return o.value != ir::kNoValue && storage_[o.value] == storage;
  }

  // Overlays that a step declares, and those that the executor's own steps come with.
  [[nodiscard]] const std::vector<codegen::Overlay>& overlays(std::uint32_t step) const { return overlays_[step]; }
  void add_overlay(std::uint32_t step, const codegen::Overlay& overlay) { overlays_[step].push_back(overlay); }
  [[nodiscard]] bool overlays(std::uint32_t step, const codegen::Overlay& overlay) const;

  // True if `to` may be written over `from`: nobody reads the old value once the new one is being written, except steps
  // that accept both at one address.
  [[nodiscard]] bool may_write_over(ir::ValueId from, ir::ValueId to) const;

 private:
  void find_storage();
  // Each input of the step that lies in `storage` may be at the address of this output.
  [[nodiscard]] bool can_take_both(std::uint32_t step, std::uint32_t output, ir::ValueId storage) const;

  const plugin::GraphPart& part_;
  std::vector<ir::ValueId> storage_;
  std::vector<ir::ValueId> circular_;
  std::vector<std::vector<codegen::Overlay>> overlays_;  // of each step
  // Per storage: the first step that writes it, and the end of the steps that read it. kNoStep: none.
  static constexpr std::uint32_t kNoStep = 0xffffffffu;
  std::vector<std::uint32_t> first_write_, end_of_reads_;
};

}  // namespace byoc::plan
