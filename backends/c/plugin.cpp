#include "byoc/plugin.hpp"

#include <cassert>
#include <sstream>
#include <string_view>

#include "backends/c/backend.hpp"

namespace byoc::c {
namespace {

constexpr const char *kKernels = "kernels", *kLayout = "layout", *kArithmetic = "arithmetic";

void set(BackendOptions& out, std::string_view name, const std::string& text) {
  assert(name == kKernels || name == kLayout || name == kArithmetic);
  if (name == kKernels) {
    std::istringstream list(text);
    for (std::string kernel; std::getline(list, kernel, ',');) out.kernels.push_back(kernel);
  } else if (name == kArithmetic) {
    out.arithmetic = text == "library";
  } else {
    out.layout = text == "graph" ? Layout::graph : text == "channels-last" ? Layout::channels_last : Layout::best;
  }
}

struct Make {
  std::unique_ptr<codegen::Codegen> operator()(const PluginContext& context) const {
    BackendOptions out;
    for (const char* name : {kKernels, kLayout, kArithmetic}) set(out, name, context.options.text(name));
    return create_backend(std::move(out));
  }
};

PluginDescription description() {
  PluginDescription out;
  out.id = "c";
  out.name = "reference C backend";
  out.vendor = "byoc";
  out.version = "1";
  out.license = "Apache-2.0";
  out.role = codegen::Role::reference;
  out.options = {
      {kKernels,
       OptionType::text,
       "",
       "of the kernels for a layer consider only these, where one of them is there: conv_s8_small,...",
       {}},
      {kLayout,
       OptionType::choice,
       "best",
       "of images between layers: channels last where that is faster (best), always, or as the graph has them",
       {"best", "channels-last", "graph"}},
      {kArithmetic,
       OptionType::choice,
       "compiler",
       "who brings functions for integers that a core has no instructions for, as __aeabi_lmul: the compiler's "
       "library, "
       "or the model's, as weak functions",
       {"compiler", "library"}}};
  out.moves_constants = true;
  out.caps |= BYOC_CAP_MEMORY_BUDGET | BYOC_CAP_REWRITES | BYOC_CAP_OPEN_DIMS;
  return out;
}

}  // namespace

std::unique_ptr<codegen::Codegen> create(std::span<const reference::Option> options) {
  BackendOptions out;
  for (const reference::Option& o : options) set(out, o.name, o.text);
  return create_backend(std::move(out));
}

const byoc_plugin_t* query(const byoc_query_t* q) { return abi::serve<Make>(q, description); }

}  // namespace byoc::c
