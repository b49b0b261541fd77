#include "sdk/model/import/tflite/pieces.hpp"

#include <algorithm>

namespace byoc::tflite {

Result<std::size_t> axis_input(OperatorImport& op, ir::ValueId v, std::size_t rank) {
  auto axis = op.integers(v, "the axis");
  if (!axis) return failure;
  if (axis->size() != 1) return op.refuse("the axis", std::to_string(axis->size()) + " integers", "one");
  return op.axis((*axis)[0], rank);
}

Result<void> import_to_split(OperatorImport& op, ir::ValueId x, std::size_t axis,
                             const std::vector<std::int64_t>& lengths) {
  std::vector<ir::ValueId> pieces;
  for (std::size_t i = 0; i < op.output_count(); ++i) {
    std::vector<ir::Dim> dims = op.dims(x);
    dims[axis] = lengths[i];
    if (!op.expect_moved(x, op.output(i)) || !op.expect_dims(op.output(i), dims)) return failure;
    pieces.push_back(op.output(i));
  }
  if (pieces.size() == 1) {
    op.reshape(x, pieces[0]);
    return {};
  }
  // Without lengths, ONNX's Split makes equal pieces.
  const bool is_even = std::all_of(lengths.begin(), lengths.end(), [&](std::int64_t l) { return l == lengths[0]; });
  const ir::ValueId split = is_even ? ir::kNoValue : op.add_integers(lengths);
  op.node("Split", {x, split}, pieces).attributes["axis"] = static_cast<std::int64_t>(axis);
  return {};
}

void slice(OperatorImport& op, ir::ValueId x, ir::ValueId to, const std::vector<Cut>& cuts) {
  std::vector<std::int64_t> starts, ends, axes, steps;
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    const Cut& c = cuts[i];
    const std::int64_t size = op.dims(x)[i];
    if (c.start == 0 && c.step == 1 && c.count == size) continue;
    // A negative end counts from the end of the dimension: before the first element is -size - 1.
    const std::int64_t end = c.start + c.step * c.count;
    starts.push_back(c.start);
    ends.push_back(end < 0 ? -size - 1 : end);
    axes.push_back(static_cast<std::int64_t>(i));
    steps.push_back(c.step);
  }
  if (axes.empty()) {
    op.reshape(x, to);
    return;
  }
  const ir::ValueId from = op.add_integers(starts), until = op.add_integers(ends), along = op.add_integers(axes);
  const bool steps_by_one = std::all_of(steps.begin(), steps.end(), [](std::int64_t s) { return s == 1; });
  op.node("Slice", {x, from, until, along, steps_by_one ? ir::kNoValue : op.add_integers(steps)}, {to});
}

}  // namespace byoc::tflite
