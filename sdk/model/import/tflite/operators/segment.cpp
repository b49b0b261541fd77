#include <limits>

#include "sdk/model/import/tflite/cast_type.hpp"
#include "sdk/model/import/tflite/elementwise.hpp"
#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {
namespace {

template <class T>
ir::ValueId scalar(OperatorImport& op, ir::ValueId like, T value) {
  const ir::TensorType one{op.type(like).dtype, std::vector<ir::Dim>{1}, std::nullopt};
  std::vector<std::byte> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return op.graph().add_constant({}, one, Blob::own(std::move(bytes)));
}

// The value of a segment that has no elements.
template <class T>
T start_of(std::string_view reduction) {
  if (reduction == "max") return std::numeric_limits<T>::lowest();
  if (reduction == "min") return std::numeric_limits<T>::max();
  return reduction == "mul" ? T{1} : T{0};
}

// The row of each element's segment: elements of negative segments go to an extra first row, which is cut off. A
// segment that is out of range gives a row that is out of range, which ends a run.
ir::ValueId rows_of(OperatorImport& op, ir::ValueId ids) {
  const ir::ValueId known = op.add_tensor(ids, op.dims(ids)), rows = op.add_tensor(ids, op.dims(ids));
  op.node("Max", {ids, scalar<std::int32_t>(op, ids, -1)}, {known});
  op.node("Add", {known, scalar<std::int32_t>(op, ids, 1)}, {rows});
  return rows;
}

// As rows_of(), for sorted ids. Negative ones get row `count`.
ir::ValueId sorted_rows_of(OperatorImport& op, ir::ValueId ids, ir::Dim count) {
  const ir::ValueId negative = op.add_tensor(DType::boolean, op.dims(ids)), rows = op.add_tensor(ids, op.dims(ids));
  op.node("Less", {ids, scalar<std::int32_t>(op, ids, 0)}, {negative});
  op.node("Where", {negative, scalar(op, ids, static_cast<std::int32_t>(count)), ids}, {rows});
  return rows;
}

// y[i] is made of the elements of x whose segment is i. Unsorted ones that are negative are left out.
Result<void> import_segments(OperatorImport& op, const char* reduction, bool sorted) {
  const ir::ValueId x = op.input(0), ids = op.input(1), y = op.output();
  if (!expect_element(op, x, {DType::f32, DType::i32}) || !expect_element(op, y, {op.type(x).dtype}) ||
      !op.expect_dtype(ids, {DType::i32}))
    return failure;
  const std::vector<ir::Dim> from = op.dims(x), of_ids = op.dims(ids), to = op.dims(y);
  if (of_ids.empty() || of_ids.size() > from.size() || !std::equal(of_ids.begin(), of_ids.end(), from.begin()))
    return op.refuse("the shape of " + op.describe(ids) + " is no beginning of that of " + op.describe(x));
  std::vector<ir::Dim> expected(from.begin() + static_cast<std::ptrdiff_t>(of_ids.size()) - 1, from.end());
  expected[0] = to.empty() ? 0 : to[0];
  if (!op.expect_dims(y, expected)) return failure;
  if (op.value(ids).constant) {
    auto known = op.integers(ids, "the segments");
    if (!known) return failure;
    for (const std::int64_t i : *known)
      if (i >= to[0] || (sorted && i < 0))
        return op.refuse("a segment is out of range", std::to_string(i),
                         (sorted ? "0 or more, below " : "below ") + std::to_string(to[0]));
  }
  const ir::ValueId places = sorted ? sorted_rows_of(op, ids, to[0]) : rows_of(op, ids);
  std::vector<ir::Dim> column = of_ids, rows = to;
  column.push_back(1);
  if (!sorted) ++rows[0];
  const ir::ValueId at = op.add_tensor(ids, column), start = op.add_tensor(y, rows),
                    all = sorted ? y : op.add_tensor(y, rows);
  op.reshape(places, at);
  const ir::ValueId first = op.type(y).dtype == DType::f32 ? scalar(op, y, start_of<float>(reduction))
                                                           : scalar(op, y, start_of<std::int32_t>(reduction));
  op.node("Expand", {first, op.add_integers(rows)}, {start});
  op.node("ScatterND", {start, at, x}, {all}).attributes["reduction"] = std::string(reduction);
  if (!sorted) op.node("Slice", {all, op.add_integers({1}), op.add_integers({rows[0]}), op.add_integers({0})});
  return {};
}

// Input 2: how many segments there are.
Result<void> import_unsorted(OperatorImport& op, const char* reduction) {
  auto count = op.integers(op.input(2), "the number of segments");
  if (!count) return failure;
  if (op.rank(op.output()) == 0 || *count != std::vector<std::int64_t>{op.dims(op.output())[0]})
    return op.refuse("the number of segments is not that of the output");
  return import_segments(op, reduction, false);
}

}  // namespace

Result<void> import_segment_sum(OperatorImport& op) {
  if (!op.optional_options<schema::SegmentSumOptions>()) return failure;
  return import_segments(op, "add", true);
}

Result<void> import_unsorted_segment_prod(OperatorImport& op) {
  if (!op.optional_options<schema::UnsortedSegmentProdOptions>()) return failure;
  return import_unsorted(op, "mul");
}

Result<void> import_unsorted_segment_max(OperatorImport& op) {
  if (!op.optional_options<schema::UnsortedSegmentMaxOptions>()) return failure;
  return import_unsorted(op, "max");
}

Result<void> import_unsorted_segment_min(OperatorImport& op) {
  if (!op.optional_options<schema::UnsortedSegmentMinOptions>()) return failure;
  return import_unsorted(op, "min");
}

Result<void> import_unsorted_segment_sum(OperatorImport& op) {
  if (!op.optional_options<schema::UnsortedSegmentSumOptions>()) return failure;
  return import_unsorted(op, "add");
}

}  // namespace byoc::tflite
