// CausalConvWithState (27): a convolution of each channel with what came before, the last of which is given on.
#include "sdk/model/import/onnx/composition.hpp"

namespace byoc::onnx_import {

Result<void> normalise_causal_conv(Normaliser& e, ir::Node node) {
  using Value = Composition::Value;
  enum Input : std::size_t { kX, kWeight, kBias, kPast };
  const Composition::Attributes along_time{{"axis", std::int64_t{2}}};
  Composition c(e, node);
  const std::string activation = node.text("activation", "none");
  if (activation != "none" && activation != "silu" && activation != "swish")
    return c.refuse("activation is unknown", activation, "none, silu or swish");
  const auto channels = c.known_dim(c.in(kWeight), 0);
  if (!channels) return c.refuse("the number of channels is not known", {}, "a weight of known shape");

  const Value before = c.op("Sub", {c.dims(c.in(kWeight), 2, 3), c.integers({1})});  // the kernel's length less one
  Value past = c.in(kPast);
  if (!c.has(kPast)) {
    const Value zeros = c.op("ConstantOfShape", {c.join({c.dims(c.in(kX), 0, 2), before})});
    past = c.op("CastLike", {zeros, c.in(kX)});
  }
  const Value x = c.op("Concat", {past, c.in(kX)}, along_time);
  const Value y = c.op("Conv", {x, c.in(kWeight), c.in(kBias)}, {{"group", *channels}});
  c.give(0, activation == "none" ? "Identity" : "Swish", {y});
  const Value length = c.dims(x, 2, 3);
  c.give(1, "Slice", {x, c.op("Sub", {length, before}), length, c.integers({2})});
  return {};
}

}  // namespace byoc::onnx_import
