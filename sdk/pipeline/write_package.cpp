#include "sdk/pipeline/write_package.hpp"

#include <filesystem>

#include "sdk/object/constant_object.hpp"
#include "sdk/pack/archive.hpp"
#include "sdk/pack/pack_format.hpp"
#include "sdk/pack/relocatable.hpp"
#include "sdk/pipeline/folder.hpp"
#include "sdk/support/file.hpp"

namespace byoc {
namespace {

// Nothing on a device loads it.
Result<void> refuse_opaque(const Package& package, const std::string& out, Diagnostics& diags) {
  bool ok = true;
  for (const Module& m : package.tree.modules) {
    if (m.kind != ModuleKind::opaque) continue;
    diags.error(out, m.name, "a module of kind opaque, for loader '" + m.loader + "', cannot be in a pack of this form",
                {}, "a folder");
    ok = false;
  }
  return ok ? Result<void>() : failure;
}

Result<std::vector<ArchiveMember>> make_members(const Package& package, Diagnostics& diags) {
  std::vector<ArchiveMember> members;
  for (const LibraryMember& m : package.members) {
    if (m.constants.empty()) {
      members.push_back({m.name, m.object});
      continue;
    }
    auto constants = ConstantObject::create(package.target, m.constants, diags);
    if (!constants) return failure;
    members.push_back({m.name, std::move(*constants)});
  }
  return members;
}

// What goes beside a pack that is one file.
Result<void> add_companions(const Package& package, const std::string& out, OutputSet& files) {
  if (package.prefix.empty()) return {};
  const std::string folder = std::filesystem::path(out).parent_path().string();
  const std::string stem = (folder.empty() ? "" : folder + "/") + package.prefix;
  if (!files.add(stem + ".h", package.header) || !files.add(stem + ".json", package.manifest) ||
      !files.add(stem + "_example_main.c", package.example_main))
    return failure;
  return {};
}

Result<void> write_archive(const Package& package, const std::string& out, Diagnostics& diags) {
  auto members = make_members(package, diags);
  if (!members) return failure;
  auto archive = Archive::create(std::move(*members), diags);
  OutputSet files(diags);
  if (!archive || !files.add(out, [&](int fd) { return archive->write(fd); }) || !add_companions(package, out, files))
    return failure;
  return files.commit();
}

Result<void> write_object(const Package& package, const std::string& out, Diagnostics& diags) {
  auto members = make_members(package, diags);
  if (!members) return failure;
  const std::string prefix = package.prefix.empty() ? "" : package.prefix + "_";
  const auto keep = [&](std::string_view symbol) { return symbol.starts_with(prefix); };
  const auto make = [&](const std::string& temporary) {
    return write_relocatable(*members, package.target, keep, temporary, out, diags);
  };
  OutputSet files(diags);
  if (!files.add_made(out, make) || !add_companions(package, out, files)) return failure;
  return files.commit();
}

}  // namespace

Result<void> write_package(const Package& package, const std::string& out, Diagnostics& diags,
                           const PackOptions& options) {
  return write_packages({&package, 1}, out, diags, options);
}

Result<void> write_packages(std::span<const Package> packages, const std::string& out, Diagnostics& diags,
                            const PackOptions& options) {
  auto format = pack_format(out, diags);
  if (!format) return failure;
  if (packages.size() != 1 && *format != PackFormat::tar)
    return diags.error(out, {}, "only a .tar holds several libraries", std::to_string(packages.size()), "one");
  if (*format != PackFormat::folder)
    for (const Package& p : packages)
      if (!refuse_opaque(p, out, diags)) return failure;
  switch (*format) {
    case PackFormat::archive: return write_archive(packages[0], out, diags);
    case PackFormat::relocatable: return write_object(packages[0], out, diags);
    case PackFormat::folder: return write_folder(packages[0], out, diags);
    case PackFormat::tar: return write_model_library(packages, options.flavour, out, diags);
  }
  return failure;
}

}  // namespace byoc
