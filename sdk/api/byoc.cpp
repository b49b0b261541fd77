#include "byoc/byoc.hpp"

#include <exception>
#include <utility>

#include "sdk/api/codegens.hpp"
#include "sdk/ir/text.hpp"
#include "sdk/module/target.hpp"
#include "sdk/pack/write_package.hpp"
#include "sdk/partition/report.hpp"
#include "sdk/pipeline/export.hpp"
#include "sdk/support/name_table.hpp"

namespace byoc {

struct Model::Impl {
  ir::Graph graph;
  std::string default_name;
  std::string file;
};

struct Codegens::Impl {
  TargetSpec target;
  PluginChoice choice;
  Diagnostics said;  // by plug-ins on the side
  std::size_t passed_on = 0;
  std::shared_ptr<const api::CodegenSet> set;
};

namespace {

void pass_on(Codegens::Impl& own, Diagnostics& diags) {
  for (; own.passed_on < own.said.all().size(); ++own.passed_on) diags.add(own.said.all()[own.passed_on]);
}

// No exception leaves the library: the standard library's (no memory) become an error like others.
template <class F>
auto guarded(Diagnostics& diags, F&& body) -> decltype(body()) {
  try {
    return body();
  } catch (const std::exception& error) {
    return diags.error({}, {}, std::string("internal error: ") + error.what());
  }
}

std::vector<TensorInfo> describe(const ir::Graph& graph, const std::vector<ir::ValueId>& values) {
  std::vector<TensorInfo> out;
  for (const ir::ValueId v : values) {
    const ir::Value& value = graph.values[v];
    out.push_back({value.name, value.type.dtype, *value.type.dims, value.type.quantisation.value_or(Quantisation{})});
  }
  return out;
}

NodeReport describe(const ir::Node& node, const NodePlacement& placed, const std::vector<std::string>& ids) {
  NodeReport out;
  out.name = node.describe();
  out.codegen = placed.codegen == kExecutor ? "executor" : ids[placed.codegen];
  out.decision = std::string(to_string(placed.decision));
  out.region = placed.region;
  for (std::size_t c = 0; c < placed.verdicts.size(); ++c)
    out.verdicts.push_back({ids[c], placed.verdicts[c].claimed, placed.verdicts[c].text});
  return out;
}

}  // namespace

std::string version() { return BYOC_VERSION; }

Result<TargetSpec> find_target(const std::string& name_or_string, Diagnostics& diags) {
  return guarded(diags, [&] { return resolve_target(name_or_string, diags); });
}

Model::Model(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

Result<Model> Model::load(const std::string& path, const PrepareOptions& options, Diagnostics& diags) {
  return guarded(diags, [&]() -> Result<Model> {
    auto graph = load_model(path, options, diags);
    if (!graph) return failure;
    return Model(std::make_shared<const Impl>(Impl{std::move(*graph), byoc::default_name(path), path}));
  });
}

std::string Model::default_name() const { return impl_->default_name; }
std::vector<TensorInfo> Model::inputs() const { return describe(impl_->graph, impl_->graph.inputs); }
std::vector<TensorInfo> Model::outputs() const { return describe(impl_->graph, impl_->graph.outputs); }
std::size_t Model::node_count() const { return impl_->graph.nodes.size(); }
std::string Model::text(std::size_t longest_constant) const {
  return ir::print(impl_->graph, {.longest_constant = longest_constant});
}

Codegens::Codegens(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

Result<Codegens> Codegens::create(const TargetSpec& target, const PluginChoice& plugins, Diagnostics& diags) {
  return guarded(diags, [&]() -> Result<Codegens> {
    auto impl = std::make_shared<Impl>();
    impl->target = target;
    impl->choice = plugins;
    auto set = api::make_codegens(plugins, target, impl->said);
    pass_on(*impl, diags);
    if (!set) return failure;
    impl->set = std::move(*set);
    return Codegens(std::move(impl));
  });
}

const TargetSpec& Codegens::target() const { return impl_->target; }

std::vector<std::string> Codegens::ids() const {
  std::vector<std::string> out;
  for (const codegen::Codegen* c : impl_->set->order) out.emplace_back(c->id());
  return out;
}

Result<PartitionReport> partition_model(const Model& model, const Codegens& codegens, const PartitionOptions& options,
                                        Diagnostics& diags) {
  return guarded(diags, [&]() -> Result<PartitionReport> {
    const ir::Graph& graph = model.impl().graph;
    Codegens::Impl& own = codegens.impl();
    const auto partition = make_partition(graph, own.set->order, own.target, options, diags);
    pass_on(own, diags);
    if (!partition) return failure;
    PartitionReport out;
    const std::vector<std::string> ids = codegens.ids();
    for (std::size_t n = 0; n < graph.nodes.size(); ++n)
      out.nodes.push_back(describe(graph.nodes[n], partition->nodes[n], ids));
    const std::vector<Coverage> covered = coverage_of(graph, *partition, ids.size());
    for (std::size_t c = 0; c < ids.size(); ++c)
      out.coverage.push_back({ids[c], covered[c].regions, covered[c].nodes, covered[c].macs, covered[c].node_share(),
                              covered[c].mac_share()});
    out.json = partition_json(graph, own.set->order, own.target, *partition);
    out.html = partition_html(graph, own.set->order, own.target, *partition);
    return out;
  });
}

Result<ModelInterface> export_model(const Model& model, const Codegens& codegens, const ExportRequest& request,
                                    const std::string& out, Diagnostics& diags) {
  return guarded(diags, [&]() -> Result<ModelInterface> {
    if (!request.name.empty() && to_identifier(request.name) != request.name)
      return diags.error({}, "name", "not a C identifier", "'" + request.name + "'",
                         "something like '" + to_identifier(request.name) + "'");
    Codegens::Impl& own = codegens.impl();
    ExportOptions options;
    options.target = own.target;
    options.toolchain = request.toolchain;
    options.launcher = request.launcher;
    options.debug_info = request.debug_info;
    options.lto = request.lto;
    options.cache = request.cache;
    options.opt_level = request.opt_level;
    options.encoding = request.constants;
    options.add_files = request.add_files;
    if (request.compile)
      options.compile_function = [&](const Source& s, const HeaderMap& headers, Diagnostics& told) {
        const CompileOptions usual;
        return request.compile({s.name, s.text, s.opt_level.empty() ? usual.opt_level : s.opt_level,
                                s.standard.empty() ? usual.standard : s.standard, s.include_directories},
                               headers, told);
      };
    options.name = request.name.empty() ? model.default_name() : request.name;
    options.objective = request.objective;
    options.max_ram = request.max_ram;
    options.reuse_inputs = request.reuse_inputs;
    options.codegens = own.set->order;
    options.owner = own.set;
    options.origins = own.set->origins;
    options.model_file = model.impl().file;
    options.limits = {own.choice.seconds, own.choice.memory};
    options.check_sources = own.choice.check_sources;
    options.partition = request.partition;
    options.rewrites.off = request.no_optimise;
    options.progress = request.progress;
    options.cancelled = own.choice.cancelled;
    options.step_table = has_step_table(out);
    auto library = compile_model(model.impl().graph, options, diags);
    pass_on(own, diags);
    if (!library || !check_cancelled(options, diags) || !write_library(*library, out, false, diags)) return failure;
    return std::move(library->interface);
  });
}

}  // namespace byoc
