#include "byoc/inspect.hpp"

#include "sdk/api/handles.hpp"
#include "sdk/import/import.hpp"
#include "sdk/ir/text.hpp"
#include "sdk/pack/manifest.hpp"
#include "sdk/pack/model_library.hpp"
#include "sdk/pack/shared_library_content.hpp"

namespace byoc {

using api::guarded;

Result<std::string> imported_text(const std::string& path, std::size_t longest_constant, Diagnostics& diags,
                                  const std::string& signature) {
  return guarded(diags, [&]() -> Result<std::string> {
    const auto graph = import_model(path, diags, signature);
    if (!graph) return failure;
    std::string text = ir::print(*graph, {.longest_constant = longest_constant});
    if (!check_unchanged(graph->files, diags)) return failure;
    return text;
  });
}

Result<SharedLibrary> inspect_shared_library(const std::string& path, Diagnostics& diags) {
  return guarded(diags, [&]() -> Result<SharedLibrary> {
    const auto content = read_shared_library(path, diags);
    if (!content) return failure;
    SharedLibrary out;
    if (!content->manifest.empty()) {
      auto model = read_manifest_model(content->manifest, path, diags);
      if (!model) return failure;
      out.target = std::move(model->target);
      out.interface = std::move(model->interface);
    }
    for (const ImportNode& n : content->modules)
      out.modules.push_back({std::string(n.name),
                             std::string(to_string(n.kind)),
                             std::string(n.loader),
                             n.kind == ModuleKind::opaque ? n.bytes.size() : 0,
                             n.imports,
                             {n.functions.begin(), n.functions.end()}});
    return out;
  });
}

Result<MlfDocument> inspect_model_library(const std::string& path, Diagnostics& diags) {
  return guarded(diags, [&] { return read_model_library(path, diags); });
}

}  // namespace byoc
