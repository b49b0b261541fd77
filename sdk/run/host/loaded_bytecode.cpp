#include "sdk/run/host/loaded_bytecode.hpp"

#include <algorithm>
#include <new>

#include "sdk/base/support/blob.hpp"
#include "sdk/base/support/file_kind.hpp"
#include "sdk/base/support/sha256.hpp"
#include "sdk/library/pack/manifest.hpp"
#include "sdk/library/weights/read.hpp"
#include "sdk/program/bytecode/file.hpp"
#include "sdk/run/host/devices.hpp"
#include "sdk/run/host/loadable.hpp"
#include "sdk/run/host/loaded_model.hpp"
#include "sdk/target/module/import_tree.hpp"

namespace byoc {
namespace {

// Null if the file is missing or is no bytecode.
std::shared_ptr<const MappedFile> bytecode_file(const std::string& path) {
  if (kind_of_file(path) != FileKind::other) return nullptr;
  Diagnostics ignored;
  auto file = MappedFile::open(path, ignored);
  return file && bytecode::is_bytecode((*file)->bytes()) ? *file : nullptr;
}

// Empty: neither the module nor one that it imports has any.
std::span<const std::byte> bytecode_of(const LoadedModule& root) {
  std::vector<LoadedModule> modules = root.imports();
  modules.insert(modules.begin(), root);
  for (const LoadedModule& m : modules)
    if (m.loader() == kVmLoader) return m.bytes();
  return {};
}

}  // namespace

LoadedBytecode::~LoadedBytecode() = default;

Result<std::unique_ptr<LoadedBytecode>> LoadedBytecode::make(bytecode::Module module, const std::string& file,
                                                             Diagnostics& diags) {
  std::unique_ptr<LoadedBytecode> out(new LoadedBytecode);
  if (!bytecode::verify(module, file, diags)) return failure;
  out->module_ = std::move(module);
  if (!out->start(file, nullptr, diags)) return failure;
  return out;
}

Result<void> LoadedBytecode::bind(const std::string& file, const std::string& weights, Diagnostics& diags) {
  if (weights.empty()) return {};
  if (!module_.binds_constants())
    return diags.error(file, "--weights", "has all its constants: none is to be bound", weights);
  const auto read = weights::read_weights(weights, diags);
  if (!read) return failure;
  std::string layouts;
  for (const weights::ReadBlob& blob : read->blobs) {
    if (blob.header.layout == module_.layout)
      return bytecode::bind_constants(module_, Blob::own({blob.payload.begin(), blob.payload.end()}), weights, diags);
    layouts += (layouts.empty() ? "" : ", ") + to_hex(blob.header.layout);
  }
  return diags.error(weights, {}, "has no weights for " + file, "layout " + layouts,
                     "layout " + to_hex(module_.layout));
}

Result<std::unique_ptr<LoadedBytecode>> LoadedBytecode::open(const std::string& path, const std::string& weights,
                                                             Diagnostics& diags) {
  if (const auto file = bytecode_file(path)) {
    std::unique_ptr<LoadedBytecode> out(new LoadedBytecode);
    auto module = bytecode::read(Blob::map(file, 0, file->bytes().size()), path, diags);
    if (!module) return failure;
    out->module_ = std::move(*module);
    if (!out->module_.prefix.empty())
      return diags.error(path, {}, "is bytecode for a kernel library, without the library", out->module_.prefix,
                         "the shared library that was exported with it");
    if (!out->bind(path, weights, diags) || !out->start(path, nullptr, diags)) return failure;
    return out;
  }
  auto library = load_module(path, {}, diags);
  if (!library) return failure;
  std::unique_ptr<LoadedBytecode> out(new LoadedBytecode);
  out->library_ = std::move(*library);
  const std::span<const std::byte> bytes = bytecode_of(*out->library_);
  if (bytes.empty()) return diags.error(path, {}, "has no bytecode", {}, "a library of --executor vm");
  const auto steps = out->library_->steps(diags);
  // The library keeps the bytes.
  auto module = steps ? bytecode::read(Blob::view(bytes, nullptr), path, diags) : Result<bytecode::Module>(failure);
  if (!module) return failure;
  out->module_ = std::move(*module);
  if (!out->bind(path, weights, diags) || !out->start(path, &*steps, diags)) return failure;
  return out;
}

Result<std::unique_ptr<LoadedBytecode>> LoadedBytecode::read(const std::string& path, Diagnostics& diags) {
  std::unique_ptr<LoadedBytecode> out(new LoadedBytecode);
  Blob bytes;
  if (const auto file = bytecode_file(path)) {
    bytes = Blob::map(file, 0, file->bytes().size());
  } else {
    auto library = runtime::read_library(path, {}, diags);
    if (!library) return failure;
    const auto kept = std::make_shared<const runtime::Loadable>(std::move(*library));
    for (const ImportNode& node : kept->nodes)
      if (node.loader == kVmLoader && bytes.size() == 0) bytes = Blob::view(node.bytes, kept);
    if (bytes.size() == 0) return diags.error(path, {}, "has no bytecode", {}, "a library of --executor vm");
  }
  auto module = bytecode::read(bytes, path, diags);
  if (!module) return failure;
  out->module_ = std::move(*module);
  return out;
}

Result<void> LoadedBytecode::start(const std::string& file, const LoadedSteps* steps, Diagnostics& diags) {
  file_ = file;
  std::optional<ModelInterface> model;
  if (library_ && !library_->manifest().empty()) {
    auto read = read_manifest(library_->manifest(), file_, diags);
    if (!read) return failure;
    model = std::move(read->interface);
  }
  if (!make_instance(model ? &*model : nullptr, diags)) return failure;
  if (steps != nullptr)
    table_ = {BYOC_STEP_TABLE_VERSION, static_cast<std::uint32_t>(steps->all().size()),   steps->all().data(),
              steps->moves().data(),   static_cast<std::uint32_t>(steps->moves().size()), 0};
  auto machine = bytecode::Machine::link(module_, steps == nullptr ? nullptr : &table_, instance_.data(), file, diags);
  if (!machine) return failure;
  machine_ = std::move(*machine);
  if (model) tell_failures(*model);
  if (instance_.data() == nullptr) return {};
  return said(instance_.init(runtime::functions_of(*library_, diags), module_.prefix), diags);
}

// The library says how large its instance is, and the bytecode what it expects: no memory is taken for the word of one.
Result<void> LoadedBytecode::make_instance(const ModelInterface* model, Diagnostics& diags) {
  const std::uint64_t bytes = module_.instance_bytes;
  if (bytes == 0 || !library_) return {};
  const std::uint64_t stated = model == nullptr ? 0 : model->instance_bytes;
  if (stated < bytes)
    return diags.error(file_, module_.prefix, "the instance of the kernel library is smaller than the bytecode says",
                       std::to_string(stated) + " bytes", std::to_string(bytes) + " bytes");
  try {
    instance_.allocate({stated, model->instance_align});
  } catch (const std::bad_alloc&) {
    return diags.error(file_, module_.prefix, "there is not enough memory for the model's instance",
                       std::to_string(stated) + " bytes");
  }
  return {};
}

void LoadedBytecode::tell_failures(const ModelInterface& model) {
  std::vector<RunFailure> failures = model.failures;
  for (const StepInfo& s : model.steps) {
    if (!s.failure.empty() || s.nodes.empty()) continue;
    for (RunFailure& f : failures)
      if (f.symbol == s.symbol) f.symbol.clear();  // of control flow: returns codes of its own, and of its bodies
    failures.push_back({0, {}, s.symbol, s.nodes[0] + ", of codegen '" + s.codegen + "'"});
  }
  machine_->tell_failures(std::move(failures));
}

// A function that is missing was said already.
Result<void> LoadedBytecode::said(const std::optional<calls::CallError>& error, Diagnostics& diags) const {
  if (!error) return {};
  return error->status ? diags.error(file_, error->function, "failed", std::to_string(*error->status), "0") : failure;
}

Result<void> LoadedBytecode::set_threads(const byoc_threads_t* threads, Diagnostics& diags) {
  std::vector<std::string> devices;
  if (library_ && instance_.data() != nullptr) {
    const auto model = read_manifest(library_->manifest(), file_, diags);
    if (!model) return failure;
    devices = model->interface.devices;
  }
  const auto handles = runtime::handles_of(devices, threads, file_, diags);
  if (!handles) return failure;
  const auto set = library_->function(module_.prefix + "_set_devices", Lookup::own, diags);
  if (!set) return failure;
  set->as<void(void*, const void*)>()(instance_.data(), handles->data());
  return {};
}

Result<void> LoadedBytecode::reset(Diagnostics& diags) {
  machine_->reset();
  return said(instance_.reset(), diags);
}

bool has_bytecode(const std::string& path) {
  if (bytecode_file(path) != nullptr) return true;
  if (!is_library(kind_of_file(path))) return false;
  Diagnostics ignored;
  const auto library = runtime::read_library(path, {}, ignored);
  return library && std::any_of(library->nodes.begin(), library->nodes.end(),
                                [](const ImportNode& n) { return n.loader == kVmLoader; });
}

}  // namespace byoc
