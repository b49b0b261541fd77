// The implementation of a GraphExecutor. Internal to this folder.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "byoc/graph_executor.hpp"
#include "sdk/program/graphjson/graph_json.hpp"
#include "sdk/program/graphjson/params.hpp"
#include "sdk/run/calls/packed_calls.hpp"
#include "sdk/run/host/graph_memory.hpp"

namespace byoc {

struct __attribute__((visibility("hidden"))) GraphExecutor::Impl {
  std::string file;
  std::string json;
  GraphJson graph;
  std::shared_ptr<const void> library;
  std::shared_ptr<runtime::GraphMemory> memory;
  std::vector<std::shared_ptr<const void>> kept;  // whose parameters these are, too
  std::vector<std::uint32_t> classes;             // entry_classes(graph)
  calls::PackedCalls packed;                      // its tensors begin with those of the entries
  std::vector<std::uint32_t> entries;             // of each of its tensors
  std::vector<std::uint32_t> nodes;               // of each of its calls
  std::vector<GraphTensor> inputs, outputs;
  std::size_t model_inputs = 0;
  std::map<std::string, std::size_t> by_name;                            // of inputs
  std::vector<std::pair<std::uint32_t, std::vector<std::byte>>> states;  // entries, and what they are at the start
  std::uint32_t instance = 0;                                            // an entry, where there are `threads`
  std::vector<std::uint64_t> threads;                                    // offsets of their handle in it
  std::map<std::string, std::string> failures;                           // why nodes fail, by their names

  [[nodiscard]] std::uint32_t input_entry(std::size_t input) const;
  [[nodiscard]] std::uint32_t output_entry(std::size_t output) const { return graph.entry(graph.heads[output]); }
  [[nodiscard]] GraphTensor describe(std::uint32_t entry) const;
  [[nodiscard]] std::span<std::byte> bytes(std::uint32_t entry) const;
  // Moves the entry, and all entries that are the same bytes, to `data`.
  void place(std::uint32_t entry, void* data);
  // True if a node writes in place of this input.
  [[nodiscard]] bool is_written(std::uint32_t entry) const;
  Result<void> run(std::size_t call, Diagnostics& diags);
};

namespace runtime {

// Metadata in byoc's own files; every member has a default, for files of others.
struct OwnFacts {
  std::uint64_t align = 64;  // of storage
  std::size_t inputs = 0;    // that are the model's, of the arguments
  std::vector<std::string> states;
  std::string instance;
  std::vector<std::uint64_t> threads;  // offsets of their handle in it
  std::map<std::string, std::string> failures;
};
// Errors: metadata that is not as byoc writes it.
[[nodiscard]] Result<OwnFacts> own_facts(const GraphJson& graph, const std::string& file, Diagnostics&);

// Storage, tensors and calls of `graph`, which was checked. Errors: those of GraphExecutor::create().
[[nodiscard]] Result<std::shared_ptr<GraphExecutor::Impl>> make_graph_executor(const GraphSource& source,
                                                                               GraphJson graph, Diagnostics&);

}  // namespace runtime
}  // namespace byoc
