#include <algorithm>

#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

// x i16 [..., n] -> y i16 [..., n / frame_step, frame_size], whether all frames are whole
Result<void> import_signal_framer(OperatorImport& op) {
  constexpr std::int64_t kMost = 1 << 24;
  const ir::ValueId x = op.input(0), y = op.output(0), valid = op.output(1);
  if (!op.expect_dtype(x, {DType::i16}) || !op.expect_dtype(y, {DType::i16}) ||
      !op.expect_dtype(valid, {DType::boolean}) || !op.expect_dims(valid, {}))
    return failure;
  if (op.rank(x) == 0) return op.refuse("unsupported shape of " + op.describe(x), "a scalar", "1 dimension or more");
  const auto size = op.option("frame_size", 1, kMost), step = op.option("frame_step", 1, kMost);
  const auto prefill = op.option("prefill", 0, 1);
  if (!size || !step || !prefill) return failure;
  std::vector<ir::Dim> dims = op.dims(x);
  const ir::Dim length = dims.back();
  if (length < 1 || length % *step != 0)
    return op.refuse("the samples are no multiple of 'frame_step'", std::to_string(length), std::to_string(*step));
  if (*prefill != 0 && *size < *step)
    return op.refuse("frames are shorter than their step", std::to_string(*size),
                     "at least " + std::to_string(*step) + " with 'prefill'");
  ir::Dim rows = 1;
  for (std::size_t d = 0; d + 1 < dims.size(); ++d) rows *= dims[d];
  dims.back() = length / *step;
  dims.push_back(*size);
  if (!op.expect_dims(y, dims)) return failure;
  const std::int64_t before = *prefill != 0 ? *size - *step : ((*size + *step - 1) / *step - 1) * *step;
  const std::vector<ir::Dim> kept = {rows, std::max<std::int64_t>(before, 1)};
  const auto history = op.add_state({DType::i16, kept, std::nullopt});
  const auto seen = op.add_state({DType::i32, std::vector<ir::Dim>{1}, std::nullopt});
  if (!history || !seen) return failure;
  const ir::ValueId next = op.add_tensor(DType::i16, kept), now = op.add_tensor(DType::i32, {1});
  op.set_next_state(*history, next);
  op.set_next_state(*seen, now);
  ir::Node& node = op.byoc_node("SignalFramer", {x, *history, *seen}, {y, valid, next, now});
  node.attributes["frame_size"] = *size;
  node.attributes["frame_step"] = *step;
  node.attributes["prefill"] = *prefill;
  return {};
}

}  // namespace byoc::tflite
