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
#include "sdk/library/weights/intel_hex.hpp"

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

std::string package_install(const std::string& form, const std::string& out) {
  Diagnostics ignored;
  const auto found = forms::find_form(form, ignored);
  return found ? forms::how_to_install(**found, out) : "";
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

namespace {

Result<std::vector<ExpectedConstant>> stated_constants(std::span<const std::string> manifests, Diagnostics& diags) {
  std::vector<ExpectedConstant> out;
  for (const std::string& manifest : manifests) {
    const auto text = read_text(manifest, diags);
    if (!text) return failure;
    const auto stated = read_manifest_constants(*text, manifest, diags);
    if (!stated) return failure;
    if (stated->empty())
      return diags.error(manifest, {}, "states no constant that could be in flash", "none",
                         "a library with constants: weights in a file of their own are checked by byoc diff");
    out.insert(out.end(), stated->begin(), stated->end());
  }
  return out;
}

struct Verified {
  VerifiedFirmware firmware;
  std::vector<PlacedConstant> places;
};

Result<Verified> verify(const std::string& image, std::span<const std::string> manifests, Diagnostics& diags) {
  const auto constants = stated_constants(manifests, diags);
  if (!constants) return failure;
  const auto file = MappedFile::open(image, diags);
  if (!file) return failure;
  auto found = verify_image((*file)->bytes(), image, *constants, diags);
  if (!found) return failure;
  return Verified{{constants->size(), std::move(found->regions)}, std::move(found->places)};
}

Result<void> verify_dump(const FlashDump& dump, std::span<const PlacedConstant> places, Diagnostics& diags) {
  const auto file = MappedFile::open(dump.file, diags);
  if (!file) return failure;
  const auto bytes = (*file)->bytes();
  if (!dump.file.ends_with(".hex")) {
    if (!dump.address)
      return diags.error(dump.file, "--dump", "has no address", "bytes alone",
                         "Intel HEX (.hex), or the address of the first byte, as in " + dump.file + "@0x08000000");
    return verify_memory(bytes, *dump.address, dump.file, places, diags);
  }
  if (dump.address) return diags.error(dump.file, "--dump", "has addresses of its own", {}, "no @ADDRESS behind it");
  const auto read =
      weights::read_intel_hex({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, dump.file, diags);
  return read ? verify_memory(read->bytes, read->address, dump.file, places, diags) : failure;
}

}  // namespace

Result<VerifiedFirmware> verify_firmware(const std::string& image, std::span<const std::string> manifests,
                                         Diagnostics& diags) {
  return guarded(diags, [&]() -> Result<VerifiedFirmware> {
    auto verified = verify(image, manifests, diags);
    if (!verified) return failure;
    return std::move(verified->firmware);
  });
}

Result<VerifiedFirmware> verify_flash(const std::string& image, std::span<const std::string> manifests,
                                      const FlashDump& dump, Diagnostics& diags) {
  return guarded(diags, [&]() -> Result<VerifiedFirmware> {
    auto verified = verify(image, manifests, diags);
    if (!verified || !verify_dump(dump, verified->places, diags)) return failure;
    return std::move(verified->firmware);
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
