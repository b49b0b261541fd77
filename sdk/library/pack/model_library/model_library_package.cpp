#include "sdk/library/pack/model_library_package.hpp"

#include <map>
#include <nlohmann/json.hpp>

#include "sdk/base/support/json.hpp"
#include "sdk/base/support/json_fields.hpp"
#include "sdk/base/support/valid_text.hpp"
#include "sdk/library/pack/manifest.hpp"
#include "sdk/library/pack/model_library/model_library_metadata.hpp"
#include "sdk/target/target/target_json.hpp"
#include "sdk/target/target/trusted_commands.hpp"

namespace byoc {
namespace {

constexpr std::string_view kHeaders = "codegen/host/include/";

// Anybody may have written the archive: nothing of it becomes a path, and what becomes a word of a command or a part of
// C is checked before.
class PackageReader {
 public:
  PackageReader(const std::string& path, Diagnostics& diags) : path_(path), diags_(diags) {}

  // Throws what nlohmann throws where a field is missing or of another type.
  Result<Package> run(const SortedJson& metadata, const std::optional<TargetSpec>& named) {
    const SortedJson modules = metadata.value("modules", SortedJson::object());
    if (modules.size() != 1)
      return diags_.error(path_, {},
                          modules.empty() ? "has no model" : "holds several models, and one is taken at a time",
                          names_of(modules), "the archive of one");
    const auto module = modules.begin();
    if (!module.value().contains("x_byoc"))
      return diags_.error(path_, module.key(), "the archive was written by another tool", "no x_byoc",
                          "what byoc export wrote");
    const SortedJson& own = module.value().at("x_byoc");
    const std::size_t before = diags_.count();
    read_model(module.key(), own);
    list(own, "sources", ModuleKind::c);
    list(own, "objects", ModuleKind::object);
    if (package_.tree.modules.empty()) return diags_.error(path_, package_.prefix, "has neither sources nor objects");
    if (diags_.count() != before || !read_target(own, named) || !read_files()) return failure;
    ModuleTree& tree = package_.tree;
    for (std::size_t i = 1; i < tree.modules.size(); ++i) tree.modules.front().imports.push_back(i);
    if (!check_tree(tree, diags_)) return failure;
    return std::move(package_);
  }

 private:
  static std::string names_of(const SortedJson& modules) {
    std::string out;
    for (const auto& [name, ignored] : modules.items()) out += (out.empty() ? "" : ", ") + name;
    return out;
  }

  std::string checked(const SortedJson& text, const TextRule& rule, const std::string& what) {
    const auto& value = text.get_ref<const std::string&>();
    return check_text(value, rule, path_, what, diags_) ? value : std::string();
  }

  void read_model(const std::string& name, const SortedJson& own) {
    package_.prefix = checked(name, kIdentifier, "modules");
    package_.header_name = package_.prefix + ".h";
    auto description = read_manifest_of(json_text(own.at("manifest")), package_.prefix, path_, diags_);
    if (!description) return;
    package_.link_libraries = description->link_libraries;
    package_.description = std::move(*description);
  }

  void list(const SortedJson& own, const char* what, ModuleKind kind) {
    for (const SortedJson& file : own.value(what, SortedJson::array())) {
      Module m;
      m.content = content_of(kind);
      m.name = checked(file.at("module"), kPlainName, "module");
      m.origin = path_ + "(" + file.at("file").get<std::string>() + ")";
      if (auto* compiled = m.compiled(); compiled != nullptr && file.contains("opt_level"))
        compiled->opt_level = checked(file.at("opt_level"), kOptLevel, "opt_level");
      wanted_.emplace(file.at("file").get<std::string>(), package_.tree.modules.size());
      package_.tree.modules.push_back(std::move(m));
    }
  }

  Result<void> read_target(const SortedJson& own, const std::optional<TargetSpec>& named) {
    auto target = byoc::read_target(own.at("target_spec"), path_, diags_);
    if (!target) return failure;
    target = with_trusted_commands(std::move(*target), named, path_, diags_);
    if (!target) return failure;
    package_.target = std::move(*target);
    return {};
  }

  Result<void> read_files() {
    const auto visit = [this](TarEntry& entry) {
      const bool header = entry.name.starts_with(kHeaders);
      const auto module = wanted_.find(entry.name);
      if (!header && module == wanted_.end()) return true;
      std::vector<std::byte> bytes(static_cast<std::size_t>(entry.size));  // no more than the archive has
      if (!entry.read(bytes)) return false;
      if (module != wanted_.end()) {
        package_.tree.modules[module->second].bytes = Blob::own(std::move(bytes));
        wanted_.erase(module);
        return true;
      }
      const std::string name = entry.name.substr(kHeaders.size());
      if (!check_text(name, kPlainPath, path_, "headers", diags_)) return false;
      package_.tree.headers[name].assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      return true;
    };
    if (!read_tar(path_, visit, diags_)) return failure;
    if (!wanted_.empty()) return diags_.error(path_, wanted_.begin()->first, "the archive has no file of this name");
    package_.header = package_.tree.headers[package_.header_name];
    return {};
  }

  const std::string& path_;
  Diagnostics& diags_;
  Package package_;
  std::map<std::string, std::size_t> wanted_;  // modules by the names of their files
};

}  // namespace

Result<Package> read_model_library_package(const std::string& path, const std::optional<TargetSpec>& named,
                                           Diagnostics& diags) {
  const auto text = read_metadata_text(path, diags);
  if (!text) return failure;
  try {
    return PackageReader(path, diags).run(parse_json(*text), named);
  } catch (const SortedJson::exception& error) {
    return diags.error(path, std::string(kMetadataFile), "is not as byoc writes it", problem(error));
  }
}

}  // namespace byoc
