#include "sdk/pipeline/pack_tree.hpp"

#include "sdk/pack/pack_format.hpp"
#include "sdk/pipeline/compile_tree.hpp"
#include "sdk/pipeline/folder.hpp"
#include "sdk/pipeline/write_package.hpp"

namespace byoc {

Result<void> pack_trees(std::span<const std::string> folders, const PackTreeOptions& options, const std::string& out,
                        Diagnostics& diags) {
  if (!pack_format(out, diags)) return failure;
  CompileTreeOptions how{options};
  how.compile.warnings_as_errors = false;
  std::vector<Package> packages;
  for (const std::string& folder : folders) {
    auto package = read_folder(folder, diags);
    if (!package) continue;
    auto members = compile_tree(package->tree, package->target, how, diags);
    if (!members) continue;
    package->members = std::move(*members);
    packages.push_back(std::move(*package));
  }
  if (packages.size() != folders.size()) return failure;
  return write_packages(packages, out, diags, options.pack);
}

}  // namespace byoc
