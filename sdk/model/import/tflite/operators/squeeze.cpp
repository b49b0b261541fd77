#include <algorithm>

#include "sdk/model/import/tflite/operators/operators.hpp"
#include "sdk/model/import/tflite/reshape.hpp"

namespace byoc::tflite {

// squeeze_dims, or without it every dimension of 1, leave the shape.
Result<void> import_squeeze(OperatorImport& op) {
  auto options = op.optional_options<schema::SqueezeOptions>();
  if (!options) return failure;
  const auto& dims = op.dims(op.input(0));
  const auto rank = static_cast<std::int64_t>(dims.size());
  std::vector<bool> dropped(dims.size(), false);
  const auto* axes = *options == nullptr ? nullptr : (*options)->squeeze_dims();
  for (std::size_t i = 0; i < length(axes); ++i) {
    const std::int64_t named = axes->Get(static_cast<flatbuffers::uoffset_t>(i));
    const std::int64_t axis = named < 0 ? named + rank : named;
    if (axis < 0 || axis >= rank || dims[static_cast<std::size_t>(axis)] != 1)
      return op.refuse("squeeze_dims names no dimension of 1", std::to_string(named));
    dropped[static_cast<std::size_t>(axis)] = true;
  }
  std::vector<ir::Dim> expected;
  for (std::size_t i = 0; i < dims.size(); ++i)
    if (length(axes) == 0 ? dims[i] != 1 : !dropped[i]) expected.push_back(dims[i]);
  if (!op.expect_dims(op.output(), expected)) return failure;
  return import_to_reshape(op, op.input(0));
}

}  // namespace byoc::tflite
