#include "sdk/app/check/random_graph/forms.hpp"

#include <cmath>

#include "sdk/app/check/random_graph/builder.hpp"

namespace byoc::check {
namespace {

// A window over an image, and what surrounds it: each row is one form, and differs from the first in little else.
struct Window {
  const char* form;
  std::int64_t batch, height, width, channels;
  Dims kernel, strides, dilations, pads;
  std::int64_t group, outputs;  // group 0: a group for each channel
  const char* activation = "none";
  bool bias = true, per_channel = true, ihwo = false, nhwc = true;
};

const std::vector<Window>& windows() {
  static const std::vector<Window> all = {
      {"3x3", 1, 6, 7, 3, {3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}, 1, 5},
      {"3x3, channels by the word", 1, 6, 6, 8, {3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}, 1, 8},
      {"1x1", 1, 4, 5, 8, {1, 1}, {1, 1}, {1, 1}, {0, 0, 0, 0}, 1, 6},
      {"1xN filter", 1, 5, 9, 4, {1, 5}, {1, 1}, {1, 1}, {0, 0, 0, 0}, 1, 4},
      {"Nx1 filter", 1, 9, 3, 2, {4, 1}, {2, 1}, {1, 1}, {0, 0, 0, 0}, 1, 3},
      {"image of one row", 1, 1, 12, 4, {1, 3}, {1, 2}, {1, 1}, {0, 1, 0, 1}, 1, 4},
      {"uneven strides", 1, 8, 9, 3, {3, 2}, {1, 3}, {1, 1}, {0, 0, 0, 0}, 1, 4},
      {"uneven padding", 1, 6, 6, 3, {3, 3}, {2, 2}, {1, 1}, {0, 0, 1, 1}, 1, 4},
      {"padding on one side", 1, 5, 6, 2, {3, 3}, {1, 1}, {1, 1}, {2, 0, 0, 1}, 1, 3},
      {"dilated", 1, 9, 9, 3, {3, 3}, {1, 1}, {2, 2}, {0, 0, 0, 0}, 1, 4},
      {"dilated one way, padded", 1, 7, 9, 2, {2, 3}, {1, 1}, {1, 3}, {0, 3, 0, 3}, 1, 3},
      {"grouped", 1, 5, 5, 6, {3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}, 2, 8},
      {"depthwise", 1, 6, 6, 5, {3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}, 0, 5, "none", true, true, true},
      {"depthwise, OHWI", 1, 6, 5, 4, {3, 3}, {2, 2}, {1, 1}, {1, 1, 1, 1}, 0, 4},
      {"depthwise, dilated", 1, 9, 8, 4, {3, 3}, {1, 1}, {2, 2}, {2, 2, 2, 2}, 0, 4, "none", true, true, true},
      {"depth multiplier", 1, 5, 6, 3, {3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}, 0, 6, "none", true, true, true},
      {"depth multiplier of one channel",
       1,
       6,
       6,
       1,
       {3, 3},
       {2, 2},
       {1, 1},
       {1, 1, 1, 1},
       0,
       8,
       "none",
       true,
       true,
       true},
      {"no bias", 1, 5, 5, 4, {3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}, 1, 4, "none", false},
      {"depthwise, no bias", 1, 5, 5, 4, {3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}, 0, 4, "none", false, true, true},
      {"weights of one scale", 1, 5, 5, 4, {3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}, 1, 5, "none", true, false},
      {"depthwise, weights of one scale",
       1,
       5,
       5,
       4,
       {3, 3},
       {1, 1},
       {1, 1},
       {1, 1, 1, 1},
       0,
       4,
       "none",
       true,
       false,
       true},
      {"batch", 3, 5, 4, 3, {3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}, 1, 4},
      {"depthwise, batch", 2, 5, 4, 3, {3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}, 0, 3, "none", true, true, true},
      {"relu", 1, 5, 5, 4, {3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}, 1, 4, "relu"},
      {"relu6", 1, 5, 5, 4, {3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}, 1, 4, "relu6"},
      {"relu_n1_to_1", 1, 5, 5, 4, {2, 2}, {1, 1}, {1, 1}, {0, 0, 0, 0}, 1, 4, "relu_n1_to_1"},
      {"one channel, one filter", 1, 7, 7, 1, {3, 3}, {1, 1}, {1, 1}, {0, 0, 0, 0}, 1, 1},
      {"filter as large as the image", 1, 4, 5, 3, {4, 5}, {1, 1}, {1, 1}, {0, 0, 0, 0}, 1, 3},
      {"channels first", 1, 6, 5, 3, {3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}, 1, 4, "none", true, true, false, false},
      {"channels first, grouped",
       1,
       5,
       6,
       4,
       {3, 3},
       {2, 1},
       {1, 1},
       {1, 0, 0, 1},
       2,
       6,
       "none",
       true,
       true,
       false,
       false},
  };
  return all;
}

bool is_float(const Form& f) { return f.type == "f32"; }
DType dtype_of(const Form& f) { return f.type == "i8" ? DType::i8 : f.type == "i16" ? DType::i16 : DType::f32; }

// Quantisation of activations: any zero point, except 0 for i16.
Quantisation activation_scale(Builder& b, const Form& f, float scale) {
  Quantisation q;
  q.scales = {scale * b.choice.real(0.8f, 1.25f)};
  q.zero_points = {f.type == "i16" ? 0 : b.choice.integer(-60, 60)};
  return q;
}

ir::ValueId activations(Builder& b, const Form& f, const Dims& dims, float scale = 0.05f) {
  if (is_float(f)) return b.input({DType::f32, dims, std::nullopt});
  if (f.type == "i16") scale /= 200;
  return b.input({dtype_of(f), dims, activation_scale(b, f, scale)});
}

std::optional<ir::TensorType> output(Builder& b, const Form& f, float scale) {
  if (is_float(f)) return std::nullopt;
  return Builder::as(dtype_of(f), activation_scale(b, f, f.type == "i16" ? scale / 100 : scale));
}

// Weights and bias, with a scale for each of `channels` or for all.
void add_weights(Builder& b, const Form& f, std::vector<ir::ValueId>& inputs, const Dims& dims, std::int64_t channels,
                 std::int32_t axis, bool per_channel, bool bias) {
  if (is_float(f)) {
    inputs.push_back(b.reals(dims, -1, 1));
    if (bias) inputs.push_back(b.reals({channels}, -2, 2));
    return;
  }
  Quantisation weights, biases;
  for (std::int64_t i = 0; i < (per_channel ? channels : 1); ++i) {
    weights.scales.push_back(b.choice.real(0.004f, 0.03f));
    biases.scales.push_back(weights.scales.back() * b.type(inputs[0]).quantisation->scales[0]);
  }
  weights.zero_points.assign(weights.scales.size(), 0);
  biases.zero_points.assign(biases.scales.size(), 0);
  weights.axis = per_channel ? axis : -1;
  biases.axis = per_channel ? 0 : -1;
  inputs.push_back(b.quantised_constant(DType::i8, dims, weights, -127, 127));
  if (bias)
    inputs.push_back(b.quantised_constant(f.type == "i16" ? DType::i64 : DType::i32, {channels}, biases, -2500, 2500));
}

// A scale with which sums of `depth` products cover the range, and a few leave it.
float sums(std::int64_t depth) { return 0.05f * static_cast<float>(std::sqrt(static_cast<double>(depth))); }

Builder::Attributes window_attributes(const Window& w) {
  Builder::Attributes out{{"kernel_shape", w.kernel}, {"strides", w.strides}, {"pads", w.pads}};
  if (w.nhwc) out["data_layout"] = std::string("NHWC");
  if (w.activation != std::string("none")) out["activation"] = std::string(w.activation);
  return out;
}

Dims image(const Window& w) {
  return w.nhwc ? Dims{w.batch, w.height, w.width, w.channels} : Dims{w.batch, w.channels, w.height, w.width};
}

bool conv_form(Builder& b, const Form& f) {
  const Window& w = windows()[static_cast<std::size_t>(f.parameter)];
  const std::int64_t group = w.group == 0 ? w.channels : w.group;
  std::vector<ir::ValueId> inputs{activations(b, f, image(w))};
  Builder::Attributes attributes = window_attributes(w);
  attributes["group"] = group;
  attributes["dilations"] = w.dilations;
  const std::int64_t depth = w.channels / group;
  Dims dims{w.outputs, w.kernel[0], w.kernel[1], depth};
  if (w.ihwo) dims = {1, w.kernel[0], w.kernel[1], w.outputs};
  if (!w.nhwc) dims = {w.outputs, depth, w.kernel[0], w.kernel[1]};
  if (w.nhwc) attributes["filter_layout"] = std::string(w.ihwo ? "IHWO" : "OHWI");
  add_weights(b, f, inputs, dims, w.outputs, w.ihwo ? 3 : 0, w.per_channel, w.bias);
  return b.add("Conv", std::move(inputs), std::move(attributes),
               {output(b, f, sums(w.kernel[0] * w.kernel[1] * depth))});
}

bool pool_form(Builder& b, const Form& f) {
  const Window& w = windows()[static_cast<std::size_t>(f.parameter)];
  const ir::ValueId x = activations(b, f, image(w));
  return b.add(f.op, {x}, window_attributes(w), {is_float(f) ? std::nullopt : like(b, x)});
}

struct Dense {
  const char* form;
  Dims input;
  std::int64_t units;
  const char* activation = "none";
  bool bias = true, per_channel = true, keep = false;
};

const std::vector<Dense>& denses() {
  static const std::vector<Dense> all = {
      {"one row", {1, 12}, 5},
      {"depth by the word", {1, 32}, 8},
      {"batch", {4, 10}, 3},
      {"one unit", {1, 9}, 1},
      {"one input", {2, 1}, 4},
      {"no bias", {1, 11}, 4, "none", false},
      {"weights of one scale", {1, 10}, 6, "none", true, false},
      {"image as input", {1, 2, 3, 2}, 4},
      {"dims are kept", {2, 3, 5}, 4, "none", true, true, true},
      {"relu", {1, 10}, 6, "relu"},
      {"relu6", {1, 10}, 6, "relu6"},
      {"relu_n1_to_1", {1, 10}, 6, "relu_n1_to_1"},
  };
  return all;
}

bool dense(Builder& b, const Form& f) {
  const Dense& d = denses()[static_cast<std::size_t>(f.parameter)];
  // Without keep_num_dims, rows are as long as the weights, whatever the input's last dim is.
  std::int64_t depth = d.input.back();
  if (!d.keep && d.input.size() > 2) depth = elements(d.input);
  std::vector<ir::ValueId> inputs{activations(b, f, d.input)};
  add_weights(b, f, inputs, {d.units, depth}, d.units, 0, d.per_channel, d.bias);
  Builder::Attributes attributes;
  if (d.activation != std::string("none")) attributes["activation"] = std::string(d.activation);
  if (d.keep) attributes["keep_num_dims"] = std::int64_t{1};
  return b.add("byoc.FullyConnected", std::move(inputs), std::move(attributes), {output(b, f, sums(depth))});
}

struct Pair {
  const char* form;
  Dims left, right;
  const char* activation = "none";
  bool constant = false, same_scales = false;
};

const std::vector<Pair>& pairs() {
  static const std::vector<Pair> all = {
      {"same shapes", {1, 4, 5, 3}, {1, 4, 5, 3}},
      {"same scales", {1, 3, 3, 4}, {1, 3, 3, 4}, "none", false, true},
      {"odd length", {1, 37}, {1, 37}},
      {"one channel's values for all", {1, 4, 3, 5}, {1, 1, 1, 5}},
      {"column by row", {4, 1}, {1, 6}},
      {"fewer dims on the left", {5}, {2, 3, 5}},
      {"a scalar", {2, 7}, {}},
      {"a constant", {1, 3, 4, 2}, {1, 3, 4, 2}, "none", true},
      {"batch", {3, 2, 2, 4}, {3, 2, 2, 4}},
      {"relu", {2, 9}, {2, 9}, "relu"},
      {"relu6", {2, 9}, {2, 9}, "relu6"},
      {"without elements", {0, 4}, {0, 4}},
  };
  return all;
}

bool pair(Builder& b, const Form& f) {
  const Pair& p = pairs()[static_cast<std::size_t>(f.parameter)];
  const ir::ValueId x = activations(b, f, p.left, 0.04f);
  ir::TensorType other = b.type(x);
  other.dims = p.right;
  if (other.quantisation && !p.same_scales)
    other.quantisation = activation_scale(b, f, f.type == "i16" ? 3e-4f : 0.07f);
  const ir::ValueId y = p.constant ? b.constant(other) : b.input(other);
  Builder::Attributes attributes;
  if (p.activation != std::string("none")) attributes["activation"] = std::string(p.activation);
  return b.add(f.op, {x, y}, std::move(attributes), {output(b, f, f.op == "Mul" ? 0.12f : 0.08f)});
}

// Shapes for operators of one input.
const std::vector<std::pair<const char*, Dims>>& shapes() {
  static const std::vector<std::pair<const char*, Dims>> all = {{"one row", {1, 10}},    {"rows", {5, 7}},
                                                                {"image", {2, 3, 4, 5}}, {"one element", {1, 1}},
                                                                {"one dim", {33}},       {"without elements", {0, 6}}};
  return all;
}

bool unary(Builder& b, const Form& f) {
  const Dims& dims = shapes()[static_cast<std::size_t>(f.parameter)].second;
  const ir::ValueId x = activations(b, f, dims, 0.06f);
  std::optional<ir::TensorType> out = output(b, f, 0.05f);
  Builder::Attributes attributes;
  if (f.op == "Softmax") attributes["axis"] = std::int64_t{-1};
  if (f.op == "LeakyRelu") attributes["alpha"] = 0.1f;
  if (out && (f.op == "Softmax" || f.op == "Sigmoid"))
    out->quantisation = Quantisation{{f.type == "i16" ? 1.0f / 32768 : 1.0f / 256}, {f.type == "i8" ? -128 : 0}, -1};
  if (out && f.op == "Tanh") out->quantisation = Quantisation{{f.type == "i16" ? 1.0f / 32768 : 1.0f / 128}, {0}, -1};
  return b.add(f.op, {x}, std::move(attributes), {out});
}

bool softmax_beta(Builder& b, const Form& f) {
  const ir::ValueId x = activations(b, f, {2, 9}, 0.06f);
  std::optional<ir::TensorType> out;
  if (!is_float(f)) out = Builder::as(DType::i8, Quantisation{{1.0f / 256}, {-128}, -1});
  return b.add("Softmax", {x}, {{"axis", std::int64_t{-1}}, {"beta", 0.5f}}, {out});
}

bool mean_form(Builder& b, const Form& f) {
  const ir::ValueId x = activations(b, f, {2, 3, 4, 5});
  const Dims axes = f.parameter < 2 ? Dims{1, 2} : f.parameter == 2 ? Dims{3} : Dims{0, 2};
  return b.add("ReduceMean", {x, b.integers(axes)}, {{"keepdims", std::int64_t{f.parameter == 1 ? 1 : 0}}},
               {output(b, f, 0.03f)}, 18);
}

std::vector<Form> make_forms() {
  std::vector<Form> out;
  for (const char* type : {"i8", "i16", "f32"}) {
    const auto add = [&](const char* op, const auto& table, auto build, const auto& name) {
      for (std::size_t i = 0; i < table.size(); ++i)
        if (const char* form = name(table[i])) out.push_back({op, type, form, build, static_cast<int>(i)});
    };
    const auto form_of = [](const auto& row) { return row.form; };
    add("Conv", windows(), conv_form, form_of);
    for (const char* op : {"MaxPool", "AveragePool"})
      // Windows that differ in weights only are equal for pools.
      add(op, windows(), pool_form, [](const Window& w) {
        const bool plain = w.group == 1 && w.bias && w.per_channel && w.dilations == Dims{1, 1} && !w.ihwo;
        return plain && w.outputs <= 5 && std::string(w.form) != "one channel, one filter" ? w.form : nullptr;
      });
    add("byoc.FullyConnected", denses(), dense, form_of);
    for (const char* op : {"Add", "Sub", "Mul"}) add(op, pairs(), pair, form_of);
    for (const char* op : {"Softmax", "Sigmoid", "Tanh", "Relu", "LeakyRelu"})
      add(op, shapes(), unary, [](const auto& s) { return s.first; });
    out.push_back({"Softmax", type, "beta", softmax_beta, 0});
    for (const auto& [form, which] : {std::pair("image", 0), std::pair("image, dims are kept", 1),
                                      std::pair("the last dim", 2), std::pair("two dims apart", 3)})
      out.push_back({"ReduceMean", type, form, mean_form, which});
  }
  return out;
}

}  // namespace

const std::vector<Form>& forms() {
  static const std::vector<Form> all = make_forms();
  return all;
}

std::optional<RandomGraph> form_graph(std::uint64_t seed, const Form& form, codegen::Codegen& codegen,
                                      const TargetSpec& target) {
  Builder builder(seed, codegen, target, nullptr);
  builder.graph.requant = is_float(form) ? Requant::onnx : Requant::tflite;
  if (!form.build(builder, form)) return std::nullopt;
  // One node with one output, which is the graph's.
  const ir::ValueId y = builder.graph.nodes.back().outputs[0];
  builder.graph.values[y].name = "y";
  RandomGraph out = std::move(builder).finish();
  out.graph.outputs = {y};
  return out;
}

}  // namespace byoc::check
