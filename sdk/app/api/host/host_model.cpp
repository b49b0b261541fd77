// Models that a host interprets.
#include "byoc/vm.hpp"

#include "sdk/app/api/handles.hpp"
#include "sdk/library/weights/intel_hex.hpp"
#include "sdk/library/weights/write.hpp"
#include "sdk/model/evaluate/value.hpp"
#include "sdk/program/bytecode/file.hpp"
#include "sdk/program/bytecode/lower.hpp"
#include "sdk/program/executor/executor.hpp"
#include "sdk/program/executor/vm/late_constants.hpp"
#include "sdk/run/host/loaded_bytecode.hpp"
#include "sdk/run/values/input_value.hpp"

namespace byoc {

struct BYOC_HIDDEN HostModel::Impl {
  std::unique_ptr<LoadedBytecode> loaded;
  std::optional<Model> model;  // whose files its constants are in
};

namespace {

using api::guarded;
using evaluate::Tensor;

HostValue::Kind kind_of(ir::Container c) {
  if (c == ir::Container::tensor) return HostValue::Kind::tensor;
  return c == ir::Container::sequence ? HostValue::Kind::sequence : HostValue::Kind::optional;
}

std::vector<ValueInfo> value_infos(const bytecode::Module& module, const std::vector<std::uint32_t>& types) {
  std::vector<ValueInfo> out;
  for (const std::uint32_t t : types) {
    const ir::Value& v = module.types.values[t];
    out.push_back({v.name, to_string(v.type, module.types), kind_of(v.type.container), v.type.dtype, v.type.dims});
  }
  return out;
}

// Converts a value of any kind; the machine checks whether it has the stated type.
Tensor to_tensor(const HostValue& value, const ir::TensorType& stated) {
  Tensor out;
  out.type.dtype = value.dtype;
  if (value.kind == HostValue::Kind::tensor) {
    if (value.dtype == DType::string) return evaluate::tensor_of(value.dims, value.texts);
    out.type.dims = value.dims;
    out.type.quantisation = stated.quantisation;
    out.bytes = Blob::view(value.bytes, nullptr);  // it outlives the run
    return out;
  }
  std::vector<Tensor> items;
  items.reserve(value.items.size());
  for (const HostValue& item : value.items) items.push_back(to_tensor(item, {}));
  out.items = std::make_shared<const std::vector<Tensor>>(std::move(items));
  // An empty sequence or optional does not say which type it could have.
  if (value.dtype == DType::undefined)
    out.type.dtype = out.items->empty() ? stated.dtype : out.items->front().type.dtype;
  const bool of_sequence =
      out.items->empty() ? stated.container == ir::Container::optional_sequence : !out.items->front().type.is_tensor();
  if (value.kind == HostValue::Kind::sequence)
    out.type.container = ir::Container::sequence;
  else
    out.type.container = of_sequence ? ir::Container::optional_sequence : ir::Container::optional;
  return out;
}

Result<void> check_loaded(const LoadedBytecode& loaded, Diagnostics& diags) {
  if (loaded.has_machine()) return {};
  return diags.error(loaded.module().name, {}, "was read, not loaded, and cannot run", "HostModel::read()",
                     "HostModel::open()");
}

HostValue to_value(const Tensor& tensor) {
  HostValue out;
  out.kind = kind_of(tensor.type.container);
  out.dtype = tensor.type.dtype;
  if (tensor.type.is_tensor()) out.dims = tensor.type.dims.value_or(std::vector<std::int64_t>{});
  out.bytes.assign(tensor.bytes.bytes().begin(), tensor.bytes.bytes().end());
  if (tensor.texts) out.texts = *tensor.texts;
  if (tensor.items)
    for (const Tensor& item : *tensor.items) out.items.push_back(to_value(item));
  return out;
}

}  // namespace

HostModel::HostModel(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

bool HostModel::is_one(const std::string& path) { return has_bytecode(path); }

Result<HostModel> HostModel::open(const std::string& path, Diagnostics& diags) { return open(path, {}, diags); }

Result<HostModel> HostModel::open(const std::string& path, const std::string& weights, Diagnostics& diags) {
  return guarded(diags, [&]() -> Result<HostModel> {
    auto loaded = LoadedBytecode::open(path, weights, diags);
    if (!loaded) return failure;
    return HostModel(std::make_shared<Impl>(Impl{std::move(*loaded), std::nullopt}));
  });
}

Result<HostModel> HostModel::read(const std::string& path, Diagnostics& diags) {
  return guarded(diags, [&]() -> Result<HostModel> {
    auto loaded = LoadedBytecode::read(path, diags);
    if (!loaded) return failure;
    return HostModel(std::make_shared<Impl>(Impl{std::move(*loaded), std::nullopt}));
  });
}

Result<HostModel> HostModel::interpret(const Model& model, Diagnostics& diags) {
  return guarded(diags, [&]() -> Result<HostModel> {
    const ir::Graph& graph = model.impl().graph;
    const auto none = [](const bytecode::NodeOf&) { return false; };
    auto lowered = bytecode::lower(graph, none, none);
    auto loaded = LoadedBytecode::make(std::move(lowered.module), graph.file, diags);
    if (!loaded || !check_unchanged(graph.files, diags)) return failure;
    return HostModel(std::make_shared<Impl>(Impl{std::move(*loaded), model}));
  });
}

std::vector<ValueInfo> HostModel::inputs() const {
  const bytecode::Module& m = impl_->loaded->module();
  return value_infos(m, m.functions[0].parameters);
}

std::vector<ValueInfo> HostModel::outputs() const {
  const bytecode::Module& m = impl_->loaded->module();
  return value_infos(m, m.functions[0].results);
}

Result<std::vector<HostValue>> HostModel::run(std::span<const HostValue> inputs, const HostLimits& limits,
                                              Diagnostics& diags) const {
  return guarded(diags, [&]() -> Result<std::vector<HostValue>> {
    if (!check_loaded(*impl_->loaded, diags)) return failure;
    const bytecode::Module& m = impl_->loaded->module();
    const auto& parameters = m.functions[0].parameters;
    std::vector<Tensor> tensors;
    tensors.reserve(inputs.size());
    for (std::size_t i = 0; i < inputs.size(); ++i)
      tensors.push_back(to_tensor(inputs[i], i < parameters.size() ? m.type(parameters[i]) : ir::TensorType{}));
    const auto results = impl_->loaded->machine().run(tensors, {limits.memory, limits.instructions}, diags);
    if (!results) return failure;
    std::vector<HostValue> out;
    for (const Tensor& t : *results) out.push_back(to_value(t));
    return out;
  });
}

Result<void> HostModel::set_threads(const byoc_threads_t* threads, Diagnostics& diags) const {
  return guarded(diags, [&]() -> Result<void> {
    if (!check_loaded(*impl_->loaded, diags)) return failure;
    return impl_->loaded->set_threads(threads, diags);
  });
}

Result<void> HostModel::reset(Diagnostics& diags) const {
  return guarded(diags, [&]() -> Result<void> {
    if (!check_loaded(*impl_->loaded, diags)) return failure;
    return impl_->loaded->reset(diags);
  });
}

std::string HostModel::text() const { return bytecode::disassemble(impl_->loaded->module()); }

std::vector<std::byte> HostModel::bytecode() const { return bytecode::write(impl_->loaded->module()); }

Result<HostModel::Detached> HostModel::detach(const WeightsOptions& options, Diagnostics& diags) const {
  return guarded(diags, [&]() -> Result<Detached> {
    bytecode::Module module = impl_->loaded->module();
    auto bound = executor::detach_constants(module, options.least);
    if (bound.constants.empty())
      return diags.error({}, "--weights-blob", "no constant of the model can leave the bytecode",
                         "none of " + std::to_string(options.least) + " bytes or more");
    const std::string model = module.name;
    auto file = weights::WeightsFile::make(std::move(bound), {model, {}, options.key, options.sequence}, diags);
    if (!file) return failure;
    Detached out{bytecode::write(module), file->bytes()};
    if (!options.file.ends_with(".hex")) return out;
    weights::IntelHexWriter hex(options.address);
    const std::string text = hex.add(out.weights) + hex.finish();
    const auto bytes = std::as_bytes(std::span(text));
    out.weights.assign(bytes.begin(), bytes.end());
    return out;
  });
}

Result<HostValue> read_value(const std::string& path, const ValueInfo& input, Diagnostics& diags) {
  return guarded(diags, [&] { return value_of_file(path, input, diags); });
}

}  // namespace byoc
