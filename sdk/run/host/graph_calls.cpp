#include "sdk/run/host/graph_calls.hpp"

#include <functional>
#include <numeric>

namespace byoc::runtime {
namespace {

// One dimension instead of the entry's.
std::uint32_t flat(std::uint32_t entry, const GraphJson& graph, GraphCalls& out) {
  calls::PackedTensor tensor = out.tensors[entry];
  const std::vector<std::int64_t>& shape = graph.entries[entry].shape;
  tensor.shape = {std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>())};
  out.tensors.push_back(std::move(tensor));
  out.entries.push_back(entry);
  return static_cast<std::uint32_t>(out.tensors.size() - 1);
}

}  // namespace

calls::PackedTensor packed_tensor(std::uint32_t buffer, const GraphJsonEntry& entry) {
  return {buffer, entry.type.code, entry.type.bits, entry.type.lanes, entry.shape};
}

GraphCalls graph_calls(const GraphJson& graph, std::uint32_t first_buffer) {
  GraphCalls out;
  std::map<std::uint32_t, std::uint32_t> buffers;
  for (const auto& [id, bytes] : storage_bytes(graph))
    buffers.emplace(id, first_buffer + static_cast<std::uint32_t>(buffers.size()));
  for (const GraphJsonEntry& e : graph.entries) {
    out.entries.push_back(static_cast<std::uint32_t>(out.tensors.size()));
    out.tensors.push_back(packed_tensor(buffers.at(e.storage), e));
  }
  for (std::uint32_t n = 0; n < graph.nodes.size(); ++n) {
    const GraphJsonNode& node = graph.nodes[n];
    if (node.is_null() || node.function == kNopFunction) continue;
    const bool copies = node.function == kCopyFunction;
    calls::PackedCall call{copies ? "" : node.function, {}};
    for (const GraphJsonRef& r : node.inputs) call.tensors.push_back(graph.entry(r));
    for (std::uint32_t k = 0; k < node.outputs; ++k) call.tensors.push_back(graph.first_entry[n] + k);
    if (node.flatten && !copies)
      for (std::uint32_t& tensor : call.tensors) tensor = flat(tensor, graph, out);
    out.calls.push_back(std::move(call));
    out.nodes.push_back(n);
  }
  return out;
}

}  // namespace byoc::runtime
