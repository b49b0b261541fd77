// Compiles layers with the C backend, links them with a main that checks them, runs that and returns what it printed.
#pragma once

#include <iosfwd>
#include <span>
#include <string>
#include <vector>

#include "byoc/target.hpp"
#include "tests/e2e/kernels/layer.hpp"

namespace byoc::test {

// A compiler, its flags, and the command that runs what it makes.
struct Platform {
  std::string name;
  TargetSpec target;
  std::vector<std::string> compiler;  // command and flags for C
  std::vector<std::string> linker;    // command and flags for objects, before the file names
  std::vector<std::string> runner;    // before the program's name; empty: run it itself
  bool bare = false;                  // link platform.c and platform.ld
  Objective objective = Objective::balanced;

  [[nodiscard]] bool available() const;
};

void PrintTo(const Platform& platform, std::ostream* out);

struct Outcome {
  bool built = false;
  std::string text;  // what failed to build, or what the program printed: "ok <layers>" at its end
};

[[nodiscard]] Outcome run_layers(const Platform&, std::span<const Layer> layers, const std::string& folder);

}  // namespace byoc::test
