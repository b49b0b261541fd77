// The last stage: the archive and what goes beside it, all of it or nothing.
#include <filesystem>

#include "sdk/object/constant_object.hpp"
#include "sdk/pack/archive.hpp"
#include "sdk/pipeline/export.hpp"
#include "sdk/support/file.hpp"

namespace byoc {
namespace {

Result<Archive> make_archive(const Library& library, const TargetSpec& target, bool traced, Diagnostics& diags) {
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
  return Archive::create(std::move(members), diags);
}

}  // namespace

Result<void> write_library(const Library& library, const TargetSpec& target, const std::string& out, bool traced,
                           Diagnostics& diags) {
  if (!check_output_name(out, diags)) return failure;
  auto archive = make_archive(library, target, traced, diags);
  if (!archive) return failure;
  const std::string folder = std::filesystem::path(out).parent_path().string();
  const std::string stem = (folder.empty() ? "" : folder + "/") + library.interface.prefix;
  OutputSet files(diags);
  if (!files.add(out, [&](int fd) { return archive->write(fd); }) || !files.add(stem + ".h", library.header) ||
      !files.add(stem + ".json", library.manifest) || !files.add(stem + "_example_main.c", library.example_main))
    return failure;
  return files.commit();
}

}  // namespace byoc
