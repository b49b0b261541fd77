#include <algorithm>
#include <array>
#include <optional>

#include "sdk/model/import/tflite/elementwise.hpp"
#include "sdk/model/import/tflite/operators/operators.hpp"
#include "sdk/model/import/tflite/weights.hpp"
#include "sdk/model/import/tflite/window.hpp"

namespace byoc::tflite {
namespace {

// Indexes of the inputs. `shape`: the output's, checked where it is computed.
struct Operands {
  std::size_t x = 0, weights = 1, bias = 2;
  std::optional<std::size_t> shape = std::nullopt;
};

Result<void> expect_shapes(OperatorImport& op, const Operands& at) {
  const ir::ValueId x = op.input(at.x), filter = op.input(at.weights), y = op.output();
  if (at.shape && !expect_shape_input(op, op.input(*at.shape))) return failure;
  if (!op.expect_dims(y, {op.dims(x)[0], op.dims(y)[1], op.dims(y)[2], op.dims(filter)[0]})) return failure;
  if (op.dims(filter)[3] == op.dims(x)[3]) return {};
  return op.refuse("the filter does not fit the input's channels", std::to_string(op.dims(filter)[3]),
                   std::to_string(op.dims(x)[3]));
}

// The input. If the output's shape is computed, a run checks that it equals the stated one. A shape that the output can
// never have is not checked, because the reference checks none. Batch and channels follow from the operands.
ir::ValueId checked_input(OperatorImport& op, const Operands& at) {
  const ir::ValueId x = op.input(at.x);
  if (!at.shape) return x;
  return expect_at_run_time(op, x, op.input(*at.shape), op.dims(op.output()), {1, 2});
}

// Filter [O, KH, KW, C], x [N, H, W, C], bias [O] -> y [N, OH, OW, O]. Any OH and OW will do: what the filter spreads
// beyond them is lost, and what it does not reach is the bias.
Result<ir::Node*> spread(OperatorImport& op, const Operands& at, const std::array<std::int64_t, 2>& strides,
                         schema::Padding padding, schema::TensorType bias_type) {
  for (const ir::ValueId v : {op.input(at.x), op.input(at.weights), op.output()})
    if (!op.expect_rank(v, 4)) return failure;
  const WeightRules rules{.channel_axis = 0,
                          .x = at.x,
                          .weights = at.weights,
                          .bias = at.bias,
                          .few_bits = false,
                          .int16_takes_int32_bias = true};
  if (!expect_weights(op, rules, bias_type) || !expect_shapes(op, at)) return failure;
  const auto& f = op.dims(op.input(at.weights));
  const Window window{{f[1], f[2]}, {strides[0], strides[1]}};
  auto placed = place_spread(op, op.input(at.x), window, padding);
  if (!placed) return failure;
  ir::Node& node = op.node("ConvTranspose", {checked_input(op, at), filter_of(op, at.weights), op.input(at.bias)});
  describe_spread(node, window, *placed);
  describe_product(op, node);
  return &node;
}

}  // namespace

// The output's shape, filter, x, bias.
Result<void> import_transpose_conv(OperatorImport& op) {
  auto options = op.options<schema::TransposeConvOptions>();
  if (!options) return failure;
  const schema::TransposeConvOptions& o = **options;
  const auto node = spread(op, {.x = 2, .weights = 1, .bias = 3, .shape = 0}, {o.stride_h(), o.stride_w()}, o.padding(),
                           o.quantized_bias_type());
  return node ? op.fuse(**node, o.fused_activation_function()) : failure;
}

// MediaPipe's: x, filter, bias, of floats. Options: little-endian words for the padding, 1 SAME or 2 VALID, and the
// strides across and down.
Result<void> import_convolution_2d_transpose_bias(OperatorImport& op) {
  constexpr std::size_t kWords = 3;
  const std::string& bytes = op.raw_options();
  if (bytes.size() < kWords * sizeof(std::uint32_t))
    return op.refuse("its options are too short", std::to_string(bytes.size()) + " bytes", "at least 12 bytes");
  std::array<std::int64_t, kWords> words{};
  for (std::size_t i = 0; i < kWords * sizeof(std::uint32_t); ++i)
    words[i / 4] |= std::int64_t{static_cast<unsigned char>(bytes[i])} << (i % 4 * 8);
  if (words[0] != 1 && words[0] != 2) return op.refuse("padding out of range", std::to_string(words[0]), "1 or 2");
  if (words[1] > INT32_MAX || words[2] > INT32_MAX)
    return op.refuse("stride out of range", std::to_string(std::max(words[1], words[2])), "less than 2^31");
  if (!op.expect_dtype(op.input(0), {DType::f32})) return failure;
  const auto node = spread(op, {}, {words[2], words[1]}, words[0] == 1 ? schema::Padding::SAME : schema::Padding::VALID,
                           schema::TensorType::FLOAT32);
  return node ? Result<void>() : failure;
}

}  // namespace byoc::tflite
