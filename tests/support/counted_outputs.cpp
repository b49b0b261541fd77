#include "tests/support/counted_outputs.hpp"

#include "sdk/model/evaluate/value.hpp"
#include "sdk/run/simulate/actual_outputs.hpp"
#include "sdk/run/values/bounded_values.hpp"
#include "tests/support/tensors.hpp"

namespace byoc::test {
namespace {

using evaluate::Tensor;

std::vector<IoTensor> tensors_of(const ir::Graph& graph, const std::vector<ir::ValueId>& side) {
  std::vector<IoTensor> out;
  for (const ir::ValueId v : side) {
    IoTensor& t = out.emplace_back();
    const ir::TensorType& type = graph.values[v].type;
    t.name = graph.values[v].name;
    t.dtype = type.dtype;
    if (!type.is_static()) continue;
    t.dims = *type.dims;
    t.bytes = type.bytes();
  }
  return out;
}

ModelInterface interface_of(const ir::Graph& graph) {
  ModelInterface model;
  model.inputs = tensors_of(graph, graph.inputs);
  model.outputs = tensors_of(graph, graph.outputs);
  for (const ir::CountedDim& c : graph.counted) model.outputs[c.output].counted.push_back({c.dim, c.count});
  model.bounded = graph.bounded;
  return model;
}

HostValue host_value(const Tensor& t) {
  HostValue out{.dtype = t.type.dtype};
  if (t.type.is_tensor()) {
    out.dims = *t.type.dims;
    out.bytes.assign(t.bytes.bytes().begin(), t.bytes.bytes().end());
    if (t.texts) out.texts = *t.texts;
    return out;
  }
  const bool is_sequence = t.type.container == ir::Container::sequence;
  out.kind = is_sequence ? HostValue::Kind::sequence : HostValue::Kind::optional;
  for (const Tensor& item : *t.items) out.items.push_back(host_value(item));
  return out;
}

Tensor tensor(const HostValue& v, const BoundedValue& as) {
  if (v.kind == HostValue::Kind::tensor) {
    if (v.dtype == DType::string) return evaluate::tensor_of(v.dims, v.texts);
    return {{v.dtype, v.dims}, Blob::own(v.bytes)};
  }
  std::vector<Tensor> items;
  for (const HostValue& item : v.items) items.push_back(tensor(item, as));
  if (v.kind == HostValue::Kind::sequence) return evaluate::sequence_of(v.dtype, std::move(items));
  ir::TensorType type{as.dtype, std::nullopt};
  if (as.is_sequence) type.container = ir::Container::sequence;
  return evaluate::optional_of(type, items.empty() ? std::nullopt : std::optional(items[0]));
}

}  // namespace

std::string without_room(const ir::Graph& graph, std::vector<Tensor>& outputs) {
  if (graph.counted.empty() && graph.bounded.empty()) return "";
  const ModelInterface model = interface_of(graph);
  std::vector<std::vector<std::byte>> buffers;
  for (const Tensor& t : outputs) buffers.emplace_back(t.bytes.bytes().begin(), t.bytes.bytes().end());
  Diagnostics diags;
  auto actual = actual_outputs(model, std::move(buffers), diags);
  if (!actual) return error_text(diags);
  std::vector<std::vector<std::int64_t>> dims;
  buffers.clear();
  for (ActualOutput& a : *actual) {
    dims.push_back(std::move(a.dims));
    buffers.push_back(std::move(a.bytes));
  }
  const std::vector<Tensor> all = std::move(outputs);
  outputs.clear();
  for (const BoundedValue& own : own_values(model, true)) {
    const auto value = gather_value(model, own, dims, buffers, diags);
    if (!value) return error_text(diags);
    outputs.push_back(tensor(*value, own));
    if (outputs.back().type.is_tensor() && !own.is_text())
      outputs.back().type.quantisation = all[own.first].type.quantisation;
  }
  return "";
}

std::string with_room(const ir::Graph& graph, std::vector<Tensor>& inputs) {
  if (graph.bounded.empty()) return "";
  const ModelInterface model = interface_of(graph);
  const std::vector<BoundedValue> own = own_values(model, false);
  if (own.size() != inputs.size())
    return std::to_string(inputs.size()) + " inputs, the model has " + std::to_string(own.size());
  std::vector<std::vector<std::byte>> buffers(model.inputs.size());
  Diagnostics diags;
  for (std::size_t i = 0; i < own.size(); ++i)
    if (!spread_value(model, own[i], host_value(inputs[i]), buffers, diags)) return error_text(diags);
  inputs.clear();
  for (std::size_t i = 0; i < buffers.size(); ++i)
    inputs.push_back({graph.values[graph.inputs[i]].type, Blob::own(std::move(buffers[i]))});
  return "";
}

}  // namespace byoc::test
