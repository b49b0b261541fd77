#include "sdk/export/load_model.hpp"

#include <filesystem>

#include "sdk/base/support/name_table.hpp"
#include "sdk/model/import/import.hpp"

namespace byoc {

Result<ir::Graph> load_model(const std::string& path, const PrepareOptions& options, Diagnostics& diags) {
  PrepareOptions left = options;
  auto graph = import_model(path, diags, options.signature, &left.dims);
  if (!graph) return failure;
  std::vector<FileStamp> files = std::move(graph->files);
  if (!prepare(*graph, left, diags)) return failure;
  graph->files = std::move(files);
  return graph;
}

std::string default_name(const std::string& model_path) {
  return to_identifier(std::filesystem::path(model_path).stem().string());
}

}  // namespace byoc
