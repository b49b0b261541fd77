#include "sdk/pipeline/pack_tree.hpp"

#include "sdk/module/target.hpp"
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

}  // namespace

Result<void> pack_trees(std::span<const std::string> folders, const BuildOptions& options, const std::string& out,
                        Diagnostics& diags) {
  if (!pack_format(out, diags)) return failure;
  CompileTreeOptions how{options.compiler};
  how.compile.warnings_as_errors = false;
  std::vector<Package> packages;
  for (const std::string& folder : folders) {
    auto package = read_folder(folder, diags);
    if (!package) continue;
    how.all_visible = package->prefix.empty();
    if (options.compiler.lto && !package->tree.lto) link_again(package->tree);
    package->target = for_constants(package->target, constant_bytes(package->tree));
    auto members = compile_tree(package->tree, package->target, how, diags);
    if (!members || !encode_members(*members, package->target, options.encoding, {options.compiler}, diags)) continue;
    package->members = std::move(*members);
    packages.push_back(std::move(*package));
  }
  if (packages.size() != folders.size()) return failure;
  return write_packages(packages, out, diags, options.pack);
}

}  // namespace byoc
