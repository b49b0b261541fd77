// Moves the next values of states into them at the end of a run, so that nothing is overwritten before it is read.
// Internal to this folder.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "sdk/program/plan/buffers.hpp"
#include "sdk/program/plan/schedule.hpp"
#include "sdk/program/plan/steps.hpp"

namespace byoc::plan {

class Commits {
 public:
  // `values` are known except for those in workspaces. Values that must outlive the last step are kept in `buffers`.
  Commits(const ir::Graph& graph, const Steps& steps, const std::vector<Location>& values, Buffers& buffers);

  // Orders the moves of those states that are not written in place.
  void plan(const std::vector<Carried>& states);

  // The moves, with all values placed.
  [[nodiscard]] std::vector<Commit> placed(const std::vector<Location>& values, const Plan& plan) const;

 private:
  struct Pending {
    Location to;
    ir::ValueId source;
    std::uint32_t spill;  // the buffer that holds the source now, if any
    std::uint64_t bytes;
  };
  struct Move {
    Location to;
    ir::ValueId source;
    std::uint32_t from_buffer, to_buffer;
    std::uint64_t bytes;
  };

  [[nodiscard]] std::optional<std::uint64_t> state_read(const Pending& p) const;
  void spill(std::uint64_t state, std::multimap<std::uint64_t, std::size_t>& readers);

  const ir::Graph& graph_;
  const Steps& steps_;
  const std::vector<Location>& values_;
  Buffers& buffers_;
  std::vector<Pending> pending_;
  std::vector<Move> moves_;
};

}  // namespace byoc::plan
