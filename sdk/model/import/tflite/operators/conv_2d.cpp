#include "sdk/model/import/tflite/convolution.hpp"
#include "sdk/model/import/tflite/operators/operators.hpp"
#include "sdk/model/import/tflite/weights.hpp"

namespace byoc::tflite {

// x [N, H, W, C], filter [O, KH, KW, C / group], bias [O] -> y [N, OH, OW, O]
Result<void> import_conv_2d(OperatorImport& op) {
  auto options = op.options<schema::Conv2DOptions>();
  if (!options) return failure;
  const schema::Conv2DOptions& o = **options;
  const ir::ValueId x = op.input(0), filter = op.input(1);
  if (!op.expect_rank(x, 4) || !op.expect_rank(filter, 4) || !op.expect_rank(op.output(), 4)) return failure;
  const WeightRules rules{.channel_axis = 0, .int16_takes_int32_bias = true, .hybrid = true};
  if (!expect_weights(op, rules, o.quantized_bias_type())) return failure;

  const std::vector<ir::Dim> f = op.dims(filter);
  const ir::Dim channels = op.dims(x)[3];
  if (f[3] < 1 || channels < 1 || channels % f[3] != 0)
    return op.refuse("input channels are no multiple of the filter's",
                     std::to_string(channels) + " and " + std::to_string(f[3]));
  const ir::Dim group = channels / f[3];
  if (f[0] < 1 || f[0] % group != 0)
    return op.refuse("output channels are no multiple of the groups",
                     std::to_string(f[0]) + " and " + std::to_string(group));
  const Window window{{f[1], f[2]}, {o.stride_h(), o.stride_w()}, {o.dilation_h_factor(), o.dilation_w_factor()}};
  auto placed = place(op, x, window, o.padding());
  if (!placed || !op.expect_dims(op.output(), {op.dims(x)[0], placed->output[0], placed->output[1], f[0]}))
    return failure;
  const Convolution form{window, *placed, "OHWI", group, true};
  return add_convolution(op, form, bias_of(op, f[0], o.quantized_bias_type()), o.fused_activation_function());
}

}  // namespace byoc::tflite
