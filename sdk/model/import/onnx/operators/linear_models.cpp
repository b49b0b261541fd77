// ai.onnx.ml's LinearRegressor and LinearClassifier (1): products with constants, and what comes behind.
#include "sdk/model/import/onnx/operators/scores.hpp"

namespace byoc::onnx_import {
namespace {

using Value = Composition::Value;

// The input times rows of coefficients, one for each of `targets`, and intercepts where there are any.
Result<Value> scores(Composition& c, const ir::Node& node, std::size_t targets) {
  const std::vector<float> intercepts = reals_of(node, "intercepts");
  std::vector<float> coefficients = reals_of(node, "coefficients");
  if (const auto rank = c.rank(c.in(0)); rank && *rank > 0)
    if (const auto columns = c.known_dim(c.in(0), *rank - 1)) {
      const std::size_t needed = static_cast<std::size_t>(*columns) * targets;
      if (coefficients.size() < needed)
        return c.refuse("attribute coefficients has the wrong length", std::to_string(coefficients.size()),
                        "at least " + std::to_string(needed));
      coefficients.resize(needed);  // what is behind them counts for nothing
    }
  const auto w = matrix_of(c, coefficients, "coefficients", targets);
  if (!w) return failure;
  if (!intercepts.empty() && intercepts.size() != targets)
    return c.refuse("attribute intercepts has the wrong length", std::to_string(intercepts.size()),
                    std::to_string(targets));
  const Value x = as_rows(c, static_cast<std::int64_t>(coefficients.size() / targets));
  const Value product = c.op("MatMul", {x, transposed(c, *w)});
  return intercepts.empty() ? product : c.op("Add", {product, c.reals(intercepts)});
}

// For two classes, one row of scores is the probability of the second. The first gets the rest to 1; with LOGISTIC the
// score passes through Sigmoid first.
Result<Value> both(Composition& c, const ir::Node& node, Value second) {
  const std::string transform = post_transform_of(node);
  if (transform == "PROBIT") return post_transformed(c, transform, second);
  if (transform == "LOGISTIC") second = c.op("Sigmoid", {second});
  return c.op("Concat", {c.op("Sub", {c.real(1), second}), second}, {{"axis", std::int64_t{1}}});
}

}  // namespace

Result<void> normalise_linear_regressor(Normaliser& e, ir::Node node) {
  Composition c(e, node);
  const std::int64_t targets = node.integer("targets", 1);
  if (targets < 1) return c.refuse("targets is out of range", std::to_string(targets), "at least 1");
  const auto sums = scores(c, node, static_cast<std::size_t>(targets));
  if (!sums) return failure;
  const auto y = post_transformed(c, post_transform_of(node), *sums);
  if (!y) return failure;
  c.give(0, *y);
  return {};
}

// -> the label of each row, scores of all classes
Result<void> normalise_linear_classifier(Normaliser& e, ir::Node node) {
  Composition c(e, node);
  const auto labels = class_labels(c, node, "classlabels_ints");
  if (!labels) return failure;
  const bool one_row = labels->count == 2 && reals_of(node, "intercepts").size() == 1;
  const auto sums = scores(c, node, one_row ? 1 : labels->count);
  if (!sums) return failure;
  if (one_row) {
    const Value is_second = c.op("Greater", {c.op("Squeeze", {*sums, c.integers({1})}), c.real(0)});
    give_label(c, *labels, c.cast(is_second, DType::i64));
  } else {
    give_label(c, *labels, largest(c, *sums));
  }
  const auto y = one_row ? both(c, node, *sums) : post_transformed(c, post_transform_of(node), *sums);
  if (!y) return failure;
  c.give(1, *y);
  return {};
}

}  // namespace byoc::onnx_import
