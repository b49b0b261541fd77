// The second half of an export: what the codegens made becomes a library.
#pragma once

#include <future>
#include <string>

#include "sdk/codegen/optimise/optimise.hpp"
#include "sdk/export/export_names.hpp"
#include "sdk/export/fit_memory.hpp"
#include "sdk/export/run_export.hpp"

namespace byoc {

struct LibraryParts {
  const optimise::Optimised& model;
  const Planned& planned;
  const ExportNames& names;
  const Job& job;
  const Execution& execution;
};

// print, compile, verify, describe. `sha256` is the model file's; not valid where there is none.
[[nodiscard]] Result<Library> build_library(const LibraryParts& parts, std::future<std::string> sha256,
                                            Diagnostics& diags);

}  // namespace byoc
