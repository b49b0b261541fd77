#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

// Input 1: of each index of the batch dimension, how many elements along the sequence are turned around. ONNX has batch
// and sequence in front; a Transpose brings them there and back.
Result<void> import_reverse_sequence(OperatorImport& op) {
  auto options = op.options<schema::ReverseSequenceOptions>();
  if (!options) return failure;
  const ir::ValueId x = op.input(0), lengths = op.input(1), y = op.output();
  if (!op.expect_moved(x, y) || !op.expect_dims(y, op.dims(x)) || !op.expect_dtype(lengths, {DType::i32, DType::i64}))
    return failure;
  auto sequence = op.axis((*options)->seq_dim(), op.rank(x));
  auto batch = op.axis((*options)->batch_dim(), op.rank(x));
  if (!sequence || !batch) return failure;
  if (*sequence == *batch)
    return op.refuse("batch and sequence are one dimension", std::to_string(*batch), "two of them");
  if (!op.expect_dims(lengths, {op.dims(x)[*batch]})) return failure;
  std::vector<std::int64_t> perm = {static_cast<std::int64_t>(*batch), static_cast<std::int64_t>(*sequence)};
  for (std::size_t d = 0; d < op.rank(x); ++d)
    if (d != *batch && d != *sequence) perm.push_back(static_cast<std::int64_t>(d));
  const auto add = [&](ir::ValueId from, ir::ValueId to, std::int64_t batch_axis) {
    ir::Node& node = op.node("ReverseSequence", {from, lengths}, {to});
    node.attributes["batch_axis"] = batch_axis;
    node.attributes["time_axis"] = 1 - batch_axis;
  };
  if (*batch < 2 && *sequence < 2) {
    add(x, y, static_cast<std::int64_t>(*batch));
    return {};
  }
  std::vector<ir::Dim> dims;
  std::vector<std::int64_t> back(perm.size());
  for (std::size_t i = 0; i < perm.size(); ++i) {
    const auto from = static_cast<std::size_t>(perm[i]);
    dims.push_back(op.dims(x)[from]);
    back[from] = static_cast<std::int64_t>(i);
  }
  const ir::ValueId in = op.add_tensor(x, dims), out = op.add_tensor(x, dims);
  op.transpose(x, in, perm);
  add(in, out, 0);
  op.transpose(out, y, back);
  return {};
}

}  // namespace byoc::tflite
