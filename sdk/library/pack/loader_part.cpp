#include "sdk/library/pack/loader_part.hpp"

#include "sdk/base/support/name_table.hpp"
#include "sdk/library/object/carried_sections.hpp"
#include "sdk/library/pack/manifest.hpp"
#include "sdk/library/pack/system_library.hpp"

namespace byoc {
namespace {

constexpr std::string_view kTree = ".byoc.tree.", kObject = ".byoc.object.";

}  // namespace

std::string library_name(const Package& package) {
  return package.prefix.empty() ? to_identifier(package.tree.modules.at(0).name) : package.prefix;
}

LoaderTree make_loader_tree(const Package& package) {
  const PublicFunctions functions = public_functions(package);
  ModuleTree tree = package.tree;
  LoaderTree out;
  for (std::size_t i = 0; i < tree.modules.size(); ++i) {
    Module& m = tree.modules[i];
    if (m.for_loaders)
      for (const Symbol& s : m.symbols) out.visible.push_back(s.name);
    if (m.kind() == ModuleKind::blob) out.visible.push_back(to_identifier(m.name));
    m.symbols.clear();
    const std::vector<std::string>& own = functions.of_module[i];
    for (const std::string& f : own) m.symbols.push_back({f});
    out.visible.insert(out.visible.end(), own.begin(), own.end());
  }
  out.visible.insert(out.visible.end(), functions.tied.begin(), functions.tied.end());
  if (package.prefix.empty()) out.visible = {"*"};  // data, too
  out.block = write_import_tree(tree, package.description ? write_manifest(*package.description) : std::string());
  return out;
}

Result<std::vector<std::byte>> make_loader_object(const Package& package, const std::set<std::size_t>& beside,
                                                  Diagnostics& diags) {
  const LoaderTree tree = make_loader_tree(package);
  const std::string library = library_name(package);
  std::vector<CarriedSection> sections{{std::string(kTree) + library, tree.block}};
  for (std::size_t i = 0; i < package.members.size(); ++i) {
    const LibraryMember& m = package.members[i];
    if (beside.contains(i) || package.tree.modules[m.module].for_loaders)
      sections.push_back({std::string(kObject) + library + "." + std::to_string(sections.size()), m.object});
  }
  return write_carried_sections(package.target, sections, diags);
}

Result<void> read_carried_libraries(std::span<const std::byte> object, const std::string& name,
                                    std::map<std::string, CarriedLibrary>& libraries, Diagnostics& diags) {
  auto sections = read_carried_sections(object, ".byoc.", name, diags);
  if (!sections) return failure;
  for (const CarriedSection& s : *sections) {
    if (s.name.starts_with(kTree)) {
      CarriedLibrary& library = libraries[s.name.substr(kTree.size())];
      if (!library.tree.empty())
        return diags.error(name, s.name.substr(kTree.size()), "two libraries of this name are carried");
      library.tree = s.bytes;
    } else if (s.name.starts_with(kObject)) {
      const std::string of = s.name.substr(kObject.size());
      libraries[of.substr(0, of.rfind('.'))].objects.push_back(s.bytes);
    }
  }
  return {};
}

}  // namespace byoc
