#include "sdk/run/host/loaded_model.hpp"

#include <new>
#include <vector>

#include "sdk/library/pack/manifest.hpp"
#include "sdk/run/host/devices.hpp"

namespace byoc {

calls::Find runtime::functions_of(const LoadedModule& module, Diagnostics& diags) {
  return [&module, &diags](const std::string& name) -> void* {
    const auto function = module.function(name, Lookup::own, diags);
    return function ? reinterpret_cast<void*>(function->as<void()>()) : nullptr;
  };
}

Result<void> LoadedModel::Impl::load(Diagnostics& diags) {
  const calls::Find find = runtime::functions_of(module, diags);
  std::vector<calls::BufferNeed> workspaces{{interface.workspace_bytes, interface.workspace_align}};
  for (const PoolWorkspace& w : interface.further_workspaces) workspaces.push_back({w.bytes, w.align});
  constexpr std::size_t kMost = calls::ModelFunctions::kMostWorkspaces;
  if (workspaces.size() > kMost)
    return diags.error(path, interface.prefix, "the model has more workspaces than a host can give it",
                       std::to_string(workspaces.size()), "at most " + std::to_string(kMost));
  try {
    if (const auto error =
            functions.load(find, interface.prefix, {interface.instance_bytes, interface.instance_align}, workspaces))
      return said(error, diags);
  } catch (const std::bad_alloc&) {
    return diags.error(path, interface.prefix, "there is not enough memory for the model's workspace",
                       std::to_string(interface.all_workspace_bytes() + interface.instance_bytes) + " bytes");
  }
  if (interface.devices.empty()) return {};
  set_devices = reinterpret_cast<decltype(set_devices)>(find(interface.prefix + "_set_devices"));
  return set_devices == nullptr ? failure : Result<void>();
}

// A function that is missing was said already.
Result<void> LoadedModel::Impl::said(const std::optional<calls::CallError>& error, Diagnostics& diags) const {
  if (!error) return {};
  if (!error->status) return failure;
  const RunFailure* known = interface.failure_of(std::int64_t{*error->status});
  return diags.error(path, error->function, known == nullptr ? "the model failed" : known->text,
                     "code " + std::to_string(*error->status), "0");
}

Result<runtime::Addresses> LoadedModel::Impl::addresses(std::span<const byoc_dl_tensor_t* const> inputs,
                                                        std::span<byoc_dl_tensor_t* const> outputs,
                                                        Diagnostics& diags) const {
  const ModelInterface& m = interface;
  if (inputs.size() != m.inputs.size() || outputs.size() != m.outputs.size())
    return diags.error(path, m.prefix, "wrong number of tensors",
                       std::to_string(inputs.size()) + " inputs, " + std::to_string(outputs.size()) + " outputs",
                       std::to_string(m.inputs.size()) + " and " + std::to_string(m.outputs.size()));
  runtime::Addresses out;
  const std::size_t before = diags.count();
  const auto add = [&](const byoc_dl_tensor_t* tensor, const IoTensor& expected, std::vector<void*>& to) {
    const auto address = runtime::address_of(tensor, expected, path, diags);
    to.push_back(address ? *address : nullptr);
  };
  for (std::size_t i = 0; i < inputs.size(); ++i) add(inputs[i], m.inputs[i], out.inputs);
  for (std::size_t i = 0; i < outputs.size(); ++i) add(outputs[i], m.outputs[i], out.outputs);
  if (diags.count() != before) return failure;
  return out;
}

LoadedModel::LoadedModel(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

const ModelInterface& LoadedModel::interface() const { return impl_->interface; }
const std::string& LoadedModel::target() const { return impl_->target; }
const LoadedModule& LoadedModel::module() const { return impl_->module; }

Result<LoadedModel> LoadedModel::of(const LoadedModule& module, Diagnostics& diags) {
  const std::string manifest = module.manifest();
  if (manifest.empty()) {
    std::string models;
    for (const LoadedModule& m : module.imports())
      if (!m.manifest().empty()) models += (models.empty() ? "" : ", ") + m.name();
    return diags.error(
        module.path(), {},
        models.empty() ? "is a library without a model" : "holds several models, and one is run at a time", models,
        models.empty() ? "what byoc export wrote" : "the library of one");
  }
  auto model = read_manifest(manifest, module.path(), diags);
  if (!model) return failure;
  auto impl = std::make_shared<Impl>(module);
  impl->interface = std::move(model->interface);
  impl->target = std::move(model->target.name);
  impl->path = module.path();
  if (!impl->load(diags)) return failure;
  return LoadedModel(std::move(impl));
}

Result<LoadedModel> LoadedModel::open(const std::string& path, Diagnostics& diags,
                                      const std::vector<std::string>& libraries) {
  const auto module = load_module(path, {}, diags, libraries);
  if (!module) return failure;
  return of(*module, diags);
}

Result<LoadedModel> LoadedModel::another(Diagnostics& diags) const { return of(impl_->module, diags); }

Result<void> LoadedModel::run(std::span<const byoc_dl_tensor_t* const> inputs,
                              std::span<byoc_dl_tensor_t* const> outputs, Diagnostics& diags) {
  const auto addresses = impl_->addresses(inputs, outputs, diags);
  return addresses ? impl_->said(impl_->run(*addresses), diags) : failure;
}

Result<void> LoadedModel::set_threads(const byoc_threads_t* threads, Diagnostics& diags) {
  const auto handles = runtime::handles_of(impl_->interface.devices, threads, impl_->path, diags);
  if (!handles) return failure;
  impl_->set_devices(impl_->functions.instance(), handles->data());
  return {};
}

Result<void> LoadedModel::reset(Diagnostics& diags) { return impl_->said(impl_->functions.reset(), diags); }

}  // namespace byoc
