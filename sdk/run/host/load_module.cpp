#include <dlfcn.h>

#include <algorithm>
#include <exception>

#include "byoc/byoc.hpp"
#include "sdk/base/support/name_table.hpp"
#include "sdk/library/object/image_symbol.hpp"
#include "sdk/run/host/loadable.hpp"
#include "sdk/target/module/import_tree.hpp"

namespace byoc {

struct LoadedModule::Library {
  explicit Library(runtime::Loadable made) : loadable(std::move(made)) {}
  runtime::Loadable loadable;
  void* handle = nullptr;
  std::vector<std::unique_ptr<LoadedOpaque>> opaque;  // by node; null for the others
  [[nodiscard]] const std::vector<ImportNode>& nodes() const { return loadable.nodes; }
  ~Library() {
    opaque.clear();
    if (handle != nullptr) ::dlclose(handle);
  }
};

namespace {

// The modules that only a loader understands, each once.
Result<void> load_opaque(const std::string& path, LoadedModule::Library& library,
                         const std::map<std::string, OpaqueLoader>& loaders, Diagnostics& diags) {
  library.opaque.resize(library.nodes().size());
  for (std::size_t i = 0; i < library.nodes().size(); ++i) {
    const ImportNode& n = library.nodes()[i];
    if (n.kind != ModuleKind::opaque || n.loader.starts_with("byoc.")) continue;
    const std::string name(n.name), wanted(n.loader);
    const auto loader = loaders.find(wanted);
    if (loader == loaders.end()) {
      std::string known;
      for (const auto& [other, f] : loaders) known += (known.empty() ? "" : ", ") + other;
      return diags.error(path, name, "needs a loader that is not there", wanted, known.empty() ? "none" : known);
    }
    library.opaque[i] = loader->second(n.bytes, diags);
    if (library.opaque[i] == nullptr) return diags.error(path, name, "loader '" + wanted + "' did not take it");
  }
  return {};
}

Result<LoadedModule> load(const std::string& path, const std::map<std::string, OpaqueLoader>& loaders,
                          const std::vector<std::string>& libraries, Diagnostics& diags) {
  auto loadable = runtime::open_loadable(path, libraries, diags);
  if (!loadable) return failure;
  return runtime::load(std::move(*loadable), loaders, diags);
}

// Looks a function up: in an opaque module by its loader, in any other among the functions that the tree lists, by its
// name or by the part behind the module's name.
void* find_own(const LoadedModule::Library& library, std::size_t node, const std::string& name) {
  if (LoadedOpaque* opaque = library.opaque[node].get()) return opaque->find(name);
  const ImportNode& n = library.nodes()[node];
  for (const std::string& full : {name, std::string(n.name) + "_" + name})
    if (std::find(n.functions.begin(), n.functions.end(), full) != n.functions.end())
      return ::dlsym(library.handle, full.c_str());
  return nullptr;
}

}  // namespace

// A loader is the user's, and may throw.
Result<LoadedModule> load_module(const std::string& path, const std::map<std::string, OpaqueLoader>& loaders,
                                 Diagnostics& diags, const std::vector<std::string>& libraries) try {
  return load(path, loaders, libraries, diags);
} catch (const std::exception& error) {
  return diags.error(path, {}, std::string("cannot be loaded: ") + error.what());
}

Result<LoadedModule> runtime::load(Loadable loadable, const std::map<std::string, OpaqueLoader>& loaders,
                                   Diagnostics& diags) {
  auto library = std::make_shared<LoadedModule::Library>(std::move(loadable));
  const std::string& path = library->loadable.path;
  if (!load_opaque(path, *library, loaders, diags)) return failure;
  library->handle = ::dlopen(library->loadable.library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library->handle == nullptr) {
    const char* why = ::dlerror();
    return diags.error(path, {}, std::string("cannot be loaded: ") + (why ? why : "no reason given"));
  }
  return LoadedModule(std::move(library), 0);
}

LoadedModule::LoadedModule(std::shared_ptr<Library> library, std::size_t node)
    : library_(std::move(library)), node_(node) {}

std::string LoadedModule::name() const { return std::string(library_->nodes()[node_].name); }

const std::string& LoadedModule::path() const { return library_->loadable.path; }

std::string LoadedModule::kind() const { return std::string(to_string(library_->nodes()[node_].kind)); }

std::string LoadedModule::loader() const { return std::string(library_->nodes()[node_].loader); }

Result<LoadedSteps> LoadedModule::steps(Diagnostics& diags) const {
  const auto* table =
      !is_root() ? nullptr
                 : static_cast<const byoc_step_table_t*>(::dlsym(library_->handle, (name() + "_step_table").c_str()));
  if (table == nullptr)
    return diags.error(library_->loadable.path, name(), "the module has no table of steps", {},
                       "the root of a model that byoc exported");
  if (table->version != BYOC_STEP_TABLE_VERSION)
    return diags.error(library_->loadable.path, name(), "its table of steps has another version",
                       std::to_string(table->version), std::to_string(BYOC_STEP_TABLE_VERSION));
  return LoadedSteps(table, library_);
}

std::string LoadedModule::manifest() const {
  const ImportNode& n = library_->nodes()[node_];
  if (n.kind == ModuleKind::opaque || !is_root()) return {};
  return {reinterpret_cast<const char*>(n.bytes.data()), n.bytes.size()};
}

// A file with several libraries has several roots: the modules that the file's node imports.
bool LoadedModule::is_root() const {
  if (node_ == 0) return true;
  const std::vector<std::uint32_t>& of_file = library_->nodes().front().imports;
  return library_->loadable.blocks.size() > 1 && std::find(of_file.begin(), of_file.end(), node_) != of_file.end();
}

std::span<const std::byte> LoadedModule::bytes() const {
  const ImportNode& n = library_->nodes()[node_];
  if (n.kind == ModuleKind::opaque) return n.bytes;
  if (n.kind != ModuleKind::blob) return {};
  Diagnostics ignored;
  const auto found = dynamic_symbol_bytes(library_->loadable.image->bytes(), to_identifier(name()), {}, ignored);
  return found ? *found : std::span<const std::byte>();
}

Result<LoadedFunction> LoadedModule::entry(Diagnostics& diags) const {
  return function(name() + "_run", Lookup::own, diags);
}

std::vector<LoadedModule> LoadedModule::imports() const {
  std::vector<LoadedModule> out;
  for (const std::uint32_t i : library_->nodes()[node_].imports) out.emplace_back(library_, i);
  return out;
}

Result<LoadedFunction> LoadedModule::function(const std::string& name, Lookup lookup, Diagnostics& diags) const {
  std::vector<std::size_t> open{node_};
  std::vector<bool> seen(library_->nodes().size());
  while (!open.empty()) {
    const std::size_t at = open.back();
    open.pop_back();
    if (seen[at]) continue;
    seen[at] = true;
    if (void* address = find_own(*library_, at, name)) return LoadedFunction(address, library_);
    if (lookup == Lookup::own) break;
    const std::vector<std::uint32_t>& imports = library_->nodes()[at].imports;
    open.insert(open.end(), imports.rbegin(), imports.rend());
  }
  return diags.error(library_->loadable.path, this->name(),
                     lookup == Lookup::own ? "the module has no such function"
                                           : "neither the module nor its imports have such a function",
                     name);
}

}  // namespace byoc
