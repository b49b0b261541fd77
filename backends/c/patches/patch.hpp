// Parts of a region that are computed in stripes, so that most of their values never exist as whole tensors.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "backends/c/emitter.hpp"
#include "backends/c/patches/part.hpp"
#include "backends/c/patches/stripes.hpp"

namespace byoc::c {

// Where buffers and workspaces of a patch are, in bytes from the start of its own workspace.
struct Arena {
  std::uint64_t bytes = 0;
  std::vector<std::uint64_t> buffers;     // of each unit's result
  std::vector<std::uint64_t> workspaces;  // of each unit, all its workspaces one behind the other
};

// Sizes of the workspaces that units need for parts of their rows; what has been lowered once is known.
class PartSizes {
 public:
  explicit PartSizes(PartLowering& lowering) : lowering_(lowering) {}
  // Bytes; null: it cannot be lowered in this form.
  [[nodiscard]] std::optional<std::uint64_t> workspace(const Unit&, const UnitRows&);

 private:
  PartLowering& lowering_;
  std::map<std::pair<codegen::ValueId, UnitRows>, std::optional<std::uint64_t>> known_;
};

inline constexpr std::uint32_t kArenaAlign = 16;

// Null: one of the units cannot be lowered for a part of its rows. `sizes` null: workspaces count as nothing, which
// gives a lower bound quickly.
[[nodiscard]] std::optional<Arena> lay_out(const codegen::Region&, const Patch&, const Stripes&, PartSizes* sizes);

// Stripes::lead as codegen::Overlay::lead, so that both values are aligned.
[[nodiscard]] std::uint64_t lead_of(const Stripes&);

// Emits the patch as one step: the functions of its parts, and calls of them, with loops where stripes repeat.
bool lower_patch(Emitter&, PartLowering&, const Patch&);

}  // namespace byoc::c
