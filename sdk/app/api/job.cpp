#include "sdk/app/api/job.hpp"

namespace byoc::api {
namespace {

CompileFunction compile_function(const CompileCallback& callback) {
  if (!callback) return {};
  return [callback](const Source& s, const HeaderMap& headers, Diagnostics& told) {
    const CompileOptions usual;
    return callback({s.name, s.text, s.opt_level.empty() ? usual.opt_level : s.opt_level,
                     s.standard.empty() ? usual.standard : s.standard, s.include_directories, s.language, s.flags},
                    headers, told);
  };
}

}  // namespace

Job job_of(const Model& model, Codegens::Impl& own, const ExportRequest& request) {
  Job out{.request = request, .name = request.name.empty() ? model.default_name() : request.name};
  out.compile_function = compile_function(request.compile);
  out.target = own.target;
  out.codegens = own.set->order;
  out.owner = own.set;
  out.origins = own.set->origins;
  out.codegens_of = [&own](const TargetSpec& target, Diagnostics& diags) -> Result<TargetCodegens> {
    auto set = make_codegens(own.choice, target, diags);
    if (!set) return failure;
    return TargetCodegens{(*set)->order, *set, (*set)->origins};
  };
  out.limits = {own.choice.seconds, own.choice.memory};
  out.check_sources = own.choice.check_sources;
  out.cancelled = own.choice.cancelled;
  out.model_file = model.impl().file;
  return out;
}

}  // namespace byoc::api
