#include "byoc/byoc.hpp"

#include "sdk/app/api/handles.hpp"
#include "sdk/app/api/job.hpp"
#include "sdk/app/api/report.hpp"
#include "sdk/export/neutral_names.hpp"
#include "sdk/export/place_and_optimise.hpp"
#include "sdk/model/ir/text.hpp"
#include "sdk/target/target/target.hpp"

namespace byoc {

using api::guarded;

namespace {

std::vector<TensorInfo> describe(const ir::Graph& graph, const std::vector<ir::ValueId>& values) {
  std::vector<TensorInfo> out;
  for (const ir::ValueId v : values) {
    const ir::Value& value = graph.values[v];
    out.push_back({value.name, value.type.dtype, value.type.dims.value_or(std::vector<ir::Dim>{}),
                   value.type.quantisation.value_or(Quantisation{})});
  }
  return out;
}

}  // namespace

std::string version() { return BYOC_VERSION; }

Result<TargetSpec> find_target(const std::string& name_or_string, Diagnostics& diags) {
  return guarded(diags, [&] { return resolve_target(name_or_string, diags); });
}

std::vector<TargetSpec> targets() { return {known_targets().begin(), known_targets().end()}; }

Model::Model(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

Result<Model> Model::load(const std::string& path, const PrepareOptions& options, Diagnostics& diags) {
  return guarded(diags, [&]() -> Result<Model> {
    auto graph = load_model(path, options, diags);
    if (!graph || !check_unchanged(graph->files, diags)) return failure;
    return Model(std::make_shared<const Impl>(Impl{std::move(*graph), byoc::default_name(path), path}));
  });
}

std::string Model::default_name() const { return impl_->default_name; }
std::vector<TensorInfo> Model::inputs() const { return describe(impl_->graph, impl_->graph.inputs); }
std::vector<TensorInfo> Model::outputs() const {
  std::vector<TensorInfo> out = describe(impl_->graph, impl_->graph.outputs);
  for (const ir::CountedDim& c : impl_->graph.counted) out.resize(std::min<std::size_t>(out.size(), c.count));
  return out;
}
std::size_t Model::node_count() const { return impl_->graph.nodes.size(); }
std::string Model::text(std::size_t longest_constant) const {
  return ir::print(impl_->graph, {.longest_constant = longest_constant});
}
Model Model::without_names(std::string& names) const {
  const NeutralNames neutral(impl_->graph, impl_->default_name);
  names = neutral.map_text();
  return Model(std::make_shared<const Impl>(Impl{*neutral.graph(), impl_->default_name, impl_->file}));
}

Codegens::Codegens(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

Result<Codegens> Codegens::create(const TargetSpec& target, const PluginChoice& plugins, Diagnostics& diags) {
  return guarded(diags, [&]() -> Result<Codegens> {
    auto impl = std::make_shared<Impl>();
    impl->target = target;
    impl->choice = plugins;
    auto set = api::make_codegens(plugins, target, impl->said);
    api::pass_on(*impl, diags);
    if (!set) return failure;
    impl->set = std::move(*set);
    return Codegens(std::move(impl));
  });
}

const TargetSpec& Codegens::target() const { return impl_->target; }

std::vector<std::string> Codegens::ids() const {
  std::vector<std::string> out;
  if (impl_->set == nullptr) return out;
  for (const codegen::Codegen* c : impl_->set->order) out.emplace_back(c->id());
  return out;
}

Result<void> Codegens::end(Diagnostics& diags) const {
  return guarded(diags, [&]() -> Result<void> {
    impl_->set.reset();
    return api::pass_on(*impl_, diags) ? Result<void>(failure) : Result<void>();
  });
}

Result<PartitionReport> partition_model(const Model& model, const Codegens& codegens, const ExportRequest& request,
                                        Diagnostics& diags) {
  return guarded(diags, [&]() -> Result<PartitionReport> {
    const ir::Graph& graph = model.impl().graph;
    Codegens::Impl& own = codegens.impl();
    if (!api::check_alive(own, diags)) return failure;
    const auto placed = place_and_optimise(graph, api::job_of(model, own, request), false, nullptr, diags);
    api::pass_on(own, diags);
    // Last, for what went wrong may come from it.
    if (!check_unchanged(graph.files, diags) || !placed) return failure;
    return api::make_report(graph, own.set->order, own.target, placed->partition, placed->optimised.summary, nullptr);
  });
}

}  // namespace byoc
