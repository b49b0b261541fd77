// Model Library Format, version 7: models in a tar, for the project generators that read it.
//
//   ./metadata.json
//   ./codegen/host/src/<model>_lib<k>.c       sources
//   ./codegen/host/lib/<model>_lib<k>.o       objects; the constants are always one
//   ./codegen/host/include/<model>.h, tvmgen_<model>.h and the sources' own headers
//   ./parameters/<model>.params               what the graph reads of constants; all others are in the library
//   ./executor-config/graph/<model>.graph     of executor `graph`: its graph.json
//
// What the format has no place for is in metadata.json under modules.<model>.x_byoc.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "byoc/inspect.hpp"
#include "byoc/options.hpp"
#include "sdk/base/support/diagnostics.hpp"
#include "sdk/base/support/output_set.hpp"
#include "sdk/library/pack/package.hpp"

namespace byoc {

// Adds `out` to `files`. Times are SOURCE_DATE_EPOCH, or 1970. A kernel that several models share is there once.
// Errors: two models of one name (upper and lower case are the same), two different headers of one name, a
// SOURCE_DATE_EPOCH that is no number.
Result<void> add_model_library(std::span<const Package> packages, MlfFlavour flavour, const std::string& out,
                               OutputSet& files, Diagnostics& diags);

// Reads the metadata of versions 1 to 7 and the parameters, and lists the files; nothing is unpacked. Errors: no tar, a
// compressed one (consumers read plain ones), an entry that is neither file nor folder or whose name leaves the
// archive, one that is there twice, no metadata.json or more than 64 MiB of it, a version that is not known, a field of
// another type.
[[nodiscard]] Result<MlfDocument> read_model_library(const std::string& path, Diagnostics& diags);

}  // namespace byoc
