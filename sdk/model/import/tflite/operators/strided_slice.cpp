#include <algorithm>

#include "sdk/model/import/tflite/operators/operators.hpp"
#include "sdk/model/import/tflite/pieces.hpp"

namespace byoc::tflite {
namespace {

// One dimension of inputs 1 to 3 under the masks. The count is 0 if no element is left.
Cut cut(std::int64_t size, std::int64_t begin, std::int64_t end, std::int64_t stride, bool from_start, bool to_end,
        bool shrinks) {
  const std::int64_t low = stride > 0 ? 0 : -1, high = stride > 0 ? size : size - 1;
  if (from_start)
    begin = stride > 0 ? 0 : size - 1;
  else
    begin = std::clamp(begin < 0 ? begin + size : begin, low, high);
  if (shrinks) return {begin, 1, 1};
  if (to_end)
    end = stride > 0 ? size : -1;
  else
    end = std::clamp(end < 0 ? end + size : end, low, high);
  const std::int64_t room = stride > 0 ? end - begin : begin - end;
  const std::int64_t count = room <= 0 ? 0 : (room - 1) / std::abs(stride) + 1;
  return count == 0 ? Cut{0, 1, 0} : Cut{begin, count == 1 ? 1 : stride, count};
}

}  // namespace

Result<void> import_strided_slice(OperatorImport& op) {
  auto options = op.options<schema::StridedSliceOptions>();
  if (!options) return failure;
  const schema::StridedSliceOptions& o = **options;
  if (o.ellipsis_mask() != 0) return op.refuse("unsupported ellipsis_mask", std::to_string(o.ellipsis_mask()), "0");
  if (o.new_axis_mask() != 0) return op.refuse("unsupported new_axis_mask", std::to_string(o.new_axis_mask()), "0");
  if (o.offset()) return op.refuse("ends that count from the begins are not supported", "offset true", "false");
  const ir::ValueId x = op.input(0), y = op.output();
  if (!op.expect_moved(x, y)) return failure;
  auto begins = op.integers(op.input(1), "the begin");
  auto ends = op.integers(op.input(2), "the end");
  auto strides = op.integers(op.input(3), "the strides");
  if (!begins || !ends || !strides) return failure;
  const std::size_t given = begins->size();
  if (ends->size() != given || strides->size() != given || given > op.rank(x))
    return op.refuse(
        "begin, end and strides need an element for each dimension",
        std::to_string(given) + ", " + std::to_string(ends->size()) + " and " + std::to_string(strides->size()),
        std::to_string(op.rank(x)));
  std::vector<Cut> cuts;
  std::vector<ir::Dim> kept, shrunk;
  for (std::size_t i = 0; i < op.rank(x); ++i) {
    const std::int64_t size = op.dims(x)[i];
    Cut c{0, 1, size};  // dimensions behind those that are named stay whole
    bool shrinks = false;
    if (i < given) {
      if ((*strides)[i] == 0) return op.refuse("a stride is 0", "dimension " + std::to_string(i));
      const auto has = [i](int mask) { return i < 32 && ((static_cast<unsigned>(mask) >> i) & 1u) != 0; };
      shrinks = has(o.shrink_axis_mask());
      c = cut(size, (*begins)[i], (*ends)[i], (*strides)[i], has(o.begin_mask()), has(o.end_mask()), shrinks);
      if (shrinks && (c.start < 0 || c.start >= size))
        return op.refuse("the index of a dimension that shrinks is out of range", std::to_string((*begins)[i]),
                         "within " + std::to_string(size));
    }
    cuts.push_back(c);
    kept.push_back(c.count);
    if (!shrinks) shrunk.push_back(c.count);
  }
  if (!op.expect_dims(y, shrunk)) return failure;
  const bool shrinks = shrunk.size() != kept.size();
  const ir::ValueId piece = shrinks ? op.add_tensor(y, kept) : y;
  slice(op, x, piece, cuts);
  if (shrinks) op.reshape(piece, y);
  return {};
}

}  // namespace byoc::tflite
