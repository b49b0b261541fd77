// host_api MODEL TARGET OUT [PLUGIN]...: prints what the model is and who takes which node, and exports it. A shared
// library is loaded again.
#include <byoc/byoc.hpp>
#include <cstdio>
#include <string_view>

namespace {

int failed(const byoc::Diagnostics& diags) {
  for (const byoc::Diagnostic& d : diags.all()) std::printf("%s\n", byoc::to_string(d).c_str());
  return 1;
}

void print(const char* what, const std::vector<byoc::TensorInfo>& tensors) {
  for (const byoc::TensorInfo& t : tensors)
    std::printf("%s %s: %s, %zu dims\n", what, t.name.c_str(), std::string(byoc::to_string(t.dtype)).c_str(),
                t.dims.size());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  byoc::Diagnostics diags;
  const auto target = byoc::find_target(argv[2], diags);
  const auto model = byoc::Model::load(argv[1], {}, diags);
  if (!target || !model) return failed(diags);
  byoc::PluginChoice plugins;
  for (int i = 4; i < argc; ++i) plugins.plugins.emplace_back(argv[i]);
  const auto codegens = byoc::Codegens::create(*target, plugins, diags);
  if (!codegens) return failed(diags);
  print("input", model->inputs());
  print("output", model->outputs());
  const auto report = byoc::partition_model(*model, *codegens, {}, diags);
  if (!report) return failed(diags);
  for (const byoc::NodeReport& node : report->nodes)
    std::printf("%s: %s (%s)\n", node.name.c_str(), node.codegen.c_str(), node.decision.c_str());
  const auto interface = byoc::export_model(*model, *codegens, {}, argv[3], diags);
  if (!interface) return failed(diags);
  std::printf("%zu steps, workspace %llu bytes\n", interface->steps.size(),
              static_cast<unsigned long long>(interface->workspace_bytes));
  if (!std::string_view(argv[3]).ends_with(".so")) return failed(diags) - 1;
  const auto root = byoc::load_module(argv[3], {}, diags);
  if (!root) return failed(diags);
  const auto function = root->function(interface->prefix + "_run", byoc::Lookup::own, diags);
  if (!function) return failed(diags);
  std::printf("loaded %s, %s, %zu imports, %zu bytes of manifest\n", root->name().c_str(), root->kind().c_str(),
              root->imports().size(), root->manifest().size());
  return failed(diags) - 1;
}
