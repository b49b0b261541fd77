// Flavour "graph": the layers of a region as a constant that the plug-in's own runtime reads, and one step for it.
#include <cstring>

#include "emit.hpp"

namespace onednn {
namespace {

onednn_tensor_t tensor(const View& view, std::int32_t place, std::uint64_t at) {
  onednn_tensor_t out{};
  out.place = place;
  out.rank = static_cast<std::int32_t>(view.dims.size());
  out.at = static_cast<std::int64_t>(at);
  std::copy(view.dims.begin(), view.dims.end(), out.dims);
  std::copy(view.strides.begin(), view.strides.end(), out.strides);
  return out;
}

onednn_tensor_t tensor(const View& view, const Tensor& t) {
  return tensor(view, t.place, t.place == ONEDNN_WORKSPACE ? t.offset : t.at);
}

// `constants` grows by the symbols of the layer's.
onednn_graph_layer_t serialise(const Operation& op, const Network& network, std::uint64_t weights_at,
                               std::size_t first_constant) {
  const Layer& l = op.layer;
  onednn_graph_layer_t out{};
  out.kind = l.kind;
  out.activation = l.activation;
  out.low = l.low;
  out.high = l.high;
  out.epsilon = op.epsilon;
  out.input = tensor(op.input_view, network.tensors[op.input]);
  if (op.second != kNoTensor) out.second = tensor(op.output_view, network.tensors[op.second]);
  out.output = tensor(op.output_view, network.tensors[op.output]);
  for (std::size_t i = 0; i < op.constants.size(); ++i)
    out.constants[i] = tensor(op.constants[i].view, ONEDNN_CONSTANT, first_constant + i);
  for (std::size_t i = 0; i < 2; ++i) {
    out.strides[i] = l.strides[i];
    out.dilations[i] = l.dilations[i] - 1;
    out.begin[i] = l.begin[i];
    out.end[i] = l.end[i];
    out.kernel[i] = l.kernel[i];
  }
  out.weights_at = weights_at;
  out.weights_bytes = op.weights_bytes;
  return out;
}

void append(std::vector<std::byte>& out, const void* data, std::size_t size) {
  const auto* bytes = static_cast<const std::byte*>(data);
  out.insert(out.end(), bytes, bytes + size);
}

std::string pointers(const std::string& type, const std::string& name, const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) text += (text.empty() ? "" : ", ") + item;
  return "    " + type + name + "[] = {" + (text.empty() ? "NULL" : text) + "};\n";
}

}  // namespace

void emit_graph(const Request& request, Host& host, std::vector<Network>& networks) {
  const Instance instance(networks);
  std::string text = instance.c_type();
  std::string open;
  std::string functions;
  for (std::size_t r = 0; r < networks.size(); ++r) {
    const Region& region = request.regions[r];
    Network& network = networks[r];
    const std::uint64_t workspace = pack(network);
    const onednn_graph_t header{ONEDNN_GRAPH_MAGIC, static_cast<std::uint32_t>(network.operations.size()),
                                sizeof(onednn_graph_layer_t)};
    std::vector<std::byte> graph;
    append(graph, &header, sizeof header);
    std::vector<std::string> symbols;
    Step step;
    for (std::size_t i = 0; i < network.operations.size(); ++i) {
      const Operation& op = network.operations[i];
      const onednn_graph_layer_t layer = serialise(op, network, instance.weights_at(r, i), symbols.size());
      append(graph, &layer, sizeof layer);
      for (const Constant& c : op.constants) symbols.push_back(constant(host, region, c));
      step.nodes.insert(step.nodes.end(), op.layer.nodes.begin(), op.layer.nodes.end());
      step.macs += op.layer.macs;
    }
    byoc::codegen::ConstantDecl decl;
    decl.symbol = host.claim("onednn_graph");
    decl.align = static_cast<std::uint32_t>(kAlign);
    decl.model_data = false;
    host.constant(decl, graph);

    const std::string layers = "&state->context, &state->layers[" + std::to_string(instance.first_layer(r)) + "]";
    open += "  {\n" + pointers("const void *const ", "constants", symbols) + "    ONEDNN_TRY(onednn_graph_open(" +
            decl.symbol + ", constants, " + layers + ", (uint8_t *)state));\n  }\n";
    std::vector<std::string> inputs;
    std::vector<std::string> outputs;
    for (std::size_t i = 0; i < region.inputs.size(); ++i) {
      step.inputs.push_back({region.inputs[i]});
      inputs.push_back("in" + std::to_string(i));
    }
    for (std::size_t i = 0; i < region.outputs.size(); ++i) {
      step.outputs.push_back({region.outputs[i]});
      outputs.push_back("out" + std::to_string(i));
    }
    step.kernel = "onednn_graph";
    step.symbol = host.claim("onednn_region");
    step.uses_instance = true;
    if (workspace != 0) step.workspaces = {{workspace, static_cast<std::uint32_t>(kAlign), {}}};
    functions += '\n';
    functions += byoc::c_prototype(region, step) + " {\n  state_t *const state = (state_t *)instance;\n  {\n" +
                 pointers("const void *const ", "inputs", inputs) + pointers("void *const ", "outputs", outputs) +
                 "    return onednn_graph_run(" + decl.symbol + ", " + layers + ", inputs, outputs, " +
                 (workspace != 0 ? "(uint8_t *)ws0" : "NULL") + ");\n  }\n}\n";
    host.step(region, step);
    for (const Operation& op : network.operations) {
      tell_fused(host, region, op, region.outputs[0]);
      const bool leaves =
          std::find(region.outputs.begin(), region.outputs.end(), op.layer.output) != region.outputs.end();
      if (op.layer.kind != ONEDNN_REORDER && !leaves) host.fused(region, op.layer.output, region.outputs[0]);
    }
  }
  for (const RuntimeFile& f : kRuntimeFiles) {
    if (!f.name.ends_with(".c")) continue;
    byoc::codegen::SourceDecl decl;  // each file defines one function, named as it is
    decl.name = std::string(f.name.substr(0, f.name.size() - 2));
    decl.symbol = decl.name;
    decl.shared = true;
    host.source(decl, f.text);
  }
  instance.hand_over(host, text, open);
  hand_over_source(request, host, "onednn", "onednn_graph_runtime.h", text + functions);
}

}  // namespace onednn
