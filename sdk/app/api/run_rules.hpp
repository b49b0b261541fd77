// The options of `byoc run` that some kinds of runs refuse: one table, which the command line asks and docs/limits.md
// prints.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace byoc::api {

// Properties of a run. Several may hold.
enum class RunKind : std::uint32_t {
  no_bytecode = 1,     // of anything but a file with bytecode
  exported = 2,        // of a library that was exported before
  compiled = 4,        // of steps alone, without bytecode around them
  threads = 8,         // with threads of this machine
  foreign_graph = 16,  // of a graph.json, whoever made it
  elsewhere = 32,      // on another machine
  interpreted = 64,    // by an executor that interprets
};

struct RunRule {
  const char* option;
  std::uint32_t refused;  // kinds of runs that do not take it, or-ed
};

// The options of run itself, in the order of their names.
[[nodiscard]] std::span<const RunRule> run_rules();

[[nodiscard]] std::span<const RunKind> run_kinds();  // in the order in which they are checked
// "is not for --graph": the end of a message that begins with the option.
[[nodiscard]] std::string_view reason(RunKind kind);

// True if a run of this kind refuses the option. Options without a rule are those of compilation, which a library has
// behind it.
[[nodiscard]] bool refuses(RunKind kind, std::string_view option);

}  // namespace byoc::api
