// A graph becomes memory, tensors and calls with their arguments.
#include <algorithm>

#include "sdk/base/support/json.hpp"
#include "sdk/base/support/json_fields.hpp"
#include "sdk/run/host/devices.hpp"
#include "sdk/run/host/graph_calls.hpp"
#include "sdk/run/host/graph_executor.hpp"

namespace byoc::runtime {
namespace {

using Impl = GraphExecutor::Impl;

constexpr std::uint64_t kMostAlign = 4096;  // a page

}  // namespace

Result<OwnFacts> own_facts(const GraphJson& graph, const std::string& file, Diagnostics& diags) {
  OwnFacts out;
  out.inputs = graph.arguments.size();
  if (!graph.metadata.is_object() || !graph.metadata.contains("byoc")) return out;
  const std::uint64_t least = out.align;
  try {
    const auto& own = graph.metadata.at("byoc");
    if (own.contains("align")) out.align = whole_number(own.at("align"));
    if (own.contains("inputs")) out.inputs = whole_number(own.at("inputs"));
    out.states = own.value("states", out.states);
    out.instance = own.value("instance", out.instance);
    out.failures = own.value("failures", out.failures);
    if (own.contains("devices"))
      for (const auto& at : own.at("devices").value(kThreads, Json::array())) out.threads.push_back(whole_number(at));
  } catch (const nlohmann::json::exception&) {
    return diags.error(file, "metadata", "is not as byoc writes it");
  }
  if (out.align < least || out.align > kMostAlign || (out.align & (out.align - 1)) != 0)
    return diags.error(file, "metadata", "has an alignment that is out of range", std::to_string(out.align),
                       "a power of two from 64 to 4096");
  if (out.inputs > graph.arguments.size())
    return diags.error(file, "metadata", "has more inputs than the graph", std::to_string(out.inputs),
                       std::to_string(graph.arguments.size()));
  return out;
}

namespace {

Result<void> make_calls(const GraphSource& source, Impl& out, Diagnostics& diags) {
  GraphCalls made = graph_calls(out.graph, 0);
  out.entries = std::move(made.entries);
  out.nodes = std::move(made.nodes);
  std::vector<void*> buffers;
  for (const auto& [id, bytes] : storage_bytes(out.graph)) buffers.push_back(out.memory->storage(id));
  const auto find = [&](const std::string& name) {
    return source.functions ? reinterpret_cast<void*>(source.functions(name)) : nullptr;
  };
  const auto missing = out.packed.load(find, std::move(made.tensors), std::move(made.calls), buffers);
  for (const std::size_t call : missing) {
    const GraphJsonNode& node = out.graph.nodes[out.nodes[call]];
    diags.error(out.file, node.name, "the library has no such function", node.function);
  }
  return missing.empty() ? Result<void>() : failure;
}

// Parameters that are part of a library, by a function that older ones have: (storage id) -> their address.
void link_params(const GraphSource& source, Impl& out) {
  const byoc_packed_function_t find = source.functions ? source.functions("_lookup_linked_param") : nullptr;
  if (find == nullptr) return;
  for (std::size_t i = 0; i < out.graph.arguments.size(); ++i) {
    const std::uint32_t e = out.input_entry(i);
    byoc_packed_value_t arg, result;
    arg.v_int = out.graph.entries[e].storage;
    result.v_handle = nullptr;
    std::int32_t code = BYOC_PACKED_ARG_INT, result_code = BYOC_PACKED_ARG_NULL;
    if (find(&arg, &code, 1, &result, &result_code, nullptr) != 0) continue;
    if (result_code != BYOC_PACKED_ARG_HANDLE || result.v_handle == nullptr) continue;
    if (out.is_written(e))
      std::copy_n(static_cast<const std::byte*>(result.v_handle), out.graph.entry_bytes(e), out.bytes(e).data());
    else
      out.place(e, result.v_handle);
  }
}

void describe_ends(Impl& out) {
  for (std::size_t i = 0; i < out.graph.arguments.size(); ++i) {
    out.inputs.push_back(out.describe(out.input_entry(i)));
    out.by_name[out.inputs.back().name] = i;
  }
  for (std::size_t i = 0; i < out.graph.heads.size(); ++i) out.outputs.push_back(out.describe(out.output_entry(i)));
}

Result<void> take_threads(Impl& out, const OwnFacts& own, Diagnostics& diags) {
  if (own.threads.empty()) return {};
  const auto instance = out.by_name.find(own.instance);
  const std::uint64_t bytes = instance == out.by_name.end() ? 0 : out.inputs[instance->second].bytes;
  for (const std::uint64_t offset : own.threads)
    if (bytes < sizeof(void*) || offset > bytes - sizeof(void*))
      return diags.error(out.file, "metadata", "has a handle of threads outside of the instance",
                         std::to_string(offset), "an offset into " + std::to_string(bytes) + " bytes");
  out.instance = out.input_entry(instance->second);
  out.threads = own.threads;
  return {};
}

}  // namespace

Result<std::shared_ptr<Impl>> make_graph_executor(const GraphSource& source, GraphJson graph, Diagnostics& diags) {
  auto out = std::make_shared<Impl>();
  out->file = source.name;
  out->json = source.json;
  out->graph = std::move(graph);
  out->library = source.library;
  const auto own = own_facts(out->graph, out->file, diags);
  if (!own) return failure;
  out->model_inputs = own->inputs;
  out->failures = own->failures;
  auto memory = GraphMemory::create(out->graph, own->align, out->file, diags);
  if (!memory) return failure;
  out->memory = std::move(*memory);
  out->classes = entry_classes(out->graph);
  if (!make_calls(source, *out, diags)) return failure;
  describe_ends(*out);
  link_params(source, *out);
  if (!take_threads(*out, *own, diags)) return failure;
  for (const std::string& state : own->states) {
    const auto found = out->by_name.find(state);
    if (found == out->by_name.end()) return diags.error(out->file, "metadata", "names a state that is no input", state);
    const std::uint32_t e = out->input_entry(found->second);
    const auto now = out->bytes(e);
    out->states.emplace_back(e, std::vector<std::byte>(now.begin(), now.end()));
  }
  return out;
}

}  // namespace byoc::runtime
