// Makes a TargetSpec from a known name, a description file, or a string of compiler options.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "byoc/target.hpp"
#include "sdk/base/support/diagnostics.hpp"

namespace byoc {

// The speed of a memory pool, as a description may give it. It is kept in attributes such as "bandwidth-4": bytes per
// cycle of the CPU, cycles before the first byte, bytes of a cache line.
inline constexpr const char* kPoolSpeeds[] = {"bandwidth", "latency", "cache_line"};
// The value of one of them; 0: not given.
[[nodiscard]] std::uint64_t pool_speed(const MemoryPool& pool, std::string_view speed);

// The targets of toolchains/, built into the library, sorted by name.
[[nodiscard]] const std::vector<TargetSpec>& known_targets();

// The known target of this name, which `file` says. Errors: none, and --target has to say.
[[nodiscard]] Result<TargetSpec> known_target(const std::string& name, const std::string& file, Diagnostics&);

// One of
//   a known name           "cortex-m4f"
//   a chip, or a board     "stm32f446re", "nano-33-ble"
//   a description file     "boards/mine.json"; anything that ends in .json
//   triple and options     "arm-none-eabi -mcpu=cortex-m4 -mfloat-abi=hard"
// Errors: unknown name (the known ones are listed), a string that leaves something open (says what is missing),
// an option that is not known, a file that cannot be read or is malformed.
[[nodiscard]] Result<TargetSpec> resolve_target(const std::string& name_or_string, Diagnostics&);

// A description as in toolchains/<name>.json. Every field but `name`, `triple` and `gnu_command` may be left out and
// then has TargetSpec's initial value; an unknown field is an error, and so is text that cannot be what it is said to
// be: options, names, words in one line. `file` is for diagnostics.
[[nodiscard]] Result<TargetSpec> parse_target(std::string_view json, const std::string& file, Diagnostics&);

// The description of a target, as parse_target() reads it: every field that says something, one a line.
[[nodiscard]] std::string write_target(const TargetSpec&);

// The one target of several modules. Fails with the first field that differs and what each module says of it.
// Names and toolchains may differ; whatever changes an object or its place in memory may not.
[[nodiscard]] Result<TargetSpec> merge_targets(std::span<const std::pair<std::string, TargetSpec>> modules,
                                               Diagnostics&);

// Bytes of constants up to which x86-64 code of the small model reaches all data with its 32-bit offsets, and some
// room.
inline constexpr std::uint64_t kMostSmallConstants = std::uint64_t{1} << 30;

// `target`, in x86-64's medium code model if it is for the small one and there are more than `limit` bytes of
// constants: for everything that is compiled with them, and the constants themselves.
[[nodiscard]] TargetSpec for_constants(TargetSpec target, std::uint64_t bytes,
                                       std::uint64_t limit = kMostSmallConstants);

// The options that select this target in a Clang driver: {"--target=...", "-mcpu=...", ...}.
[[nodiscard]] std::vector<std::string> clang_flags(const TargetSpec&);

}  // namespace byoc
