#include "layer.hpp"

#include <algorithm>
#include <byoc/nodes/activation.hpp>
#include <byoc/nodes/convolution.hpp>

namespace onednn {
namespace {

using byoc::DType;
using byoc::codegen::kNoNode;
namespace nodes = byoc::nodes;

// Thrown inside this file alone, where nodes turn out to be beyond oneDNN or this plug-in.
struct No {
  Reason reason;
  std::string text;
};

template <class... Text>
void need(bool condition, Reason reason, const Text&... text) {
  if (condition) return;
  No no{reason, {}};
  (no.text.append(text), ...);
  throw no;
}

// That a node has the operands, attributes and shapes that its operator asks for is the host's to check.
class Reader {
 public:
  Reader(const Region& region, std::span<const NodeId> nodes) : region_(region) {
    layer_.nodes.assign(nodes.begin(), nodes.end());
  }

  Layer read() {
    read_first(layer_.nodes[0]);
    for (std::size_t i = 1; i < layer_.nodes.size(); ++i)
      append(layer_.nodes[i], region_.nodes[layer_.nodes[i - 1]].outputs[0]);
    layer_.output = region_.nodes[layer_.nodes.back()].outputs[0];
    return std::move(layer_);
  }

 private:
  const Value& value(const Node& node, std::size_t i) const { return region_.values[node.inputs[i]]; }
  const Value& result(const Node& node) const { return region_.values[node.outputs[0]]; }
  static bool has(const Node& node, std::size_t i) { return i < node.inputs.size() && node.inputs[i] != kNoValue; }

  void check_float(const Value& v, const char* what) const {
    need(v.dtype == DType::f32, Reason::unsupported_dtype, what, ": found ", to_string(v.dtype), ", expected f32");
    need(v.elements() > 0, Reason::unsupported_shape, what, " has no elements");
  }
  // What is computed outside and read here.
  ValueId activation_operand(const Node& node, std::size_t i) const {
    check_float(value(node, i), "input");
    need(!value(node, i).is_constant, Reason::group, "an input that is a constant is not known here");
    return node.inputs[i];
  }
  ValueId constant_operand(const Node& node, std::size_t i, const char* what) const {
    const Value& v = value(node, i);
    need(v.is_constant, Reason::not_constant, what, " is not constant");
    check_float(v, what);
    return node.inputs[i];
  }

  void read_first(NodeId n) {
    const Node& node = region_.nodes[n];
    for (std::size_t i = 1; i < node.outputs.size(); ++i)
      need(node.outputs[i] == kNoValue, Reason::unsupported_attribute, "a second output is not known");
    if (node.domain == "byoc" && node.op == "FullyConnected") {
      read_dense(node, false, 1);
    } else if (!node.domain.empty()) {
      need(false, Reason::unsupported_op, "no layer for ", node.domain, ".", node.op);
    } else if (node.op == "Conv") {
      read_convolution(node);
    } else if (node.op == "Gemm") {
      read_gemm(node);
    } else if (node.op == "MatMul") {
      need(!value(node, 0).dims.empty() && value(node, 1).dims.size() == 2, Reason::unsupported_shape,
           "found a product by ", nodes::shape_text(value(node, 1).dims), ", expected a matrix");
      read_dense(node, true, 0);
    } else if (node.op == "BatchNormalization") {
      read_norm(node);
      layer_.norm = n;
    } else if (node.op == "MaxPool" || node.op == "AveragePool" || node.op == "GlobalAveragePool") {
      read_pool(node);
    } else if (node.op == "Add") {
      read_add(node);
    } else if (node.op == "Relu") {
      layer_.kind = ONEDNN_ELEMENTWISE;
      layer_.input = activation_operand(node, 0);
      layer_.activation = ONEDNN_RELU;
    } else {
      need(false, Reason::unsupported_op, "no layer for ", node.op);
    }
    read_activation(node);
    check_float(result(node), "output");
  }

  // A node that follows and reads `before`: folded or fused into the layer.
  void append(NodeId n, ValueId before) {
    const Node& node = region_.nodes[n];
    need(layer_.activation == ONEDNN_NONE, Reason::group, "nothing is fused behind an activation");
    if (node.op == "BatchNormalization") {
      need(layer_.kind == ONEDNN_CONVOLUTION && layer_.second == kNoValue && layer_.norm == kNoNode &&
               node.inputs[0] == before && !layer_.channels_last,
           Reason::group, "a normalisation is folded into a convolution alone");
      const ValueId input = layer_.input;
      const std::int32_t kind = layer_.kind;
      read_norm(node);
      layer_.input = input;
      layer_.kind = kind;
      layer_.norm = n;
    } else if (node.op == "Add") {
      const std::size_t other = node.inputs[0] == before ? 1 : 0;
      if (layer_.kind == ONEDNN_DENSE) {
        need(layer_.bias == kNoValue && value(node, other).elements() == layer_.filter.dims[0] &&
                 value(node, other).dims.back() == layer_.filter.dims[0],
             Reason::group, "a bias has one element for each column");
        layer_.bias = constant_operand(node, other, "bias");
      } else {
        need(layer_.kind == ONEDNN_CONVOLUTION && layer_.second == kNoValue && node.inputs[other] != before,
             Reason::group, "a sum is fused into a convolution alone");
        need(value(node, other).dims == result(node).dims, Reason::unsupported_shape, "found a sum with ",
             nodes::shape_text(value(node, other).dims), ", expected ", nodes::shape_text(result(node).dims));
        layer_.second = activation_operand(node, other);
      }
    } else if (node.op == "Relu") {
      layer_.activation = ONEDNN_RELU;
    } else {
      need(false, Reason::group, node.op, " is not fused");
    }
    read_activation(node);
  }

  void read_activation(const Node& node) {
    const auto bounds = nodes::activation_bounds(node);
    need(bounds.has_value(), Reason::unsupported_attribute, "no activation '", node.text("activation", ""), "'");
    if (*bounds == nodes::Bounds{}) return;
    layer_.activation = bounds->hi == nodes::Bounds{}.hi ? ONEDNN_RELU : ONEDNN_CLIP;
    if (layer_.activation == ONEDNN_RELU) return;
    layer_.low = bounds->lo;
    layer_.high = bounds->hi;
  }

  void read_image(const Node& node) {
    layer_.input = activation_operand(node, 0);
    const Value& x = value(node, 0);
    need(x.dims.size() == 4, Reason::unsupported_shape, "found ", nodes::shape_text(x.dims),
         ", expected images of two dimensions");
    layer_.channels_last = node.text("data_layout", "NCHW") == "NHWC";
  }

  void read_window(const Node& node) {
    layer_.strides = node.integers("strides", {1, 1});
    layer_.dilations = node.integers("dilations", {1, 1});
    const Dims pads = node.integers("pads", {0, 0, 0, 0});
    layer_.begin = {pads[0], pads[1]};
    layer_.end = {pads[2], pads[3]};
  }

  void read_convolution(const Node& node) {
    layer_.kind = ONEDNN_CONVOLUTION;
    read_image(node);
    layer_.weights = constant_operand(node, 1, "the filter");
    if (has(node, 2)) layer_.bias = constant_operand(node, 2, "bias");
    byoc::codegen::Verdict why;
    const auto c = nodes::read_convolution(region_, node, value(node, 0), value(node, 1), result(node), why);
    need(c.has_value(), why.reason, why.text);
    read_window(node);
    const nodes::FilterLayout& f = c->filter;
    const std::int64_t rows = c->window.kernel_h, columns = c->window.kernel_w;
    layer_.filter = {{c->groups, c->group_out(), c->group_in(), rows, columns},
                     {f.out * c->group_out(), f.out, std::max<std::int64_t>(f.in, 1), f.tap * columns, f.tap}};
    layer_.macs = c->macs();
  }

  void read_gemm(const Node& node) {
    need(node.integer("transA", 0) == 0, Reason::unsupported_attribute, "transA is not known");
    need(node.real("alpha", 1) == 1, Reason::unsupported_attribute, "alpha other than 1 is not known");
    if (has(node, 2)) {
      const Value& c = value(node, 2);
      need(node.real("beta", 1) == 1, Reason::unsupported_attribute, "beta other than 1 is not known");
      need(!c.dims.empty() && c.elements() == c.dims.back() && c.elements() == result(node).dims[1],
           Reason::unsupported_shape, "found a bias ", nodes::shape_text(c.dims),
           ", expected one element for each column");
    }
    read_dense(node, node.integer("transB", 0) == 0, has(node, 2) ? 2 : 0);
  }

  // `in_by_out`: the matrix is [depth, units]. `bias`: as of input 2 where that is given, 0: it has none.
  void read_dense(const Node& node, bool in_by_out, int bias) {
    layer_.kind = ONEDNN_DENSE;
    layer_.input = activation_operand(node, 0);
    layer_.weights = constant_operand(node, 1, "the matrix");
    const Dims& w = value(node, 1).dims;
    layer_.filter = in_by_out ? View{{w[1], w[0]}, {1, w[1]}} : View{{w[0], w[1]}, {w[1], 1}};
    if (bias != 0 && has(node, 2)) layer_.bias = constant_operand(node, 2, "bias");
    layer_.macs = static_cast<std::uint64_t>(result(node).elements() * layer_.filter.dims[1]);
  }

  void read_norm(const Node& node) {
    layer_.kind = ONEDNN_NORMALISATION;
    layer_.input = node.inputs[0];
    const Value& x = value(node, 0);
    check_float(x, "input");
    need(!x.is_constant, Reason::group, "an input that is a constant is not known here");
    need(x.dims.size() == 4, Reason::unsupported_shape, "found ", nodes::shape_text(x.dims),
         ", expected images of two dimensions");
    for (std::size_t i = 1; i < 5; ++i) constant_operand(node, i, "a statistic");
  }

  void read_pool(const Node& node) {
    read_image(node);
    const bool maximum = node.op == "MaxPool";
    const bool padded = node.integer("count_include_pad", 0) != 0;
    layer_.kind = maximum ? ONEDNN_MAXIMUM : padded ? ONEDNN_AVERAGE_PADDED : ONEDNN_AVERAGE;
    const std::size_t rows = layer_.channels_last ? 1 : 2;
    const Dims& x = value(node, 0).dims;
    const Dims& y = result(node).dims;
    if (node.op == "GlobalAveragePool") {
      layer_.kernel = {x[rows], x[rows + 1]};
      return;
    }
    read_window(node);
    layer_.kernel = node.integers("kernel_shape", {1, 1});
    need(layer_.dilations == Dims{1, 1}, Reason::unsupported_attribute, "pools with dilations are not known");
    for (std::size_t i = 0; i < 2; ++i) {
      need(layer_.begin[i] < layer_.kernel[i] && layer_.end[i] < layer_.kernel[i], Reason::unsupported_attribute,
           "padding as large as the window");
      // With ceil_mode the last window may reach further than the padding says.
      const std::int64_t reach =
          (y[rows + i] - 1) * layer_.strides[i] + layer_.kernel[i] - x[rows + i] - layer_.begin[i];
      need(reach <= layer_.end[i] || !padded, Reason::unsupported_attribute,
           "ceil_mode together with count_include_pad is not known");
      layer_.end[i] = std::max(layer_.end[i], reach);
    }
  }

  void read_add(const Node& node) {
    layer_.kind = ONEDNN_ADD;
    for (std::size_t i = 0; i < 2; ++i)
      need(value(node, i).dims == result(node).dims, Reason::unsupported_shape, "found a sum of ",
           nodes::shape_text(value(node, 0).dims), " and ", nodes::shape_text(value(node, 1).dims),
           ", expected equal shapes");
    layer_.input = activation_operand(node, 0);
    layer_.second = activation_operand(node, 1);
  }

  const Region& region_;
  Layer layer_;
};

}  // namespace

std::variant<Layer, Refusal> read_layer(const Region& region, std::span<const NodeId> nodes) {
  try {
    return Reader(region, nodes).read();
  } catch (const No& no) {
    return Refusal{no.reason, no.text};
  }
}

std::vector<byoc::codegen::Pattern> patterns() {
  constexpr std::int32_t kAny = byoc::codegen::PatternNode::kAny;
  constexpr std::int32_t kConstant = byoc::codegen::PatternNode::kConstant;
  return {
      {"conv_bn_sum_relu",
       {{"", "Conv", {kAny, kConstant}},
        {"", "BatchNormalization", {0}, true},
        {"", "Add", {1, kAny}, false, true},
        {"", "Relu", {2}, true}}},
      {"conv_bn_relu",
       {{"", "Conv", {kAny, kConstant}}, {"", "BatchNormalization", {0}, true}, {"", "Relu", {1}, true}}},
      {"dense_bias_relu",
       {{"", "MatMul", {kAny, kConstant}}, {"", "Add", {0, kConstant}, false, true}, {"", "Relu", {1}, true}}},
      {"gemm_relu", {{"", "Gemm", {kAny, kConstant}}, {"", "Relu", {0}}}},
      {"fully_connected_relu", {{"byoc", "FullyConnected", {kAny, kConstant}}, {"", "Relu", {0}}}},
      {"bn_relu", {{"", "BatchNormalization", {kAny}}, {"", "Relu", {0}}}},
      {"add_relu", {{"", "Add", {kAny, kAny}}, {"", "Relu", {0}}}},
  };
}

}  // namespace onednn
