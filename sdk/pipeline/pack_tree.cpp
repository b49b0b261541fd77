#include "sdk/pipeline/pack_tree.hpp"

#include "sdk/pack/folder.hpp"
#include "sdk/pack/pack_format.hpp"
#include "sdk/pack/write_package.hpp"
#include "sdk/pipeline/compile_tree.hpp"
#include "sdk/pipeline/encode_constants.hpp"

namespace byoc {

namespace {

// Code that was compiled module by module is compiled anew, as one.
void link_again(ModuleTree& tree) {
  tree.lto = true;
  for (Module& m : tree.modules)
    if (m.kind == ModuleKind::c || m.kind == ModuleKind::llvm) m.object = {};
}

Result<std::vector<Package>> read_folders(std::span<const std::string> folders, const std::optional<TargetSpec>& named,
                                          Diagnostics& diags) {
  std::vector<Package> packages;
  for (const std::string& folder : folders)
    if (auto package = read_folder(folder, named, diags)) packages.push_back(std::move(*package));
  if (packages.size() != folders.size()) return failure;
  return packages;
}

// Before anything is compiled.
Result<void> check_pack(std::span<const Package> packages, const std::string& out, const PackOptions& options,
                        Diagnostics& diags) {
  std::vector<std::string> prefixes;
  std::vector<FileStamp> inputs;
  for (const Package& p : packages) {
    prefixes.push_back(p.prefix);
    inputs.insert(inputs.end(), p.tree.inputs.begin(), p.tree.inputs.end());
  }
  const auto outputs = package_outputs(out, prefixes, options, diags);
  if (!outputs) return failure;
  return check_outputs(std::move(inputs), *outputs, diags);
}

}  // namespace

Result<void> pack_trees(std::span<const std::string> folders, const BuildOptions& options, const std::string& out,
                        Diagnostics& diags) {
  if (!pack_format(out, diags)) return failure;
  CompileTreeOptions how{options.compiler};
  how.compile.warnings_as_errors = false;
  auto packages = read_folders(folders, options.target, diags);
  if (!packages || !check_pack(*packages, out, options.pack, diags)) return failure;
  bool ok = true;
  for (Package& package : *packages) {
    how.all_visible = package.prefix.empty();
    if (options.compiler.lto && !package.tree.lto) link_again(package.tree);
    auto members = compile_tree(package.tree, package.target, how, diags);
    ok = members && encode_members(*members, package.target, options.encoding, {options.compiler}, diags) && ok;
    if (members) package.members = std::move(*members);
  }
  if (!ok) return failure;
  return write_packages(*packages, out, diags, options.pack);
}

}  // namespace byoc
