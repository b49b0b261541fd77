#include "byoc/plugin.hpp"

#include <sstream>

#include "backends/c/backend.hpp"

namespace byoc::c {
namespace {

struct Make {
  std::unique_ptr<codegen::Codegen> operator()(const PluginContext& context) const {
    BackendOptions out;
    std::istringstream list(context.options.text("kernels"));
    for (std::string kernel; std::getline(list, kernel, ',');) out.kernels.push_back(kernel);
    const std::string layout = context.options.text("layout");
    if (layout != "best") out.layout = layout == "graph" ? Layout::graph : Layout::channels_last;
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
      {"kernels",
       OptionType::text,
       "",
       "of the kernels for a layer consider only these, where one of them is there: conv_s8_small,...",
       {}},
      {"layout",
       OptionType::choice,
       "best",
       "of images between layers: channels last where that is faster (best), always, or as the graph has them",
       {"best", "channels-last", "graph"}}};
  out.caps |= BYOC_CAP_MEMORY_BUDGET | BYOC_CAP_REWRITES;
  return out;
}

}  // namespace

const byoc_plugin_t* query(const byoc_query_t* q) { return abi::serve<Make>(q, description); }

}  // namespace byoc::c
