// The files beside a library that is one file: its header, manifest and example. They are named after the library, and
// the manifest says to which one they belong.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sdk/base/support/diagnostics.hpp"
#include "sdk/base/support/output_set.hpp"
#include "sdk/library/pack/package.hpp"

namespace byoc {

struct Companions {
  std::string header, manifest, example;
};

// The name of a file beside the library `out` for the model with this prefix: "m4.h", "m4.json" and "m4_example_main.c"
// beside "m4.a"; for a library with several models "m4_kws.h" and so on. `suffix` is that of the file: ".h".
[[nodiscard]] std::string companion(const std::string& out, const std::string& suffix, const std::string& prefix = {},
                                    bool several = false);
[[nodiscard]] Companions companions_of(const std::string& out, const std::string& prefix, bool several);

// True if more than one of these prefixes is a model's: libraries without a model have "".
[[nodiscard]] bool has_several_models(std::span<const std::string> prefixes);

// Checks whether `out` may replace these companions. Errors, unless `force`: a manifest of another library, or one that
// names no library; a header or example without a manifest.
[[nodiscard]] Result<void> check_owner(const std::string& out, const Companions& companions, bool force, Diagnostics&);
// As check_owner(), for a header that has a manifest only if it belongs to a library; error if that is another library.
[[nodiscard]] Result<void> check_owner_of(const std::string& out, const std::string& header, bool force, Diagnostics&);

// Adds them to `files`, the manifest first: where a power cut comes between two of them, the others have an owner.
Result<void> add_companions(const Package& package, const std::string& out, bool several, OutputSet& files);

}  // namespace byoc
