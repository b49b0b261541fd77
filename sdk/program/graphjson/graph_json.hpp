// graph.json: the steps of a model as a graph executor goes through them, in the format of TVM 0.15 that no longer
// changes. docs/formats.md has the facts.
//
//   {"nodes": [{"op": "null", "name", "inputs": []} |
//              {"op": "tvm_op", "name", "attrs": {"func_name", "num_inputs", "num_outputs", "flatten_data", ...},
//               "inputs": [[node, output, version] ...]} ...],
//    "arg_nodes": [node ...], "heads": [[node, output, version] ...], "node_row_ptr": [entry ...],
//    "attrs": {"shape": ["list_shape", [[...] ...]], "storage_id": ["list_int", [...]], "dltype": ["list_str", [...]],
//              "device_index": ["list_int", [...]], "storage_scope": ["list_str", [...]], ...},
//    "metadata": anything}
//
// Each output of a node is an entry, number node_row_ptr[node] + output. Entries with one storage id share memory.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "sdk/base/support/diagnostics.hpp"
#include "sdk/base/support/json.hpp"
#include "sdk/program/graphjson/packed_type.hpp"

namespace byoc {

struct GraphJsonRef {
  std::uint32_t node = 0;
  std::uint32_t output = 0;
  std::uint32_t version = 0;
  bool operator==(const GraphJsonRef&) const = default;
};

// Built in: its output is its input with another shape, in the same storage.
inline constexpr const char* kNopFunction = "__nop";
// Built in: copies its input.
inline constexpr const char* kCopyFunction = "__copy";

struct GraphJsonNode {
  std::string name;
  std::string function;  // "": a null node, which is an input or a parameter and has one output
  std::vector<GraphJsonRef> inputs;
  std::uint32_t outputs = 1;
  bool flatten = false;                           // operands are given with one dimension
  std::map<std::string, std::string> attrs = {};  // of a function, besides what is above: "hash"
  std::vector<std::uint32_t> control_deps = {};   // nodes before it
  [[nodiscard]] bool is_null() const { return function.empty(); }
};

struct GraphJsonEntry {
  std::vector<std::int64_t> shape;
  byoc_dl_data_type_t type{};
  std::uint32_t storage = 0;  // id
};

struct GraphJson {
  std::vector<GraphJsonNode> nodes;
  std::vector<std::uint32_t> arguments;  // null nodes, in the order of the inputs
  std::vector<GraphJsonRef> heads;       // the outputs
  std::vector<GraphJsonEntry> entries;
  std::vector<std::uint32_t> first_entry;        // of each node, and behind the last
  std::vector<std::int64_t> devices = {};        // of each entry; empty: not said
  std::vector<std::string> scopes = {};          // the same
  std::map<std::string, SortedJson> attrs = {};  // those that nobody knows, as they were
  Json metadata = {};                            // null: none

  [[nodiscard]] std::uint32_t entry(const GraphJsonRef& r) const { return first_entry[r.node] + r.output; }
  // The name of an entry, "conv1" or "conv1.1".
  [[nodiscard]] std::string entry_name(std::uint32_t entry) const;
  [[nodiscard]] std::uint32_t node_of(std::uint32_t entry) const;
  [[nodiscard]] std::uint64_t entry_bytes(std::uint32_t entry) const;  // of a graph that was checked
};

// Errors, all that can be found at once: no JSON, deeper or larger than such a file is, a field that is missing,
// unknown or of another type, and those of check_graph_json().
[[nodiscard]] Result<GraphJson> read_graph_json(std::string_view text, const std::string& file, Diagnostics&);

// Errors, all of them: an input of a node that is not before it, or that does not exist; arguments and heads likewise;
// tables of another length than there are entries; shapes and element types without an end; two nodes of one name; a
// storage in which two entries are needed at a time; built-in functions with other operands than they take.
Result<void> check_graph_json(const GraphJson&, const std::string& file, Diagnostics&);

// The text of a graph is unique; it has a line for each node.
[[nodiscard]] std::string write_graph_json(const GraphJson&);

// The first and last node that use each entry: -1 if it is there before the first node, the number of nodes if it is
// needed after the last.
struct EntryLife {
  std::int64_t first = 0;
  std::int64_t last = 0;
};
[[nodiscard]] std::vector<EntryLife> entry_lives(const GraphJson&);

// For each entry, the first entry with the same bytes: an output of __nop has those of its input. So has an output of
// the last reader of an input of the same storage, shape and type, which writes in place.
[[nodiscard]] std::vector<std::uint32_t> entry_classes(const GraphJson&);

// Bytes of each storage, by id: the largest of its entries.
[[nodiscard]] std::map<std::uint32_t, std::uint64_t> storage_bytes(const GraphJson&);

}  // namespace byoc
