// Compiles a model to a library: CompiledModel and export_model().
#include <algorithm>

#include "sdk/app/api/handles.hpp"
#include "sdk/app/api/job.hpp"
#include "sdk/app/api/report.hpp"
#include "sdk/export/function_code.hpp"
#include "sdk/export/rules.hpp"
#include "sdk/export/source_package.hpp"
#include "sdk/library/compile/worker.hpp"
#include "sdk/library/object/math_functions.hpp"
#include "sdk/library/pack/bills/bill.hpp"
#include "sdk/library/pack/write_package.hpp"
#include "sdk/target/target/source_target.hpp"

namespace byoc {

using api::guarded;
using api::job_of;

CompiledModel::CompiledModel(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

Result<CompiledModel> CompiledModel::compile(const Model& model, const Codegens& codegens, const ExportRequest& request,
                                             Diagnostics& diags) {
  return guarded(diags, [&]() -> Result<CompiledModel> {
    if (!check_name(request.name, diags) || !check_request(request, {}, diags)) return failure;
    Codegens::Impl& own = codegens.impl();
    if (!api::check_alive(own, diags)) return failure;
    if (makes_sources(own.target) && !check_source_request(request, diags)) return failure;
    Job job = job_of(model, own, request);
    const auto keep = [&](const Package& package) {
      OutputSet files(diags, model.impl().graph.files);
      if (!add_packages({&package, 1}, request.work_dir + "/", files, diags)) return Result<void>(failure);
      return files.commit();
    };
    if (!request.work_dir.empty()) job.generated = keep;
    auto library = compile_model(model.impl().graph, job, diags);
    api::pass_on(own, diags);
    // Last, for what went wrong may come from it.
    if (!check_unchanged(model.impl().graph.files, diags) || !library || (!request.work_dir.empty() && !keep(*library)))
      return failure;
    return CompiledModel(std::make_shared<const Impl>(
        Impl{model, std::move(*library), request.pack, request.weights, own.choice.cancelled, request.names.map}));
  });
}

const ModelInterface& CompiledModel::interface() const { return impl_->library.interface(); }

LibrarySizes CompiledModel::sizes() const {
  const LibraryDescription& d = *impl_->library.description;
  LibrarySizes out{d.flash, d.stack, d.link_libraries};
  if (want_math_library(d.undefined)) out.link_libraries.emplace_back("m");
  return out;
}

std::vector<std::string> CompiledModel::files_read() const {
  std::vector<std::string> out;
  for (const FileStamp& stamp : impl_->library.tree.inputs) out.push_back(stamp.path);
  const auto& headers = impl_->library.files_read;
  out.insert(out.end(), headers.begin(), headers.end());
  return out;
}

Result<PartitionReport> CompiledModel::report(const Codegens& codegens, Diagnostics& diags) const {
  return guarded(diags, [&]() -> Result<PartitionReport> {
    const Codegens::Impl& own = codegens.impl();
    if (!api::check_alive(own, diags)) return failure;
    const Library& library = impl_->library;
    return api::make_report(impl_->model.impl().graph, own.set->order, own.target, library.partition,
                            library.interface().rewrites, &library.interface(), function_code(library));
  });
}

Result<void> CompiledModel::write(const std::string& out, std::span<const OutputText> others,
                                  const BillsOfMaterials& bills, Diagnostics& diags) const {
  return guarded(diags, [&]() -> Result<void> {
    if (impl_->cancelled && impl_->cancelled()) return diags.error({}, {}, "the export was cancelled");
    OutputSet files(diags, impl_->library.tree.inputs);
    const Package& package = impl_->library;
    if (!add_packages({&package, 1}, out, files, diags, impl_->pack)) return failure;
    if (!add_bills(package, out, {bills.forms, bills.model_licence}, files, diags)) return failure;
    if (const auto& weights = impl_->library.weights) {
      const WeightsOptions& w = impl_->weights;
      const auto write = [&](int fd) {
        return w.file.ends_with(".hex") ? weights->write_hex(fd, w.address) : weights->write(fd);
      };
      if (!files.add(w.file, write)) return failure;
    }
    if (!impl_->names_map.empty() && !files.add(impl_->names_map, impl_->library.names_text)) return failure;
    for (const OutputText& o : others)
      if (!files.add(o.path, o.text)) return failure;
    return files.commit(impl_->pack.durability);
  });
}

Result<ModelInterface> export_model(const Model& model, const Codegens& codegens, const ExportRequest& request,
                                    const std::string& out, Diagnostics& diags) {
  return guarded(diags, [&]() -> Result<ModelInterface> {
    const compile::KeptWorkers kept;
    const auto outputs = export_outputs(model.default_name(), request, out, diags);
    if (!outputs || !check_outputs(model.impl().graph.files, *outputs, diags)) return failure;
    ExportRequest own = request;
    own.step_table = own.step_table || has_step_table(out, codegens.target());
    const auto compiled = CompiledModel::compile(model, codegens, own, diags);
    if (!compiled || !compiled->write(out, diags)) return failure;
    return compiled->interface();
  });
}

}  // namespace byoc
