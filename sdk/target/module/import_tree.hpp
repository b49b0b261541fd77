// The module tree as a loader sees it, in one block of bytes.
//
//   frame        32 bytes (sdk/base/support/frame.hpp), magic "BYOCTREE"
//   header       32 bytes: u32 nodes, u32 edges, u32 symbols, u32 bytes of strings, 16 zero bytes
//   nodes        48 bytes each: u32 kind, name, loader, first edge, edges, first symbol, symbols, 0; u64 offset, size
//   edges        u32 each: the node that is imported, in order of import
//   symbols      u32 each: functions of the node
//   strings      ended by NUL; names above are the offsets where one starts; the first is empty
//   sections     bytes of opaque nodes and the root's manifest, each at a multiple of 16
//
// Little-endian; parts follow each other, sections excepted without gaps; edges and symbols of the nodes, too. The
// first node is the root.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sdk/base/support/diagnostics.hpp"
#include "sdk/target/module/module.hpp"

namespace byoc {

// The data symbol that it has in a shared library.
inline constexpr const char* kImportTreeSymbol = "byoc_import_tree";

// The header of modules that are for loaders, by its name among the headers of a tree.
inline constexpr const char* kStepsHeader = "byoc/rt/steps.h";

// Loaders of byoc's own opaque modules: what an executor of byoc's reads.
inline constexpr std::string_view kGraphLoader = "byoc.graph";    // a graph.json
inline constexpr std::string_view kParamsLoader = "byoc.params";  // its parameters
inline constexpr std::string_view kVmLoader = "byoc.vm";          // bytecode

// Points into the block that was read.
struct ImportNode {
  ModuleKind kind = ModuleKind::c;
  std::string_view name;
  std::string_view loader;             // of an opaque one
  std::vector<std::uint32_t> imports;  // positions, in order
  std::vector<std::string_view> functions;
  std::span<const std::byte> bytes;  // of an opaque one; of the root: the manifest, empty without a model
};

// `tree` must have passed check_tree(). Functions are the symbols that each module promises. `manifest` is kept with
// the root, unless that is opaque.
[[nodiscard]] std::vector<std::byte> write_import_tree(const ModuleTree& tree, std::string_view manifest);

// Every count, offset and size is checked against the block; a diamond is fine, a cycle is not. Takes time and memory
// that grow as the block does. `name` is for diagnostics. Errors: another magic or version, a wrong size or checksum,
// anything that points outside.
[[nodiscard]] Result<std::vector<ImportNode>> read_import_tree(std::span<const std::byte> block,
                                                               const std::string& name, Diagnostics& diags);

}  // namespace byoc
