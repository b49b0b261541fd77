// The lowerings of ConvTranspose by the type of its values. conv_transpose.cpp chooses.
#pragma once

#include "backends/c/lower/lowerings.hpp"

namespace byoc::c {

BYOC_DECLARE_LOWERING(conv_transpose_quantised);

}  // namespace byoc::c
