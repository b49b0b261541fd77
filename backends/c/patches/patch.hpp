// Parts of a region that are computed in stripes, so that most of their values never exist as whole tensors.
#pragma once

#include "backends/c/emitter.hpp"
#include "backends/c/patches/part.hpp"
#include "backends/layers/stripes/arena.hpp"

namespace byoc::c {

// Emits the patch as one step: the functions of its parts, and calls of them, with loops where stripes repeat.
bool lower_patch(Emitter&, PartLowering&, const Patch&);

}  // namespace byoc::c
