// The module tree: what the code generators made, before it is compiled and packed. Data only.
//
// The root module calls the regions; it imports one module for each codegen's part, in the order in which they run,
// and that order is kept up to the loader. Constants hang off the module that needs them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "byoc/types.hpp"
#include "sdk/support/blob.hpp"

namespace byoc {

// A constant that becomes a `const` global in flash. Nothing ever prints its bytes.
struct ConstantArtifact {
  std::string symbol;            // claimed, unique in the library
  Blob bytes;                    // little-endian elements; mapped from the model where it is a model's
  std::uint32_t align = 4;       // bytes, a power of two
  std::string region = "flash";  // a pool of kind flash
  DType element = DType::u8;     // element type of its C declaration
  bool model_data = true;        // weights of the model; false: tables, multipliers, parameters
  bool global = true;            // seen by other objects
};

enum class ModuleKind : std::uint32_t {
  c = 0,          // bytes are C source text
  llvm = 1,       // bytes are LLVM bitcode or textual IR
  object = 2,     // bytes are an ELF relocatable
  constants = 3,  // no bytes, constants only
};

struct Symbol {
  std::string name;
  bool function = true;  // false: data
  bool operator==(const Symbol&) const = default;
};

struct Module {
  ModuleKind kind = ModuleKind::c;
  std::string name;  // file stem; unique in the tree, names it in diagnostics
  Blob bytes;
  std::vector<Symbol> symbols;  // external definitions that it promises
  std::vector<ConstantArtifact> constants;
  std::vector<Module> imports;  // ordered
};

// Calls `visit` for `root` and then for every import, depth first in order.
inline void for_each_module(const Module& root, const std::function<void(const Module&)>& visit) {
  visit(root);
  for (const Module& m : root.imports) for_each_module(m, visit);
}

}  // namespace byoc
