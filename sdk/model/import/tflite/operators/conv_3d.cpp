#include "sdk/model/import/tflite/operators/operators.hpp"
#include "sdk/model/import/tflite/window.hpp"

namespace byoc::tflite {
namespace {

Result<void> expect_floats(OperatorImport& op, ir::ValueId x, ir::ValueId filter, ir::ValueId bias) {
  for (const ir::ValueId v : {x, filter, op.output()})
    if (!op.expect_dtype(v, {DType::f32}) || !op.expect_rank(v, 5)) return failure;
  return bias == ir::kNoValue ? Result<void>{} : op.expect_dtype(bias, {DType::f32});
}

// The filter [D, H, W, a, b] with its dimensions in this order.
ir::ValueId arranged(OperatorImport& op, ir::ValueId filter, const std::vector<std::int64_t>& perm) {
  std::vector<ir::Dim> dims;
  for (const std::int64_t d : perm) dims.push_back(op.dims(filter)[static_cast<std::size_t>(d)]);
  const ir::ValueId out = op.add_tensor(filter, dims);
  op.transpose(filter, out, perm);
  return out;
}

Window window_of(const std::vector<ir::Dim>& filter, const schema::Conv3DOptions& o) {
  return {{filter[0], filter[1], filter[2]},
          {o.stride_d(), o.stride_h(), o.stride_w()},
          {o.dilation_d_factor(), o.dilation_h_factor(), o.dilation_w_factor()}};
}

}  // namespace

// x [N, D, H, W, C], filter [KD, KH, KW, C / group, O], bias [O] -> y [N, OD, OH, OW, O]
Result<void> import_conv_3d(OperatorImport& op) {
  auto options = op.options<schema::Conv3DOptions>();
  if (!options) return failure;
  const ir::ValueId x = op.input(0), filter = op.input(1), bias = op.input(2);
  if (!expect_floats(op, x, filter, bias)) return failure;
  const std::vector<ir::Dim> f = op.dims(filter), d = op.dims(x);
  if (f[3] < 1 || d[4] < 1 || d[4] % f[3] != 0 || f[4] % (d[4] / f[3]) != 0)
    return op.refuse("the filter does not fit the input's channels",
                     std::to_string(f[3]) + " of " + std::to_string(d[4]),
                     "a divisor, by which output channels divide too");
  if (bias != ir::kNoValue && !op.expect_dims(bias, {f[4]})) return failure;
  const Window window = window_of(f, **options);
  auto placed = place(op, x, window, (*options)->padding());
  if (!placed || !op.expect_dims(op.output(), {d[0], placed->output[0], placed->output[1], placed->output[2], f[4]}))
    return failure;
  ir::Node& node = op.node("Conv", {x, arranged(op, filter, {4, 0, 1, 2, 3}), bias});
  describe_window(node, window, *placed);
  node.attributes["dilations"] = window.dilations;
  node.attributes["filter_layout"] = std::string("OHWI");
  node.attributes["group"] = d[4] / f[3];
  return op.fuse(node, (*options)->fused_activation_function());
}

// The output's shape, filter [KD, KH, KW, O, C], x [N, D, H, W, C], bias [O] -> y [N, OD, OH, OW, O]
Result<void> import_conv_3d_transpose(OperatorImport& op) {
  auto options = op.options<schema::Conv3DOptions>();
  if (!options) return failure;
  const ir::ValueId shape = op.input(0), filter = op.input(1), x = op.input(2), bias = op.input(3), y = op.output();
  if (!expect_floats(op, x, filter, bias)) return failure;
  auto stated = op.integers(shape, "the output's shape");
  if (!stated || !op.expect_dims(y, *stated)) return failure;
  const std::vector<ir::Dim> f = op.dims(filter), d = op.dims(y);
  if (f[4] != op.dims(x)[4])
    return op.refuse("the filter does not fit the input's channels", std::to_string(f[4]),
                     std::to_string(op.dims(x)[4]));
  if (!op.expect_dims(y, {op.dims(x)[0], d[1], d[2], d[3], f[3]})) return failure;
  if (bias != ir::kNoValue && !op.expect_dims(bias, {f[3]})) return failure;
  const Window window = window_of(f, **options);
  auto spread = place_spread(op, x, window, (*options)->padding());
  if (!spread) return failure;
  ir::Node& node = op.node("ConvTranspose", {x, arranged(op, filter, {3, 0, 1, 2, 4}), bias});
  describe_spread(node, window, *spread);
  return op.fuse(node, (*options)->fused_activation_function());
}

}  // namespace byoc::tflite
