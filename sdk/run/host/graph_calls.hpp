// A graph.json as packed calls one after the other.
#pragma once

#include <cstdint>
#include <vector>

#include "sdk/program/graphjson/graph_json.hpp"
#include "sdk/run/calls/packed_calls.hpp"

namespace byoc::runtime {

struct GraphCalls {
  std::vector<calls::PackedTensor> tensors;  // of each entry, by its number, then entries with one dimension
  std::vector<calls::PackedCall> calls;
  std::vector<std::uint32_t> entries;  // of each tensor
  std::vector<std::uint32_t> nodes;    // of each call
};

[[nodiscard]] calls::PackedTensor packed_tensor(std::uint32_t buffer, const GraphJsonEntry& entry);
// `graph` was checked. Its storages are the buffers from `first_buffer` on, in the order of storage_bytes().
[[nodiscard]] GraphCalls graph_calls(const GraphJson& graph, std::uint32_t first_buffer);

}  // namespace byoc::runtime
