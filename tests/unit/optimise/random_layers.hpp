// Random graphs of quantised layers in which constant channels are frequent.
#pragma once

#include "tests/unit/optimise/quantised_layers.hpp"

namespace byoc::test {

// Draws nodes behind an image until there are enough; what nobody reads is an output.
class RandomLayers : public QuantisedLayers {
 public:
  explicit RandomLayers(unsigned seed) : QuantisedLayers(seed, seed % 2 == 0 ? Requant::tflite : Requant::onnx) {
    last_ = pick(0, 2) != 0;
    wide_ = graph.requant == Requant::tflite && pick(0, 3) == 0;
    images_ = {input(activation(image(pick(1, 8), pick(3, 8), pick(3, 8))))};
    const auto nodes = static_cast<std::size_t>(pick(3, 10));
    while (graph.nodes.size() < nodes) add();
    if (pick(0, 2) != 0) add_dense();
    const auto readers = ir::consumers(graph);
    for (ir::ValueId v = 0; v < graph.values.size(); ++v)
      if (!graph.is_constant(v) && readers[v].empty() && v != graph.inputs[0]) output(v);
    if (pick(0, 3) == 0) output(images_[static_cast<std::size_t>(pick(0, std::ssize(images_) - 1))]);
  }

 private:
  DType dtype() const { return wide_ ? DType::i16 : DType::i8; }
  float scale() { return std::exp2(real(-6, 3)); }
  ir::TensorType activation(Dims d) {
    return type(dtype(), std::move(d), scale(), wide_ ? 0 : pick(0, 2) == 0 ? -128 : pick(-128, 127));
  }
  ir::TensorType like(ir::ValueId v, Dims d) {
    ir::TensorType t = graph.values[v].type;
    t.dims = std::move(d);
    return t;
  }
  Dims image(std::int64_t c, std::int64_t h, std::int64_t w) const {
    return last_ ? Dims{1, h, w, c} : Dims{1, c, h, w};
  }
  std::int64_t channels(ir::ValueId v) const { return dims(v)[last_ ? 3 : 1]; }
  std::int64_t side(ir::ValueId v, std::size_t i) const { return dims(v)[(last_ ? 1 : 2) + i]; }
  std::string layout() const { return last_ ? "NHWC" : "NCHW"; }
  std::string any_activation() {
    const char* const names[] = {"none", "relu", "relu6", "relu_n1_to_1"};
    return names[pick(0, 3) * pick(0, 1)];
  }
  // Mostly the newest image, so that chains get long.
  ir::ValueId some_image() {
    return pick(0, 2) != 0 ? images_.back() : images_[static_cast<std::size_t>(pick(0, std::ssize(images_) - 1))];
  }

  void add() {
    const ir::ValueId x = some_image();
    switch (pick(0, 11)) {
      case 0:
      case 1:
      case 2: return add_conv(x, 1);
      case 3:
      case 4: return add_conv(x, channels(x));
      case 5: return add_pool(x);
      case 6:
      case 7: return add_sum(x);
      case 8: return add_concat(x);
      case 9: return add_pad(x);
      case 10: return add_clamp(x);
      default: return add_quantise(x);
    }
  }

  // Weights and biases of layers many of whose channels are constant, or have no weight.
  struct Operands {
    Integers weights, bias;
  };
  Operands layer_operands(std::int64_t out, std::int64_t of_each,
                          const std::function<std::size_t(std::int64_t, std::int64_t)>& at) {
    Operands o{Integers(static_cast<std::size_t>(out * of_each)), Integers(static_cast<std::size_t>(out))};
    const std::int64_t kinds = pick(2, 8);
    for (std::int64_t c = 0; c < out; ++c) {
      const std::int64_t kind = pick(0, kinds);
      const bool none = kind == 0, sparse = pick(0, 3) == 0;
      for (std::int64_t i = 0; i < of_each; ++i)
        o.weights[at(c, i)] = none || (sparse && pick(0, 2) != 0) ? 0 : pick(-127, 127);
      o.bias[static_cast<std::size_t>(c)] =
          kind == 1 ? (pick(0, 1) != 0 ? 1 : -1) * (std::int64_t{1} << pick(16, 30)) : pick(-4000, 4000);
      if (pick(0, 60) == 0) o.bias[static_cast<std::size_t>(c)] = (std::int64_t{1} << 31) - 1;
    }
    return o;
  }
  // The scales of weights, one or one for each channel, and zero points where ONNX has them.
  ir::TensorType weight_type(Dims d, std::int32_t axis) {
    ir::TensorType t = type(DType::i8, std::move(d), scale());
    const bool zeros = graph.requant == Requant::onnx && pick(0, 3) == 0;
    Quantisation& q = *t.quantisation;
    if (pick(0, 1) != 0) {
      q.axis = axis;
      q.scales.clear();
      q.zero_points.clear();
      for (std::int64_t c = 0; c < (*t.dims)[static_cast<std::size_t>(axis)]; ++c) q.scales.push_back(scale());
      q.zero_points.assign(q.scales.size(), 0);
    }
    if (zeros)
      for (auto& z : q.zero_points) z = pick(-3, 3);
    return t;
  }
  void push_bias(std::vector<ir::ValueId>& operands, const Integers& bias) {
    if (pick(0, 4) == 0) return;
    const std::int64_t n = std::ssize(bias);
    operands.push_back(constant(type(wide_ ? DType::i64 : DType::i32, {n}), bias));
  }

  void add_conv(ir::ValueId x, std::int64_t groups) {
    if (groups > 1 && groups != channels(x)) return;
    const std::int64_t in = channels(x), group_in = in / groups;
    const std::int64_t out = groups > 1 ? groups * pick(1, 2) : pick(1, 4) * 4 + pick(0, 1) * pick(0, 3);
    const std::int64_t kernel = pick(1, 3), stride = pick(1, 2), dilation = pick(1, 2);
    const std::int64_t reach = (kernel - 1) * dilation;
    Dims pads, length;
    for (int i = 0; i < 4; ++i) pads.push_back(pick(0, 1) * pick(0, reach));
    for (std::size_t i = 0; i < 2; ++i) {
      const std::int64_t room = side(x, i) + pads[i] + pads[i + 2] - reach - 1;
      if (room < 0) return;
      length.push_back(room / stride + 1);
    }
    const bool channels_last_filter = last_ && groups > 1;
    const std::string filter = channels_last_filter ? "IHWO" : last_ ? "OHWI" : "OIHW";
    const Dims d = channels_last_filter ? Dims{1, kernel, kernel, out}
                   : last_              ? Dims{out, kernel, kernel, group_in}
                                        : Dims{out, group_in, kernel, kernel};
    const std::int64_t of_each = kernel * kernel * group_in;
    const Operands o = layer_operands(out, of_each, [&](std::int64_t c, std::int64_t i) {
      return static_cast<std::size_t>(channels_last_filter ? i * out + c : c * of_each + i);
    });
    std::vector<ir::ValueId> operands{x, constant(weight_type(d, channels_last_filter ? 3 : 0), o.weights)};
    push_bias(operands, o.bias);
    images_.push_back(node("Conv", operands, activation(image(out, length[0], length[1])),
                           {{"data_layout", layout()},
                            {"filter_layout", filter},
                            {"kernel_shape", Dims{kernel, kernel}},
                            {"strides", Dims{stride, stride}},
                            {"dilations", Dims{dilation, dilation}},
                            {"pads", pads},
                            {"group", groups},
                            {"activation", any_activation()}}));
  }

  void add_pool(ir::ValueId x) {
    if (side(x, 0) < 2 || side(x, 1) < 2) return;
    const std::int64_t pad = pick(0, 1);
    const auto length = [&](std::size_t i) { return (side(x, i) + 2 * pad - 2) / 2 + 1; };
    Attributes attributes{{"data_layout", layout()},
                          {"kernel_shape", Dims{2, 2}},
                          {"strides", Dims{2, 2}},
                          {"pads", Dims{pad, pad, pad, pad}},
                          {"activation", any_activation()}};
    images_.push_back(node(pick(0, 1) != 0 ? "MaxPool" : "AveragePool", {x},
                           like(x, image(channels(x), length(0), length(1))), attributes));
  }

  void add_sum(ir::ValueId x) {
    std::vector<ir::ValueId> same;
    for (const ir::ValueId v : images_)
      if (dims(v) == dims(x)) same.push_back(v);
    ir::ValueId other = same[static_cast<std::size_t>(pick(0, std::ssize(same) - 1))];
    if (pick(0, 3) == 0) {  // one number for each channel
      const std::int64_t c = channels(x);
      const Dims d = last_ ? Dims{c} : Dims{c, 1, 1};
      ir::TensorType t = activation(d);
      other = constant(t, random_integers(static_cast<std::size_t>(c), -100, 100));
    }
    images_.push_back(
        node(pick(0, 3) == 0 ? "Sub" : "Add", {x, other}, activation(dims(x)), {{"activation", any_activation()}}));
  }

  void add_concat(ir::ValueId x) {
    const std::int64_t axis = pick(0, 1) != 0 ? (last_ ? 3 : 1) : (last_ ? 1 : 2);
    std::vector<ir::ValueId> fits;
    for (const ir::ValueId v : images_) {
      Dims a = dims(v), b = dims(x);
      a[static_cast<std::size_t>(axis)] = b[static_cast<std::size_t>(axis)] = 0;
      if (a == b && graph.values[v].type.quantisation == graph.values[x].type.quantisation) fits.push_back(v);
    }
    const ir::ValueId other = fits[static_cast<std::size_t>(pick(0, std::ssize(fits) - 1))];
    Dims d = dims(x);
    d[static_cast<std::size_t>(axis)] += dims(other)[static_cast<std::size_t>(axis)];
    images_.push_back(node("Concat", {x, other}, like(x, d), {{"axis", axis}}));
  }

  void add_pad(ir::ValueId x) {
    if (side(x, 0) > 9 || side(x, 1) > 9) return;
    const Dims more{pick(0, 2), pick(0, 2), pick(0, 2), pick(0, 2)};
    const Dims d = image(channels(x), side(x, 0) + more[0] + more[2], side(x, 1) + more[1] + more[3]);
    const Dims pads = last_ ? Dims{0, more[0], more[1], 0, 0, more[2], more[3], 0}
                            : Dims{0, 0, more[0], more[1], 0, 0, more[2], more[3]};
    std::vector<ir::ValueId> operands{x, shape(pads)};
    if (pick(0, 3) == 0) operands.push_back(constant(like(x, {}), {pick(-128, 127)}));
    images_.push_back(node("Pad", operands, like(x, d)));
    add_conv(images_.back(), 1);
  }

  void add_clamp(ir::ValueId x) {
    const std::int64_t kind = pick(0, 3);
    if (kind == 0) {
      images_.push_back(node("Relu", {x}, like(x, dims(x))));
    } else {
      const ir::ValueId low = bounds(kind == 1 ? -1.0F : 0.0F), high = bounds(kind == 1   ? 1.0F
                                                                              : kind == 2 ? 6.0F
                                                                                          : 3.0F);
      images_.push_back(node("Clip", {x, low, high}, like(x, dims(x))));
    }
  }

  void add_quantise(ir::ValueId x) {
    if (pick(0, 1) != 0) {
      images_.push_back(node("byoc.Quantize", {x}, activation(dims(x))));
      return;
    }
    // There and back, by way of something finer.
    const float fine = graph.values[x].type.quantisation->scales[0] * std::exp2(-static_cast<float>(pick(0, 4)));
    const ir::ValueId y = pick(0, 1) != 0 ? node("byoc.Dequantize", {x}, type(DType::f32, dims(x)))
                                          : node("byoc.Quantize", {x}, type(DType::i16, dims(x), fine, 0));
    images_.push_back(node("byoc.Quantize", {y}, pick(0, 2) != 0 ? like(x, dims(x)) : activation(dims(x))));
  }

  void add_dense() {
    ir::ValueId x = images_.back();
    const std::int64_t depth = static_cast<std::int64_t>(count(dims(x))), units = pick(1, 9);
    if (depth > 4000) return;
    if (pick(0, 1) != 0) x = node("Reshape", {x, shape({1, depth})}, like(x, {1, depth}));
    const Operands o = layer_operands(
        units, depth, [&](std::int64_t c, std::int64_t i) { return static_cast<std::size_t>(c * depth + i); });
    std::vector<ir::ValueId> operands{x, constant(weight_type({units, depth}, 0), o.weights)};
    push_bias(operands, o.bias);
    const ir::ValueId y =
        node("byoc.FullyConnected", operands, activation({1, units}), {{"activation", any_activation()}});
    if (pick(0, 1) == 0) return;
    const Operands more = layer_operands(
        4, units, [&](std::int64_t c, std::int64_t i) { return static_cast<std::size_t>(c * units + i); });
    operands = {y, constant(weight_type({4, units}, 0), more.weights)};
    push_bias(operands, more.bias);
    node("byoc.FullyConnected", operands, activation({1, 4}), {{"activation", any_activation()}});
  }

  bool last_ = true;   // NHWC
  bool wide_ = false;  // 16 bits
  std::vector<ir::ValueId> images_;
};

}  // namespace byoc::test
