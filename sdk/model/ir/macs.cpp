#include "sdk/model/ir/macs.hpp"

#include <algorithm>
#include <map>
#include <string>

namespace byoc::ir {
namespace {

const TensorType* known(const Graph& graph, ValueId v) {
  return v == kNoValue || !graph.values[v].type.is_static() ? nullptr : &graph.values[v].type;
}

std::uint64_t elements(const Graph& graph, ValueId v) {
  const TensorType* t = known(graph, v);
  return t == nullptr ? 0 : static_cast<std::uint64_t>(t->elements());
}

// The length of a dim, or 0.
std::uint64_t dim(const Graph& graph, ValueId v, std::size_t d) {
  const TensorType* t = known(graph, v);
  return t == nullptr || d >= t->dims->size() ? 0 : static_cast<std::uint64_t>((*t->dims)[d]);
}

// The length of a dim from the back (1 is the last), or 0.
std::uint64_t dim_from_back(const Graph& graph, ValueId v, std::size_t k) {
  const TensorType* t = known(graph, v);
  return t == nullptr || t->dims->size() < k ? 0 : dim(graph, v, t->dims->size() - k);
}

std::uint64_t channels_of(const Graph& graph, const Node& node, ValueId image) {
  const TensorType* t = known(graph, image);
  if (t == nullptr || t->dims->size() < 3) return 0;
  return dim(graph, image, node.text("data_layout", "NCHW") == "NHWC" ? t->dims->size() - 1 : 1);
}

ValueId result(const Node& node) { return node.outputs.empty() ? kNoValue : node.outputs[0]; }

// Each element of the image meets the part of the filter that belongs to its channel.
std::uint64_t filtered(const Graph& graph, const Node& node, ValueId image, ValueId filter) {
  const std::uint64_t channels = channels_of(graph, node, image);
  return channels == 0 ? 0 : elements(graph, image) / channels * elements(graph, filter);
}

}  // namespace

std::uint64_t no_macs(const Graph&, const Node&) { return 0; }

std::uint64_t conv_macs(const Graph& graph, const Node& node) {
  return filtered(graph, node, result(node), node.input(1));
}

std::uint64_t qlinear_conv_macs(const Graph& graph, const Node& node) {
  return filtered(graph, node, result(node), node.input(3));
}

std::uint64_t conv_transpose_macs(const Graph& graph, const Node& node) {
  return filtered(graph, node, node.input(0), node.input(1));
}

std::uint64_t gemm_macs(const Graph& graph, const Node& node) {
  return elements(graph, result(node)) * dim_from_back(graph, node.input(0), node.integer("transA", 0) != 0 ? 2 : 1);
}

std::uint64_t matmul_macs(const Graph& graph, const Node& node) {
  return elements(graph, result(node)) * dim_from_back(graph, node.input(0), 1);
}

std::uint64_t batch_matmul_macs(const Graph& graph, const Node& node) {
  return elements(graph, result(node)) * dim_from_back(graph, node.input(0), node.integer("adj_x", 0) != 0 ? 2 : 1);
}

std::uint64_t fully_connected_macs(const Graph& graph, const Node& node) {
  return elements(graph, result(node)) * dim_from_back(graph, node.input(1), 1);
}

// Each combination of a result element and of what is summed over multiplies all operands: one product fewer than there
// are operands. A label that stands once is not summed unless the equation says so.
std::uint64_t einsum_macs(const Graph& graph, const Node& node) {
  std::string equation = node.text("equation", "");
  std::erase(equation, ' ');
  const std::size_t arrow = equation.find("->");
  std::string labels = equation.substr(0, arrow);
  std::map<char, std::uint64_t> lengths;
  std::size_t from = 0;
  for (std::size_t i = 0; i < node.inputs.size() && from <= labels.size(); ++i) {
    const std::size_t to = std::min(labels.find(',', from), labels.size());
    const std::string term = labels.substr(from, to - from);
    const std::size_t dots = std::min(term.find("..."), term.size());
    for (std::size_t c = 0; c < term.size(); ++c) {
      if (term[c] == '.') continue;
      const std::uint64_t length =
          c < dots ? dim(graph, node.inputs[i], c) : dim_from_back(graph, node.inputs[i], term.size() - c);
      lengths[term[c]] = std::max(lengths[term[c]], length);
    }
    from = to + 1;
  }
  std::uint64_t macs = elements(graph, result(node)) * (node.inputs.empty() ? 0 : node.inputs.size() - 1);
  for (const auto& [label, length] : lengths) {
    const bool is_kept = arrow == std::string::npos ? std::count(labels.begin(), labels.end(), label) == 1
                                                    : equation.find(label, arrow + 2) != std::string::npos;
    if (!is_kept) macs *= length;
  }
  return macs;
}

// X has a step and a batch, each of which meets all weights of every direction.
std::uint64_t recurrent_macs(const Graph& graph, const Node& node) {
  return dim(graph, node.input(0), 0) * dim(graph, node.input(0), 1) *
         (elements(graph, node.input(1)) + elements(graph, node.input(2)));
}

std::uint64_t sequence_lstm_macs(const Graph& graph, const Node& node) {
  constexpr std::size_t kFirst = 1, kLast = 8;  // weights of the four gates, for the input and for the state
  std::uint64_t weights = 0;
  for (std::size_t i = kFirst; i <= kLast; ++i) weights += elements(graph, node.input(i));
  return dim(graph, node.input(0), 0) * dim(graph, node.input(0), 1) * weights;
}

std::uint64_t svdf_macs(const Graph& graph, const Node& node) {
  return dim(graph, node.input(0), 0) * (elements(graph, node.input(1)) + elements(graph, node.input(2)));
}

}  // namespace byoc::ir
