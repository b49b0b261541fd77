#include "byoc/pack.hpp"

#include "sdk/app/api/handles.hpp"
#include "sdk/base/support/blob.hpp"
#include "sdk/base/support/file.hpp"
#include "sdk/export/build_tree.hpp"
#include "sdk/export/pack_constants.hpp"
#include "sdk/export/pack_tree.hpp"
#include "sdk/library/object/object_facts.hpp"
#include "sdk/library/object/verify_image.hpp"
#include "sdk/library/pack/forms/form.hpp"
#include "sdk/library/pack/linker_fragment.hpp"
#include "sdk/library/pack/manifest.hpp"

namespace byoc {

using api::guarded;

Result<void> build_library(std::span<const std::string> files, const TargetSpec& target, const BuildOptions& options,
                           const std::string& out, Diagnostics& diags) {
  return guarded(diags, [&] { return build_tree(files, target, options, out, diags); });
}

Result<void> pack_folders(std::span<const std::string> folders, const BuildOptions& options, const std::string& out,
                          Diagnostics& diags) {
  return guarded(diags, [&] { return pack_trees(folders, options, out, diags); });
}

std::vector<std::string> package_forms() {
  std::vector<std::string> names;
  for (const forms::Form& form : forms::all_forms()) names.emplace_back(form.name);
  return names;
}

Result<void> pack_as(std::span<const std::string> folders, const PackageForm& form, const BuildOptions& options,
                     const std::string& out, Diagnostics& diags) {
  return guarded(diags, [&] { return pack_form(folders, form, options, out, diags); });
}

Result<void> pack_files(std::span<const ConstantFile> files, const TargetSpec& target,
                        const ConstantFileOptions& options, const std::string& out, Diagnostics& diags) {
  return guarded(diags, [&] { return pack_constants(files, target, options, out, diags); });
}

Result<LinkerFragment> linker_fragment(std::span<const std::string> manifests,
                                       const std::map<std::string, std::string>& memories, const std::string& name,
                                       Diagnostics& diags) {
  return guarded(diags, [&]() -> Result<LinkerFragment> {
    std::vector<LibraryConstants> libraries;
    for (const std::string& file : manifests) {
      const auto text = read_text(file, diags);
      if (!text) return failure;
      auto constants = read_constant_regions(*text, file, diags);
      if (!constants) return failure;
      libraries.push_back(std::move(*constants));
    }
    return write_linker_fragment(libraries, memories, name, diags);
  });
}

Result<VerifiedFirmware> verify_firmware(const std::string& image, std::span<const std::string> manifests,
                                         Diagnostics& diags) {
  return guarded(diags, [&]() -> Result<VerifiedFirmware> {
    std::vector<ExpectedConstant> constants;
    for (const std::string& manifest : manifests) {
      const auto text = read_text(manifest, diags);
      if (!text) return failure;
      const auto stated = read_manifest_constants(*text, manifest, diags);
      if (!stated) return failure;
      if (stated->empty())
        return diags.error(manifest, {}, "states no constant that could be in flash", "none",
                           "a library with constants: weights in a file of their own are checked by byoc diff");
      constants.insert(constants.end(), stated->begin(), stated->end());
    }
    const auto file = MappedFile::open(image, diags);
    if (!file) return failure;
    auto regions = verify_image((*file)->bytes(), image, constants, diags);
    if (!regions) return failure;
    return VerifiedFirmware{constants.size(), std::move(*regions)};
  });
}

Result<void> verify_target(const std::string& image, const TargetSpec& target, Diagnostics& diags) {
  return guarded(diags, [&]() -> Result<void> {
    const auto file = MappedFile::open(image, diags);
    const auto facts = file ? read_object_facts((*file)->bytes(), image, diags) : failure;
    return facts ? check_image(*facts, target, image, diags) : failure;
  });
}

}  // namespace byoc
