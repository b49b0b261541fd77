// The codegens of one export: plug-ins found, loaded and created, and the reference backends behind them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "byoc/codegen.hpp"
#include "byoc/options.hpp"
#include "byoc/target.hpp"
#include "sdk/base/support/diagnostics.hpp"
#include "sdk/codegen/plugin/abi/negotiate.hpp"
#include "sdk/export/export.hpp"

namespace byoc::api {

// The plug-ins as the user named them, then the reference backends; who gets a node follows from roles and verdicts.
struct CodegenSet {
  std::vector<std::unique_ptr<codegen::Codegen>> owned;
  std::vector<codegen::Codegen*> order;
  std::vector<CodegenOrigin> origins;  // in the same order
};

// The folders in which plug-ins are looked up by their id.
[[nodiscard]] std::vector<std::string> plugin_folders();

// The reference backends: registered here, explicitly.
[[nodiscard]] std::vector<Result<plugin::Plugin>> reference_plugins(Diagnostics& diags);
// The one that compiles what nobody else takes.
[[nodiscard]] byoc_plugin_query_fn reference_query();

// Loads plug-ins and creates their codegens. `diags` must outlive them. Errors: a plug-in that does not load, is
// refused or fails; two of one id; options that do not fit, or are for none of them.
[[nodiscard]] Result<std::shared_ptr<const CodegenSet>> make_codegens(const PluginChoice& choice,
                                                                      const TargetSpec& target, Diagnostics& diags);

}  // namespace byoc::api
