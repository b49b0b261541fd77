// A program's request in the form that the pipeline takes.
#pragma once

#include "sdk/app/api/handles.hpp"
#include "sdk/export/export.hpp"

namespace byoc::api {

// Combines the request with the codegens and the target, which outlive the job.
[[nodiscard]] Job job_of(const Model& model, Codegens::Impl& own, const ExportRequest& request);

}  // namespace byoc::api
