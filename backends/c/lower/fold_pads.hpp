// Pads that convolutions do themselves: no copy of the image, and no memory for it.
#pragma once

#include <map>
#include <optional>

#include "byoc/codegen.hpp"
#include "byoc/target.hpp"

namespace byoc::c {

struct FoldedPads {
  codegen::Region region;  // ids as before; a folded Pad reads nothing, its Conv reads what it padded
  std::map<codegen::NodeId, codegen::NodeId> conv_of;  // Pad -> Conv
};

// Folds every Pad whose result a Conv alone reads, where the Conv's own padding means the same: zeros (the zero point)
// around the spatial dims, less than the kernel reaches. Such a Conv computes what it did, element by element: its
// padding stands for the same numbers. Nothing where there is none.
[[nodiscard]] std::optional<FoldedPads> fold_pads(const codegen::Region&, const TargetSpec&);

}  // namespace byoc::c
