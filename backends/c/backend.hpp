// The reference C-source backend as a codegen.
#pragma once

#include <memory>

#include "byoc/codegen.hpp"

namespace byoc::c {

[[nodiscard]] std::unique_ptr<codegen::Codegen> create_backend();

}  // namespace byoc::c
