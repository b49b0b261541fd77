#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

// x [..., frames, size] -> y [..., frames * frame_step]
Result<void> import_signal_overlap_add(OperatorImport& op) {
  const ir::ValueId x = op.input(0), y = op.output();
  if (!op.expect_dtype(x, {DType::i16, DType::f32}) || !op.expect_option_type(x) ||
      !op.expect_dtype(y, {op.type(x).dtype}))
    return failure;
  std::vector<ir::Dim> dims = op.dims(x);
  if (dims.size() < 2)
    return op.refuse("unsupported shape of " + op.describe(x), std::to_string(dims.size()) + " dimensions",
                     "2 or more");
  const ir::Dim size = dims.back(), frames = dims[dims.size() - 2];
  if (size < 1 || frames < 1) return op.refuse("no frames, or empty ones", op.describe(x));
  const auto step = op.option("frame_step", 1, size);
  if (!step) return failure;
  ir::Dim rows = 1;
  for (std::size_t d = 0; d + 2 < dims.size(); ++d) rows *= dims[d];
  dims.pop_back();
  dims.back() = frames * *step;
  if (!op.expect_dims(y, dims)) return failure;
  const std::vector<ir::Dim> kept = {rows, size};
  const auto before = op.add_state({op.type(x).dtype, kept, std::nullopt});
  if (!before) return failure;
  const ir::ValueId after = op.add_tensor(op.type(x).dtype, kept);
  op.set_next_state(*before, after);
  op.byoc_node("SignalOverlapAdd", {x, *before}, {y, after}).attributes["frame_step"] = *step;
  return {};
}

}  // namespace byoc::tflite
