#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstring>
#include <exception>

#include "byoc/byoc.hpp"
#include "sdk/module/import_tree.hpp"
#include "sdk/object/image_symbol.hpp"
#include "sdk/object/object_facts.hpp"
#include "sdk/support/blob.hpp"

namespace byoc {

struct LoadedModule::Library {
  std::shared_ptr<const MappedFile> file;  // the import tree is in it
  std::vector<ImportNode> nodes;
  void* handle = nullptr;
  std::vector<std::unique_ptr<LoadedOpaque>> opaque;  // by node; null for the others
  ~Library() {
    opaque.clear();
    if (handle != nullptr) ::dlclose(handle);
  }
};

namespace {

std::string machine_text(std::uint16_t machine, bool wide, bool big_endian) {
  return machine_name(machine) + (wide ? ", 64-bit" : ", 32-bit") + (big_endian ? ", big endian" : "");
}

// This program is for the machine it runs on.
Result<void> check_machine(const MappedFile& file, Diagnostics& diags) {
  auto facts = read_object_facts(file.bytes(), file.path(), diags);
  if (!facts) return failure;
  if (facts->type != ET_DYN)
    return diags.error(file.path(), {}, "is no shared library",
                       facts->type == ET_REL ? "an object" : "another ELF file", "a .so");
  auto self = MappedFile::open("/proc/self/exe", diags);
  if (!self) return failure;
  ElfW(Ehdr) own{};
  std::memcpy(&own, (*self)->bytes().data(), std::min(sizeof own, (*self)->bytes().size()));
  const bool wide = own.e_ident[EI_CLASS] == ELFCLASS64, big_endian = own.e_ident[EI_DATA] == ELFDATA2MSB;
  if (facts->machine != own.e_machine || facts->wide != wide || facts->big_endian != big_endian)
    return diags.error(file.path(), {}, "is for another machine",
                       machine_text(facts->machine, facts->wide, facts->big_endian),
                       machine_text(own.e_machine, wide, big_endian));
  return {};
}

// The modules that only a loader understands, each once.
Result<void> load_opaque(const std::string& path, LoadedModule::Library& library,
                         const std::map<std::string, OpaqueLoader>& loaders, Diagnostics& diags) {
  library.opaque.resize(library.nodes.size());
  for (std::size_t i = 0; i < library.nodes.size(); ++i) {
    const ImportNode& n = library.nodes[i];
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
                          Diagnostics& diags) {
  auto library = std::make_shared<LoadedModule::Library>();
  auto file = MappedFile::open(path, diags);
  if (!file || !check_machine(**file, diags)) return failure;
  library->file = *file;
  auto block = dynamic_symbol_bytes((*file)->bytes(), kImportTreeSymbol, path, diags);
  if (!block) return failure;
  if (block->empty()) return diags.error(path, {}, "has no import tree", {}, "a library that byoc wrote");
  auto nodes = read_import_tree(*block, path, diags);
  if (!nodes) return failure;
  library->nodes = std::move(*nodes);
  if (!load_opaque(path, *library, loaders, diags)) return failure;
  // By the file that was read, and not by its name: of a name the dynamic linker gives the library that it has already,
  // whatever the file of that name is now. The descriptor, and with it this name, is ours until the library is closed.
  const std::string opened = "/proc/self/fd/" + std::to_string((*file)->fd());
  library->handle = ::dlopen(opened.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library->handle == nullptr) {
    const char* why = ::dlerror();
    return diags.error(path, {}, std::string("cannot be loaded: ") + (why ? why : "no reason given"));
  }
  return LoadedModule(std::move(library), 0);
}

// Of an opaque module what its loader says, else one of those that the tree lists.
void* find_own(const LoadedModule::Library& library, std::size_t node, const std::string& name) {
  if (LoadedOpaque* opaque = library.opaque[node].get()) return opaque->find(name);
  const std::vector<std::string_view>& functions = library.nodes[node].functions;
  if (std::find(functions.begin(), functions.end(), name) == functions.end()) return nullptr;
  return ::dlsym(library.handle, name.c_str());
}

}  // namespace

// A loader is the user's, and may throw.
Result<LoadedModule> load_module(const std::string& path, const std::map<std::string, OpaqueLoader>& loaders,
                                 Diagnostics& diags) try {
  return load(path, loaders, diags);
} catch (const std::exception& error) {
  return diags.error(path, {}, std::string("cannot be loaded: ") + error.what());
}

LoadedModule::LoadedModule(std::shared_ptr<Library> library, std::size_t node)
    : library_(std::move(library)), node_(node) {}

std::string LoadedModule::name() const { return std::string(library_->nodes[node_].name); }

std::string LoadedModule::kind() const { return std::string(to_string(library_->nodes[node_].kind)); }

std::string LoadedModule::loader() const { return std::string(library_->nodes[node_].loader); }

std::span<const std::byte> LoadedModule::bytes() const {
  const ImportNode& n = library_->nodes[node_];
  return n.kind == ModuleKind::opaque ? n.bytes : std::span<const std::byte>();
}

Result<LoadedSteps> LoadedModule::steps(Diagnostics& diags) const {
  const auto* table =
      node_ != 0 ? nullptr
                 : static_cast<const byoc_step_table_t*>(::dlsym(library_->handle, (name() + "_step_table").c_str()));
  if (table == nullptr)
    return diags.error(library_->file->path(), name(), "the module has no table of steps", {},
                       "the root of a model that byoc exported");
  if (table->version != BYOC_STEP_TABLE_VERSION)
    return diags.error(library_->file->path(), name(), "its table of steps has another version",
                       std::to_string(table->version), std::to_string(BYOC_STEP_TABLE_VERSION));
  return LoadedSteps(table, library_);
}

std::string LoadedModule::manifest() const {
  const ImportNode& n = library_->nodes[node_];
  if (node_ != 0 || n.kind == ModuleKind::opaque) return {};
  return {reinterpret_cast<const char*>(n.bytes.data()), n.bytes.size()};
}

std::vector<LoadedModule> LoadedModule::imports() const {
  std::vector<LoadedModule> out;
  for (const std::uint32_t i : library_->nodes[node_].imports) out.emplace_back(library_, i);
  return out;
}

Result<LoadedFunction> LoadedModule::function(const std::string& name, Lookup lookup, Diagnostics& diags) const {
  std::vector<std::size_t> open{node_};
  std::vector<bool> seen(library_->nodes.size());
  while (!open.empty()) {
    const std::size_t at = open.back();
    open.pop_back();
    if (seen[at]) continue;
    seen[at] = true;
    if (void* address = find_own(*library_, at, name)) return LoadedFunction(address, library_);
    if (lookup == Lookup::own) break;
    const std::vector<std::uint32_t>& imports = library_->nodes[at].imports;
    open.insert(open.end(), imports.rbegin(), imports.rend());
  }
  return diags.error(library_->file->path(), this->name(),
                     lookup == Lookup::own ? "the module has no such function"
                                           : "neither the module nor its imports have such a function",
                     name);
}

}  // namespace byoc
