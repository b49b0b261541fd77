// The import tree of a library that TVM 0.15 exported, as it lies there under `__tvm_dev_mblob`. Little-endian:
//
//   u64 bytes that follow, u64 entries
//   for each: string key, and the module's own bytes, whose length is said nowhere; "_lib" is the library itself
//   the last entry: string "_import_tree", vector of u64 row_ptr, vector of u64 child_indices
//
// where a string or vector is a u64 length and its elements. The modules that the first imports are those at
// child_indices[row_ptr[0]] up to row_ptr[1], and so on. Without the last entry the modules are what the library
// imports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sdk/base/support/diagnostics.hpp"

namespace byoc {

inline constexpr const char* kDeviceBlobSymbol = "__tvm_dev_mblob";
inline constexpr std::string_view kDeviceBlobLibrary = "_lib";

// Points into the block that was read.
struct DeviceBlobNode {
  std::string_view key;                // "GraphExecutorFactory", "dnnl_json"; kDeviceBlobLibrary
  std::span<const std::byte> payload;  // as its loader wrote it
  std::vector<std::uint32_t> imports;  // positions, in order
};

// The root first. The bytes of a kind that is not known end where what follows reads to the end of the block. Errors: a
// length that is not the block's, anything that leads outside, a tree of other modules than there are, two libraries, a
// cycle.
[[nodiscard]] Result<std::vector<DeviceBlobNode>> read_device_blob(std::span<const std::byte> block,
                                                                   const std::string& name, Diagnostics&);

}  // namespace byoc
