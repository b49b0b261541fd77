#include <algorithm>

#include "sdk/model/import/tflite/operators/operators.hpp"
#include "sdk/model/import/tflite/pieces.hpp"

namespace byoc::tflite {
namespace {

// One dimension of inputs 1 to 3 under the masks. The count is 0 if no element is left.
Cut cut(std::int64_t size, std::int64_t begin, std::int64_t end, std::int64_t stride, bool from_start, bool to_end,
        bool shrinks, bool counts_from_begin) {
  const std::int64_t low = stride > 0 ? 0 : -1, high = stride > 0 ? size : size - 1;
  if (from_start)
    begin = stride > 0 ? 0 : size - 1;
  else
    begin = std::clamp(begin < 0 ? begin + size : begin, low, high);
  if (shrinks) return {begin, 1, 1};
  if (counts_from_begin) end += begin;
  if (to_end)
    end = stride > 0 ? size : -1;
  else
    end = std::clamp(end < 0 ? end + size : end, low, high);
  const std::int64_t room = stride > 0 ? end - begin : begin - end;
  const std::int64_t count = room <= 0 ? 0 : (room - 1) / std::abs(stride) + 1;
  return count == 0 ? Cut{0, 1, 0} : Cut{begin, count == 1 ? 1 : stride, count};
}

}  // namespace

// Inputs 1 to 3 have an element for each dimension, for each that is new (of 1), and for the ellipsis, which stands for
// all that are not named; without one it is at the end.
Result<void> import_strided_slice(OperatorImport& op) {
  auto options = op.options<schema::StridedSliceOptions>();
  if (!options) return failure;
  const schema::StridedSliceOptions& o = **options;
  const ir::ValueId x = op.input(0), y = op.output();
  if (!op.expect_moved(x, y)) return failure;
  auto begins = op.integers(op.input(1), "the begin");
  auto ends = op.integers(op.input(2), "the end");
  auto strides = op.integers(op.input(3), "the strides");
  if (!begins || !ends || !strides) return failure;
  const std::size_t given = begins->size(), rank = op.rank(x);
  const auto has = [](int mask, std::size_t i) { return i < 32 && ((static_cast<unsigned>(mask) >> i) & 1u) != 0; };
  std::size_t named = 0, ellipses = 0;
  for (std::size_t i = 0; i < given; ++i) {
    ellipses += has(o.ellipsis_mask(), i) ? 1 : 0;
    named += has(o.ellipsis_mask(), i) || has(o.new_axis_mask(), i) ? 0 : 1;
  }
  if (ellipses > 1) return op.refuse("more than one ellipsis", std::to_string(ellipses), "1");
  if (ends->size() != given || strides->size() != given || named > rank)
    return op.refuse(
        "begin, end and strides need an element for each dimension",
        std::to_string(given) + ", " + std::to_string(ends->size()) + " and " + std::to_string(strides->size()),
        std::to_string(rank));
  std::vector<Cut> cuts;
  std::vector<ir::Dim> kept, result;
  const auto add = [&](const Cut& c, bool shrinks) {
    cuts.push_back(c);
    kept.push_back(c.count);
    if (!shrinks) result.push_back(c.count);
  };
  const auto add_whole = [&] { add({0, 1, op.dims(x)[cuts.size()]}, false); };
  for (std::size_t i = 0; i < given; ++i) {
    if (has(o.ellipsis_mask(), i)) {
      for (std::size_t n = named; n < rank; ++n) add_whole();
      continue;
    }
    if (has(o.new_axis_mask(), i)) {
      result.push_back(1);
      continue;
    }
    const std::int64_t size = op.dims(x)[cuts.size()];
    if ((*strides)[i] == 0) return op.refuse("a stride is 0", "dimension " + std::to_string(cuts.size()));
    const bool shrinks = has(o.shrink_axis_mask(), i);
    const Cut c = cut(size, (*begins)[i], (*ends)[i], (*strides)[i], has(o.begin_mask(), i), has(o.end_mask(), i),
                      shrinks, o.offset());
    if (shrinks && (c.start < 0 || c.start >= size))
      return op.refuse("the index of a dimension that shrinks is out of range", std::to_string((*begins)[i]),
                       "within " + std::to_string(size));
    add(c, shrinks);
  }
  while (cuts.size() < rank) add_whole();
  if (!op.expect_dims(y, result)) return failure;
  const ir::ValueId piece = result == kept ? y : op.add_tensor(y, kept);
  slice(op, x, piece, cuts);
  if (piece != y) op.reshape(piece, y);
  return {};
}

}  // namespace byoc::tflite
