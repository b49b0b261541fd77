// A library of kernels as a codegen: brings it as the sources that it consists of, or compiled for the targets that it
// is there for.
#include <byoc/nodes/convolution.hpp>
#include <byoc/nodes/matmul.hpp>
#include <byoc/nodes/quantised_layer.hpp>
#include <byoc/plugin.hpp>
#include <byoc/plugin/embedded.hpp>
#include <byoc/tflite.hpp>
#include <initializer_list>
#include <optional>

namespace {

constexpr bool kPrebuilt = TINY_PREBUILT;  // CMake says it

using namespace byoc::nodes;  // the readers, each for one thing that a layer has
using byoc::DType;
using byoc::codegen::Node;
using byoc::codegen::Reason;
using byoc::codegen::Region;
using byoc::codegen::Value;
using byoc::codegen::ValueId;
using byoc::codegen::Verdict;
using Refusal = std::optional<Verdict>;

// A layer as a call of the library.
struct Call {
  std::string function;    // of the library
  std::string parameters;  // "tn_layer p = {...}"
  std::vector<ValueId> inputs;
  std::vector<std::int8_t> weights;        // of layers that have some, with a bias and scales for each channel
  std::vector<std::int32_t> bias, scales;  // scales: a multiplier and a shift each
  std::int64_t count = 0;                  // elements, where the function asks for them
};

// "{1, 2, 3}"
std::string record(std::initializer_list<std::int64_t> numbers) {
  std::string out;
  for (const std::int64_t n : numbers) out += (out.empty() ? "{" : ", ") + std::to_string(n);
  return out + "}";
}
std::string scale(const Multiplier& m) { return record({m.q, m.shift}); }
std::string dims(const Image& i) { return record({i.batch, i.height, i.width, i.channels}); }

std::string layer_text(const Image& in, const Image& out, const Window& w, std::int64_t groups, std::int32_t in_zero,
                       std::int32_t out_zero, const Clamp& c) {
  const std::string numbers = record({groups, in_zero, out_zero, c.low, c.high});
  return "{" + dims(in) + ", " + dims(out) + ", " +
         record({w.kernel_h, w.kernel_w, w.stride_h, w.stride_w, w.dilation_h, w.dilation_w, w.pad_top, w.pad_left}) +
         ", " + numbers.substr(1);
}

// The library has channels last and no strides.
Refusal refuse_layout(const Node& node) {
  if (node.text("data_layout", "NCHW") == "NHWC") return std::nullopt;
  return refuse(Reason::unsupported_attribute, "found channels first, expected data_layout NHWC");
}

Refusal refuse_values(const Region& region, const Node& node, std::size_t inputs) {
  for (std::size_t i = 0; i < inputs; ++i)
    if (auto no = refuse_unless_s8(region.values[node.inputs[i]], "input")) return no;
  return refuse_unless_s8(region.values[node.outputs[0]], "output");
}

// What convolutions and dense layers have in common; `channel_of` says whose weight an element is.
template <class ChannelOf>
Refusal read_weights(const Region& region, const QuantisedLayer& layer, std::size_t axis, std::int64_t channels,
                     ChannelOf channel_of, Call& call) {
  if (auto no = refuse_layer(region, layer, axis, channels)) return no;
  if (layer.scaling != Scaling::tflite || !is_s8_layer(layer, axis))
    return refuse(Reason::unsupported_quantisation, "expected int8, constant weights of 8 bits and a constant bias");
  const SumFactors factors = sum_factors(layer.scaling, layer.in, layer.weights, layer.bias, layer.out, channels);
  for (std::size_t c = 0; c < static_cast<std::size_t>(channels); ++c) {
    const Multiplier& m = factors.multipliers[factors.multipliers.size() == 1 ? 0 : c];
    call.scales.insert(call.scales.end(), {m.q, m.shift});
  }
  call.weights = weights_s8(layer.weights, channel_of);
  call.bias = bias_s32(layer.bias, channels);
  call.inputs = {layer.input};
  return std::nullopt;
}

Refusal read_conv(const Region& region, const Node& node, Call& call) {
  if (auto no = refuse_layout(node)) return no;
  const QuantisedLayer layer = lifted_layer(region, node);
  if (auto no = refuse_values(region, node, 1)) return no;
  Verdict why;
  const auto c = read_convolution(region, node, layer.in, layer.weights, layer.out, why);
  if (!c) return why;
  const auto channel_of = [&](std::size_t i) { return static_cast<std::int64_t>(i) / c->filter.out % c->out.channels; };
  if (auto no = read_weights(region, layer, c->filter.out_axis, c->out.channels, channel_of, call)) return no;
  call.weights = filter_rows(*c, call.weights);
  call.function = "tn_convolve_s8";
  call.parameters = "tn_layer p = " + layer_text(c->in, c->out, c->window, c->groups, affine(layer.in).zero,
                                                 affine(layer.out).zero, c->clamp);
  return std::nullopt;
}

Refusal read_dense(const Region& region, const Node& node, Call& call) {
  const QuantisedLayer layer = lifted_layer(region, node);
  if (auto no = refuse_values(region, node, 1)) return no;
  const RowsByMatrix d = read_fully_connected(region, node);
  const auto clamp = activation_clamp(region, node, layer.out);
  if (d.units == 0 || !clamp) return refuse(Reason::unsupported_shape, "expected weights [units, depth]");
  const auto channel_of = [&](std::size_t i) { return static_cast<std::int64_t>(i) / d.depth; };
  if (auto no = read_weights(region, layer, d.unit_axis, d.units, channel_of, call)) return no;
  call.function = "tn_fully_connected_s8";
  call.parameters = "tn_layer p = " + layer_text({d.rows, 1, 1, d.depth}, {d.rows, 1, 1, d.units}, {}, 1,
                                                 affine(layer.in).zero, affine(layer.out).zero, *clamp);
  return std::nullopt;
}

Refusal read_pool(const Region& region, const Node& node, Call& call) {
  if (auto no = refuse_layout(node)) return no;
  if (auto no = refuse_values(region, node, 1)) return no;
  const Value &x = region.values[node.inputs[0]], &y = region.values[node.outputs[0]];
  const auto in = read_image(node, x), out = read_output_image(node, y);
  const auto window = read_window(node, node.integers("kernel_shape", {}));
  const auto clamp = activation_clamp(region, node, y);
  if (!in || !out || !window || !clamp || node.outputs.size() != 1 || node.integer("count_include_pad", 0) != 0)
    return refuse(Reason::unsupported_attribute, "expected two spatial dims, one output, an average without padding");
  if (x.quantisation != y.quantisation)
    return refuse(Reason::unsupported_quantisation, "expected one quantisation of input and output");
  call.inputs = {node.inputs[0]};
  call.function = node.op == "MaxPool" ? "tn_max_pool_s8" : "tn_average_pool_s8";
  call.parameters = "tn_layer p = " + layer_text(*in, *out, *window, 1, 0, 0, *clamp);
  return std::nullopt;
}

Refusal read_add(const Region& region, const Node& node, Call& call) {
  if (auto no = refuse_values(region, node, 2)) return no;
  const Value &a = region.values[node.inputs[0]], &b = region.values[node.inputs[1]],
              &y = region.values[node.outputs[0]];
  const auto clamp = activation_clamp(region, node, y);
  if (a.dims != y.dims || b.dims != y.dims || a.is_constant || b.is_constant || !clamp)
    return refuse(Reason::unsupported_shape, "expected two computed tensors of the result's shape");
  const auto s = byoc::tflite::add_parameters(affine(a), affine(b), affine(y));
  if (s.y.shift > 30) return refuse(Reason::unsupported_quantisation, "expected an output multiplier below 2^30");
  call.inputs = {node.inputs[0], node.inputs[1]};
  call.function = "tn_add_s8";
  const std::string numbers = record({s.left, affine(a).zero, affine(b).zero, affine(y).zero, clamp->low, clamp->high});
  call.parameters = "tn_sum p = {" + scale(s.a) + ", " + scale(s.b) + ", " + scale(s.y) + ", " + numbers.substr(1);
  call.count = y.elements();
  return std::nullopt;
}

Refusal read_softmax(const Region& region, const Node& node, Call& call) {
  if (auto no = refuse_values(region, node, 1)) return no;
  const Value &x = region.values[node.inputs[0]], &y = region.values[node.outputs[0]];
  const auto rank = static_cast<std::int64_t>(x.dims.size()), axis = node.integer("axis", -1);
  const Affine out = affine(y), expected = byoc::tflite::kSoftmaxOutput;
  const float beta = node.real("beta", 1);
  const auto s = byoc::tflite::softmax_parameters(affine(x), beta);
  if (rank == 0 || (axis != -1 && axis != rank - 1) || out.scale != expected.scale || out.zero != expected.zero ||
      !(beta > 0) || s.input.shift < 0 || x.dims.back() > 4096)
    return refuse(Reason::unsupported_quantisation, "expected the last axis, of at most 4096, to 1/256 and -128");
  call.inputs = {node.inputs[0]};
  call.function = "tn_softmax_s8";
  call.parameters = "tn_softmax p = {" + scale(s.input) + ", " +
                    record({x.elements() / x.dims.back(), x.dims.back(), s.diff_min}).substr(1);
  return std::nullopt;
}

struct Layer {
  std::string_view domain, op;
  Refusal (*read)(const Region&, const Node&, Call&);
};
constexpr Layer kLayers[] = {
    {"", "Conv", read_conv},    {"byoc", "FullyConnected", read_dense},
    {"", "MaxPool", read_pool}, {"", "AveragePool", read_pool},
    {"", "Add", read_add},      {"", "Softmax", read_softmax},
};

// A claim with the call, or why not.
Verdict read(const Region& region, const Node& node, Call& call) {
  for (const Layer& layer : kLayers) {
    if (layer.op != node.op || layer.domain != node.domain) continue;
    if (region.requant != byoc::Requant::tflite)
      return refuse(Reason::unsupported_quantisation, "found ONNX's rounding, expected TFLite's");
    const Refusal no = layer.read(region, node, call);
    return no ? *no : claim();
  }
  return refuse(Reason::unsupported_op, "the library has no function for it");
}

class TinyNn final : public byoc::PluginCodegen {
 public:
  using PluginCodegen::PluginCodegen;

  [[nodiscard]] Verdict verdict(const Region& model, const Node& node) const override {
    if (kPrebuilt && byoc::find_embedded(target.name + ".a") == nullptr)
      return refuse(Reason::vendor, "there is no library for target " + target.name);
    Call call;
    return read(model, node, call);
  }

  bool compile(const Request& request, Host& host) override {
    if (kPrebuilt) {
      host.header("tiny_nn.h", byoc::find_embedded("tiny_nn.h")->text());
      byoc::bring_library(host, *byoc::find_embedded(target.name + ".a"), "tiny_nn");
    } else {
      byoc::bring_sources(host, {.standard = "gnu11"});
    }
    byoc::CFile file(request, host, "tiny_nn_steps");
    file.include("\"tiny_nn.h\"");
    for (const Region& region : request.regions)
      for (const Node& node : region.nodes) add_step(region, node, host, file);
    file.finish();
    return true;
  }

 private:
  template <class T>
  static std::string constant(Host& host, const char* stem, const std::vector<T>& elements, byoc::DType type) {
    byoc::codegen::ConstantDecl decl;
    decl.symbol = host.claim(stem);
    decl.element = type;
    decl.align = 4;
    host.constant(decl, std::as_bytes(std::span(elements)));
    return decl.symbol;
  }

  static void add_step(const Region& region, const Node& node, Host& host, byoc::CFile& file) {
    Call call;
    (void)read(region, node, call);
    Step step;
    step.nodes = {static_cast<byoc::codegen::NodeId>(&node - region.nodes.data())};
    step.outputs = {{node.outputs[0]}};
    std::string arguments = "&p";
    if (call.count != 0) arguments += ", " + std::to_string(call.count);
    for (const auto input : call.inputs) {
      arguments += ", in" + std::to_string(step.inputs.size());
      step.inputs.push_back({input});
    }
    if (!call.weights.empty())
      arguments += ", " + constant(host, "weights", call.weights, byoc::DType::i8) + ", " +
                   constant(host, "bias", call.bias, byoc::DType::i32) + ", (const tn_scale *)" +
                   constant(host, "scales", call.scales, byoc::DType::i32);
    file.add(region, step,
             "  static const " + call.parameters + ";\n  " + call.function + "(" + arguments + ", out0);\n");
  }
};

}  // namespace

BYOC_PLUGIN(TinyNn, {.id = kPrebuilt ? "org.example.tiny-nn-prebuilt" : "org.example.tiny-nn",
                     .name = kPrebuilt ? "Tiny NN, compiled" : "Tiny NN",
                     .vendor = "Example",
                     .version = "1.0",
                     .license = "Apache-2.0"});
