// One model for several levels of x86-64. Internal to this folder.
#pragma once

#include "sdk/app/api/handles.hpp"
#include "sdk/export/export.hpp"

namespace byoc::api {

// Compiles the model of `options` for each of its `multiversion` that is above the target's own, with codegens of its
// own, into options.levels and their objects. Errors: what is no level, or below the target; another architecture; what
// such a library cannot have.
Result<void> compile_levels(const Model& model, const Codegens::Impl& codegens, ExportOptions& options, Diagnostics&);

}  // namespace byoc::api
