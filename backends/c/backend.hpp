// The reference C-source backend: a codegen, and the plug-in that the host uses it as.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "byoc/abi/abi.h"
#include "byoc/codegen.hpp"

namespace byoc::c {

// `kernels`: of those that could compute a layer, only these are considered ("conv_s8_small"), where one of them can.
[[nodiscard]] std::unique_ptr<codegen::Codegen> create_backend(std::vector<std::string> kernels = {});

// The query function of the plug-in "c", to be registered by a call (byoc_plugin_query_fn).
[[nodiscard]] const byoc_plugin_t* query(const byoc_query_t* query);

}  // namespace byoc::c
