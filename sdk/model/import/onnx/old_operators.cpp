// Operators of ai.onnx that were experimental and are gone; ONNX Runtime has them still.
#include "sdk/model/import/onnx/operators.hpp"

namespace byoc::onnx_import {

void add_old(std::vector<OperatorRule>& rules) {
  using Kind = AttributeKind;
  const AttributeRule alpha{"alpha", Kind::real}, beta{"beta", Kind::real}, scale{"scale", Kind::real};
  for (const std::string_view op : {"Affine", "ParametricSoftplus", "ScaledTanh"})
    rules.push_back({"", op, 1, kLast, 1, 1, 1, {alpha, beta}, normalise_old_function});
  rules.push_back({"", "Scale", 1, kLast, 1, 1, 1, {scale}, normalise_old_function});
  rules.push_back({"", "ImageScaler", 1, kLast, 1, 1, 1, {{"bias", Kind::reals}, scale}, normalise_image_scaler});
  rules.push_back({"",
                   "Crop",
                   1,
                   kLast,
                   1,
                   1,
                   1,
                   {{"border", Kind::integers, 1, kLast, true}, {"scale", Kind::integers}},
                   normalise_crop});
  rules.push_back({"", "DynamicSlice", 1, kLast, 3, 4, 1, {}, normalise_dynamic_slice});
}

}  // namespace byoc::onnx_import
