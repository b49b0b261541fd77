#include "sdk/library/pack/write_package.hpp"

#include <algorithm>
#include <filesystem>
#include <map>

#include "sdk/base/support/output_set.hpp"
#include "sdk/library/object/constant_object.hpp"
#include "sdk/library/pack/archive.hpp"
#include "sdk/library/pack/companions.hpp"
#include "sdk/library/pack/folder.hpp"
#include "sdk/library/pack/loader_part.hpp"
#include "sdk/library/pack/pack_format.hpp"
#include "sdk/library/pack/relocatable.hpp"
#include "sdk/library/pack/shared_library.hpp"
#include "sdk/library/pack/system_library.hpp"
#include "sdk/target/module/import_tree.hpp"
#include "sdk/target/target/source_target.hpp"
#include "sdk/target/target/target.hpp"

namespace byoc {
namespace {

namespace fs = std::filesystem;

// Nothing on a device loads opaque modules.
Result<void> refuse_opaque(const Package& package, const std::string& out, Diagnostics& diags) {
  if (is_loadable(package.target)) return {};
  bool ok = true;
  for (const Module& m : package.tree.modules) {
    if (m.kind() != ModuleKind::opaque) continue;
    diags.error(out, m.name,
                "a module of kind opaque, for loader '" + m.loader() + "', cannot be in a pack of this form", {},
                "a folder, or a target with an operating system");
    ok = false;
  }
  return ok ? Result<void>() : failure;
}

// With or without the members that only loaders use.
Result<std::vector<ArchiveMember>> make_members(const Package& package, bool for_loaders, Diagnostics& diags) {
  std::vector<ArchiveMember> members;
  for (const LibraryMember& m : package.members) {
    if (!for_loaders && package.tree.modules[m.module].for_loaders) continue;
    if (m.constants.empty()) {
      members.push_back({m.name, m.object, m.facts});
      continue;
    }
    auto constants = constants_of(m, package.target, diags);
    if (!constants) return failure;
    members.push_back({m.name, std::move(*constants)});
  }
  return members;
}

std::string system_header(const std::string& out, const std::string& name) {
  return fs::path(out).replace_filename(name + ".h").string();
}

std::vector<std::string> prefixes_of(std::span<const Package> packages) {
  std::vector<std::string> out;
  for (const Package& p : packages) out.push_back(p.prefix);
  return out;
}

bool is_one_file(PackFormat format) { return format != PackFormat::folder && format != PackFormat::tar; }

// Adds the companions of a pack that is one file.
Result<void> add_all_companions(std::span<const Package> packages, const std::string& out, OutputSet& files) {
  const bool several = has_several_models(prefixes_of(packages));
  for (const Package& p : packages)
    if (!add_companions(p, out, several, files)) return failure;
  return {};
}

// Checks whether all companions of `out` may be replaced.
Result<void> check_owners(const std::string& out, PackFormat format, std::span<const std::string> prefixes,
                          const PackOptions& options, Diagnostics& diags) {
  if (!is_one_file(format)) return {};
  if (!options.system_library.empty() &&
      !check_owner_of(out, system_header(out, options.system_library), options.force, diags))
    return failure;
  const bool several = has_several_models(prefixes);
  for (const std::string& p : prefixes)
    if (!p.empty() && !check_owner(out, companions_of(out, p, several), options.force, diags)) return failure;
  return {};
}

// Adds the object for programs that load the library; programs that are linked with it get nothing of it.
Result<void> add_loader_object(const Package& package, std::vector<ArchiveMember>& members, Diagnostics& diags) {
  if (!is_loadable(package.target)) return {};
  auto object = make_loader_object(package, {}, diags);
  if (!object) return failure;
  members.push_back({"byoc_import_tree_" + library_name(package) + ".o", std::move(*object)});
  return {};
}

// Members of several libraries; a kernel that they share is there once.
Result<std::vector<ArchiveMember>> merge_members(std::span<const Package> packages, Diagnostics& diags) {
  std::vector<std::pair<std::string, TargetSpec>> targets;
  std::vector<ArchiveMember> all;
  for (const Package& p : packages) {
    targets.emplace_back(p.prefix.empty() ? p.tree.modules.front().name : p.prefix, p.target);
    auto members = make_members(p, false, diags);
    if (!members) return failure;
    for (ArchiveMember& m : *members) {
      const auto* object = std::get_if<std::vector<std::byte>>(&m.content);
      const auto same = std::find_if(all.begin(), all.end(), [&](const ArchiveMember& other) {
        const auto* bytes = std::get_if<std::vector<std::byte>>(&other.content);
        return other.name == m.name && object != nullptr && bytes != nullptr && *bytes == *object;
      });
      if (same == all.end()) all.push_back(std::move(m));
    }
    if (!add_loader_object(p, all, diags)) return failure;
  }
  if (!merge_targets(targets, diags)) return failure;
  return all;
}

Result<void> add_archive(std::span<const Package> packages, const std::string& system_library, const std::string& out,
                         OutputSet& files, Diagnostics& diags) {
  auto members = merge_members(packages, diags);
  if (!members) return failure;
  if (!system_library.empty()) {
    auto table = make_system_library(system_library, packages, diags);
    if (!table) return failure;
    members->push_back({system_library + ".o", std::move(table->object)});
    if (!files.add(system_header(out, system_library), table->header)) return failure;
  }
  auto archive = Archive::create(std::move(*members), diags);
  if (!archive || !files.add(out, [&](int fd) { return archive->write(fd); })) return failure;
  return add_all_companions(packages, out, files);
}

Result<void> add_object(std::span<const Package> packages, const std::string& out, OutputSet& files,
                        Diagnostics& diags) {
  auto members = merge_members(packages, diags);
  if (!members) return failure;
  const auto keep = [&](std::string_view symbol) {
    return std::any_of(packages.begin(), packages.end(),
                       [&](const Package& p) { return p.prefix.empty() || symbol.starts_with(p.prefix + "_"); });
  };
  const auto make = [&](const std::string& temporary) {
    return write_relocatable(*members, packages[0].target, keep, temporary, out, diags);
  };
  if (!files.add_made(out, make)) return failure;
  return add_all_companions(packages, out, files);
}

Result<void> add_shared(const Package& package, const std::string& out, OutputSet& files, Diagnostics& diags) {
  auto members = make_members(package, true, diags);
  if (!members) return failure;
  LoaderTree loader = make_loader_tree(package);
  std::vector<std::string>& visible = loader.visible;
  visible.emplace_back(kImportTreeSymbol);
  ConstantArtifact block;
  block.symbol = kImportTreeSymbol;
  block.align = 16;
  block.bytes = Blob::own(std::move(loader.block));
  auto object = ConstantObject::create(package.target, {block}, diags);
  if (!object) return failure;
  members->push_back({"byoc_import_tree.o", std::move(*object)});
  std::map<std::string, std::string> codegens;
  for (const LibraryMember& m : package.members)
    if (const std::string& codegen = package.tree.modules[m.module].codegen; !codegen.empty())
      codegens.emplace(m.name, codegen);
  const auto make = [&](const std::string& temporary) {
    const std::string path = fs::absolute(temporary).string();
    return write_shared_library({*members, package.target, visible, package.link_libraries, path, out, codegens},
                                diags);
  };
  if (!files.add_made(out, make)) return failure;
  return add_companions(package, out, false, files);
}

}  // namespace

bool has_step_table(const std::string& out, const TargetSpec& target) {
  Diagnostics ignored;
  const auto format = pack_format(out, ignored);
  return format && !makes_sources(target) &&
         (is_loadable(target) || *format == PackFormat::folder || *format == PackFormat::shared);
}

Result<std::vector<OutputName>> package_outputs(const std::string& out, std::span<const std::string> prefixes,
                                                const PackOptions& options, Diagnostics& diags) {
  const auto format = pack_format(out, diags);
  if (!format) return failure;
  std::vector<OutputName> names{{out, *format == PackFormat::folder ? kTreeFile : "", true}};
  if (!options.system_library.empty() && !check_system_library(options.system_library, prefixes, diags)) return failure;
  if (*format == PackFormat::archive && !options.system_library.empty())
    names.push_back({system_header(out, options.system_library)});
  if (!check_owners(out, *format, prefixes, options, diags)) return failure;
  const bool several = has_several_models(prefixes);
  for (const std::string& prefix : prefixes) {
    if (prefix.empty() || !is_one_file(*format)) continue;
    const Companions beside = companions_of(out, prefix, several);
    for (const std::string& name : {beside.header, beside.manifest, beside.example}) names.push_back({name});
  }
  return names;
}

Result<void> write_package(const Package& package, const std::string& out, Diagnostics& diags,
                           const PackOptions& options) {
  return write_packages({&package, 1}, out, diags, options);
}

Result<void> write_object(const Package& package, const std::string& out, Diagnostics& diags) {
  auto members = make_members(package, false, diags);
  if (!members) return failure;
  const auto keep = [&](std::string_view symbol) { return symbol.starts_with(package.prefix + "_"); };
  return write_relocatable(*members, package.target, keep, out, out, diags);
}

Result<void> write_packages(std::span<const Package> packages, const std::string& out, Diagnostics& diags,
                            const PackOptions& options) {
  std::vector<FileStamp> inputs;
  for (const Package& p : packages) inputs.insert(inputs.end(), p.tree.inputs.begin(), p.tree.inputs.end());
  OutputSet files(diags, std::move(inputs));
  if (!add_packages(packages, out, files, diags, options)) return failure;
  return files.commit(options.durability);
}

Result<void> add_packages(std::span<const Package> packages, const std::string& out, OutputSet& files,
                          Diagnostics& diags, const PackOptions& options) {
  auto format = pack_format(out, diags);
  if (!format) return failure;
  if (packages.size() != 1 && (*format == PackFormat::shared || *format == PackFormat::folder))
    return diags.error(out, {}, "only .a, .o and .tar hold several libraries", std::to_string(packages.size()), "one");
  if (!options.system_library.empty() && *format != PackFormat::archive)
    return diags.error(out, "--system-library", "a table of functions is for a static library", {}, ".a");
  if (!check_owners(out, *format, prefixes_of(packages), options, diags) || !files.make_folder_of(out)) return failure;
  for (const Package& p : packages)
    if (*format != PackFormat::folder && makes_sources(p.target))
      return diags.error(out, {}, "a library for target '" + p.target.name + "' is a folder of sources", {}, "name/");
  for (const Package& p : packages)
    if (*format != PackFormat::folder && *format != PackFormat::shared && !refuse_opaque(p, out, diags)) return failure;
  switch (*format) {
    case PackFormat::archive: return add_archive(packages, options.system_library, out, files, diags);
    case PackFormat::relocatable: return add_object(packages, out, files, diags);
    case PackFormat::shared: return add_shared(packages[0], out, files, diags);
    case PackFormat::folder: return add_folder(packages[0], out, files, diags);
    case PackFormat::tar: return add_model_library(packages, options.flavour, out, files, diags);
  }
  return failure;
}

}  // namespace byoc
