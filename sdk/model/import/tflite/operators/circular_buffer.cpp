#include <cstring>

#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {
namespace {

// Every how many runs the output counts. Where the model does not say, upstream goes by the number of slots.
Result<std::int64_t> cycles_of(OperatorImport& op, ir::Dim slots) {
  if (!op.has_option("cycles_max")) return std::int64_t{slots == 5 || slots == 13 || slots == 25 ? 1 : 2};
  const auto given = op.option("cycles_max", INT32_MIN, INT32_MAX);
  if (!given || *given > 0) return given;
  return std::int64_t{slots == 5 || slots == 13 || slots == 25 ? 1 : 2};
}

// True in every `cycles`th run.
Result<void> add_ready(OperatorImport& op, ir::ValueId ready, std::int64_t cycles) {
  const ir::TensorType count{DType::i32, op.dims(ready), std::nullopt};
  const auto constant = [&](std::int64_t v) {
    const auto element = static_cast<std::int32_t>(v);
    std::vector<std::byte> bytes(sizeof element);
    std::memcpy(bytes.data(), &element, sizeof element);
    return op.graph().add_constant({}, count, Blob::own(std::move(bytes)));
  };
  const auto before = op.add_state(count);
  if (!before) return failure;
  const ir::ValueId one_more = op.add_tensor(DType::i32, op.dims(ready)),
                    after = op.add_tensor(DType::i32, op.dims(ready));
  op.set_next_state(*before, after);
  op.node("Add", {*before, constant(1)}, {one_more});
  op.node("Equal", {one_more, constant(cycles)}, {ready});
  op.node("Where", {ready, constant(0), one_more}, {after});
  return {};
}

}  // namespace

// x i8 [a, 1, b, c] -> y i8 [a, slots, b, c], the last slot of which is x and the others those of the run before, and
// whether it counts. The tensor y may be a variable: what it holds is a state of its own here.
Result<void> import_circular_buffer(OperatorImport& op) {
  const ir::ValueId x = op.input(0), y = op.output(0);
  if (!op.expect_dtype(x, {DType::i8}) || !op.expect_rank(x, 4) || !op.expect_dtype(y, {DType::i8}) ||
      !op.expect_rank(y, 4) || !op.expect_moved(x, y) || !op.expect_equal_quantisation(x, y))
    return failure;
  const std::vector<ir::Dim> dims = op.dims(y);
  const ir::Dim slots = dims[1];
  // Upstream moves [slots, b * c] elements: of several rows it would mix them.
  if (!op.expect_dims(x, {1, 1, dims[2], dims[3]}) || !op.expect_dims(y, {1, slots, dims[2], dims[3]})) return failure;
  const auto cycles = cycles_of(op, slots);
  if (!cycles) return failure;
  if (op.output_count() == 1 && *cycles != 1)
    return op.refuse("ends a run before its end where nothing says whether the results count",
                     "every " + std::to_string(*cycles) + " runs", "every run, or a second output that says so");
  if (op.output_count() == 2) {
    if (!op.expect_dtype(op.output(1), {DType::boolean})) return failure;
    if (op.rank(op.output(1)) > 1 || (op.rank(op.output(1)) == 1 && op.dims(op.output(1))[0] != 1))
      return op.refuse("the second output must be one truth");
    if (!add_ready(op, op.output(1), *cycles)) return failure;
  }
  if (slots < 1) return op.refuse("a buffer without slots", std::to_string(slots), "1 or more");
  if (slots == 1) {
    op.node("Identity", {x});
    return {};
  }
  ir::TensorType kept = op.type(y);
  kept.dims = {1, slots - 1, dims[2], dims[3]};
  const auto before = op.add_state(kept);
  if (!before) return failure;
  const ir::ValueId after = op.add_tensor(y, *kept.dims);
  op.set_next_state(*before, after);
  op.node("Concat", {*before, x}, {y}).attributes["axis"] = std::int64_t{1};
  op.node("Slice", {y, op.add_integers({1}), op.add_integers({slots}), op.add_integers({1})}, {after});
  return {};
}

}  // namespace byoc::tflite
