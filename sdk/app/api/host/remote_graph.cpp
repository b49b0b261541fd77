#include "sdk/app/api/host/remote_graph.hpp"

#include <algorithm>
#include <iterator>
#include <map>

#include "sdk/base/support/name_table.hpp"
#include "sdk/program/graphjson/params.hpp"
#include "sdk/run/host/graph_calls.hpp"
#include "sdk/run/host/graph_executor.hpp"

namespace byoc::api {
namespace {

class RemoteGraphMaker {
 public:
  RemoteGraphMaker(const GraphJson& graph, const runtime::OwnFacts& own, const std::string& file, Diagnostics& diags)
      : graph_(graph), own_(own), file_(file), diags_(diags) {}

  Result<RemoteGraph> run(std::span<const std::byte> params) {
    if (!read(params) || !add_ends()) return failure;
    const auto first_storage = static_cast<std::uint32_t>(inputs_.size() + graph_.heads.size());
    runtime::GraphCalls made = runtime::graph_calls(graph_, first_storage);
    out_.calls.graph = remote::PackedGraph{std::move(made.tensors), {}, {}};
    add_storage(first_storage);
    for (std::size_t i = 0; i < inputs_.size(); ++i) copy(end(i, inputs_[i]), inputs_[i]);
    std::ranges::move(made.calls, std::back_inserter(out_.calls.graph->calls));
    for (std::size_t i = 0; i < graph_.heads.size(); ++i) {
      const std::uint32_t e = graph_.entry(graph_.heads[i]);
      copy(e, end(inputs_.size() + i, e));
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::uint32_t argument(std::size_t i) const { return graph_.first_entry[graph_.arguments[i]]; }

  Result<void> read(std::span<const std::byte> params) {
    if (params.empty()) return {};
    const auto read = read_params(params, file_, diags_);
    if (!read) return failure;
    std::map<std::string, std::uint32_t> by_name;
    for (std::size_t i = 0; i < graph_.arguments.size(); ++i)
      by_name.emplace(graph_.entry_name(argument(i)), argument(i));
    const std::size_t before = diags_.errors();
    for (const Param& p : *read) {
      const auto found = by_name.find(p.name);
      if (found == by_name.end()) {
        diags_.error(file_, p.name, "the graph has no such parameter");
        continue;
      }
      const GraphJsonEntry& e = graph_.entries[found->second];
      if (!same(p.type, e.type) || p.shape != e.shape)
        diags_.error(file_, p.name, "the parameter is of another type or shape", shape_text(p.type, p.shape),
                     shape_text(e.type, e.shape));
      given_[found->second] = p.bytes;
    }
    return diags_.errors() == before ? Result<void>() : failure;
  }

  Result<IoTensor> tensor_of(std::uint32_t e) {
    const GraphJsonEntry& entry = graph_.entries[e];
    IoTensor out;
    out.name = graph_.entry_name(e);
    out.field = to_identifier(out.name);
    const auto type = element_type(entry.type);
    if (!type) return diags_.error(file_, out.name, "no tensor of a model is of this type", to_string(entry.type));
    out.dtype = *type;
    out.dims = entry.shape;
    out.bytes = graph_.entry_bytes(e);
    return out;
  }

  Result<void> add_ends() {
    for (std::size_t i = 0; i < own_.inputs; ++i)
      if (!given_.contains(argument(i))) inputs_.push_back(argument(i));
    const auto add = [&](std::uint32_t e, std::vector<IoTensor>& to, std::vector<remote::BufferNeed>& buffers) {
      auto tensor = tensor_of(e);
      if (tensor) to.push_back(std::move(*tensor));
      buffers.push_back({graph_.entry_bytes(e), 1});
      return bool(tensor);
    };
    bool ok = true;
    for (const std::uint32_t e : inputs_) ok = add(e, out_.interface.inputs, out_.calls.inputs) && ok;
    for (const GraphJsonRef& r : graph_.heads)
      ok = add(graph_.entry(r), out_.interface.outputs, out_.calls.outputs) && ok;
    return ok ? Result<void>() : failure;
  }

  // A workspace for each storage, with the parameters that lie there.
  void add_storage(std::uint32_t first) {
    std::map<std::uint32_t, std::uint32_t> buffers;  // of ids
    for (const auto& [id, bytes] : storage_bytes(graph_)) {
      buffers[id] = first + static_cast<std::uint32_t>(out_.calls.workspaces.size());
      out_.calls.workspaces.push_back({bytes, static_cast<std::uint32_t>(own_.align)});
    }
    for (const auto& [e, bytes] : given_) {
      out_.calls.graph->contents.push_back({buffers.at(graph_.entries[e].storage), {}});
      out_.contents.push_back(bytes);
    }
  }

  // An input or output of the client's, with the type of an entry.
  std::uint32_t end(std::size_t buffer, std::uint32_t e) {
    auto& tensors = out_.calls.graph->tensors;
    tensors.push_back(runtime::packed_tensor(static_cast<std::uint32_t>(buffer), graph_.entries[e]));
    return static_cast<std::uint32_t>(tensors.size() - 1);
  }

  void copy(std::uint32_t from, std::uint32_t to) { out_.calls.graph->calls.push_back({{}, {from, to}}); }

  const GraphJson& graph_;
  const runtime::OwnFacts& own_;
  const std::string& file_;
  Diagnostics& diags_;
  std::map<std::uint32_t, std::span<const std::byte>> given_;  // entries that are parameters
  std::vector<std::uint32_t> inputs_;                          // entries
  RemoteGraph out_;
};

}  // namespace

Result<RemoteGraph> remote_graph(const std::string& json, std::span<const std::byte> params, const std::string& file,
                                 Diagnostics& diags) {
  const auto graph = read_graph_json(json, file, diags);
  const auto own = graph ? runtime::own_facts(*graph, file, diags) : failure;
  if (!own) return failure;
  return RemoteGraphMaker(*graph, *own, file, diags).run(params);
}

}  // namespace byoc::api
