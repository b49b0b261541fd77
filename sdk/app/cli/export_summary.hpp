// The last lines of an export, for people: memory, files, and what comes next.
#pragma once

#include <string>
#include <vector>

#include "byoc/byoc.hpp"

namespace byoc::cli {

// The memory that the library takes, in the terms of `byoc run` and the manifest: flash, then RAM.
[[nodiscard]] std::string memory_text(const ModelInterface& model, const LibrarySizes& sizes);

// The files that were written, with their sizes. Those of a folder count together.
[[nodiscard]] std::string files_text(const std::vector<std::string>& paths);

// A target, and what the user says for it where its name alone does not lead to it; "" where it does.
struct SaidTarget {
  const TargetSpec& target;
  std::string said = {};
};

// The command that links a program with the library `out`, and the one that runs it; "" for a form or a target that has
// none.
[[nodiscard]] std::string commands_text(const std::string& out, const SaidTarget& target, const ModelInterface& model,
                                        const LibrarySizes& sizes);

// The folder beside a library of one file in which debuggers find its sources: "kws_sources/" beside "kws.a". "" for a
// form that has its sources in itself.
[[nodiscard]] std::string debug_sources(const std::string& out);

// The line that starts GDB so that it finds the sources of `out` in `sources`, the folder of export --work-dir.
[[nodiscard]] std::string debugger_text(const std::string& out, const std::string& sources);

}  // namespace byoc::cli
