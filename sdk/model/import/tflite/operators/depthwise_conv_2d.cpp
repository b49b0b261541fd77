#include "sdk/model/import/tflite/convolution.hpp"
#include "sdk/model/import/tflite/operators/operators.hpp"
#include "sdk/model/import/tflite/weights.hpp"

namespace byoc::tflite {

// x [N, H, W, C], filter [1, KH, KW, C * multiplier], bias [C * multiplier] -> y [N, OH, OW, C * multiplier]
Result<void> import_depthwise_conv_2d(OperatorImport& op) {
  auto options = op.options<schema::DepthwiseConv2DOptions>();
  if (!options) return failure;
  const schema::DepthwiseConv2DOptions& o = **options;
  const ir::ValueId x = op.input(0), filter = op.input(1);
  if (!op.expect_rank(x, 4) || !op.expect_rank(filter, 4) || !op.expect_rank(op.output(), 4)) return failure;
  if (!expect_weights(op, {.channel_axis = 3, .hybrid = true}, schema::TensorType::FLOAT32)) return failure;

  const std::vector<ir::Dim> f = op.dims(filter);
  const ir::Dim channels = op.dims(x)[3];
  if (f[0] != 1) return op.refuse("the first dimension of a depthwise filter", std::to_string(f[0]), "1");
  if (channels < 1 || f[3] < 1 || f[3] % channels != 0)
    return op.refuse("output channels are no multiple of the input's",
                     std::to_string(f[3]) + " and " + std::to_string(channels));
  // The option repeats what the shapes say; writers may leave it 0.
  if (o.depth_multiplier() != 0 && o.depth_multiplier() != f[3] / channels)
    return op.refuse("depth_multiplier does not fit the shapes", std::to_string(o.depth_multiplier()),
                     std::to_string(f[3] / channels));
  const Window window{{f[1], f[2]}, {o.stride_h(), o.stride_w()}, {o.dilation_h_factor(), o.dilation_w_factor()}};
  auto placed = place(op, x, window, o.padding());
  if (!placed || !op.expect_dims(op.output(), {op.dims(x)[0], placed->output[0], placed->output[1], f[3]}))
    return failure;
  const Convolution form{window, *placed, "IHWO", channels, false};
  return add_convolution(op, form, op.input(2), o.fused_activation_function());
}

}  // namespace byoc::tflite
