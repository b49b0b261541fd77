// The texts of a project and what they are filled with. Internal to this folder.
#pragma once

#include <cstdint>
#include <string>

#include "byoc/interface.hpp"
#include "byoc/sizes.hpp"
#include "byoc/target.hpp"
#include "sdk/base/support/template.hpp"
#include "sdk/run/simulate/board.hpp"
#include "sdk/target/target/chips.hpp"

namespace byoc::project {

// Embedded by the build.
EmbeddedFiles project_templates();
EmbeddedFiles toolchain_files();

// Bytes of stack of the program on the board: the model's bound with room for the program, or a guess without a bound.
[[nodiscard]] std::uint64_t stack_of(const LibrarySizes&);
// Bytes of RAM that the program takes.
[[nodiscard]] std::uint64_t ram_of(const ModelInterface&, const LibrarySizes&);

struct ProjectFacts {
  const Chip& board;
  const TargetSpec& target;
  const Machine& machine;
  const ModelInterface& interface;
  const LibrarySizes& sizes;
  std::string file;  // of the model
};
// The fields and lists of all templates.
[[nodiscard]] Scope project_scope(const ProjectFacts&);

}  // namespace byoc::project
