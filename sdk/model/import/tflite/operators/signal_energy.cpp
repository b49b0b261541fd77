#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

// x i16 [2 * bins] -> y u32 [bins]
Result<void> import_signal_energy(OperatorImport& op) {
  const ir::ValueId x = op.input(0), y = op.output();
  if (!op.expect_dtype(x, {DType::i16}) || !op.expect_rank(x, 1) || !op.expect_dtype(y, {DType::u32})) return failure;
  const ir::Dim bins = op.dims(x)[0] / 2;
  if (!op.expect_dims(y, {bins})) return failure;
  const auto start = op.option("start_index", 0, bins), end = op.option("end_index", 0, bins);
  if (!start || !end) return failure;
  ir::Node& node = op.byoc_node("SignalEnergy", {x});
  node.attributes["start_index"] = *start;
  node.attributes["end_index"] = *end;
  return {};
}

}  // namespace byoc::tflite
