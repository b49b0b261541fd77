// The files beside a library that is one file: its header, manifest and example. They are named after the library, and
// the manifest says to which one they belong.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sdk/pack/package.hpp"
#include "sdk/support/diagnostics.hpp"
#include "sdk/support/output_set.hpp"

namespace byoc {

struct Companions {
  std::string header, manifest, example;
};

// Of a model with this prefix in the library `out`: "m4.h", "m4.json" and "m4_example_main.c" beside "m4.a"; where
// there are several models in it, "m4_kws.h" and so on. `suffix` is of the file: ".h".
[[nodiscard]] std::string companion(const std::string& out, const std::string& suffix, const std::string& prefix = {},
                                    bool several = false);
[[nodiscard]] Companions companions_of(const std::string& out, const std::string& prefix, bool several);

// Whether more than one of these prefixes is a model's: libraries without a model have "".
[[nodiscard]] bool has_several_models(std::span<const std::string> prefixes);

// Whether `out` may replace these companions. Errors, unless `force`: a manifest of another library, or none that says
// to which one it belongs; a header or example without a manifest.
[[nodiscard]] Result<void> check_owner(const std::string& out, const Companions& companions, bool force, Diagnostics&);
// The same of a header that has a manifest only if it is a library's: error, if that is another one.
[[nodiscard]] Result<void> check_owner_of(const std::string& out, const std::string& header, bool force, Diagnostics&);

// Adds them to `files`, the manifest first: where a power cut comes between two of them, the others have an owner.
Result<void> add_companions(const Package& package, const std::string& out, bool several, OutputSet& files);

}  // namespace byoc
