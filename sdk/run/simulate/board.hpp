// The machines that `byoc run` knows, by TargetSpec::simulator.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "byoc/target.hpp"
#include "sdk/base/support/diagnostics.hpp"

namespace byoc {

struct Memory {
  std::string_view name;
  std::uint64_t origin = 0;
  std::uint64_t size = 0;  // bytes
};

// The memories of a firmware's parts, as positions in Machine::memories.
struct Placement {
  std::size_t code = 0;
  std::size_t constants = 0;
  std::size_t ram = 0;
};

struct Machine {
  std::string_view name;
  std::vector<std::string> command;   // what runs the program, which comes last; empty: the program itself
  std::vector<std::string> sources;   // files of firmware/ beside harness.c
  std::vector<std::string> defines;   // for them
  std::vector<Memory> memories;       // empty: hosted, the C library's start files and script are used
  std::vector<Placement> placements;  // in order of preference
  [[nodiscard]] bool hosted() const { return memories.empty(); }
};

// Error: no such simulator.
[[nodiscard]] Result<Machine> machine_for(const TargetSpec&, Diagnostics&);

// Bytes of stack that a bare-metal firmware has.
inline constexpr std::uint64_t kStackBytes = 256 * 1024;

}  // namespace byoc
