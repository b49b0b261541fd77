// The second half of an export: what the codegens made becomes a library.
#pragma once

#include <future>
#include <string>

#include "sdk/optimise/optimise.hpp"
#include "sdk/pipeline/export_names.hpp"
#include "sdk/pipeline/fit_memory.hpp"
#include "sdk/pipeline/run_export.hpp"

namespace byoc {

struct LibraryParts {
  const optimise::Optimised& model;
  const Planned& planned;
  const ExportNames& names;
  const ExportOptions& options;
  const Execution& execution;
};

// print, compile, verify, describe. `sha256` is the model file's; not valid where there is none.
[[nodiscard]] Result<Library> build_library(const LibraryParts& parts, std::future<std::string> sha256,
                                            Diagnostics& diags);

}  // namespace byoc
