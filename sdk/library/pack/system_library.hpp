// System-library mode: one archive with a table of its functions, which a program without a dynamic linker finds by
// name. Nothing registers itself: the table is an object of the archive like the others, and brings in what it names.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sdk/base/support/diagnostics.hpp"
#include "sdk/library/pack/package.hpp"

namespace byoc {

struct SystemLibrary {
  std::string header;             // <name>.h
  std::vector<std::byte> object;  // defines <name>_entries and <name>_find
};

// Errors: no C identifier, the name of a model in it.
[[nodiscard]] Result<void> check_system_library(const std::string& name, std::span<const std::string> prefixes,
                                                Diagnostics&);

// Takes the functions that a model's header declares, or all global functions of a tree without a model. Errors: a name
// that is no C identifier or is a model's, a library without functions, one of two models with the same function.
[[nodiscard]] Result<SystemLibrary> make_system_library(const std::string& name, std::span<const Package> packages,
                                                        Diagnostics& diags);

struct PublicFunctions {
  std::vector<std::vector<std::string>> of_module;  // of the tree: those that others see, as above
  std::vector<std::string> tied;                    // names that programs with the header have for some of them
};
[[nodiscard]] PublicFunctions public_functions(const Package& package);

}  // namespace byoc
