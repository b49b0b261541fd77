#include "sdk/export/pack_tree.hpp"

#include "sdk/export/compile_tree.hpp"
#include "sdk/export/encode_constants.hpp"
#include "sdk/export/source_package.hpp"
#include "sdk/library/pack/folder.hpp"
#include "sdk/library/pack/forms/form.hpp"
#include "sdk/library/pack/pack_format.hpp"
#include "sdk/library/pack/write_package.hpp"
#include "sdk/target/target/source_target.hpp"

namespace byoc {

namespace {

// Code that was compiled module by module is compiled anew, as one.
void link_again(ModuleTree& tree) {
  tree.lto = true;
  for (Module& m : tree.modules)
    if (m.compiled() != nullptr) m.compiled()->object = {};
}

Result<std::vector<Package>> read_folders(std::span<const std::string> folders, const std::optional<TargetSpec>& named,
                                          Diagnostics& diags) {
  std::vector<Package> packages;
  for (const std::string& folder : folders)
    if (auto package = read_folder(folder, named, diags)) packages.push_back(std::move(*package));
  if (packages.size() != folders.size()) return failure;
  return packages;
}

// Checks the outputs before anything is compiled.
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

// Compiles the modules that have no object that fits them.
Result<void> compile_packages(std::vector<Package>& packages, const BuildOptions& options, Diagnostics& diags) {
  CompileTreeOptions how{options.compiler};
  how.compile.warnings_as_errors = false;
  bool ok = true;
  for (Package& package : packages) {
    if (makes_sources(package.target)) {
      package.members = source_members(package.tree);
      continue;
    }
    how.all_visible = package.prefix.empty();
    if (options.compiler.lto && !package.tree.lto) link_again(package.tree);
    auto members = compile_tree(package.tree, package.target, how, diags);
    ok = members && encode_members(*members, package.target, options.encoding, {options.compiler}, diags) && ok;
    if (members) package.members = std::move(*members);
  }
  return ok ? Result<void>() : failure;
}

}  // namespace

Result<void> pack_trees(std::span<const std::string> folders, const BuildOptions& options, const std::string& out,
                        Diagnostics& diags) {
  if (!pack_format(out, diags)) return failure;
  auto packages = read_folders(folders, options.target, diags);
  return packages ? pack_packages(std::move(*packages), options, out, diags) : failure;
}

Result<void> pack_packages(std::vector<Package> packages, const BuildOptions& options, const std::string& out,
                           Diagnostics& diags) {
  if (!check_pack(packages, out, options.pack, diags) || !compile_packages(packages, options, diags)) return failure;
  return write_packages(packages, out, diags, options.pack);
}

Result<void> pack_form(std::span<const std::string> folders, const PackageForm& form, const BuildOptions& options,
                       const std::string& out, Diagnostics& diags) {
  const auto known = forms::find_form(form.form, diags);
  if (!known) return failure;
  const forms::FormRequest request{**known, form.about, out};
  auto packages = read_folders(folders, options.target, diags);
  if (!packages) return failure;
  std::vector<FileStamp> inputs;
  for (const Package& p : *packages) inputs.insert(inputs.end(), p.tree.inputs.begin(), p.tree.inputs.end());
  const OutputName output = forms::form_output(request);
  auto variants = forms::variants_of(std::move(*packages), diags);
  if (!variants || !forms::check_form(request, *variants, diags) ||
      !check_outputs(std::move(inputs), {&output, 1}, diags))
    return failure;
  for (forms::Variant& v : *variants)
    if (!compile_packages(v.models, options, diags)) return failure;
  return forms::write_form(request, *variants, options.pack.durability, diags);
}

}  // namespace byoc
