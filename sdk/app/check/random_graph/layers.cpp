// Entries of convolutions, pools and products on real numbers.
#include <algorithm>

#include "sdk/app/check/random_graph/builder.hpp"
#include "sdk/app/check/random_graph/windows.hpp"

namespace byoc::check {
namespace {

const std::vector<std::string> kRealActivations = {"none", "relu", "relu6", "relu_n1_to_1"};

void conv(Builder& b, const std::string& op) {
  const ir::ValueId x = b.any_real(3, 5);
  const ConvShape shape = conv_shape(b, b.dims(x));
  if (shape.attributes.empty()) return;
  std::vector<ir::ValueId> inputs{x, b.constant(DType::f32, shape.weights)};
  if (b.choice.one_in(2)) inputs.push_back(b.constant(DType::f32, {shape.out_channels}));
  Builder::Attributes attributes = shape.attributes;
  if (b.choice.one_in(4)) attributes["activation"] = b.choice.of(kRealActivations);
  b.add(op, std::move(inputs), std::move(attributes));
}

void conv_transpose(Builder& b, const std::string& op) {
  const ir::ValueId x = b.any_real(3, 4);
  const bool channels_last = b.choice.one_in(3);
  const std::int64_t channels = channels_last ? b.dims(x).back() : b.dims(x)[1], outputs = b.choice.integer(1, 3);
  Dims kernel, strides;
  for (std::size_t i = 2; i < b.dims(x).size(); ++i) {
    kernel.push_back(b.choice.integer(1, 3));
    strides.push_back(b.choice.integer(1, 2));
  }
  Builder::Attributes attributes{{"strides", strides}};
  Dims weights = kernel;
  if (channels_last) {
    attributes["data_layout"] = std::string("NHWC");
    attributes["filter_layout"] = std::string("OHWI");
    weights.insert(weights.begin(), outputs);
    weights.push_back(channels);
  } else {
    weights.insert(weights.begin(), {channels, outputs});
  }
  b.add(op, {x, b.constant(DType::f32, weights)}, std::move(attributes));
}

void pool(Builder& b, const std::string& op) {
  const ir::ValueId x = b.any_real(3, 5);
  Builder::Attributes attributes = window(b, {b.dims(x).begin() + 2, b.dims(x).end()}, false);
  if (attributes.empty()) return;
  if (op == "AveragePool") attributes["count_include_pad"] = std::int64_t{b.choice.one_in(3) ? 1 : 0};
  if (op == "LpPool") attributes["p"] = b.choice.integer(1, 3);
  b.add(op, {x}, std::move(attributes));
}

void global_pool(Builder& b, const std::string& op) { b.add(op, {b.any_real(3, 5)}); }

void gemm(Builder& b, const std::string& op) {
  const ir::ValueId x = b.any_real(2, 2);
  const bool trans_a = b.choice.one_in(4), trans_b = b.choice.one_in(2);
  const std::int64_t rows = b.dims(x)[trans_a ? 1 : 0], depth = b.dims(x)[trans_a ? 0 : 1];
  const std::int64_t units = b.choice.integer(1, 9);
  std::vector<ir::ValueId> inputs{
      x, b.same_type({DType::f32, trans_b ? Dims{units, depth} : Dims{depth, units}, std::nullopt})};
  static const std::vector<int> kBias = {0, 1, 2, 3, 4};
  switch (b.choice.of(kBias)) {
    case 0: break;
    case 1: inputs.push_back(b.constant(DType::f32, {units})); break;
    case 2: inputs.push_back(b.constant(DType::f32, {rows, 1})); break;
    case 3: inputs.push_back(b.same_type({DType::f32, Dims{rows, units}, std::nullopt})); break;
    default: inputs.push_back(b.scalar(b.choice.real(-2, 2)));
  }
  Builder::Attributes attributes{{"transA", std::int64_t{trans_a}}, {"transB", std::int64_t{trans_b}}};
  if (b.choice.one_in(3)) attributes["alpha"] = b.choice.real(-2, 2);
  if (b.choice.one_in(3)) attributes["beta"] = b.choice.real(-2, 2);
  b.add(op, std::move(inputs), std::move(attributes));
}

void matmul(Builder& b, const std::string& op) {
  const ir::ValueId x = b.any_real(1, 4);
  const std::int64_t depth = b.dims(x).back();
  Dims other{depth};
  if (!b.choice.one_in(5)) other.push_back(b.choice.integer(1, 9));
  if (other.size() == 2 && b.dims(x).size() > 2 && b.choice.one_in(2))
    other.insert(other.begin(), b.dims(x).begin(), b.dims(x).end() - 2);
  const ir::ValueId y = b.same_type({DType::f32, other, std::nullopt});
  b.add(op, {x, y});
}

void fully_connected(Builder& b, const std::string& op) {
  const ir::ValueId x = b.any_real(1, 4);
  const std::int64_t units = b.choice.integer(1, 9);
  std::vector<ir::ValueId> inputs{x, b.constant(DType::f32, {units, b.dims(x).back()})};
  if (b.choice.one_in(2)) inputs.push_back(b.constant(DType::f32, {units}));
  Builder::Attributes attributes;
  if (b.choice.one_in(3)) attributes["keep_num_dims"] = std::int64_t{1};
  if (b.choice.one_in(2)) attributes["activation"] = b.choice.of(kRealActivations);
  b.add(op, std::move(inputs), std::move(attributes));
}

void recurrent(Builder& b, const std::string& op) {
  const ir::ValueId x = b.any_real(3, 3);
  const std::int64_t hidden = b.choice.integer(1, 4), gates = op == "LSTM" ? 4 : op == "GRU" ? 3 : 1;
  static const std::vector<std::string> kDirections = {"forward", "reverse", "bidirectional"};
  const std::string direction = b.choice.of(kDirections);
  const std::int64_t directions = direction == "bidirectional" ? 2 : 1;
  std::vector<ir::ValueId> inputs{x, b.reals({directions, gates * hidden, b.dims(x)[2]}, -1, 1),
                                  b.reals({directions, gates * hidden, hidden}, -1, 1)};
  if (b.choice.one_in(2)) inputs.push_back(b.reals({directions, 2 * gates * hidden}, -1, 1));
  b.add(op, std::move(inputs), {{"hidden_size", hidden}, {"direction", direction}},
        std::vector<std::optional<ir::TensorType>>(op == "LSTM" ? 3 : 2));
}

}  // namespace

Builder::Attributes window(Builder& b, const Dims& spatial, bool dilated) {
  Dims kernel, strides, dilations, begins, ends;
  for (const std::int64_t n : spatial) {
    if (n == 0) return {};
    kernel.push_back(b.choice.integer(1, std::min<std::int64_t>(n, 4)));
    dilations.push_back(dilated && (kernel.back() - 1) * 2 < n ? b.choice.integer(1, 2) : 1);
    strides.push_back(b.choice.integer(1, 3));
    begins.push_back(b.choice.one_in(2) ? 0 : b.choice.integer(0, kernel.back() - 1));
    ends.push_back(b.choice.one_in(2) ? 0 : b.choice.integer(0, kernel.back() - 1));
  }
  Dims pads = begins;
  pads.insert(pads.end(), ends.begin(), ends.end());
  Builder::Attributes out{{"kernel_shape", kernel}, {"strides", strides}, {"pads", pads}};
  if (dilated) out["dilations"] = dilations;
  return out;
}

ConvShape conv_shape(Builder& b, const Dims& dims) {
  const bool nhwc = b.choice.one_in(2) && dims.size() == 4;
  const std::int64_t channels = nhwc ? dims.back() : dims[1];
  if (channels == 0) return {};
  const Dims spatial = nhwc ? Dims(dims.begin() + 1, dims.end() - 1) : Dims(dims.begin() + 2, dims.end());
  ConvShape out;
  out.attributes = window(b, spatial, b.choice.one_in(3));
  if (out.attributes.empty()) return {};
  Dims groups{1, 1, channels};
  if (channels % 2 == 0) groups.push_back(2);
  const std::int64_t group = b.choice.of(groups);
  out.out_channels = group * b.choice.integer(1, group == 1 ? 9 : 3);
  out.attributes["group"] = group;
  const Dims kernel = std::get<Dims>(out.attributes["kernel_shape"]);
  const bool ihwo = nhwc && group == channels && b.choice.one_in(2);
  if (nhwc) out.attributes["data_layout"] = std::string("NHWC");
  if (ihwo) {
    out.attributes["filter_layout"] = std::string("IHWO");
    out.weights = {1, kernel[0], kernel[1], out.out_channels};
    out.channel_axis = 3;
  } else if (nhwc) {
    out.attributes["filter_layout"] = std::string("OHWI");
    out.weights = {out.out_channels, kernel[0], kernel[1], channels / group};
  } else {
    out.weights = {out.out_channels, channels / group};
    out.weights.insert(out.weights.end(), kernel.begin(), kernel.end());
  }
  return out;
}

void add_layers(std::vector<Generator>& out) {
  out.push_back({"Conv", 8, conv});
  out.push_back({"ConvTranspose", 2, conv_transpose});
  for (const char* op : {"MaxPool", "AveragePool"}) out.push_back({op, 4, pool});
  out.push_back({"LpPool", 1, pool});
  for (const char* op : {"GlobalAveragePool", "GlobalMaxPool"}) out.push_back({op, 1, global_pool});
  out.push_back({"Gemm", 4, gemm});
  out.push_back({"MatMul", 5, matmul});
  out.push_back({"byoc.FullyConnected", 3, fully_connected});
  for (const char* op : {"LSTM", "GRU", "RNN"}) out.push_back({op, 1, recurrent});
}

}  // namespace byoc::check
