#include "sdk/pipeline/load_model.hpp"

#include <filesystem>

#include "sdk/import/import.hpp"
#include "sdk/support/name_table.hpp"

namespace byoc {

Result<ir::Graph> load_model(const std::string& path, const PrepareOptions& options, Diagnostics& diags) {
  auto graph = import_model(path, diags);
  if (!graph || !prepare(*graph, options, diags)) return failure;
  return graph;
}

std::string default_name(const std::string& model_path) {
  return to_identifier(std::filesystem::path(model_path).stem().string());
}

}  // namespace byoc
