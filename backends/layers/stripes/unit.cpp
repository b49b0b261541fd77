#include "backends/layers/stripes/unit.hpp"

#include <algorithm>

namespace byoc::layers {
namespace {

using codegen::Node;
using codegen::Region;
using codegen::Value;
using codegen::ValueId;

// [1,rows,...] of whole bytes, one scale for all rows.
bool has_rows(const Value& v) {
  return v.dims.size() >= 3 && v.dims[0] == 1 && v.elements() > 0 && bit_width(v.dtype) % 8 == 0 && !v.is_state &&
         (v.quantisation.scales.size() < 2 || v.quantisation.axis != 1);
}

// A constant operand of rank `rank` or less that all rows share.
bool same_for_all_rows(const Value& constant, std::size_t rank) {
  if (constant.dims.size() + 1 < rank) return true;
  return constant.dims.size() <= rank && constant.dims[constant.dims.size() + 1 - rank] == 1;
}

bool keeps_rows(const Region& region, const Node& node, const OperatorTraits& traits) {
  if (!traits.is_elementwise(node) || node.outputs.size() != 1) return false;
  const Value& y = region.values[node.outputs[0]];
  return std::all_of(node.inputs.begin(), node.inputs.end(), [&](ValueId v) {
    if (v == codegen::kNoValue) return true;
    const Value& x = region.values[v];
    return x.is_constant ? same_for_all_rows(x, y.dims.size()) : x.dims == y.dims;
  });
}

bool is_concat(const Region& region, const Node& node) {
  const auto rank = static_cast<std::int64_t>(region.values[node.outputs[0]].dims.size());
  const std::int64_t axis = node.integer("axis", 0);
  if (node.op != "Concat" || (axis < 0 ? axis + rank : axis) < 2) return false;
  return std::none_of(node.inputs.begin(), node.inputs.end(), [&](ValueId v) { return region.values[v].is_constant; });
}

// The length of a window along the rows; 0: not known.
std::int64_t kernel_rows(const Region& region, const Node& node) {
  const auto kernel = node.integers("kernel_shape", {});
  if (!kernel.empty()) return kernel[0];
  if (node.op != "Conv") return 0;
  const std::size_t first = node.text("filter_layout", "OIHW") == "OIHW" ? 2 : 1;
  const Value& weights = region.values[node.inputs[1]];
  return weights.dims.size() > first ? weights.dims[first] : 0;
}

std::optional<RowWindow> sliding_window(const Region& region, const Node& node, const OperatorTraits& traits) {
  if (node.op != "Conv" && !traits.is_pool(node)) return std::nullopt;
  if (node.text("data_layout", "NCHW") != "NHWC" || node.text("output_layout", "NHWC") != "NHWC") return std::nullopt;
  if (node.text("auto_pad", "NOTSET") != "NOTSET" || node.outputs.size() != 1) return std::nullopt;
  // Padding counts only as far as the image was to be padded, which parts of it do not know.
  if (node.integer("ceil_mode", 0) != 0 && node.integer("count_include_pad", 0) != 0) return std::nullopt;
  for (std::size_t i = 1; i < node.inputs.size(); ++i)
    if (node.inputs[i] != codegen::kNoValue && !region.values[node.inputs[i]].is_constant) return std::nullopt;
  const std::size_t n = region.values[node.inputs[0]].dims.size() - 2;
  const auto strides = node.integers("strides", std::vector<std::int64_t>(n, 1));
  const auto dilations = node.integers("dilations", std::vector<std::int64_t>(n, 1));
  const auto pads = node.integers("pads", std::vector<std::int64_t>(2 * n, 0));
  const std::int64_t kernel = kernel_rows(region, node);
  if (strides.size() != n || dilations.size() != n || pads.size() != 2 * n || kernel < 1) return std::nullopt;
  return RowWindow{strides[0], (kernel - 1) * dilations[0] + 1, pads[0]};
}

std::optional<RowWindow> first_window(const Region& region, const Node& node, const OperatorTraits& traits) {
  if (keeps_rows(region, node, traits) || is_concat(region, node)) return RowWindow{};
  return sliding_window(region, node, traits);
}

}  // namespace

std::optional<Unit> read_unit(const Region& region, const codegen::Step& step, const OperatorTraits& traits) {
  if (step.uses_instance || step.outputs.size() != 1 || step.inputs.empty()) return std::nullopt;
  Unit unit;
  for (const codegen::Operand& o : step.inputs) {
    if (o.value == codegen::kNoValue || !has_rows(region.values[o.value])) return std::nullopt;
    if (std::find(unit.inputs.begin(), unit.inputs.end(), o.value) == unit.inputs.end()) unit.inputs.push_back(o.value);
  }
  unit.output = step.outputs[0].value;
  if (unit.output == codegen::kNoValue || !has_rows(region.values[unit.output])) return std::nullopt;
  unit.nodes = step.nodes;
  std::sort(unit.nodes.begin(), unit.nodes.end());
  if (unit.nodes.empty()) return std::nullopt;
  for (const codegen::NodeId n : unit.nodes) {
    const Node& node = region.nodes[n];
    if (node.inputs[0] == codegen::kNoValue || node.outputs.size() != 1) return std::nullopt;
    if (!has_rows(region.values[node.inputs[0]]) || !has_rows(region.values[node.outputs[0]])) return std::nullopt;
    if (n == unit.nodes[0]) continue;
    const bool alone = std::all_of(node.inputs.begin() + 1, node.inputs.end(),
                                   [&](ValueId v) { return v == codegen::kNoValue || region.values[v].is_constant; });
    if (!alone || !keeps_rows(region, node, traits)) return std::nullopt;
  }
  const auto window = first_window(region, region.nodes[unit.nodes[0]], traits);
  if (!window) return std::nullopt;
  unit.window = *window;
  return unit;
}

}  // namespace byoc::layers
