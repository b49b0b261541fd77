// The last stage: the library and what goes beside it, all of it or nothing.
#include <filesystem>

#include "sdk/object/constant_object.hpp"
#include "sdk/pack/archive.hpp"
#include "sdk/pack/pack_format.hpp"
#include "sdk/pack/relocatable.hpp"
#include "sdk/pipeline/add_pack.hpp"
#include "sdk/pipeline/export.hpp"
#include "sdk/support/file.hpp"

namespace byoc {
namespace {

Result<std::vector<ArchiveMember>> make_members(const Library& library, const TargetSpec& target, bool traced,
                                                Diagnostics& diags) {
  std::vector<ArchiveMember> members;
  for (std::size_t i = 0; i < library.members.size(); ++i) {
    const LibraryMember& m = library.members[i];
    if (m.constants.empty()) {
      members.push_back({m.name, traced && i == 0 ? library.traced_root : m.object});
      continue;
    }
    auto constants = ConstantObject::create(target, m.constants, diags);
    if (!constants) return failure;
    members.push_back({m.name, std::move(*constants)});
  }
  return members;
}

}  // namespace

Result<void> add_pack(std::vector<ArchiveMember> members, const TargetSpec& target, const std::string& prefix,
                      const std::string& out, OutputSet& files, Diagnostics& diags) {
  auto format = pack_format(out, diags);
  if (!format) return failure;
  switch (*format) {
    case PackFormat::archive: {
      auto archive = Archive::create(std::move(members), diags);
      if (!archive) return failure;
      return files.add(out, [&](int fd) { return archive->write(fd); });
    }
    case PackFormat::relocatable: {
      const auto keep = [&](std::string_view symbol) { return symbol.starts_with(prefix); };
      return files.add_made(out, [&](const std::string& temporary) {
        return write_relocatable(members, target, keep, temporary, out, diags);
      });
    }
  }
  return failure;
}

Result<void> write_library(const Library& library, const TargetSpec& target, const std::string& out, bool traced,
                           Diagnostics& diags) {
  if (!pack_format(out, diags)) return failure;
  auto members = make_members(library, target, traced, diags);
  if (!members) return failure;
  const std::string folder = std::filesystem::path(out).parent_path().string();
  const std::string stem = (folder.empty() ? "" : folder + "/") + library.interface.prefix;
  OutputSet files(diags);
  if (!add_pack(std::move(*members), target, library.interface.prefix + "_", out, files, diags) ||
      !files.add(stem + ".h", library.header) || !files.add(stem + ".json", library.manifest) ||
      !files.add(stem + "_example_main.c", library.example_main))
    return failure;
  return files.commit();
}

}  // namespace byoc
