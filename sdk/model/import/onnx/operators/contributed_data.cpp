// com.microsoft's operators that gather and move data:
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#include "sdk/model/import/onnx/composition.hpp"

namespace byoc::onnx_import {

namespace {

using Value = Composition::Value;

Value wide(Composition& c, Value v) { return c.cast(v, DType::i64); }

}  // namespace

// Indices may be i32.
Result<void> normalise_gather_nd(Normaliser& e, ir::Node node) {
  Composition c(e, node);
  c.give(0, "GatherND", {c.in(0), wide(c, c.in(1))});
  return {};
}

// Pads may be [1, 2 * rank].
Result<void> normalise_contributed_pad(Normaliser& e, ir::Node node) {
  Composition c(e, node);
  const std::string mode = node.text("mode", "constant");
  const Value pads = c.op("Reshape", {wide(c, c.in(1)), c.integers({-1})});
  Value value = c.in(2);
  if (c.has(2)) value = c.op("Reshape", {value, c.integers({})});
  c.give(0, "Pad", {c.in(0), pads, value}, {{"mode", mode}});
  return {};
}

// Windows of `size` elements along `dim`, `step` apart, as a last dim.
Result<void> normalise_unfold_tensor(Normaliser& e, ir::Node node) {
  Composition c(e, node);
  const auto rank = c.rank_of_input(0);
  if (!rank) return failure;
  const auto dims = static_cast<std::int64_t>(*rank);
  std::int64_t dim = node.integer("dim", -1);
  const std::int64_t size = node.integer("size", 0), step = node.integer("step", 1);
  if (dim < -dims || dim >= dims)
    return c.refuse("dim is out of range", std::to_string(dim),
                    std::to_string(-dims) + " to " + std::to_string(dims - 1));
  if (dim < 0) dim += dims;
  const auto length = c.known_dim(c.in(0), static_cast<std::size_t>(dim));
  if (!length) return c.refuse("the length of the unfolded dim is not stated", {}, "a value_info");
  if (size < 1 || step < 1 || size > *length)
    return c.refuse("size or step is out of range", std::to_string(size) + " and " + std::to_string(step),
                    "at least 1, and a size of at most " + std::to_string(*length));
  std::vector<std::int64_t> places;
  for (std::int64_t begin = 0; begin + size <= *length; begin += step)
    for (std::int64_t i = 0; i < size; ++i) places.push_back(begin + i);
  const auto windows = static_cast<std::int64_t>(places.size()) / size;
  const Value indices = c.op("Reshape", {c.integers(places), c.integers({windows, size})});
  const Value taken = c.op("Gather", {c.in(0), indices}, {{"axis", dim}});
  std::vector<std::int64_t> order;
  for (std::int64_t d = 0; d <= dims; ++d)
    if (d != dim + 1) order.push_back(d);
  order.push_back(dim + 1);
  c.give(0, "Transpose", {taken}, {{"perm", order}});
  return {};
}

// ONNX's, whose number of spatial dims is one.
Result<void> normalise_contributed_causal_conv(Normaliser& e, ir::Node node) {
  if (const std::int64_t dims = node.integer("ndim", 1); dims != 1)
    return e.refuse(node, "ndim is not supported", std::to_string(dims), "1");
  node.attributes.erase("ndim");
  return normalise_causal_conv(e, std::move(node));
}

}  // namespace byoc::onnx_import
