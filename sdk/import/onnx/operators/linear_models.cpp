// ai.onnx.ml's LinearRegressor, LinearClassifier and SVMRegressor (1): products with constants, and what comes behind.
#include "sdk/import/onnx/operators/tree_tables.hpp"

namespace byoc::onnx_import {
namespace {

using Value = Composition::Value;
using Integers = std::vector<std::int64_t>;
using Reals = std::vector<float>;

Reals reals(const ir::Node& node, const char* name) {
  const auto* given = node.find<Reals>(name);
  return given == nullptr ? Reals() : *given;
}

// The input as f32[rows, columns]; a vector is one row.
Value rows(Composition& c, std::int64_t columns) {
  return c.op("Reshape", {c.op("Cast", {c.in(0)}, {{"to", std::int64_t{1}}}), c.integers({-1, columns})});
}

// f32[rows, columns] of an attribute that lists the rows.
Result<Value> matrix(Composition& c, const Reals& elements, std::size_t rows, const char* name) {
  if (rows == 0 || elements.empty() || elements.size() % rows != 0)
    return c.refuse(std::string("attribute ") + name + " has the wrong length", std::to_string(elements.size()),
                    "a multiple of " + std::to_string(rows));
  return c.op("Reshape", {c.reals(elements), c.integers({static_cast<std::int64_t>(rows), -1})});
}

Value turned(Composition& c, Value m) { return c.op("Transpose", {m}, {{"perm", Integers{1, 0}}}); }

// The input times rows of coefficients, one for each of `targets`, and intercepts where there are any.
Result<Value> scores(Composition& c, const ir::Node& node, std::size_t targets) {
  const Reals coefficients = reals(node, "coefficients"), intercepts = reals(node, "intercepts");
  const auto w = matrix(c, coefficients, targets, "coefficients");
  if (!w) return failure;
  if (!intercepts.empty() && intercepts.size() != targets)
    return c.refuse("attribute intercepts has the wrong length", std::to_string(intercepts.size()),
                    std::to_string(targets));
  const Value x = rows(c, static_cast<std::int64_t>(coefficients.size() / targets));
  const Value product = c.op("MatMul", {x, turned(c, *w)});
  return intercepts.empty() ? product : c.op("Add", {product, c.reals(intercepts)});
}

Result<Value> transformed(Composition& c, const ir::Node& node, Value x) {
  const std::string transform = node.text("post_transform", "NONE");
  if (const auto y = post_transformed(c, transform, x)) return *y;
  return c.refuse("post_transform is unknown", transform, "NONE, SOFTMAX, LOGISTIC, SOFTMAX_ZERO or PROBIT");
}

// Of two classes one row of scores says how much the second is likely: the first has what is left of 1, or, behind
// LOGISTIC, of its own.
Result<Value> both(Composition& c, const ir::Node& node, Value second) {
  if (node.text("post_transform", "NONE") == "PROBIT") return transformed(c, node, second);
  if (node.text("post_transform", "NONE") == "LOGISTIC") second = c.op("Sigmoid", {second});
  return c.op("Concat", {c.op("Sub", {c.real(1), second}), second}, {{"axis", std::int64_t{1}}});
}

}  // namespace

Result<void> normalise_linear_regressor(Normaliser& e, ir::Node node) {
  Composition c(e, node);
  const std::int64_t targets = node.integer("targets", 1);
  if (targets < 1) return c.refuse("targets is out of range", std::to_string(targets), "at least 1");
  const auto sums = scores(c, node, static_cast<std::size_t>(targets));
  if (!sums) return failure;
  const auto y = transformed(c, node, *sums);
  if (!y) return failure;
  c.give(0, *y);
  return {};
}

// -> the label of each row, scores of all classes
Result<void> normalise_linear_classifier(Normaliser& e, ir::Node node) {
  Composition c(e, node);
  const auto* labels = node.find<Integers>("classlabels_ints");
  if (labels == nullptr) return c.refuse("class labels are not integers", {}, "classlabels_ints");
  const std::size_t classes = labels->size(), given = reals(node, "intercepts").size();
  const bool one_row = classes == 2 && given == 1;
  const auto sums = scores(c, node, one_row ? 1 : classes);
  if (!sums) return failure;
  const Value best = one_row ? c.op("Cast", {c.op("Squeeze", {c.op("Greater", {*sums, c.real(0)}), c.integers({1})})},
                                    {{"to", std::int64_t{7}}})
                             : c.op("ArgMax", {*sums}, {{"axis", std::int64_t{1}}, {"keepdims", std::int64_t{0}}});
  c.give(0, "Gather", {c.integers(*labels), best});
  const auto y = one_row ? both(c, node, *sums) : transformed(c, node, *sums);
  if (!y) return failure;
  c.give(1, *y);
  return {};
}

// The sum over support vectors of coefficient * kernel(x, vector), plus rho; without vectors the coefficients are one.
Result<void> normalise_svm_regressor(Normaliser& e, ir::Node node) {
  Composition c(e, node);
  const Reals coefficients = reals(node, "coefficients"), rho = reals(node, "rho");
  const std::int64_t vectors = node.integer("n_supports", 0);
  if (vectors < 0 || (vectors != 0 && std::ssize(coefficients) != vectors) || coefficients.empty())
    return c.refuse("attribute coefficients has the wrong length", std::to_string(coefficients.size()),
                    "n_supports, " + std::to_string(vectors));
  if (rho.size() != 1) return c.refuse("attribute rho has the wrong length", std::to_string(rho.size()), "1");
  Reals parameters = reals(node, "kernel_params");  // gamma, coef0, degree
  if (parameters.empty()) parameters = {0, 0, 0};
  if (parameters.size() != 3)
    return c.refuse("attribute kernel_params has the wrong length", std::to_string(parameters.size()), "3");
  const Reals supports = vectors == 0 ? coefficients : reals(node, "support_vectors");
  const auto m = matrix(c, supports, static_cast<std::size_t>(std::max<std::int64_t>(vectors, 1)), "support_vectors");
  if (!m) return failure;
  const Value x = rows(c, std::ssize(supports) / std::max<std::int64_t>(vectors, 1));
  const std::string kernel = vectors == 0 ? "LINEAR" : node.text("kernel_type", "LINEAR");
  const Value gamma = c.real(parameters[0]), coef0 = c.real(parameters[1]);
  Value k = ir::kNoValue;
  if (kernel == "RBF") {
    const Value d = c.op("Sub", {c.op("Unsqueeze", {x, c.integers({1})}), *m});  // [rows, vectors, columns]
    const Value squares = c.op("ReduceSum", {c.op("Mul", {d, d}), c.integers({2})}, {{"keepdims", std::int64_t{0}}});
    k = c.op("Exp", {c.op("Mul", {squares, c.op("Neg", {gamma})})});
  } else if (kernel == "LINEAR" || kernel == "POLY" || kernel == "SIGMOID") {
    k = c.op("MatMul", {x, turned(c, *m)});
    if (kernel != "LINEAR") k = c.op("Add", {c.op("Mul", {k, gamma}), coef0});
    if (kernel == "POLY") k = c.op("Pow", {k, c.real(parameters[2])});
    if (kernel == "SIGMOID") k = c.op("Tanh", {k});
  } else {
    return c.refuse("kernel_type is unknown", kernel, "LINEAR, POLY, RBF or SIGMOID");
  }
  if (vectors != 0) k = c.op("MatMul", {k, turned(c, c.op("Unsqueeze", {c.reals(coefficients), c.integers({0})}))});
  Value y = c.op("Add", {k, c.reals(rho)});
  if (node.integer("one_class", 0) != 0) y = c.op("Where", {c.op("Greater", {y, c.real(0)}), c.real(1), c.real(-1)});
  const auto out = transformed(c, node, y);
  if (!out) return failure;
  c.give(0, *out);
  return {};
}

}  // namespace byoc::onnx_import
