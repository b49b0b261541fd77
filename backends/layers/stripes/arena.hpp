// The places of a patch's buffers and workspaces.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "backends/layers/stripes/stripes.hpp"

namespace byoc::layers {

// In bytes from the start of the patch's own workspace.
struct Arena {
  std::uint64_t bytes = 0;
  std::vector<std::uint64_t> buffers;     // of each unit's result
  std::vector<std::uint64_t> workspaces;  // of each unit, all its workspaces one behind the other
};

inline constexpr std::uint32_t kArenaAlign = 16;

// Bytes of all workspaces of a step, one behind the other, each aligned.
[[nodiscard]] std::uint64_t workspace_bytes(const codegen::Step&);

// The workspace_bytes() of a unit that computes a part of its rows. Null: the backend has no such form of it.
using PartWorkspace = std::function<std::optional<std::uint64_t>(const Unit&, const UnitRows&)>;

// The sizes of many parts; each is asked for once.
class PartSizes {
 public:
  explicit PartSizes(PartWorkspace ask) : ask_(std::move(ask)) {}
  [[nodiscard]] std::optional<std::uint64_t> workspace(const Unit&, const UnitRows&);

 private:
  PartWorkspace ask_;
  std::map<std::pair<codegen::ValueId, UnitRows>, std::optional<std::uint64_t>> known_;
};

// Null: one of the units cannot be computed for a part of its rows. `sizes` null: workspaces count as nothing, which
// gives a lower bound quickly.
[[nodiscard]] std::optional<Arena> lay_out(const codegen::Region&, const Patch&, const Stripes&, PartSizes* sizes);

// Stripes::lead as codegen::Overlay::lead, so that both values are aligned.
[[nodiscard]] std::uint64_t lead_of(const Stripes&);

}  // namespace byoc::layers
