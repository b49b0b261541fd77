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

// The layout of images in memory: channels last where convolutions gain by it (not on hosts), the graph's layout, or
// channels last wherever it is possible.
enum class Layout { best, graph, channels_last };

struct BackendOptions {
  // Only these kernels are considered for a layer ("conv_s8_small"), if one of them can compute it.
  std::vector<std::string> kernels = {};
  Layout layout = Layout::best;
  // Functions of the compiler's library for integers come with the code, for cores that have no instructions instead.
  bool arithmetic = false;
};
[[nodiscard]] std::unique_ptr<codegen::Codegen> create_backend(BackendOptions options = {});

// The functions that backends/reference.hpp names.
[[nodiscard]] std::unique_ptr<codegen::Codegen> create(std::span<const reference::Option> options);
[[nodiscard]] std::vector<reference::Operator> operators();

// The query function of the plug-in "c", to be registered by a call (byoc_plugin_query_fn).
[[nodiscard]] const byoc_plugin_t* query(const byoc_query_t* query);

}  // namespace byoc::c
