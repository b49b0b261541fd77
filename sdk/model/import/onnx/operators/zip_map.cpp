// ai.onnx.ml.ZipMap (1): what it would put into maps stays a tensor, a column for each key. Neither a device nor a
// runtime of tensors has maps, and the keys are constants of the model.
#include "sdk/model/import/onnx/operators/scores.hpp"

namespace byoc::onnx_import {

Result<void> normalise_zip_map(Normaliser& e, ir::Node node) {
  Composition c(e, node);
  const auto labels = class_labels(c, node, "classlabels_int64s");
  if (!labels) return failure;
  const auto rank = c.rank(c.in(0));
  const auto columns = rank && *rank > 0 ? c.known_dim(c.in(0), *rank - 1) : std::nullopt;
  if (columns && *columns != static_cast<std::int64_t>(labels->count))
    return c.refuse("its keys are not as many as its columns", std::to_string(labels->count), std::to_string(*columns));
  c.give(0, c.in(0));
  return {};
}

}  // namespace byoc::onnx_import
