// Bills of materials: what an exported library is made of, for tools that look after supply chains.
//
//   spdx        SPDX 2.3, JSON
//   cyclonedx   CycloneDX 1.6, JSON, with the model as a machine-learning-model
//   slsa        in-toto Statement v1 with SLSA provenance v1: how it was built, and on what
//
// Everything in them follows from the contents, so that the same export writes the same bill; the time is
// SOURCE_DATE_EPOCH, or 1970.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sdk/base/support/diagnostics.hpp"
#include "sdk/base/support/output_set.hpp"
#include "sdk/library/pack/package.hpp"

namespace byoc {

// The path of the bill for an export to `out`: "kws.spdx.json" beside "kws.a", or "<prefix>.spdx.json" in it if it is a
// folder. Error: an unknown form.
[[nodiscard]] Result<std::string> bill_path(const std::string& form, const std::string& out, const std::string& prefix,
                                            Diagnostics&);

struct BillRequest {
  std::vector<std::string> forms;  // "spdx", "cyclonedx", "slsa=https://ci.example.com/release": who builds, as a URI
  std::string model_licence = {};  // SPDX expression; "": not known
};

// Checks the request itself. Errors: an unknown form, a model's licence that is no SPDX expression, SLSA without a URI.
Result<void> check_bills(const BillRequest& request, Diagnostics& diags);

// A file that a bill lists: what it is called there, and where it lies now.
struct BilledFile {
  std::string name;
  std::string path;
};
// The bills of `package`, {suffix ".spdx.json", text}, over these files. Errors: those of check_bills() and of
// source_date(), a file that cannot be read.
Result<std::vector<std::pair<std::string, std::string>>> make_bills(const Package& package,
                                                                    std::span<const BilledFile> files,
                                                                    const BillRequest& request, Diagnostics& diags);

// Adds the bills of `package`, whose files are all in `files` already. Errors: those of make_bills() and of OutputSet.
Result<void> add_bills(const Package& package, const std::string& out, const BillRequest& request, OutputSet& files,
                       Diagnostics& diags);

}  // namespace byoc
