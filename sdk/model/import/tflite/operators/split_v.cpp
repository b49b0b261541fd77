#include <algorithm>

#include "sdk/model/import/tflite/operators/operators.hpp"
#include "sdk/model/import/tflite/pieces.hpp"

namespace byoc::tflite {

// Input 1: the length of each piece, one of which may be -1: what the others leave. Input 2: the axis.
Result<void> import_split_v(OperatorImport& op) {
  auto options = op.options<schema::SplitVOptions>();
  if (!options) return failure;
  const ir::ValueId x = op.input(0);
  auto axis = axis_input(op, op.input(2), op.rank(x));
  auto lengths = op.integers(op.input(1), "the lengths of the pieces");
  if (!axis || !lengths) return failure;
  if (lengths->size() != op.output_count() || (*options)->num_splits() != static_cast<int>(op.output_count()))
    return op.refuse("the lengths are not as many as the outputs", std::to_string(lengths->size()),
                     std::to_string(op.output_count()));
  std::int64_t left = op.dims(x)[*axis];
  for (const std::int64_t l : *lengths) left -= std::clamp<std::int64_t>(l, 0, INT32_MAX);
  const auto open = std::find(lengths->begin(), lengths->end(), -1);
  if (open != lengths->end()) *open = left;
  if (left < 0 ||
      std::any_of(
          lengths->begin(), lengths->end(), [](std::int64_t l) { return l < 0; }) ||
      (open == lengths->end() && left != 0))
    return op.refuse("the lengths of the pieces do not fit the axis", {}, std::to_string(op.dims(x)[*axis]));
  return import_to_split(op, x, *axis, *lengths);
}

}  // namespace byoc::tflite
