// The description of a scheduled model for everything that is written about it. Internal to this folder.
#pragma once

#include "sdk/executor/aot.hpp"

namespace byoc::executor {

[[nodiscard]] ModelInterface interface_of(const AotRequest& request);

}  // namespace byoc::executor
