// Bytecode as bytes.
//
//   frame     32 bytes (sdk/base/support/frame.hpp), magic "BYOCVM\r\n"
//   table     32 bytes a section: u32 id, u32 version, u64 offset, u64 length, u64 0
//   sections  in the order of their ids, each at the next multiple of 64; zeros between
//
// Little-endian. docs/formats.md describes the sections. A file is accepted only if it is bit for bit the file that
// would be written for its contents.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sdk/program/bytecode/module.hpp"

namespace byoc::bytecode {

[[nodiscard]] std::vector<std::byte> write(const Module& module);

// True if the bytes begin with the magic of bytecode.
[[nodiscard]] bool is_bytecode(std::span<const std::byte> bytes);

// Reads and verifies; constants stay in `bytes`. `file` is for diagnostics. Errors: no such file, another version,
// a wrong size or checksum, what verify() finds, bytes that this version would not write.
Result<Module> read(const Blob& bytes, const std::string& file, Diagnostics& diags);

}  // namespace byoc::bytecode
