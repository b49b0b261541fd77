#include "sdk/export/export_files.hpp"

#include "sdk/export/rules.hpp"
#include "sdk/library/pack/folder.hpp"
#include "sdk/library/pack/write_package.hpp"

namespace byoc {

std::vector<FileStamp> inputs_of(const ir::Graph& graph, const Job& job) {
  std::vector<FileStamp> out = graph.files;
  std::vector<std::string> further = job.request.add_files;
  if (job.request.compiler.toolchain.ends_with(".json")) further.push_back(job.request.compiler.toolchain);
  for (const CodegenOrigin& o : job.origins) further.push_back(o.file);
  for (FileStamp& stamp : stamps_of(further)) out.push_back(std::move(stamp));
  return out;
}

Result<void> add_weights(BoundConstants bound, const std::string& model_sha256, const WeightsOptions& weights,
                         const ModelInterface& interface, Library& library, Diagnostics& diags) {
  auto made = weights::WeightsFile::make(
      std::move(bound),
      {library.prefix, model_sha256, weights.key, weights.sequence, interface.inputs, interface.outputs}, diags);
  if (!made) return failure;
  library.weights = std::make_shared<const weights::WeightsFile>(std::move(*made));
  return {};
}

Result<std::vector<OutputName>> export_outputs(const std::string& default_name, const ExportRequest& request,
                                               const std::string& out, Diagnostics& diags) {
  if (!check_name(request.name, diags) || !check_request(request, out, diags)) return failure;
  const std::string prefix = request.name.empty() ? default_name : request.name;
  auto outputs = package_outputs(out, {&prefix, 1}, request.pack, diags);
  if (outputs && !request.weights.file.empty()) outputs->push_back({request.weights.file});
  if (outputs && !request.names.map.empty()) outputs->push_back({request.names.map});
  if (outputs && !request.work_dir.empty()) outputs->push_back({request.work_dir, kTreeFile});
  return outputs;
}

Result<void> write_library(const Library& library, const std::string& out, bool traced, Diagnostics& diags) {
  if (!traced) return write_package(library, out, diags);
  Package package = library;
  LibraryMember& root = package.members[static_cast<std::size_t>(package.root() - package.members.data())];
  root.object = library.traced_root;
  auto facts = read_object_facts(root.object, root.name, diags);
  if (!facts) return failure;
  root.facts = std::make_shared<const ObjectFacts>(std::move(*facts));
  return write_package(package, out, diags);
}

}  // namespace byoc
