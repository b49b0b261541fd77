// Tensors by name in one file, as TVM writes parameters (".params"): little-endian, without gaps.
//
//   u64 0xF7E58D4F05049CB7, u64 0; u64 count, for each name: u64 length, bytes; u64 count, for each:
//   u64 0xDD5E40F096B4A13F, u64 0, i32 1, i32 0 (the CPU), i32 dims, u8 code, u8 bits, u16 lanes, i64 of each dim,
//   i64 bytes, and the elements, of which each has whole bytes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sdk/base/support/blob.hpp"
#include "sdk/base/support/diagnostics.hpp"
#include "sdk/program/graphjson/packed_type.hpp"

namespace byoc {

struct Param {
  std::string name;
  byoc_dl_data_type_t type{};
  std::vector<std::int64_t> shape;
  std::span<const std::byte> bytes;  // little-endian
};

// Points into `file`, which need not be aligned; in the file's order. Errors: another magic, sizes that lead outside or
// do not agree with shapes, dimensions that are negative, elements in lanes, a device that is not the CPU, two of one
// name, bytes behind the end.
[[nodiscard]] Result<std::vector<Param>> read_params(std::span<const std::byte> file, const std::string& name,
                                                     Diagnostics&);

// Sorted by name. The names differ, and the bytes are those of shape and type.
[[nodiscard]] std::vector<std::byte> write_params(std::vector<Param> params);

}  // namespace byoc
