// Convolutions and pools with more than three spatial dims. Internal to this folder.
#pragma once

#include "sdk/ir/graph.hpp"

namespace byoc {

// Where shapes are known, takes the first spatial dim of each away: what a Conv or a ConvTranspose reads along it
// become channels, and its results images of the batch; a pool is one along the others, then one along it. Sums keep
// their order. Indices of MaxPool are left alone.
void take_spatial_dims(ir::Graph&);

}  // namespace byoc
