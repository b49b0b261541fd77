// The parts of a library for a host that programs which load it need: its import tree, and objects that only they use.
//
// In a .so the tree is a data symbol, and the objects are linked. In a .a, a .o and a .tar both are sections that no
// program gets (sdk/library/object/carried_sections.hpp), in an object without a symbol:
//
//   .byoc.tree.<library>          the import tree
//   .byoc.object.<library>.<n>    a relocatable that is also linked when the library is loaded
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "sdk/base/support/diagnostics.hpp"
#include "sdk/library/pack/package.hpp"
#include "sdk/target/module/import_tree.hpp"

namespace byoc {

// A library's name in its sections: the prefix of its model, else the name of its root.
[[nodiscard]] std::string library_name(const Package&);

// True if programs on the target can load libraries.
[[nodiscard]] inline bool is_loadable(const TargetSpec& target) { return target.hosted; }

struct LoaderTree {
  std::vector<std::byte> block;      // write_import_tree()
  std::vector<std::string> visible;  // symbols that a loader looks for; "*": all
};
// Functions of each module are those that others may call.
[[nodiscard]] LoaderTree make_loader_tree(const Package& package);

// The object that carries the tree and the objects. For `beside`, members by position, the pack has no object but, for
// instance, a source: their objects are carried, too. Errors: those of write_carried_sections.
[[nodiscard]] Result<std::vector<std::byte>> make_loader_object(const Package& package,
                                                                const std::set<std::size_t>& beside, Diagnostics&);

// A library as its objects carry it.
struct CarriedLibrary {
  std::span<const std::byte> tree;  // not read yet
  std::vector<std::span<const std::byte>> objects;
};
// Adds what `object` carries, by the name of the library; points into it. `name` is for diagnostics. Errors: no ELF
// object; two trees of one name.
Result<void> read_carried_libraries(std::span<const std::byte> object, const std::string& name,
                                    std::map<std::string, CarriedLibrary>& libraries, Diagnostics&);

}  // namespace byoc
