#include "byoc/inspect.hpp"

#include <algorithm>
#include <filesystem>

#include "sdk/app/api/handles.hpp"
#include "sdk/base/support/file.hpp"
#include "sdk/base/support/file_kind.hpp"
#include "sdk/library/object/object_facts.hpp"
#include "sdk/library/pack/manifest.hpp"
#include "sdk/library/pack/model_library.hpp"
#include "sdk/library/pack/shared_library_content.hpp"
#include "sdk/model/import/import.hpp"
#include "sdk/model/ir/text.hpp"
#include "sdk/run/host/loadable.hpp"

namespace byoc {

using api::guarded;

namespace {

std::vector<SharedLibrary::Module> modules_of(const std::vector<ImportNode>& nodes) {
  std::vector<SharedLibrary::Module> out;
  for (const ImportNode& n : nodes)
    out.push_back({std::string(n.name),
                   std::string(to_string(n.kind)),
                   std::string(n.loader),
                   n.kind == ModuleKind::opaque ? n.bytes.size() : 0,
                   n.imports,
                   {n.functions.begin(), n.functions.end()}});
  return out;
}

FileContents::Use use_of(const ObjectSection& s) {
  using Use = FileContents::Use;
  if (!s.allocated) return Use::not_loaded;
  if (s.executable) return Use::code;
  if (!s.writable) return Use::read_only;
  return s.zeroed ? Use::zeroed : Use::data;
}

Result<FileContents::Member> member_of(std::span<const std::byte> bytes, const std::string& name,
                                       const std::string& label, Diagnostics& diags) {
  const auto facts = read_object_facts(bytes, label, diags);
  if (!facts) return failure;
  FileContents::Member out;
  out.name = name;
  out.bytes = bytes.size();
  out.machine = machine_name(facts->machine) + (facts->wide ? ", 64-bit" : ", 32-bit");
  for (const ObjectSection& s : facts->sections)
    if (!s.name.empty()) out.sections.push_back({s.name, s.size, s.align, use_of(s)});
  for (const ObjectSymbol& s : facts->defined)
    if (!s.hidden) out.symbols.push_back({s.name, s.section, s.size, s.function, s.weak});
  out.undefined = facts->undefined;
  return out;
}

Result<FileContents::Model> described(std::string_view manifest, const std::string& path, Diagnostics& diags) {
  auto model = read_manifest(manifest, path, diags);
  if (!model) return failure;
  FileContents::Model out{std::move(model->target.name), std::move(model->interface), {}};
  for (const ExpectedConstant& c : model->constants)
    out.constants.push_back({c.symbol, c.region, c.size, c.align, c.xxh3_128});
  return out;
}

// Adds the library's objects, and the models in them.
Result<void> add_library(const std::string& path, FileContents& out, Diagnostics& diags) {
  const auto library = runtime::read_library(path, {}, diags);
  if (!library) return failure;
  std::vector<LibraryObject> objects = library->parts.objects;
  if (library->image) objects.push_back({path, library->image->bytes()});
  for (const LibraryObject& o : objects) {
    const std::string member = o.name == path ? std::string() : o.name.substr(path.size() + 1);
    auto made = member_of(o.bytes, member.substr(0, member.rfind(')')), o.name, diags);
    if (!made) return failure;
    out.members.push_back(std::move(*made));
  }
  // Objects that only programs which load the library get.
  for (const std::span<const std::byte> o : library->parts.carried) {
    auto made = member_of(o, "for loaders " + std::to_string(out.members.size()), path, diags);
    if (!made) return failure;
    out.members.push_back(std::move(*made));
  }
  out.modules = modules_of(library->nodes);
  for (const ImportNode& n : library->nodes) {
    if (n.kind == ModuleKind::opaque || n.bytes.empty()) continue;
    auto model = described({reinterpret_cast<const char*>(n.bytes.data()), n.bytes.size()}, path, diags);
    if (!model) return failure;
    out.models.push_back(std::move(*model));
  }
  return {};
}

// Archives of other tools, and those for devices, have no objects to look into here.
Result<void> add_archive(const std::string& path, FileContents& out, Diagnostics& diags) {
  auto document = read_model_library(path, diags);
  if (!document) return failure;
  const bool loadable =
      std::all_of(document->modules.begin(), document->modules.end(), [](const MlfModule& m) { return m.loadable; });
  out.archive.push_back(std::move(*document));
  return loadable ? add_library(path, out, diags) : Result<void>();
}

Result<void> add_manifest(const std::string& path, FileContents& out, Diagnostics& diags) {
  const auto text = read_text(path, diags);
  if (!text) return failure;
  auto model = described(*text, path, diags);
  if (!model) return failure;
  out.models.push_back(std::move(*model));
  return {};
}

Result<void> add_program(const std::string& path, FileContents& out, Diagnostics& diags) {
  const auto file = MappedFile::open(path, diags);
  auto member = file ? member_of((*file)->bytes(), {}, path, diags) : failure;
  if (!member) return failure;
  out.members.push_back(std::move(*member));
  return {};
}

Result<void> add_contents(const std::string& path, FileKind kind, FileContents& out, Diagnostics& diags) {
  switch (kind) {
    case FileKind::tar: return add_archive(path, out, diags);
    case FileKind::json: return add_manifest(path, out, diags);
    case FileKind::program: return add_program(path, out, diags);
    case FileKind::missing:  // says why
    case FileKind::folder:
    case FileKind::object:
    case FileKind::shared_library:
    case FileKind::static_library:
    case FileKind::thin_archive: return add_library(path, out, diags);
    default: return diags.error(path, {}, "is no library and no manifest", found_kind(kind));
  }
}

}  // namespace

Result<std::string> imported_text(const std::string& path, std::size_t longest_constant, Diagnostics& diags,
                                  const std::string& signature) {
  return guarded(diags, [&]() -> Result<std::string> {
    const auto graph = import_model(path, diags, signature);
    if (!graph) return failure;
    std::string text = ir::print(*graph, {.longest_constant = longest_constant});
    if (!check_unchanged(graph->files, diags)) return failure;
    return text;
  });
}

Result<SharedLibrary> inspect_shared_library(const std::string& path, Diagnostics& diags) {
  return guarded(diags, [&]() -> Result<SharedLibrary> {
    const auto content = read_shared_library(path, diags);
    if (!content) return failure;
    SharedLibrary out;
    if (!content->manifest.empty()) {
      auto model = read_manifest(content->manifest, path, diags);
      if (!model) return failure;
      out.target = std::move(model->target.name);
      out.interface = std::move(model->interface);
    }
    out.modules = modules_of(content->modules);
    return out;
  });
}

Result<MlfDocument> inspect_model_library(const std::string& path, Diagnostics& diags) {
  return guarded(diags, [&] { return read_model_library(path, diags); });
}

Result<FileContents> inspect_file(const std::string& path, Diagnostics& diags) {
  return guarded(diags, [&]() -> Result<FileContents> {
    const FileKind kind = kind_of_file(path);
    FileContents out;
    out.kind = std::string(describe(kind));
    std::error_code ignored;
    if (kind != FileKind::folder && kind != FileKind::missing) out.bytes = std::filesystem::file_size(path, ignored);
    if (!add_contents(path, kind, out, diags)) return failure;
    return out;
  });
}

}  // namespace byoc
