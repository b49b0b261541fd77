#include "sdk/model/ir/kind.hpp"

namespace byoc::ir {
namespace {

// The operators that have the attribute `group`, and read the image first.
bool is_convolution(const Node& node) {
  return node.is("", "Conv") || node.is("", "ConvInteger") || node.is("", "QLinearConv");
}

bool is_depthwise(const Graph& graph, const Node& node) {
  const std::int64_t groups = node.integer("group", 1);
  if (groups < 2 || !is_convolution(node) || node.inputs.empty() || node.inputs.front() == kNoValue) return false;
  const auto& dims = graph.values[node.inputs.front()].type.dims;
  if (!dims || dims->size() < 2) return false;
  return (node.text("data_layout", "NCHW") == "NHWC" ? dims->back() : (*dims)[1]) == groups;
}

}  // namespace

std::string kind_of(const Graph& graph, const Node& node) {
  return (is_depthwise(graph, node) ? "Depthwise" : "") + node.op;
}

std::string describe_kind(const Graph& graph, const Node& node) {
  // A node that stands for another one has the name of that.
  return (node.part_of.empty() && is_depthwise(graph, node) ? "Depthwise" : "") + node.describe();
}

}  // namespace byoc::ir
