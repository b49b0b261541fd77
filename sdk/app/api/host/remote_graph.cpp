#include "sdk/app/api/host/remote_graph.hpp"

#include <map>

#include "sdk/base/support/name_table.hpp"
#include "sdk/program/graphjson/params.hpp"
#include "sdk/run/host/graph_executor.hpp"

namespace byoc::api {
namespace {

class RemoteGraphMaker {
 public:
  RemoteGraphMaker(const GraphJson& graph, const runtime::OwnFacts& own, const std::string& file, Diagnostics& diags)
      : graph_(graph), own_(own), file_(file), diags_(diags) {}

  Result<RemoteGraph> run(std::span<const std::byte> params) {
    if (!read(params) || !add_ends()) return failure;
    out_.calls.graph = remote::PackedGraph();
    add_storage();
    add_tensors();
    for (std::size_t i = 0; i < inputs_.size(); ++i) copy(end(i, inputs_[i]), inputs_[i]);
    for (std::uint32_t n = 0; n < graph_.nodes.size(); ++n) add_call(n);
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
  void add_storage() {
    const auto first = static_cast<std::uint32_t>(inputs_.size() + graph_.heads.size());
    for (const auto& [id, bytes] : storage_bytes(graph_)) {
      storage_[id] = first + static_cast<std::uint32_t>(out_.calls.workspaces.size());
      out_.calls.workspaces.push_back({bytes, static_cast<std::uint32_t>(own_.align)});
    }
    for (const auto& [e, bytes] : given_) {
      out_.calls.graph->contents.push_back({storage_.at(graph_.entries[e].storage), {}});
      out_.contents.push_back(bytes);
    }
  }

  // One tensor for each entry, with the entry's number.
  void add_tensors() {
    for (const GraphJsonEntry& e : graph_.entries) (void)add_tensor(storage_.at(e.storage), e.type, e.shape);
  }

  std::uint32_t add_tensor(std::uint32_t buffer, const byoc_dl_data_type_t& type, std::vector<std::int64_t> shape) {
    auto& tensors = out_.calls.graph->tensors;
    tensors.push_back({buffer, type.code, type.bits, type.lanes, std::move(shape)});
    return static_cast<std::uint32_t>(tensors.size() - 1);
  }

  // An input or output of the client's, with the type of an entry.
  std::uint32_t end(std::size_t buffer, std::uint32_t e) {
    return add_tensor(static_cast<std::uint32_t>(buffer), graph_.entries[e].type, graph_.entries[e].shape);
  }

  void copy(std::uint32_t from, std::uint32_t to) { out_.calls.graph->calls.push_back({{}, {from, to}}); }

  void add_call(std::uint32_t n) {
    const GraphJsonNode& node = graph_.nodes[n];
    if (node.is_null() || node.function == kNopFunction) return;
    std::vector<std::uint32_t> operands;
    for (const GraphJsonRef& r : node.inputs) operands.push_back(graph_.entry(r));
    for (std::uint32_t k = 0; k < node.outputs; ++k) operands.push_back(graph_.first_entry[n] + k);
    if (node.function == kCopyFunction) return copy(operands[0], operands[1]);
    if (node.flatten)
      for (std::uint32_t& operand : operands) {
        const GraphJsonEntry& e = graph_.entries[operand];
        std::int64_t elements = 1;
        for (const std::int64_t d : e.shape) elements *= d;
        operand = add_tensor(storage_.at(e.storage), e.type, {elements});
      }
    out_.calls.graph->calls.push_back({node.function, std::move(operands)});
  }

  const GraphJson& graph_;
  const runtime::OwnFacts& own_;
  const std::string& file_;
  Diagnostics& diags_;
  std::map<std::uint32_t, std::span<const std::byte>> given_;  // entries that are parameters
  std::vector<std::uint32_t> inputs_;                          // entries
  std::map<std::uint32_t, std::uint32_t> storage_;             // id -> buffer
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
