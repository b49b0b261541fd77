#include "network.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

namespace onednn {
namespace {

std::uint64_t round_up(std::uint64_t n, std::uint64_t multiple) { return (n + multiple - 1) / multiple * multiple; }

bool is_image(std::int32_t kind) {
  return kind >= ONEDNN_CONVOLUTION && kind <= ONEDNN_AVERAGE_PADDED && kind != ONEDNN_DENSE;
}

// Whether channels last are other bytes than row-major.
bool differs(const Value& v) { return v.dims.size() == 4 && v.dims[1] != 1 && v.dims[2] * v.dims[3] != 1; }

View image(const Dims& d, bool graph_channels_last, bool stored_channels_last) {
  const Dims n = graph_channels_last ? Dims{d[0], d[3], d[1], d[2]} : d;
  if (graph_channels_last || stored_channels_last) return {n, {n[1] * n[2] * n[3], 1, n[3] * n[1], n[1]}};
  return {n, {n[1] * n[2] * n[3], n[2] * n[3], n[3], 1}};
}

std::vector<float> floats(const Value& v) {
  std::vector<float> out(v.data.size() / sizeof(float));
  std::memcpy(out.data(), v.data.data(), out.size() * sizeof(float));
  return out;
}

std::vector<std::byte> to_bytes(const std::vector<float>& v) {
  const auto bytes = std::as_bytes(std::span(v));
  return {bytes.begin(), bytes.end()};
}

// A convolution with the normalisation behind it is a convolution with other weights and another bias.
void fold(const Region& region, const Node& norm, Operation& op) {
  const std::vector<float> scale = floats(region.values[norm.inputs[1]]);
  const std::vector<float> shift = floats(region.values[norm.inputs[2]]);
  const std::vector<float> mean = floats(region.values[norm.inputs[3]]);
  const std::vector<float> variance = floats(region.values[norm.inputs[4]]);
  const Layer& layer = op.layer;
  std::vector<float> weights = floats(region.values[layer.weights]);
  std::vector<float> bias(scale.size(), 0.0F);
  if (layer.bias != kNoValue) bias = floats(region.values[layer.bias]);
  const std::size_t each = weights.size() / scale.size();  // OIHW: an output channel is in one piece
  for (std::size_t c = 0; c < scale.size(); ++c) {
    const double factor =
        static_cast<double>(scale[c]) / std::sqrt(static_cast<double>(variance[c]) + static_cast<double>(op.epsilon));
    for (std::size_t i = 0; i < each; ++i)
      weights[c * each + i] = static_cast<float>(static_cast<double>(weights[c * each + i]) * factor);
    bias[c] = static_cast<float>((static_cast<double>(bias[c]) - static_cast<double>(mean[c])) * factor +
                                 static_cast<double>(shift[c]));
  }
  const auto channels = static_cast<std::int64_t>(bias.size());
  op.constants = {{kNoValue, to_bytes(weights), layer.filter}, {kNoValue, to_bytes(bias), {{channels}, {1}}}};
}

// oneDNN's own layouts round channels up to whole vectors.
std::uint64_t weights_bytes(const Dims& filter) {
  std::uint64_t elements = 1;
  const bool dense = filter.size() == 2;
  const std::size_t out = dense ? 0 : 1;
  const bool depthwise = !dense && filter[1] == 1 && filter[2] == 1;
  for (std::size_t i = 0; i < filter.size(); ++i) {
    const auto n = static_cast<std::uint64_t>(filter[i]);
    elements *= depthwise && i == 0          ? round_up(n, 16)
                : !depthwise && i == out     ? round_up(n, dense ? 64 : 32)
                : !depthwise && i == out + 1 ? round_up(n, 16)
                                             : n;
  }
  return elements * sizeof(float);
}

class Builder {
 public:
  explicit Builder(const Region& region) : region_(region) {
    for (std::size_t i = 0; i < region.inputs.size(); ++i) add(region.inputs[i], false, ONEDNN_INPUT, i);
    for (std::size_t i = 0; i < region.outputs.size(); ++i) add(region.outputs[i], false, ONEDNN_OUTPUT, i);
  }

  Network build() {
    for (Layer& layer : layers()) append(std::move(layer));
    return std::move(network_);
  }

 private:
  // What was granted as one, and the other nodes, by the place of their last node.
  std::vector<Layer> layers() const {
    std::vector<bool> grouped(region_.nodes.size(), false);
    std::map<NodeId, Layer> by_last;
    const auto read = [&](const std::vector<NodeId>& nodes) {
      by_last.emplace(nodes.back(), std::get<Layer>(read_layer(region_, nodes)));
    };
    for (const byoc::codegen::GrantedGroup& g : region_.groups) {
      for (const NodeId n : g.nodes) grouped[n] = true;
      read(g.nodes);
    }
    for (NodeId n = 0; n < region_.nodes.size(); ++n)
      if (!grouped[n]) read({n});
    std::vector<Layer> out;
    for (auto& [last, layer] : by_last) out.push_back(std::move(layer));
    return out;
  }

  std::size_t add(ValueId value, bool channels_last, std::int32_t place, std::size_t at) {
    network_.tensors.push_back({value, channels_last, place, at, 0, region_.values[value].bytes()});
    return tensors_[{value, channels_last}] = network_.tensors.size() - 1;
  }

  bool exists(ValueId v, bool channels_last) const { return v != kNoValue && written_.contains({v, channels_last}); }

  // The value in a layout, brought into it if it is there in the other one only.
  std::size_t read(ValueId v, bool channels_last) {
    if (!differs(region_.values[v])) channels_last = false;
    const bool is_input = std::find(region_.inputs.begin(), region_.inputs.end(), v) != region_.inputs.end();
    if (exists(v, channels_last) || (is_input && !channels_last)) return tensors_.at({v, channels_last});
    return reorder(tensors_.at({v, !channels_last}), write(v, channels_last));
  }

  std::size_t write(ValueId v, bool channels_last) {
    written_[{v, channels_last}] = true;
    const auto at = tensors_.find({v, channels_last});
    return at != tensors_.end() ? at->second : add(v, channels_last, ONEDNN_WORKSPACE, 0);
  }

  std::size_t reorder(std::size_t from, std::size_t to) {
    Operation op;
    op.layer.kind = ONEDNN_REORDER;
    op.input = from;
    op.output = to;
    const Tensor& t = network_.tensors[to];
    op.layer.output = t.value;
    op.input_view = image(region_.values[t.value].dims, false, !t.channels_last);
    op.output_view = image(region_.values[t.value].dims, false, t.channels_last);
    network_.operations.push_back(std::move(op));
    return to;
  }

  bool wants_channels_last(const Layer& layer) const {
    if (layer.kind == ONEDNN_DENSE) return false;
    if (is_image(layer.kind) && layer.kind != ONEDNN_NORMALISATION) return !layer.channels_last;
    return exists(layer.input, true) || exists(layer.second, true);
  }

  View view(const Layer& layer, std::size_t tensor, bool is_output) const {
    const Tensor& t = network_.tensors[tensor];
    const Value& v = region_.values[t.value];
    // Where both layouts are the same bytes, oneDNN is told the one that it has kernels for.
    if (is_image(layer.kind)) return image(v.dims, layer.channels_last, t.channels_last || !differs(v));
    if (layer.kind != ONEDNN_DENSE) return {{v.elements()}, {1}};
    const std::int64_t columns = layer.filter.dims[is_output ? 0 : 1];
    return {{v.elements() / columns, columns}, {columns, 1}};
  }

  void add_constants(Operation& op) const {
    const Layer& layer = op.layer;
    if (layer.norm != byoc::codegen::kNoNode) {
      const Node& norm = region_.nodes[layer.norm];
      op.epsilon = norm.real("epsilon", 1e-5F);
      if (layer.kind == ONEDNN_CONVOLUTION) {
        fold(region_, norm, op);
      } else {
        const View vector{{region_.values[norm.inputs[1]].elements()}, {1}};
        for (const std::size_t i : {3u, 4u, 1u, 2u}) op.constants.push_back({norm.inputs[i], {}, vector});
      }
    } else if (layer.weights != kNoValue) {
      op.constants.push_back({layer.weights, {}, layer.filter});
      if (layer.bias != kNoValue)
        op.constants.push_back({layer.bias, {}, {{region_.values[layer.bias].elements()}, {1}}});
    }
    if (layer.weights != kNoValue) op.weights_bytes = weights_bytes(layer.filter.dims);
  }

  void append(Layer layer) {
    const bool channels_last = wants_channels_last(layer);
    Operation op;
    op.input = read(layer.input, channels_last);
    if (layer.second != kNoValue) op.second = read(layer.second, channels_last);
    const bool last = channels_last && differs(region_.values[layer.output]);
    op.output = write(layer.output, last);
    op.input_view = view(layer, op.input, false);
    op.output_view = view(layer, op.output, true);
    op.layer = std::move(layer);
    add_constants(op);
    const ValueId output = op.layer.output;
    const std::size_t made = op.output;
    network_.operations.push_back(std::move(op));
    const auto& outputs = region_.outputs;
    if (last && std::find(outputs.begin(), outputs.end(), output) != outputs.end()) reorder(made, write(output, false));
  }

  const Region& region_;
  Network network_;
  std::map<std::pair<ValueId, bool>, std::size_t> tensors_;
  std::map<std::pair<ValueId, bool>, bool> written_;
};

}  // namespace

Network make_network(const Region& region) { return Builder(region).build(); }

std::uint64_t pack(Network& network) {
  struct Life {
    std::size_t first = kNoTensor, last = 0;
  };
  std::vector<Life> lives(network.tensors.size());
  for (std::size_t i = 0; i < network.operations.size(); ++i) {
    const Operation& op = network.operations[i];
    for (const std::size_t t : {op.input, op.second, op.output}) {
      if (t == kNoTensor) continue;
      lives[t].first = std::min(lives[t].first, i);
      lives[t].last = i;
    }
  }
  std::uint64_t bytes = 0;
  std::vector<std::size_t> placed;
  for (std::size_t t = 0; t < network.tensors.size(); ++t) {
    Tensor& tensor = network.tensors[t];
    if (tensor.place != ONEDNN_WORKSPACE) continue;
    // The lowest gap between those that are alive at the same time.
    std::vector<const Tensor*> others;
    for (const std::size_t p : placed)
      if (lives[p].first <= lives[t].last && lives[t].first <= lives[p].last) others.push_back(&network.tensors[p]);
    std::sort(others.begin(), others.end(), [](const Tensor* a, const Tensor* b) { return a->offset < b->offset; });
    for (const Tensor* other : others) {
      if (tensor.offset + tensor.bytes <= other->offset) break;
      tensor.offset = std::max(tensor.offset, round_up(other->offset + other->bytes, kAlign));
    }
    bytes = std::max(bytes, tensor.offset + tensor.bytes);
    placed.push_back(t);
  }
  return bytes;
}

}  // namespace onednn
