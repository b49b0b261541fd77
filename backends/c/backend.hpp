// The reference C-source backend: a codegen, and the plug-in that the host uses it as.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backends/reference.hpp"
#include "byoc/abi/abi.h"
#include "byoc/codegen.hpp"

namespace byoc::c {

// Of images in memory: channels last where convolutions gain by it (not on hosts), as the graph has them, or channels
// last wherever it can be.
enum class Layout { best, graph, channels_last };

struct BackendOptions {
  // Of the kernels that could compute a layer, only these are considered ("conv_s8_small"), where one of them can.
  std::vector<std::string> kernels = {};
  Layout layout = Layout::best;
};
[[nodiscard]] std::unique_ptr<codegen::Codegen> create_backend(BackendOptions options = {});

// What backends/reference.hpp says of it.
[[nodiscard]] std::unique_ptr<codegen::Codegen> create(std::span<const reference::Option> options);
[[nodiscard]] std::vector<reference::Operator> operators();

// The query function of the plug-in "c", to be registered by a call (byoc_plugin_query_fn).
[[nodiscard]] const byoc_plugin_t* query(const byoc_query_t* query);

}  // namespace byoc::c
