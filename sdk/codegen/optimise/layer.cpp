#include "sdk/codegen/optimise/layer.hpp"

#include <algorithm>

#include "sdk/model/evaluate/element.hpp"
#include "sdk/model/evaluate/evaluate.hpp"
#include "sdk/model/evaluate/quantise.hpp"
#include "sdk/model/evaluate/window.hpp"

namespace byoc::optimise {
namespace {

using Dims = std::vector<std::int64_t>;

Dims strides_of(const Dims& dims) {
  Dims out(dims.size(), 1);
  for (std::size_t d = dims.size(); d-- > 1;) out[d - 1] = out[d] * dims[d];
  return out;
}

// Weights without zero points; none where their type or quantisation is another than a layer's.
bool read_weights(const ir::Graph& graph, Layer& l) {
  const ir::TensorType& type = graph.values[l.w].type;
  if (type.dtype != DType::i8 && type.dtype != DType::u8 && type.dtype != DType::i16) return false;
  if (!type.quantisation) return false;
  const Quantisation& q = *type.quantisation;
  const auto channels = static_cast<std::size_t>(l.out_channels);
  if (q.per_axis() && static_cast<std::size_t>(q.axis) != l.w_out_axis) return false;
  if (q.scales.size() != (q.per_axis() ? channels : 1) || q.zero_points.size() != q.scales.size()) return false;
  const auto bytes = graph.values[l.w].constant->bytes.bytes();
  const evaluate::Tensor aligned{type, Blob::own({bytes.begin(), bytes.end()})};
  l.weights = evaluate::centred(aligned, 0);
  for (std::size_t i = 0; i < l.weights.size(); ++i) {
    const auto o = i / static_cast<std::size_t>(l.out_stride) % channels;
    l.weights[i] -= static_cast<std::int32_t>(q.zero_points[q.per_axis() ? o : 0]);
  }
  return true;
}

bool read_conv(const ir::Graph& graph, const ir::Node& node, Layer& l) {
  const Dims &x = *graph.values[l.x].type.dims, &y = *graph.values[l.y].type.dims, &w = *graph.values[l.w].type.dims;
  const std::size_t rank = x.size();
  if (rank < 3 || rank > 5 || y.size() != rank || w.size() != rank) return false;
  const std::string layout = node.text("filter_layout", "OIHW");
  if (layout != "OIHW" && layout != "OHWI" && layout != "IHWO") return false;
  l.w_out_axis = layout == "IHWO" ? rank - 1 : 0;
  l.w_in_axis = layout == "OIHW" ? 1 : layout == "OHWI" ? rank - 1 : 0;
  const std::size_t first = layout == "OIHW" ? 2 : 1;
  l.x_axis = l.y_axis = channel_axis(node, rank);
  l.in_channels = x[l.x_axis];
  l.out_channels = y[l.y_axis];
  l.groups = node.integer("group", 1);
  if (l.groups < 1 || l.in_channels % l.groups != 0 || l.out_channels % l.groups != 0) return false;
  if (w[l.w_out_axis] != l.out_channels || w[l.w_in_axis] != l.group_in()) return false;
  const Dims strides = strides_of(w);
  l.out_stride = strides[l.w_out_axis];
  l.in_stride = strides[l.w_in_axis];
  Diagnostics unread;
  const Dims kernel(w.begin() + static_cast<std::ptrdiff_t>(first),
                    w.begin() + static_cast<std::ptrdiff_t>(first + rank - 2));
  const auto window = evaluate::read_window(graph, node, kernel, unread);
  if (!window) return false;
  l.taps = {0};
  l.may_be_outside = {false};
  const std::size_t space = l.x_axis == 1 ? 2 : 1;
  for (std::size_t d = 0; d < kernel.size(); ++d) {
    const evaluate::WindowAxis& axis = (*window)[d];
    std::vector<std::int64_t> taps;
    std::vector<bool> outside;
    for (std::size_t t = 0; t < l.taps.size(); ++t)
      for (std::int64_t k = 0; k < axis.kernel; ++k) {
        const std::int64_t start = k * axis.dilation - axis.pad_begin;
        const std::int64_t end = start + (y[space + d] - 1) * axis.stride;
        taps.push_back(l.taps[t] + k * strides[first + d]);
        outside.push_back(l.may_be_outside[t] || start < 0 || end >= x[space + d]);
      }
    l.taps = std::move(taps);
    l.may_be_outside = std::move(outside);
  }
  return true;
}

bool read_dense(const ir::Graph& graph, std::size_t axis, Layer& l) {
  const Dims &x = *graph.values[l.x].type.dims, &y = *graph.values[l.y].type.dims, &w = *graph.values[l.w].type.dims;
  if (w.size() != 2 || y.empty() || axis >= x.size()) return false;
  const std::int64_t depth = w[1], inner = strides_of(x)[axis];
  // The channel of an element of a row must not depend on the row.
  if (x[axis] * inner == 0 || depth % (x[axis] * inner) != 0 || y.back() != w[0]) return false;
  l.is_dense = true;
  l.x_axis = axis;
  l.y_axis = y.size() - 1;
  l.w_out_axis = 0;
  l.w_in_axis = 1;
  l.in_channels = x[axis];
  l.out_channels = w[0];
  l.out_stride = depth;
  l.in_stride = inner;
  for (std::int64_t t = 0; t < depth / l.in_channels; ++t)
    l.taps.push_back(t / inner * l.in_channels * inner + t % inner);
  l.may_be_outside.assign(l.taps.size(), false);
  return true;
}

}  // namespace

bool is_activation(const ir::TensorType& type) {
  const bool known =
      type.dtype == DType::i8 || type.dtype == DType::u8 || type.dtype == DType::i16 || type.dtype == DType::u16;
  return known && type.is_static() && type.quantisation && !type.quantisation->per_axis() &&
         type.quantisation->scales.size() == 1 && type.quantisation->zero_points.size() == 1;
}

std::size_t channel_axis(const ir::Node& node, std::size_t rank) {
  return node.text("data_layout", "NCHW") == "NHWC" ? rank - 1 : 1;
}

std::optional<Layer> read_layer(const ir::Graph& graph, const ir::Node& node, std::size_t dense_axis) {
  const bool conv = node.is("", "Conv"), dense = node.is("byoc", "FullyConnected");
  if ((!conv && !dense) || node.inputs.size() < 2 || node.outputs.size() != 1 || node.outputs[0] == ir::kNoValue)
    return std::nullopt;
  Layer l;
  l.x = node.inputs[0];
  l.w = node.inputs[1];
  l.bias = node.input(2);
  l.y = node.outputs[0];
  if (!is_activation(graph.values[l.x].type) || !is_activation(graph.values[l.y].type)) return std::nullopt;
  if (!graph.is_constant(l.w) || (l.bias != ir::kNoValue && !ir::constant_integers(graph, l.bias))) return std::nullopt;
  l.x_zero = graph.values[l.x].type.quantisation->zero_points[0];
  if (conv ? !read_conv(graph, node, l) : !read_dense(graph, dense_axis, l)) return std::nullopt;
  if (!read_weights(graph, l)) return std::nullopt;
  return l;
}

}  // namespace byoc::optimise
