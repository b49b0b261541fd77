// A library that byoc wrote, in whatever form, made ready for the dynamic linker: what is no shared library yet is
// linked to one in a private directory.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "byoc/byoc.hpp"
#include "sdk/base/support/blob.hpp"
#include "sdk/base/support/diagnostics.hpp"
#include "sdk/base/support/file.hpp"
#include "sdk/library/pack/static_library.hpp"
#include "sdk/target/module/import_tree.hpp"

namespace byoc::runtime {

// The files and objects from which a library that is not shared is linked.
struct Parts {
  std::vector<std::shared_ptr<const MappedFile>> files;  // what all that follows is in
  std::vector<std::string> inputs;                       // for the linker
  std::vector<LibraryObject> objects;
  std::vector<std::span<const std::byte>> carried;  // objects that only loaders use
  std::set<std::string> link_libraries;             // "acme" for -lacme
};

struct Loadable {
  std::string path;               // as it was given
  std::vector<ImportNode> nodes;  // the root first; none: the library says nothing of itself
  // The path for dlopen(), and the file; valid as long as this is. Empty before it is linked.
  std::string library;
  std::shared_ptr<const MappedFile> image;
  Parts parts;
  // Memory that the nodes point into, and the folder in which it is linked.
  std::deque<std::vector<std::byte>> blocks;
  std::deque<std::string> names;
  std::optional<TemporaryDirectory> directory;
};

// Reads it, whatever machine it is for: nothing is linked. `named`: the target that the user names for it, for a
// folder. Errors: what is in no form that byoc writes (says what it is, and what takes it), a damaged import tree.
[[nodiscard]] Result<Loadable> read_library(const std::string& path, const std::string& named, Diagnostics&);
// Error: it is for another machine (both targets are named), or has no import tree.
Result<void> check_loadable(const Loadable&, Diagnostics&);
// Links what is not linked yet, with the linker that is part of byoc: no compiler is asked, and nothing is written
// beside the input. C libraries are those of this process; what the manifest lists besides is found as the dynamic
// linker finds it, or among `libraries`, objects and libraries that are linked besides. Errors: what the linker says.
Result<void> link(Loadable&, const std::vector<std::string>& libraries, Diagnostics&);
// Links it to one object, for any machine. Error: as above.
Result<void> link_object(const Loadable&, const std::string& output, Diagnostics&);
// Read, checked and linked.
[[nodiscard]] Result<Loadable> open_loadable(const std::string& path, const std::vector<std::string>& libraries,
                                             Diagnostics&);

// As load_module(), for a linked library.
[[nodiscard]] Result<LoadedModule> load(Loadable loadable, const std::map<std::string, OpaqueLoader>& loaders,
                                        Diagnostics&);

// True if objects of this target are for this machine.
[[nodiscard]] bool is_of_this_machine(const TargetSpec&);

// Error: `bytes`, of the file `name` that was made for `target` ("": not known), are ELF of another machine than this
// program, or of another type than `type` (ET_DYN, ET_REL).
Result<void> check_machine(std::span<const std::byte> bytes, std::uint16_t type, const std::string& name,
                           const std::string& target, Diagnostics&);

// The trees of several libraries as one, whose root imports theirs in order. Errors: those of read_import_tree.
Result<void> read_trees(std::vector<std::pair<std::string, std::span<const std::byte>>> trees, Loadable& out,
                        Diagnostics&);

// The target that the manifest of a model says; "" without one.
[[nodiscard]] std::string target_of_tree(const std::vector<ImportNode>& nodes);

}  // namespace byoc::runtime
