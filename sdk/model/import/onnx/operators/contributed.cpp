// ONNX Runtime's own layers that its optimiser and quantisers write into models, as the operators they stand for:
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#include <limits>

#include "sdk/model/import/onnx/composition.hpp"
#include "sdk/model/ir/onnx_types.hpp"

namespace byoc::onnx_import {
namespace {

using Value = Composition::Value;
using Attributes = std::map<std::string, ir::Attribute, std::less<>>;

const Attributes& to_i32() {
  static const Attributes attributes{{"to", ir::onnx_number(DType::i32)}};
  return attributes;
}

// `product`, i32, times both scales, plus the bias at `bias`.
void give_scaled(Composition& c, Value product, Value a_scale, Value b_scale, std::size_t bias) {
  const Value scale = c.op("Mul", {a_scale, b_scale});
  const Value real = c.cast(product, DType::f32);
  if (!c.has(bias)) return c.give(0, "Mul", {real, scale});
  c.give(0, "Add", {c.op("Mul", {real, scale}), c.in(bias)});
}

// A bias has an element for each column of B.
Result<void> check_bias(Composition& c, std::size_t bias) {
  const auto rank = c.rank(c.in(1));
  if (!c.has(bias) || !rank || *rank < 2 || !c.rank(c.in(bias))) return {};
  const auto columns = c.known_dim(c.in(1), *rank - 1);
  const auto found = c.known_dim(c.in(bias), 0);
  if (*c.rank(c.in(bias)) == 1 && (!columns || !found || *columns == *found)) return {};
  return c.refuse("the bias has the wrong length", found ? std::to_string(*found) : "a scalar",
                  columns ? std::to_string(*columns) : "a vector");
}

// The node as one of domain "".
ir::Node as_plain(ir::Node node, std::string_view op, std::int64_t version) {
  node.domain.clear();
  node.op = op;
  node.version = version;
  return node;
}

}  // namespace

// A, B, A scale, B scale, A zero, B zero, bias.
Result<void> normalise_matmul_integer_to_float(Normaliser& e, ir::Node node) {
  Composition c(e, node);
  if (!check_bias(c, 6)) return failure;
  give_scaled(c, c.op("MatMulInteger", {c.in(0), c.in(1), c.in(4), c.in(5)}), c.in(2), c.in(3), 6);
  return {};
}

// A in f32, B, B scale, B zero, bias: A is quantised as DynamicQuantizeLinear does it.
Result<void> normalise_dynamic_quantize_matmul(Normaliser& e, ir::Node node) {
  Composition c(e, node);
  if (!check_bias(c, 4)) return failure;
  const auto a = c.op("DynamicQuantizeLinear", {c.in(0)}, {}, 3);
  give_scaled(c, c.op("MatMulInteger", {a[0], c.in(1), a[2], c.in(3)}), a[1], c.in(2), 4);
  return {};
}

Result<void> normalise_matmul_integer16(Normaliser& e, ir::Node node) {
  Composition c(e, node);
  c.give(0, "MatMul", {c.op("Cast", {c.in(0)}, to_i32()), c.op("Cast", {c.in(1)}, to_i32())});
  return {};
}

// The contributed operators compute as ONNX's do; they accepted more element types before ONNX's did.
Result<void> normalise_contributed_quantisation(Normaliser& e, ir::Node node) {
  const std::string op = node.op;
  node = as_plain(std::move(node), op, 21);
  return op == "QuantizeLinear" ? normalise_quantize_linear(e, std::move(node))
                                : normalise_dequantize_linear(e, std::move(node));
}

Result<void> normalise_contributed_grid_sample(Normaliser& e, ir::Node node) {
  return normalise_grid_sample(e, as_plain(std::move(node), "GridSample", 20));
}

Result<void> normalise_nhwc_max_pool(Normaliser& e, ir::Node node) {
  node.attributes["data_layout"] = std::string("NHWC");
  return normalise_max_pool(e, as_plain(std::move(node), "MaxPool", 12));
}

// x * sigmoid(alpha * x)
Result<void> normalise_quick_gelu(Normaliser& e, ir::Node node) {
  Composition c(e, node);
  c.give(0, "Swish", {c.in(0)}, {{"alpha", node.real("alpha", 1.702F)}});
  return {};
}

// tokens [batch, length], scores [batch, words]: a word that would repeat a run of ngram_size tokens gets minus
// infinity. For every place, as many tokens as a run has but one are compared with the newest ones; what follows there
// is such a word.
Result<void> normalise_ngram_repeat_block(Normaliser& e, ir::Node node) {
  Composition c(e, node);
  const std::int64_t size = node.integer("ngram_size", 0);
  constexpr std::int64_t kMost = 64;
  if (size < 1 || size > kMost)
    return c.refuse("ngram_size is out of range", std::to_string(size), "1 to " + std::to_string(kMost));
  const auto part = [&](std::int64_t from, std::int64_t to) {
    return c.op("Slice", {c.in(0), c.integers({from}), c.integers({to}), c.integers({1})});
  };
  constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max();
  const Composition::Value next = part(size - 1, kEnd);
  Composition::Value same = c.op("Equal", {next, next});
  for (std::int64_t i = 0; i < size - 1; ++i) {
    const std::int64_t before_end = size - 1 - i;
    const auto newest = part(-before_end, before_end == 1 ? kEnd : 1 - before_end);
    same = c.op("And", {same, c.op("Equal", {part(i, -before_end), newest})});
  }
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const auto most = c.op("Where", {same, c.real(-kInfinity), c.real(kInfinity)});
  c.give(0, "ScatterElements", {c.in(1), next, most}, {{"axis", std::int64_t{1}}, {"reduction", std::string("min")}});
  return {};
}

// Normalises x; with Skip... it normalises input + skip + bias, a sum that is an output, too.
Result<void> normalise_simplified_layer_normalization(Normaliser& e, ir::Node node) {
  Composition c(e, node);
  const bool skips = node.op.starts_with("Skip");
  for (const std::size_t statistic : {1, 2})
    if (c.wants(statistic)) return c.refuse("its mean and deviation are not supported as outputs");
  Value x = c.in(0);
  if (skips) {
    x = c.op("Add", {x, c.in(1)});
    if (c.has(3)) x = c.op("Add", {x, c.in(3)});
    c.give(3, x);
  }
  Attributes attributes{{"axis", node.integer("axis", -1)}, {"epsilon", node.real("epsilon", skips ? 1e-12F : 1e-5F)}};
  if (const auto* type = node.find<std::int64_t>("stash_type")) attributes["stash_type"] = *type;
  c.give(0, "RMSNormalization", {x, c.in(skips ? 2 : 1)}, std::move(attributes));
  return {};
}

}  // namespace byoc::onnx_import
