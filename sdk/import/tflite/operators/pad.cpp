#include "sdk/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

// Input 1: int32 [rank, 2], before and after. Pads with 0, or the zero point.
Result<void> lower_pad(Lowering& op) {
  auto options = op.optional_options<schema::PadOptions>();
  if (!options) return failure;
  const ir::ValueId x = op.input(0), y = op.output();
  if (!op.expect_activations(x, y) || !op.expect_equal_quantisation(x, y)) return failure;
  const auto rank = static_cast<ir::Dim>(op.rank(x));
  if (!op.expect_dtype(op.input(1), {DType::i32}) || !op.expect_dims(op.input(1), {rank, 2})) return failure;
  auto paddings = op.integers(op.input(1), "the paddings");
  if (!paddings) return failure;
  std::vector<ir::Dim> dims = op.dims(x);
  std::vector<std::int64_t> pads(2 * dims.size());
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const std::int64_t before = (*paddings)[2 * i], after = (*paddings)[2 * i + 1];
    if (before < 0 || after < 0)
      return op.refuse("negative padding", std::to_string(before < 0 ? before : after), "0 or more");
    pads[i] = before;
    pads[i + dims.size()] = after;
    dims[i] += before + after;
  }
  if (!op.expect_dims(y, dims)) return failure;
  ir::Node& node = op.node("Pad", {x, op.add_integers(pads)});
  node.attributes["mode"] = std::string("constant");
  return {};
}

}  // namespace byoc::tflite
