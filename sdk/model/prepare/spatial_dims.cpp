#include "sdk/model/prepare/spatial_dims.hpp"

#include <algorithm>
#include <numeric>

#include "sdk/model/prepare/node_writer.hpp"

namespace byoc {
namespace {

using Lengths = std::vector<std::int64_t>;
using ir::ValueId;

constexpr std::size_t kMostDims = 5;  // batch, channels and three spatial ones

// The window along one dim.
struct Along {
  std::int64_t kernel = 1, stride = 1, dilation = 1, before = 0, behind = 0;
};

class OneDimLess {
 public:
  OneDimLess(ir::Graph& graph, const ir::Node& node)
      : graph_(graph),
        node_(node),
        write_(graph, graph.nodes, node),
        x_(dims(node.inputs[0])),
        y_(dims(node.outputs[0])) {
    const std::size_t count = x_.size() - 2;
    const Lengths pads = node.integers("pads", Lengths(2 * count, 0));
    along_.kernel = node.integers("kernel_shape", Lengths(count, 1))[0];
    along_.stride = node.integers("strides", Lengths(count, 1))[0];
    along_.dilation = node.integers("dilations", Lengths(count, 1))[0];
    along_.before = pads[0];
    along_.behind = pads[count];
  }

  // True if the attributes have the right number of dims.
  static bool fits(const ir::Graph& graph, const ir::Node& node) {
    if (!node.domain.empty() || node.outputs.empty() || node.outputs[0] == ir::kNoValue) return false;
    const bool convolves = node.op == "Conv" || node.op == "ConvTranspose";
    const bool pools = node.op == "MaxPool" || node.op == "AveragePool" || node.op == "LpPool";
    if ((!convolves && !pools) || (node.outputs.size() > 1 && node.outputs[1] != ir::kNoValue)) return false;
    const ir::TensorType &x = graph.values[node.inputs[0]].type, &y = graph.values[node.outputs[0]].type;
    if (!x.is_static() || !y.is_static() || x.dims->size() <= kMostDims || x.quantisation || y.quantisation)
      return false;
    if (convolves && !graph.values[node.inputs[1]].type.is_static()) return false;
    const std::size_t count = x.dims->size() - 2;
    const auto has = [&](const char* name, std::size_t n) { return node.integers(name, Lengths(n, 1)).size() == n; };
    return node.find<Lengths>("kernel_shape") != nullptr && has("kernel_shape", count) && has("strides", count) &&
           has("dilations", count) && has("pads", 2 * count) && has("output_padding", count) &&
           node.text("auto_pad", "NOTSET") == "NOTSET" && node.text("data_layout", "NCHW") == "NCHW";
  }

  void run() {
    if (node_.op == "Conv" || node_.op == "ConvTranspose")
      convolve();
    else
      pool();
  }

 private:
  [[nodiscard]] const Lengths& dims(ValueId v) const { return *graph_.values[v].type.dims; }

  // The node's attributes for the other spatial dims.
  [[nodiscard]] NodeWriter::Attributes others() const {
    NodeWriter::Attributes out = node_.attributes;
    const std::size_t count = x_.size() - 2;
    for (const char* name : {"kernel_shape", "strides", "dilations", "output_padding"})
      if (const auto* list = node_.find<Lengths>(name)) out[name] = Lengths(list->begin() + 1, list->end());
    if (const auto* list = node_.find<Lengths>("pads")) {
      Lengths pads = *list;
      pads.erase(pads.begin() + static_cast<std::ptrdiff_t>(count));
      pads.erase(pads.begin());
      out["pads"] = pads;
    }
    return out;
  }

  ValueId reshaped(ValueId v, const Lengths& to) {
    return write_.op("Reshape", {v, write_.integers(to)}, {{"allowzero", std::int64_t{1}}});
  }
  // 0, 2, 1, 3, 4 ...
  [[nodiscard]] static Lengths swapped(std::size_t rank) {
    Lengths perm(rank);
    std::iota(perm.begin(), perm.end(), std::int64_t{0});
    std::swap(perm[1], perm[2]);
    return perm;
  }
  ValueId swap(ValueId v, std::size_t rank) { return write_.op("Transpose", {v}, {{"perm", swapped(rank)}}); }

  // For each result along the dim and each tap, the element that it reads; x_[2], a zero, for padding.
  [[nodiscard]] ValueId places() {
    std::vector<std::int64_t> out;
    for (std::int64_t o = 0; o < y_[2]; ++o)
      for (std::int64_t k = 0; k < along_.kernel; ++k) {
        std::int64_t at = o * along_.stride - along_.before + k * along_.dilation;
        if (node_.op == "ConvTranspose") {
          const std::int64_t reach = o + along_.before - k * along_.dilation;
          at = reach % along_.stride == 0 ? reach / along_.stride : -1;
        }
        out.push_back(at >= 0 && at < x_[2] ? at : x_[2]);
      }
    return reshaped(write_.integers(out), {y_[2], along_.kernel});
  }

  void convolve() {
    Lengths pads(2 * x_.size(), 0);
    pads[x_.size() + 2] = 1;
    const ValueId padded = write_.op("Pad", {node_.inputs[0], write_.integers(pads)});
    const ValueId taps = write_.op("Gather", {padded, places()}, {{"axis", std::int64_t{2}}});
    Lengths images{x_[0] * y_[2], x_[1] * along_.kernel};
    images.insert(images.end(), x_.begin() + 3, x_.end());
    NodeWriter::Values inputs = node_.inputs;
    inputs[0] = reshaped(swap(taps, x_.size() + 1), images);
    // Taps beside each other are channels beside each other.
    Lengths w = dims(node_.inputs[1]);
    if (node_.op == "ConvTranspose") {
      inputs[1] = swap(inputs[1], w.size());
      std::swap(w[1], w[2]);
      w[0] *= w[1];
    } else {
      w[1] *= w[2];
      w.erase(w.begin() + 2);
    }
    if (node_.op == "ConvTranspose") w.erase(w.begin() + 1);
    inputs[1] = reshaped(inputs[1], w);
    const ValueId result = write_.op(node_.op, inputs, others());
    Lengths apart{y_[0], y_[2], y_[1]};
    apart.insert(apart.end(), y_.begin() + 3, y_.end());
    write_.give({node_.outputs[0]}, "Transpose", {reshaped(result, apart)}, {{"perm", swapped(y_.size())}});
  }

  void pool() {
    Lengths together{x_[0], x_[1] * x_[2]};
    together.insert(together.end(), x_.begin() + 3, x_.end());
    const ValueId rest = write_.op(node_.op, {reshaped(node_.inputs[0], together)}, others());
    const std::int64_t size = std::accumulate(y_.begin() + 3, y_.end(), std::int64_t{1}, std::multiplies<>());
    NodeWriter::Attributes attributes = node_.attributes;
    attributes["kernel_shape"] = Lengths{along_.kernel, 1};
    attributes["strides"] = Lengths{along_.stride, 1};
    if (node_.find<Lengths>("dilations") != nullptr) attributes["dilations"] = Lengths{along_.dilation, 1};
    attributes["pads"] = Lengths{along_.before, 0, along_.behind, 0};
    const ValueId first = write_.op(node_.op, {reshaped(rest, {x_[0], x_[1], x_[2], size})}, attributes);
    write_.give({node_.outputs[0]}, "Reshape", {first, write_.integers(y_)}, {{"allowzero", std::int64_t{1}}});
  }

  ir::Graph& graph_;
  const ir::Node& node_;
  NodeWriter write_;
  const Lengths x_, y_;
  Along along_;
};

}  // namespace

bool take_spatial_dims(ir::Graph& graph) {
  bool changed = false;
  std::vector<ir::Node> nodes = std::move(graph.nodes);
  graph.nodes.clear();
  for (ir::Node& node : nodes) {
    for (const auto& body : ir::bodies(node)) changed = take_spatial_dims(*body) || changed;
    if (!OneDimLess::fits(graph, node)) {
      graph.nodes.push_back(std::move(node));
      continue;
    }
    OneDimLess(graph, node).run();
    changed = true;
  }
  return changed;
}

}  // namespace byoc
