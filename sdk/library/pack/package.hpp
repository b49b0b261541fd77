// The content of a pack: a tree, compiled for one target, and the texts that go with it.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "byoc/target.hpp"
#include "sdk/base/support/diagnostics.hpp"
#include "sdk/library/object/constant_object.hpp"
#include "sdk/library/object/object_facts.hpp"
#include "sdk/library/pack/library_description.hpp"
#include "sdk/target/module/module.hpp"

namespace byoc {

// One object of the library, or its constants.
struct LibraryMember {
  std::string name;                         // "kws_steps.o"
  std::vector<std::byte> object;            // empty for the constants
  std::vector<ConstantArtifact> constants;  // of the one member that carries them
  std::string codegen = {};                 // who handed it over as an object; "" for what was compiled here
  std::size_t module = 0;                   // of the tree, which it was compiled from or belongs to
  // For the object of link-time optimisation: the module from which each symbol came, whether it is still visible or
  // not.
  std::optional<std::map<std::string, std::size_t>> linked = {};
  std::shared_ptr<const ConstantObject> encoded = {};  // the constants as an object, where somebody made it already
  std::shared_ptr<const ObjectFacts> facts = {};       // of the object, which whoever checked it has read; else null
};

struct Package {
  TargetSpec target;
  std::string prefix;  // of every public symbol, without the underscore; "": every symbol is public
  ModuleTree tree;
  std::vector<LibraryMember> members;            // in the order in which they are linked
  std::vector<std::string> link_libraries = {};  // what is to be linked besides: "acme" for -lacme

  // The parts of a library with a model; else empty.
  std::string header_name;                        // "kws.h"
  std::string header;                             // C
  std::string example_main;                       // C
  std::optional<LibraryDescription> description;  // nothing also where nothing was compiled yet

  // The member that was compiled from the root module, and the member with the constants; null if there is none.
  [[nodiscard]] const LibraryMember* root() const;
  [[nodiscard]] const LibraryMember* constants() const;
};

// The constants of a member as a pack writes them. Errors: those of ConstantObject::create.
[[nodiscard]] Result<ConstantObject> constants_of(const LibraryMember&, const TargetSpec&, Diagnostics&);

}  // namespace byoc
