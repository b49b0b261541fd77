#include "sdk/model/import/tflite/operators/operators.hpp"
#include "sdk/model/import/tflite/pieces.hpp"

namespace byoc::tflite {

// Inputs 1 and 2: where each dimension begins and how many elements it keeps; -1 keeps the rest.
Result<void> import_slice(OperatorImport& op) {
  auto options = op.optional_options<schema::SliceOptions>();
  if (!options) return failure;
  const ir::ValueId x = op.input(0), y = op.output();
  if (!op.expect_moved(x, y)) return failure;
  auto begins = op.integers(op.input(1), "the begin");
  auto sizes = op.integers(op.input(2), "the size");
  if (!begins || !sizes) return failure;
  if (begins->size() != op.rank(x) || sizes->size() != op.rank(x))
    return op.refuse("begin and size need an element for each dimension",
                     std::to_string(begins->size()) + " and " + std::to_string(sizes->size()),
                     std::to_string(op.rank(x)));
  std::vector<Cut> cuts;
  std::vector<ir::Dim> dims;
  for (std::size_t i = 0; i < op.rank(x); ++i) {
    const ir::Dim size = op.dims(x)[i];
    const std::int64_t begin = (*begins)[i];
    const std::int64_t count = (*sizes)[i] == -1 ? size - begin : (*sizes)[i];
    if (begin < 0 || begin > size || count < 0 || count > size - begin)
      return op.refuse("the slice of dimension " + std::to_string(i) + " is out of range",
                       "begin " + std::to_string(begin) + " and size " + std::to_string((*sizes)[i]),
                       "within " + std::to_string(size));
    cuts.push_back({begin, 1, count});
    dims.push_back(count);
  }
  if (!op.expect_dims(y, dims)) return failure;
  slice(op, x, y, cuts);
  return {};
}

}  // namespace byoc::tflite
