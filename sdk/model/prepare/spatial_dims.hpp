// Convolutions and pools with more than three spatial dims. Internal to this folder.
#pragma once

#include "sdk/model/ir/graph.hpp"

namespace byoc {

// Removes the first spatial dim of Conv, ConvTranspose and pools whose shapes are known. The elements that a Conv or a
// ConvTranspose reads along it become channels, and its results images of the batch; a pool becomes one along the
// others, then one along it. Sums keep their order. MaxPool with indices is left alone. Returns true if
// something changed.
bool take_spatial_dims(ir::Graph&);

}  // namespace byoc
