#include "sdk/run/host/graph_executor.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "byoc/byoc.hpp"
#include "sdk/base/support/blob.hpp"
#include "sdk/run/host/devices.hpp"
#include "sdk/target/module/import_tree.hpp"

namespace byoc {
namespace {

using Impl = GraphExecutor::Impl;

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Result<void> check_index(const Impl& impl, const char* what, std::size_t index, std::size_t count, Diagnostics& diags) {
  if (index < count) return {};
  return diags.error(impl.file, {}, std::string("the graph has no such ") + what, std::to_string(index),
                     count == 0 ? "none" : "0 to " + std::to_string(count - 1));
}

Result<void> check_size(const Impl& impl, const GraphTensor& t, std::uint64_t bytes, Diagnostics& diags) {
  if (bytes == t.bytes) return {};
  return diags.error(impl.file, t.name, "the tensor is of another size", std::to_string(bytes) + " bytes",
                     std::to_string(t.bytes) + " bytes, " + shape_text(t.type, t.dims));
}

// A buffer of the caller's in place of ours.
Result<void> check_tensor(const Impl& impl, const GraphTensor& expected, const byoc_dl_tensor_t& t,
                          Diagnostics& diags) {
  const std::span<const std::int64_t> shape(t.shape, static_cast<std::size_t>(std::max(t.ndim, 0)));
  if (!same(t.dtype, expected.type) ||
      !std::equal(shape.begin(), shape.end(), expected.dims.begin(), expected.dims.end()))
    return diags.error(impl.file, expected.name, "the tensor is of another type or shape", shape_text(t.dtype, shape),
                       shape_text(expected.type, expected.dims));
  if (t.device.device_type != BYOC_DL_CPU)
    return diags.error(impl.file, expected.name, "the tensor is on a device that is not the CPU",
                       std::to_string(t.device.device_type));
  std::int64_t dense = 1;
  for (std::size_t d = shape.size(); d-- > 0; dense *= shape[d])
    if (t.strides != nullptr && shape[d] > 1 && t.strides[d] != dense)
      return diags.error(impl.file, expected.name, "the tensor has gaps", "a stride of " + std::to_string(t.strides[d]),
                         std::to_string(dense));
  const std::uint64_t align = std::min<std::uint64_t>(element_bytes(t.dtype), 8);
  if (t.data == nullptr ||
      (reinterpret_cast<std::uintptr_t>(t.data) + t.byte_offset) % std::max<std::uint64_t>(align, 1))
    return diags.error(impl.file, expected.name, "the tensor is at an address that its elements cannot have", {},
                       "a multiple of " + std::to_string(align));
  return {};
}

const LoadedModule* find_loader(const std::vector<LoadedModule>& modules, std::string_view loader) {
  const auto found =
      std::find_if(modules.begin(), modules.end(), [&](const LoadedModule& m) { return m.loader() == loader; });
  return found == modules.end() ? nullptr : &*found;
}

}  // namespace

std::uint32_t Impl::input_entry(std::size_t input) const { return graph.first_entry[graph.arguments[input]]; }

GraphTensor Impl::describe(std::uint32_t e) const {
  return {graph.entry_name(e), graph.entries[e].type, graph.entries[e].shape, graph.entry_bytes(e)};
}

std::span<std::byte> Impl::bytes(std::uint32_t e) const {
  return {static_cast<std::byte*>(packed.tensors()[e].data), graph.entry_bytes(e)};
}

void Impl::place(std::uint32_t entry, void* data) {
  for (std::size_t t = 0; t < entries.size(); ++t)
    if (classes[entries[t]] == classes[entry]) packed.tensors()[t].data = data;
}

bool Impl::is_written(std::uint32_t entry) const {
  for (std::uint32_t e = 0; e < classes.size(); ++e) {
    const GraphJsonNode& node = graph.nodes[graph.node_of(e)];
    if (e != entry && !node.is_null() && node.function != kNopFunction && classes[e] == classes[entry]) return true;
  }
  return std::any_of(states.begin(), states.end(), [&](const auto& s) { return s.first == entry; });
}

Result<void> Impl::run(std::size_t call, Diagnostics& diags) {
  const auto error = packed.run(call);
  if (!error) return {};
  const std::string& node = graph.nodes[nodes[call]].name;
  const auto known = failures.find(node);
  return diags.error(
      file, node, (known == failures.end() ? "" : known->second + ": ") + "function '" + error->function + "' failed",
      std::to_string(*error->status), "0");
}

GraphExecutor::GraphExecutor(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

Result<GraphExecutor> GraphExecutor::create(const GraphSource& source, Diagnostics& diags) {
  auto graph = read_graph_json(source.json, source.name, diags);
  if (!graph) return failure;
  auto impl = runtime::make_graph_executor(source, std::move(*graph), diags);
  if (!impl) return failure;
  return GraphExecutor(std::move(*impl));
}

Result<GraphExecutor> GraphExecutor::create(const LoadedModule& root, Diagnostics& diags) {
  std::vector<LoadedModule> modules = root.imports();
  modules.push_back(root);
  const LoadedModule* graph = find_loader(modules, kGraphLoader);
  if (graph == nullptr)
    return diags.error({}, root.name(), "the library has no graph", {}, "one that was exported with --executor graph");
  const auto functions = [&root](const std::string& name) -> byoc_packed_function_t {
    Diagnostics ignored;
    const auto found = root.function(name, Lookup::with_imports, ignored);
    return found ? found->as<std::int32_t(byoc_packed_value_t*, std::int32_t*, std::int32_t, byoc_packed_value_t*,
                                          std::int32_t*, void*)>()
                 : nullptr;
  };
  auto out = create(
      {graph->name(), std::string(text_of(graph->bytes())), functions, std::make_shared<const LoadedModule>(root)},
      diags);
  const LoadedModule* params = find_loader(modules, kParamsLoader);
  if (!out || (params != nullptr && !out->load_params(params->bytes(), diags, UnknownParams::error))) return failure;
  return out;
}

Result<GraphExecutor> GraphExecutor::open(const std::string& graph, const std::string& library,
                                          const std::string& params, Diagnostics& diags) {
  auto json = MappedFile::open(graph, diags);
  auto image = MappedFile::open(library, diags);
  if (!json || !image) return failure;
  // The library is opened by its file, not by its name: another file of this name is another library.
  const std::string name = "/proc/self/fd/" + std::to_string((*image)->fd());
  struct Library {
    std::shared_ptr<const MappedFile> file;
    void* handle;
    ~Library() { ::dlclose(handle); }
  };
  void* handle = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* why = ::dlerror();
    return diags.error(library, {}, std::string("cannot be loaded: ") + (why ? why : "no reason given"));
  }
  const auto owner = std::make_shared<const Library>(*image, handle);
  const auto functions = [handle](const std::string& function) {
    return reinterpret_cast<byoc_packed_function_t>(::dlsym(handle, function.c_str()));
  };
  auto out = create({graph, std::string(text_of((*json)->bytes())), functions, owner}, diags);
  if (!out || params.empty()) return out;
  auto file = MappedFile::open(params, diags);
  if (!file || !out->load_params((*file)->bytes(), diags)) return failure;
  return out;
}

const std::vector<GraphTensor>& GraphExecutor::inputs() const { return impl_->inputs; }
const std::vector<GraphTensor>& GraphExecutor::outputs() const { return impl_->outputs; }
std::size_t GraphExecutor::model_inputs() const { return impl_->model_inputs; }
const std::string& GraphExecutor::graph_json() const { return impl_->json; }
std::uint64_t GraphExecutor::memory_bytes() const { return impl_->memory->bytes(); }

Result<std::size_t> GraphExecutor::input(const std::string& name, Diagnostics& diags) const {
  const auto found = impl_->by_name.find(name);
  if (found != impl_->by_name.end()) return found->second;
  std::string known;
  for (const GraphTensor& t : impl_->inputs) known += (known.empty() ? "" : ", ") + t.name;
  return diags.error(impl_->file, {}, "the graph has no such input", "'" + name + "'", known.empty() ? "none" : known);
}

Result<void> GraphExecutor::set_input(std::size_t input, std::span<const std::byte> bytes, Diagnostics& diags) {
  if (!check_index(*impl_, "input", input, impl_->inputs.size(), diags) ||
      !check_size(*impl_, impl_->inputs[input], bytes.size(), diags))
    return failure;
  if (!bytes.empty()) std::memcpy(impl_->bytes(impl_->input_entry(input)).data(), bytes.data(), bytes.size());
  return {};
}

Result<void> GraphExecutor::set_input(const std::string& name, std::span<const std::byte> bytes, Diagnostics& diags) {
  const auto index = input(name, diags);
  return index ? set_input(*index, bytes, diags) : failure;
}

Result<void> GraphExecutor::set_input_zero_copy(std::size_t input, const byoc_dl_tensor_t& tensor, Diagnostics& diags) {
  if (!check_index(*impl_, "input", input, impl_->inputs.size(), diags) ||
      !check_tensor(*impl_, impl_->inputs[input], tensor, diags))
    return failure;
  const std::uint32_t e = impl_->input_entry(input);
  if (impl_->is_written(e))
    return diags.error(impl_->file, impl_->inputs[input].name, "the graph writes this input, which must be copied");
  impl_->place(e, static_cast<std::byte*>(tensor.data) + tensor.byte_offset);
  return {};
}

Result<void> GraphExecutor::set_input_zero_copy(const std::string& name, const byoc_dl_tensor_t& tensor,
                                                Diagnostics& diags) {
  const auto index = input(name, diags);
  return index ? set_input_zero_copy(*index, tensor, diags) : failure;
}

Result<void> GraphExecutor::set_output_zero_copy(std::size_t output, const byoc_dl_tensor_t& tensor,
                                                 Diagnostics& diags) {
  if (!check_index(*impl_, "output", output, impl_->outputs.size(), diags) ||
      !check_tensor(*impl_, impl_->outputs[output], tensor, diags))
    return failure;
  const std::uint32_t e = impl_->output_entry(output);
  if (impl_->graph.nodes[impl_->graph.node_of(impl_->classes[e])].is_null())
    return diags.error(impl_->file, impl_->outputs[output].name, "the output is an input, which must be copied");
  impl_->place(e, static_cast<std::byte*>(tensor.data) + tensor.byte_offset);
  return {};
}

Result<std::span<const std::byte>> GraphExecutor::get_input(std::size_t input, Diagnostics& diags) const {
  if (!check_index(*impl_, "input", input, impl_->inputs.size(), diags)) return failure;
  return std::span<const std::byte>(impl_->bytes(impl_->input_entry(input)));
}

Result<std::span<const std::byte>> GraphExecutor::get_output(std::size_t output, Diagnostics& diags) const {
  if (!check_index(*impl_, "output", output, impl_->outputs.size(), diags)) return failure;
  return std::span<const std::byte>(impl_->bytes(impl_->output_entry(output)));
}

namespace {

Result<void> check_param(const Impl& impl, const Param& p, std::uint32_t e, Diagnostics& diags) {
  const GraphJsonEntry& entry = impl.graph.entries[e];
  if (same(p.type, entry.type) && p.shape == entry.shape) return {};
  return diags.error(impl.file, p.name, "the parameter is of another type or shape", shape_text(p.type, p.shape),
                     shape_text(entry.type, entry.shape));
}

}  // namespace

Result<void> GraphExecutor::load_params(std::span<const std::byte> params, Diagnostics& diags, UnknownParams unknown) {
  const auto read = read_params(params, impl_->file, diags);
  if (!read) return failure;
  std::vector<std::pair<const Param*, std::uint32_t>> known;
  bool ok = true;
  for (const Param& p : *read) {
    const auto found = impl_->by_name.find(p.name);
    if (found != impl_->by_name.end()) {
      known.emplace_back(&p, impl_->input_entry(found->second));
      ok = bool(check_param(*impl_, p, known.back().second, diags)) && ok;
    } else if (unknown == UnknownParams::warn) {
      diags.warning(impl_->file, p.name, "the graph has no such parameter, which is left out");
    } else {
      diags.error(impl_->file, p.name, "the graph has no such parameter");
      ok = false;
    }
  }
  if (!ok) return failure;
  for (const auto& [p, e] : known) {
    // A state that is shared, or part of the library, is copied for this executor.
    if (!impl_->is_written(e)) impl_->place(e, impl_->memory->storage(impl_->graph.entries[e].storage));
    if (!p->bytes.empty()) std::memcpy(impl_->bytes(e).data(), p->bytes.data(), p->bytes.size());
    for (auto& [entry, start] : impl_->states)
      if (entry == e) start.assign(p->bytes.begin(), p->bytes.end());
  }
  return {};
}

Result<void> GraphExecutor::share_params(const GraphExecutor& source, std::span<const std::byte> params,
                                         Diagnostics& diags) {
  const auto read = read_params(params, impl_->file, diags);
  if (!read) return failure;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  bool ok = true;
  for (const Param& p : *read) {
    const auto own = input(p.name, diags), other = source.input(p.name, diags);
    if (!own || !other) return failure;
    const std::uint32_t e = impl_->input_entry(*own), from = source.impl_->input_entry(*other);
    pairs.emplace_back(e, from);
    ok = check_param(*impl_, p, e, diags) && check_param(*source.impl_, p, from, diags) && ok;
    if (ok && impl_->is_written(e)) {
      diags.error(impl_->file, p.name, "the graph writes this parameter, which cannot be shared");
      ok = false;
    }
  }
  if (!ok) return failure;
  for (const auto& [e, from] : pairs) impl_->place(e, source.impl_->bytes(from).data());
  impl_->kept.push_back(source.impl_->memory);
  impl_->kept.push_back(source.impl_->library);
  impl_->kept.insert(impl_->kept.end(), source.impl_->kept.begin(), source.impl_->kept.end());
  return {};
}

Result<void> GraphExecutor::run(Diagnostics& diags) {
  for (std::size_t c = 0; c < impl_->nodes.size(); ++c)
    if (!impl_->run(c, diags)) return failure;
  return {};
}

Result<void> GraphExecutor::run(const GraphObserver& observer, Diagnostics& diags) {
  for (std::size_t c = 0; c < impl_->nodes.size(); ++c) {
    if (!impl_->run(c, diags)) return failure;
    const std::uint32_t n = impl_->nodes[c];
    for (std::uint32_t k = 0; k < impl_->graph.nodes[n].outputs; ++k) {
      const std::uint32_t e = impl_->graph.first_entry[n] + k;
      observer(n, impl_->describe(e), impl_->bytes(e));
    }
  }
  return {};
}

Result<std::vector<std::uint64_t>> GraphExecutor::run_timed(Diagnostics& diags) {
  std::vector<std::uint64_t> out(impl_->graph.nodes.size());
  for (std::size_t c = 0; c < impl_->nodes.size(); ++c) {
    const auto start = std::chrono::steady_clock::now();
    if (!impl_->run(c, diags)) return failure;
    const auto taken = std::chrono::steady_clock::now() - start;
    out[impl_->nodes[c]] =
        static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(taken).count());
  }
  return out;
}

Result<void> GraphExecutor::set_threads(const byoc_threads_t* threads, Diagnostics& diags) {
  const std::vector<std::string> devices(impl_->threads.empty() ? 0 : 1, runtime::kThreads);
  const auto handles = runtime::handles_of(devices, threads, impl_->file, diags);
  if (!handles) return failure;
  for (const std::uint64_t offset : impl_->threads) {
    std::memcpy(impl_->bytes(impl_->instance).data() + offset, handles->data(), sizeof(void*));
    for (auto& [e, start] : impl_->states)
      if (e == impl_->instance) std::memcpy(start.data() + offset, handles->data(), sizeof(void*));
  }
  return {};
}

void GraphExecutor::reset() {
  for (const auto& [e, start] : impl_->states) std::copy(start.begin(), start.end(), impl_->bytes(e).begin());
}

}  // namespace byoc
