// The reference backend that hands over LLVM bitcode: a codegen, and the plug-in that the host uses it as.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "backends/reference.hpp"
#include "byoc/abi/abi.h"
#include "byoc/codegen.hpp"

namespace byoc::bitcode {

// The functions that backends/reference.hpp names.
[[nodiscard]] std::unique_ptr<codegen::Codegen> create(std::span<const reference::Option> options);
[[nodiscard]] std::vector<reference::Operator> operators();

// The query function of the plug-in "llvm", to be registered by a call (byoc_plugin_query_fn).
[[nodiscard]] const byoc_plugin_t* query(const byoc_query_t* query);

}  // namespace byoc::bitcode
