#include <algorithm>
#include <array>

#include "sdk/import/tflite/elementwise.hpp"
#include "sdk/import/tflite/operators/operators.hpp"
#include "sdk/import/tflite/weights.hpp"

namespace byoc::tflite {
namespace {

constexpr std::size_t kShape = 0, kWeights = 1, kInput = 2, kBias = 3;
constexpr const char* kImageAxis[] = {"height", "width"};

// What the kernel cuts off in front, by which it is as if a convolution of that padding led from the output back to the
// input. The division drops the fraction as the kernel's does, also below 0.
std::int64_t padding_before(std::int64_t out, std::int64_t kernel, std::int64_t stride, schema::Padding padding) {
  const std::int64_t windows = (padding == schema::Padding::SAME ? out + stride - 1 : out + stride - kernel) / stride;
  return std::max<std::int64_t>((windows - 1) * stride + kernel - out, 0) / 2;
}

Result<void> expect_shapes(OperatorImport& op) {
  const ir::ValueId x = op.input(kInput), filter = op.input(kWeights), y = op.output();
  if (!expect_shape_input(op, op.input(kShape))) return failure;
  if (!op.expect_dims(y, {op.dims(x)[0], op.dims(y)[1], op.dims(y)[2], op.dims(filter)[0]})) return failure;
  if (op.dims(filter)[3] == op.dims(x)[3]) return {};
  return op.refuse("the filter does not fit the input's channels", std::to_string(op.dims(filter)[3]),
                   std::to_string(op.dims(x)[3]));
}

// The input; where the output's shape is computed, a run checks that it is the one that the model states. What cannot
// be a shape of the output at all is not looked at, as the reference does not look at any.
ir::ValueId checked_input(OperatorImport& op) {
  const ir::ValueId x = op.input(kInput), shape = op.input(kShape);
  if (op.value(shape).constant) return x;
  const ir::ValueId checked = op.add_tensor(x, op.dims(x));
  ir::Node& node = op.byoc_node("Expect", {x, shape}, {checked});
  node.attributes["expected"] = op.dims(op.output());
  node.attributes["open"] = std::vector<std::int64_t>{1, 2};  // batch and channels follow from the operands
  return checked;
}

}  // namespace

// The output's shape, filter [O, KH, KW, C], x [N, H, W, C], bias [O] -> y [N, OH, OW, O]. Any OH and OW will do: what
// the filter spreads beyond them is lost, and what it does not reach is the bias.
Result<void> import_transpose_conv(OperatorImport& op) {
  auto options = op.options<schema::TransposeConvOptions>();
  if (!options) return failure;
  const schema::TransposeConvOptions& o = **options;
  for (const ir::ValueId v : {op.input(kInput), op.input(kWeights), op.output()})
    if (!op.expect_rank(v, 4)) return failure;
  const WeightRules rules{.channel_axis = 0,
                          .x = kInput,
                          .weights = kWeights,
                          .bias = kBias,
                          .few_bits = false,
                          .int16_takes_int32_bias = true};
  if (!expect_weights(op, rules, o.quantized_bias_type()) || !expect_shapes(op)) return failure;
  if (o.padding() != schema::Padding::SAME && o.padding() != schema::Padding::VALID)
    return op.refuse("unknown padding", std::to_string(static_cast<int>(o.padding())), "SAME or VALID");

  const std::array<std::int64_t, 2> strides{o.stride_h(), o.stride_w()};
  std::vector<std::int64_t> kernel, pads(4, 0), beyond;
  for (std::size_t i = 0; i < 2; ++i) {
    const std::int64_t in = op.dims(op.input(kInput))[i + 1], taps = op.dims(op.input(kWeights))[i + 1];
    const std::int64_t out = op.dims(op.output())[i + 1], stride = strides[i];
    for (const auto& [what, length] : {std::pair{"input size", in}, std::pair{"filter size", taps},
                                       std::pair{"output size", out}, std::pair{"stride", stride}})
      if (length < 1)
        return op.refuse(std::string(what) + " out of range", std::string(kImageAxis[i]) + " " + std::to_string(length),
                         "1 or more");
    pads[i] = padding_before(out, taps, stride, o.padding());
    const std::int64_t reached = (in - 1) * stride + taps - pads[i];
    pads[i + 2] = std::max<std::int64_t>(reached - out, 0);
    beyond.push_back(std::max<std::int64_t>(out - reached, 0));
    kernel.push_back(taps);
  }

  ir::Node& node = op.node("ConvTranspose", {checked_input(op), op.input(kWeights), op.input(kBias)});
  node.attributes["data_layout"] = std::string("NHWC");
  node.attributes["filter_layout"] = std::string("OHWI");
  node.attributes["kernel_shape"] = kernel;
  node.attributes["strides"] = std::vector<std::int64_t>(strides.begin(), strides.end());
  node.attributes["dilations"] = std::vector<std::int64_t>{1, 1};
  node.attributes["pads"] = pads;
  node.attributes["output_padding"] = beyond;
  node.attributes["group"] = std::int64_t{1};
  return op.fuse(node, o.fused_activation_function());
}

}  // namespace byoc::tflite
