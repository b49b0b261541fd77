// The buffers of a memory problem: which values, private values and workspaces they are, and in which steps they are in
// use. Internal to this folder.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sdk/model/ir/graph.hpp"
#include "sdk/program/plan/memory.hpp"
#include "sdk/program/plan/ram_pools.hpp"
#include "sdk/program/plan/schedule.hpp"

namespace byoc::plan {

inline constexpr std::uint32_t kNoBuffer = 0xffffffffu;

class Buffers {
 public:
  Buffers(const ir::Graph& graph, const std::vector<codegen::PrivateValue>& private_values,
          const std::vector<RamPool>& pools, std::uint32_t steps);

  // In use in this step, too. Both give the buffer; `name` is what people know it by.
  std::uint32_t use_value(ir::ValueId v, std::uint32_t step);
  std::uint32_t use_private(std::uint32_t id, std::uint32_t step, const std::string& name);
  [[nodiscard]] bool has_private(std::uint32_t id) const { return of_private_[id] != kNoBuffer; }
  // Needed until everything is moved that is moved after the last step.
  void keep_value(ir::ValueId v);

  // Adds a buffer for this step alone.
  std::uint32_t add(std::string name, std::uint64_t bytes, std::uint32_t align, std::uint32_t step);
  // Adds a buffer for a move after the last step.
  std::uint32_t add_at_end(std::string name, std::uint64_t bytes);

  // Input buffers as memories. Each of them is a buffer that fills a memory of its own: it is there from the start,
  // through the whole first step, and until it has been read for the last time.
  void add_input_pools();
  // Lets buffers of the first RAM live in an input buffer as well, if there is room; the smallest comes first. Called
  // when all buffers are known.
  void offer_input_pools();
  // True for each graph input whose buffer holds something else, too.
  [[nodiscard]] std::vector<bool> overwritten_inputs() const;

  // The location of a buffer in a plan of `problem`.
  [[nodiscard]] Location location(std::uint32_t buffer, const Plan& plan) const;
  [[nodiscard]] std::uint32_t of_value(ir::ValueId v) const { return of_value_[v]; }
  [[nodiscard]] std::uint32_t of_private(std::uint32_t id) const { return of_private_[id]; }

  Problem problem;

 private:
  void use(std::uint32_t buffer, std::uint32_t step);

  const ir::Graph& graph_;
  const std::vector<codegen::PrivateValue>& private_values_;
  const std::uint32_t ram_pools_;  // those behind are inputs
  const std::uint32_t end_;        // the step behind the last
  bool has_input_pools_ = false;   // then the first buffers are the inputs themselves
  std::vector<std::uint32_t> of_value_;
  std::vector<std::uint32_t> of_private_;
};

}  // namespace byoc::plan
