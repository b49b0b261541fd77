#pragma once

#include "backends/c/lower/lowerings.hpp"

namespace byoc::c {

BYOC_DECLARE_LOWERING(dynamic_update_slice);

}  // namespace byoc::c
