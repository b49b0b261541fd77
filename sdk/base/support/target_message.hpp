// A target in a message to a worker, or in a file of ours.
#pragma once

#include "byoc/target.hpp"
#include "sdk/base/support/message.hpp"

namespace byoc {

void put(MessageWriter& out, const TargetSpec& target);
[[nodiscard]] TargetSpec get_target_spec(MessageReader& in);
// A target without the commands and folders of compilers, which are of one machine.
void put_portable(MessageWriter& out, const TargetSpec& target);
[[nodiscard]] TargetSpec get_portable_target(MessageReader& in);

}  // namespace byoc
