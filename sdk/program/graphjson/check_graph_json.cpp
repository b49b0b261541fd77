// Checks the rules of graph.json, whoever wrote the file.
#include <algorithm>
#include <set>

#include "sdk/program/graphjson/graph_json.hpp"

namespace byoc {
namespace {

std::string text(const GraphJsonRef& r) { return "[" + std::to_string(r.node) + ", " + std::to_string(r.output) + "]"; }

class Checker {
 public:
  Checker(const GraphJson& graph, const std::string& file, Diagnostics& diags)
      : graph_(graph), file_(file), diags_(diags) {}

  Result<void> run() {
    const std::size_t before = diags_.errors();
    check_tables();
    // Beyond this point every entry of a node has a row in every table.
    if (diags_.errors() != before) return failure;
    std::set<std::string> names;
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      check_node(n);
      if (!names.insert(graph_.nodes[n].name).second) error(graph_.nodes[n].name, "two nodes have this name");
    }
    check_ends();
    check_entries();
    // Beyond this point every reference leads to an entry with a size.
    if (diags_.errors() != before) return failure;
    for (const GraphJsonNode& n : graph_.nodes) check_built_in(n);
    check_storage();
    return diags_.errors() == before ? Result<void>() : failure;
  }

 private:
  void error(const std::string& node, const std::string& what, const std::string& found = {},
             const std::string& expected = {}) {
    diags_.error(file_, node, what, found, expected);
  }

  void check_tables() {
    const std::size_t count = graph_.entries.size();
    if (graph_.first_entry.size() != graph_.nodes.size() + 1)
      return error("node_row_ptr", "has another length than there are nodes, and one more",
                   std::to_string(graph_.first_entry.size()), std::to_string(graph_.nodes.size() + 1));
    std::uint64_t next = 0;
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      if (graph_.first_entry[n] != next)
        return error("node_row_ptr", "of node '" + graph_.nodes[n].name + "' is not the sum of the outputs before it",
                     std::to_string(graph_.first_entry[n]), std::to_string(next));
      next += graph_.nodes[n].outputs;
    }
    if (graph_.first_entry.back() != next || count != next)
      return error("attrs", "tables and nodes have different numbers of entries",
                   std::to_string(count) + ", node_row_ptr " + std::to_string(graph_.first_entry.back()),
                   std::to_string(next));
    const auto check = [&](const char* name, std::size_t size) {
      if (size != 0 && size != count)
        error(name, "has another length than there are entries", std::to_string(size), std::to_string(count));
    };
    check("device_index", graph_.devices.size());
    check("storage_scope", graph_.scopes.size());
  }

  bool check_ref(const GraphJsonRef& r, std::size_t before, const std::string& where) {
    if (r.node >= before) {
      error(where,
            r.node < graph_.nodes.size() ? "refers to a node that is not before it"
                                         : "refers to a node that does not exist",
            text(r), "a node below " + std::to_string(before));
      return false;
    }
    if (r.output < graph_.nodes[r.node].outputs) return true;
    error(where, "refers to an output that node '" + graph_.nodes[r.node].name + "' does not have", text(r),
          "an output below " + std::to_string(graph_.nodes[r.node].outputs));
    return false;
  }

  void check_node(std::size_t n) {
    const GraphJsonNode& node = graph_.nodes[n];
    if (node.is_null() && !node.inputs.empty()) error(node.name, "a null node has inputs");
    if (node.name.empty()) error("nodes", "a node has no name", std::to_string(n));
    for (const GraphJsonRef& r : node.inputs) check_ref(r, n, node.name);
    for (const std::uint32_t d : node.control_deps)
      if (d >= n)
        error(node.name, "depends on a node that is not before it", std::to_string(d), "below " + std::to_string(n));
  }

  void check_ends() {
    std::set<std::uint32_t> seen;
    for (const std::uint32_t a : graph_.arguments) {
      if (a >= graph_.nodes.size() || !graph_.nodes[a].is_null())
        error("arg_nodes", a < graph_.nodes.size() ? "names a node that is no null node" : "names no node",
              std::to_string(a));
      else if (!seen.insert(a).second)
        error("arg_nodes", "names a node twice", graph_.nodes[a].name);
    }
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n)
      if (graph_.nodes[n].is_null() && !seen.contains(static_cast<std::uint32_t>(n)))
        error("arg_nodes", "does not have a null node", {}, graph_.nodes[n].name);
    for (const GraphJsonRef& r : graph_.heads) check_ref(r, graph_.nodes.size(), "heads");
  }

  void check_entries() {
    for (std::uint32_t e = 0; e < graph_.entries.size(); ++e) {
      const GraphJsonEntry& entry = graph_.entries[e];
      if (entry.type.code == BYOC_PACKED_HANDLE || !tensor_bytes(entry.type, entry.shape))
        error(graph_.entry_name(e), "has no size", shape_text(entry.type, entry.shape));
      if (!graph_.devices.empty() && graph_.devices[e] != BYOC_DL_CPU)
        error(graph_.entry_name(e), "is on a device that is not the CPU", std::to_string(graph_.devices[e]),
              std::to_string(BYOC_DL_CPU));
      if (!graph_.scopes.empty() && !graph_.scopes[e].empty() && graph_.scopes[e] != "global")
        error(graph_.entry_name(e), "is in a memory that is not the CPU's", graph_.scopes[e], "global");
    }
  }

  void check_built_in(const GraphJsonNode& node) {
    if (node.function != kNopFunction && node.function != kCopyFunction) return;
    if (node.inputs.size() != 1 || node.outputs != 1)
      return error(node.name, node.function + " takes one input and gives one output",
                   std::to_string(node.inputs.size()) + " and " + std::to_string(node.outputs));
    const auto out = graph_.first_entry[static_cast<std::size_t>(&node - graph_.nodes.data())];
    const std::uint32_t in = graph_.entry(node.inputs[0]);
    if (graph_.entry_bytes(in) != graph_.entry_bytes(out))
      error(node.name, node.function + " has an input and an output of different sizes",
            shape_text(graph_.entries[in].type, graph_.entries[in].shape),
            shape_text(graph_.entries[out].type, graph_.entries[out].shape));
    if (node.function == kNopFunction && graph_.entries[in].storage != graph_.entries[out].storage)
      error(node.name, "__nop has an input and an output in different storage",
            std::to_string(graph_.entries[in].storage) + " and " + std::to_string(graph_.entries[out].storage));
  }

  // Two that are needed at a time must not share memory, but where they are the same bytes.
  void check_storage() {
    const std::vector<std::uint32_t> classes = entry_classes(graph_);
    std::vector<EntryLife> lives = entry_lives(graph_);
    for (std::uint32_t e = 0; e < lives.size(); ++e) {
      EntryLife& whole = lives[classes[e]];
      whole = {std::min(whole.first, lives[e].first), std::max(whole.last, lives[e].last)};
    }
    std::map<std::uint32_t, std::vector<std::uint32_t>> by_storage;
    for (std::uint32_t e = 0; e < lives.size(); ++e)
      if (classes[e] == e && graph_.entry_bytes(e) != 0) by_storage[graph_.entries[e].storage].push_back(e);
    for (auto& [storage, all] : by_storage) {
      std::stable_sort(all.begin(), all.end(),
                       [&](std::uint32_t a, std::uint32_t b) { return lives[a].first < lives[b].first; });
      std::uint32_t latest = all.front();
      for (std::size_t i = 1; i < all.size(); ++i) {
        if (lives[all[i]].first <= lives[latest].last)
          error(graph_.entry_name(all[i]), "shares storage " + std::to_string(storage) + " with '" +
                                               graph_.entry_name(latest) + "', which is needed at the same time");
        if (lives[all[i]].last > lives[latest].last) latest = all[i];
      }
    }
  }

  const GraphJson& graph_;
  const std::string& file_;
  Diagnostics& diags_;
};

}  // namespace

std::uint32_t GraphJson::node_of(std::uint32_t e) const {
  return static_cast<std::uint32_t>(std::upper_bound(first_entry.begin(), first_entry.end(), e) - first_entry.begin() -
                                    1);
}

std::string GraphJson::entry_name(std::uint32_t e) const {
  const std::uint32_t n = node_of(e);
  return nodes[n].outputs == 1 ? nodes[n].name : nodes[n].name + "." + std::to_string(e - first_entry[n]);
}

std::uint64_t GraphJson::entry_bytes(std::uint32_t e) const {
  return tensor_bytes(entries[e].type, entries[e].shape).value_or(0);
}

Result<void> check_graph_json(const GraphJson& graph, const std::string& file, Diagnostics& diags) {
  return Checker(graph, file, diags).run();
}

std::vector<EntryLife> entry_lives(const GraphJson& graph) {
  const auto end = static_cast<std::int64_t>(graph.nodes.size());
  std::vector<EntryLife> out(graph.entries.size());
  for (std::uint32_t n = 0; n < graph.nodes.size(); ++n) {
    const std::int64_t first = graph.nodes[n].is_null() ? -1 : std::int64_t{n};
    for (std::uint32_t k = 0; k < graph.nodes[n].outputs; ++k) out[graph.first_entry[n] + k] = {first, first};
    for (const GraphJsonRef& r : graph.nodes[n].inputs) out[graph.entry(r)].last = n;
  }
  for (const GraphJsonRef& r : graph.heads) out[graph.entry(r)].last = end;
  return out;
}

std::vector<std::uint32_t> entry_classes(const GraphJson& graph) {
  const std::vector<EntryLife> lives = entry_lives(graph);
  std::vector<std::uint32_t> out(graph.entries.size());
  for (std::uint32_t n = 0; n < graph.nodes.size(); ++n) {
    const GraphJsonNode& node = graph.nodes[n];
    for (std::uint32_t k = 0; k < node.outputs; ++k) {
      const std::uint32_t e = graph.first_entry[n] + k;
      out[e] = e;
      for (const GraphJsonRef& r : node.inputs) {
        const std::uint32_t from = graph.entry(r);
        const GraphJsonEntry &a = graph.entries[from], &b = graph.entries[e];
        const bool identical = a.storage == b.storage && a.shape == b.shape && same(a.type, b.type);
        const bool is_view = node.function == kNopFunction && a.storage == b.storage;
        if (is_view || (identical && lives[from].last == std::int64_t{n})) out[e] = out[from];
      }
    }
  }
  return out;
}

std::map<std::uint32_t, std::uint64_t> storage_bytes(const GraphJson& graph) {
  std::map<std::uint32_t, std::uint64_t> out;
  for (std::uint32_t e = 0; e < graph.entries.size(); ++e) {
    std::uint64_t& bytes = out[graph.entries[e].storage];
    bytes = std::max(bytes, graph.entry_bytes(e));
  }
  return out;
}

}  // namespace byoc
