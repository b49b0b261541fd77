#include "sdk/run/host/parts.hpp"

#include "sdk/base/support/file_kind.hpp"
#include "sdk/export/pack_tree.hpp"
#include "sdk/library/pack/folder.hpp"
#include "sdk/library/pack/loader_part.hpp"
#include "sdk/library/pack/manifest.hpp"
#include "sdk/library/pack/model_library/unpack_model_library.hpp"
#include "sdk/target/target/target.hpp"

namespace byoc::runtime {
namespace {

class Reader {
 public:
  Reader(const std::string& path, Diagnostics& diags) : diags_(diags) { out_.path = path; }

  Result<Loadable> run(const std::string& named) {
    auto directory = TemporaryDirectory::create(diags_);
    if (!directory) return failure;
    out_.directory.emplace(std::move(*directory));
    if (!gather(named) || !read_carried()) return failure;
    return std::move(out_);
  }

 private:
  Result<void> gather(const std::string& named) {
    switch (kind_of_file(out_.path)) {
      case FileKind::tar: return gather_tar();
      case FileKind::folder: return gather_folder(named);
      case FileKind::object: return add_file(out_.path);
      default: return add_archive(out_.path);
    }
  }

  Result<void> gather_tar() {
    const auto unpacked = unpack_model_library(out_.path, out_.directory->path(), diags_);
    if (!unpacked) return failure;
    for (const std::string& file : *unpacked)
      if (!add_file(file)) return failure;
    return {};
  }

  Result<void> gather_folder(const std::string& named) {
    BuildOptions options;
    if (!named.empty()) {
      auto target = resolve_target(named, diags_);
      if (!target) return failure;
      options.target = std::move(*target);
    }
    const auto package = read_folder(out_.path, options.target, diags_);
    if (!package) return failure;
    out_.parts.link_libraries.insert(package->link_libraries.begin(), package->link_libraries.end());
    const std::vector<std::string> folders{out_.path};
    const std::string archive = out_.directory->path() + "/folder.a";
    if (!pack_trees(folders, options, archive, diags_)) return failure;
    return add_archive(archive);
  }

  Result<std::shared_ptr<const MappedFile>> map(const std::string& file) {
    auto mapped = MappedFile::open(file, diags_);
    if (!mapped) return failure;
    out_.parts.files.push_back(*mapped);
    // The file that is read here, whatever its name is by then.
    out_.parts.inputs.push_back("/proc/self/fd/" + std::to_string((*mapped)->fd()));
    return *mapped;
  }

  Result<void> add_file(const std::string& file) {
    const auto mapped = map(file);
    if (!mapped) return failure;
    out_.parts.objects.push_back({out_.path, (*mapped)->bytes()});
    return {};
  }

  Result<void> add_archive(const std::string& file) {
    const auto mapped = map(file);
    if (!mapped) return failure;
    auto members = list_static_library((*mapped)->bytes(), out_.path, diags_);
    if (!members) return failure;
    if (members->empty()) return diags_.error(out_.path, {}, "is an empty static library");
    for (LibraryObject& m : *members) out_.parts.objects.push_back({out_.path + "(" + m.name + ")", m.bytes});
    return {};
  }

  // Trees, and objects that are linked besides.
  Result<void> read_carried() {
    std::map<std::string, CarriedLibrary> libraries;
    for (const LibraryObject& o : out_.parts.objects)
      if (!read_carried_libraries(o.bytes, o.name, libraries, diags_)) return failure;
    std::vector<std::pair<std::string, std::span<const std::byte>>> trees;
    for (const auto& [name, library] : libraries) {
      if (!library.tree.empty()) trees.emplace_back(name, library.tree);
      out_.parts.carried.insert(out_.parts.carried.end(), library.objects.begin(), library.objects.end());
    }
    if (!trees.empty() && !read_trees(trees, out_, diags_)) return failure;
    Diagnostics ignored;  // whoever needs the model says so
    for (const ImportNode& n : out_.nodes) {
      if (n.kind == ModuleKind::opaque || n.bytes.empty()) continue;
      const auto model =
          read_manifest({reinterpret_cast<const char*>(n.bytes.data()), n.bytes.size()}, out_.path, ignored);
      if (model) out_.parts.link_libraries.insert(model->link_libraries.begin(), model->link_libraries.end());
    }
    return {};
  }

  Diagnostics& diags_;
  Loadable out_;
};

}  // namespace

Result<Loadable> read_parts(const std::string& path, const std::string& named, Diagnostics& diags) {
  return Reader(path, diags).run(named);
}

}  // namespace byoc::runtime
