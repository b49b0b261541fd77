// Bytecode as bytes.
//
//   header    32 bytes: magic "BYOCVM\r\n", u32 version, u32 sections, u64 size of it all, u64 0
//   table     32 bytes a section: u32 id, u32 version, u64 offset, u64 length, u32 CRC-32, u32 0
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

inline constexpr std::uint32_t kFileVersion = 1;

[[nodiscard]] std::vector<std::byte> write(const Module& module);

// True if the bytes begin with the magic of bytecode.
[[nodiscard]] bool is_bytecode(std::span<const std::byte> bytes);

// Reads and verifies; constants stay in `bytes`. `file` is for diagnostics. Errors: no such file, another version,
// sizes and checksums that are wrong, what verify() finds, bytes that this version would not write.
Result<Module> read(const Blob& bytes, const std::string& file, Diagnostics& diags);

// Writes the checksums that the sections should have; for tests, which damage files.
void seal(std::span<std::byte> bytes);

}  // namespace byoc::bytecode
