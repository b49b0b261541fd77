// Operators that ai.onnx had as experiments: https://github.com/onnx/onnx/blob/rel-1.4.1/docs/Operators.md
#include "sdk/model/import/onnx/composition.hpp"

namespace byoc::onnx_import {

namespace {

using Value = Composition::Value;

}  // namespace

// Affine: alpha * x + beta. Scale: scale * x. ScaledTanh: alpha * tanh(beta * x). ParametricSoftplus: alpha *
// softplus(beta * x).
Result<void> normalise_old_function(Normaliser& e, ir::Node node) {
  Composition c(e, node);
  const Value x = c.in(0);
  const auto times = [&](Value v, float factor) { return c.op("Mul", {v, c.real_like(factor, x)}); };
  const float alpha = node.real("alpha", 1), beta = node.real("beta", node.op == "Affine" ? 0 : 1);
  if (node.op == "Scale")
    c.give(0, times(x, node.real("scale", 1)));
  else if (node.op == "Affine")
    c.give(0, "Add", {times(x, alpha), c.real_like(beta, x)});
  else
    c.give(0, times(c.op(node.op == "ScaledTanh" ? "Tanh" : "Softplus", {times(x, beta)}), alpha));
  return {};
}

// scale * x + bias, one for each channel of [N,C,H,W].
Result<void> normalise_image_scaler(Normaliser& e, ir::Node node) {
  Composition c(e, node);
  const auto* bias = node.find<std::vector<float>>("bias");
  Value y = c.op("Mul", {c.in(0), c.real_like(node.real("scale", 1), c.in(0))});
  if (bias != nullptr && !bias->empty()) {
    const Value channels = c.op("CastLike", {c.reals(*bias), y});
    y = c.op("Add", {y, c.op("Reshape", {channels, c.integers({-1, 1, 1})})});
  }
  c.give(0, y);
  return {};
}

// Takes away `border` (left, top, right, bottom) of [N,C,H,W]; with `scale`, height and width are what it says.
Result<void> normalise_crop(Normaliser& e, ir::Node node) {
  Composition c(e, node);
  const std::vector<std::int64_t> border = node.integers("border", {}), scale = node.integers("scale", {});
  if (border.size() != 4) return c.refuse("attribute border has the wrong length", std::to_string(border.size()), "4");
  if (!scale.empty() && scale.size() != 2)
    return c.refuse("attribute scale has the wrong length", std::to_string(scale.size()), "2");
  const auto rank = c.rank_of_input(0);
  if (!rank) return failure;
  if (*rank != 4) return c.refuse("the input has the wrong rank", std::to_string(*rank), "4");
  const std::int64_t left = border[0], top = border[1], right = border[2], bottom = border[3];
  for (const std::int64_t b : border)
    if (b < 0) return c.refuse("attribute border is out of range", std::to_string(b), "0 or more");
  for (const std::size_t d : {0, 1}) {
    const auto size = c.known_dim(c.in(0), d + 2);
    const std::int64_t begin = d == 0 ? top : left, end = d == 0 ? bottom : right;
    const std::int64_t wanted = scale.empty() ? begin + end : begin + scale[d];
    if (size && (wanted > *size || (!scale.empty() && scale[d] < 0)))
      return c.refuse("the border does not fit the image", std::to_string(wanted), "at most " + std::to_string(*size));
  }
  const Value ends = scale.empty() ? c.op("Sub", {c.dims(c.in(0), 2, 4), c.integers({bottom, right})})
                                   : c.integers({top + scale[0], left + scale[1]});
  c.give(0, "Slice", {c.in(0), c.integers({top, left}), ends, c.integers({2, 3})});
  return {};
}

Result<void> normalise_dynamic_slice(Normaliser& e, ir::Node node) {
  Composition c(e, node);
  c.give(0, "Slice", {c.in(0), c.in(1), c.in(2), c.in(3)});
  return {};
}

// Over all images of a batch: of each channel, or across_channels.
Result<void> normalise_old_mean_variance(Normaliser& e, ir::Node node) {
  Composition c(e, node);
  const bool across = node.integer("across_channels", 0) != 0;
  const std::vector<std::int64_t> axes =
      across ? std::vector<std::int64_t>{0, 1, 2, 3} : std::vector<std::int64_t>{0, 2, 3};
  if (node.integer("normalize_variance", 1) != 0)
    c.give(0, "MeanVarianceNormalization", {c.in(0)}, {{"axes", axes}});
  else
    c.give(0, "Sub", {c.in(0), c.op("ReduceMean", {c.in(0), c.integers(axes)}, {{"keepdims", std::int64_t{1}}})});
  return {};
}

}  // namespace byoc::onnx_import
