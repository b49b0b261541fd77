// A firmware project around a model, for a chip whose memories are known: `byoc new`.
#pragma once

#include <string>
#include <vector>

#include "byoc/interface.hpp"
#include "byoc/sizes.hpp"
#include "sdk/base/support/diagnostics.hpp"
#include "sdk/target/target/chips.hpp"

namespace byoc::project {

// The board or chip of this name. Errors: there is none, or it does not start a plain image; both say the way on.
[[nodiscard]] Result<const Chip*> find_board(const std::string& name, Diagnostics&);

// Errors: `folder` is there and not empty, or no folder.
[[nodiscard]] Result<void> check_folder(const std::string& folder, Diagnostics&);

struct ProjectRequest {
  const Chip& board;
  std::string folder;
  std::string model;                    // file
  std::vector<std::string> files_read;  // of the export: external data among them is copied beside the model
  const ModelInterface& interface;      // of the export for the board
  LibrarySizes sizes;
};

// Writes the project, or nothing; returns its files, relative to the folder. Errors: the program does not fit the
// board's RAM; a model whose run takes more than inputs, outputs, an instance and one workspace.
[[nodiscard]] Result<std::vector<std::string>> write_project(const ProjectRequest&, Diagnostics&);

}  // namespace byoc::project
