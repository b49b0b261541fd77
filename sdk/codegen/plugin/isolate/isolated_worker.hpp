// The worker of an isolated plug-in: loads it, and does what the host asks for. Internal to this folder.
#pragma once

#include "sdk/base/support/worker.hpp"
#include "sdk/codegen/plugin/isolate/isolated_codegen.hpp"

namespace byoc::plugin {

// Answers until nobody asks any more.
void serve(Worker::Channel& channel, const LoadPlugin& load, const TargetSpec& target);

}  // namespace byoc::plugin
