#include "sdk/run/host/loaded_model.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "sdk/library/pack/manifest.hpp"
#include "sdk/run/host/devices.hpp"

namespace byoc {

runtime::Memory::Memory(std::uint64_t bytes, std::uint32_t align)
    : align_(static_cast<std::align_val_t>(std::max<std::uint32_t>(align, 16))),
      data_(::operator new(static_cast<std::size_t>(std::max<std::uint64_t>(bytes, 1)), align_)) {
  std::memset(data_, 0, static_cast<std::size_t>(bytes));
}

// More arguments than a function has are not seen by it, in every calling convention of the hosts that there are.
std::int32_t runtime::Call::operator()() const {
  using Any = std::int32_t(void*, void*, void*, void*, void*, void*, void*);
  const auto& a = arguments;
  return reinterpret_cast<Any*>(function)(a[0], a[1], a[2], a[3], a[4], a[5], a[6]);
}

LoadedModel::Impl::~Impl() {
  if (ready && deinit != nullptr) deinit(instance->data());
}

Result<void> LoadedModel::Impl::find_functions(Diagnostics& diags) {
  const auto find = [&](const char* name) -> void* {
    const auto function = module.function(interface.prefix + name, Lookup::own, diags);
    return function ? reinterpret_cast<void*>(function->as<void()>()) : nullptr;
  };
  run = find("_run");
  if (run == nullptr) return failure;
  if (interface.instance_bytes == 0) return {};
  for (const auto& [name, to] : {std::pair("_init", &init), {"_reset", &reset}, {"_deinit", &deinit}}) {
    *to = reinterpret_cast<OfInstance*>(find(name));
    if (*to == nullptr) return failure;
  }
  if (interface.devices.empty()) return {};
  set_devices = reinterpret_cast<decltype(set_devices)>(find("_set_devices"));
  return set_devices == nullptr ? failure : Result<void>();
}

Result<void> LoadedModel::Impl::make_memory(Diagnostics& diags) {
  using runtime::Memory;
  constexpr std::size_t kMost = runtime::kMostFurtherWorkspaces;
  if (interface.further_workspaces.size() > kMost)
    return diags.error(path, interface.prefix, "the model has more workspaces than a host can give it",
                       std::to_string(interface.further_workspaces.size() + 1), "at most " + std::to_string(kMost + 1));
  try {
    workspaces.push_back(std::make_unique<Memory>(interface.workspace_bytes, interface.workspace_align));
    for (const PoolWorkspace& w : interface.further_workspaces)
      workspaces.push_back(std::make_unique<Memory>(w.bytes, w.align));
    if (interface.instance_bytes != 0)
      instance = std::make_unique<Memory>(interface.instance_bytes, interface.instance_align);
  } catch (const std::bad_alloc&) {
    return diags.error(path, interface.prefix, "there is not enough memory for the model's workspace",
                       std::to_string(interface.all_workspace_bytes() + interface.instance_bytes) + " bytes");
  }
  if (init == nullptr) return {};
  if (const std::int32_t status = init(instance->data()); status != 0) return failed("_init", status, diags);
  ready = true;
  return {};
}

Failure LoadedModel::Impl::failed(const char* function, std::int32_t status, Diagnostics& diags) const {
  return diags.error(path, interface.prefix + function, "the model failed", "code " + std::to_string(status), "0");
}

Result<runtime::Call> LoadedModel::Impl::prepare(std::span<const byoc_dl_tensor_t* const> inputs,
                                                 std::span<byoc_dl_tensor_t* const> outputs, Diagnostics& diags) const {
  const ModelInterface& m = interface;
  if (inputs.size() != m.inputs.size() || outputs.size() != m.outputs.size())
    return diags.error(path, m.prefix, "wrong number of tensors",
                       std::to_string(inputs.size()) + " inputs, " + std::to_string(outputs.size()) + " outputs",
                       std::to_string(m.inputs.size()) + " and " + std::to_string(m.outputs.size()));
  runtime::Call call;
  const std::size_t before = diags.count();
  const auto add = [&](const byoc_dl_tensor_t* tensor, const IoTensor& expected, std::vector<void*>& to) {
    const auto address = runtime::address_of(tensor, expected, path, diags);
    to.push_back(address ? *address : nullptr);
  };
  for (std::size_t i = 0; i < inputs.size(); ++i) add(inputs[i], m.inputs[i], call.inputs);
  for (std::size_t i = 0; i < outputs.size(); ++i) add(outputs[i], m.outputs[i], call.outputs);
  if (diags.count() != before) return failure;
  call.function = run;
  std::size_t next = 0;
  if (instance) call.arguments[next++] = instance->data();
  call.arguments[next++] = call.inputs.data();
  call.arguments[next++] = call.outputs.data();
  for (const auto& w : workspaces) call.arguments[next++] = w->data();
  return call;
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
  if (!impl->find_functions(diags) || !impl->make_memory(diags)) return failure;
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
  auto call = impl_->prepare(inputs, outputs, diags);
  if (!call) return failure;
  const std::int32_t status = (*call)();
  if (status != 0) return impl_->failed("_run", status, diags);
  return {};
}

Result<void> LoadedModel::set_threads(const byoc_threads_t* threads, Diagnostics& diags) {
  const auto handles = runtime::handles_of(impl_->interface.devices, threads, impl_->path, diags);
  if (!handles) return failure;
  impl_->set_devices(impl_->instance->data(), handles->data());
  return {};
}

Result<void> LoadedModel::reset(Diagnostics& diags) {
  if (!impl_->instance) return {};
  const std::int32_t status = impl_->reset(impl_->instance->data());
  if (status != 0) return impl_->failed("_reset", status, diags);
  return {};
}

}  // namespace byoc
