#include "sdk/model/import/onnx/composition.hpp"

namespace byoc::onnx_import {

// ai.onnx.ml.ArrayFeatureExtractor: columns of the last axis, in the order of the indices.
Result<void> normalise_array_feature_extractor(Normaliser& e, ir::Node node) {
  Composition c(e, node);
  const auto indices = c.op("Reshape", {c.in(1), c.integers({-1})});
  c.give(0, "Gather", {c.in(0), indices}, {{"axis", std::int64_t{-1}}});
  return {};
}

}  // namespace byoc::onnx_import
