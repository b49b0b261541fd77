// A target in a message to a worker.
#pragma once

#include "byoc/target.hpp"
#include "sdk/base/support/message.hpp"

namespace byoc {

void put(MessageWriter& out, const TargetSpec& target);
[[nodiscard]] TargetSpec get_target_spec(MessageReader& in);

}  // namespace byoc
