#pragma once

#include "sdk/prepare/shapes/inference.hpp"

namespace byoc::shapes {

Result<void> dynamic_update_slice(const Inference&);

}  // namespace byoc::shapes
