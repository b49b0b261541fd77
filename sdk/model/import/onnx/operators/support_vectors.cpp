// ai.onnx.ml's SVMRegressor and SVMClassifier (1), as libsvm has them.
#include "sdk/model/import/onnx/operators/scores.hpp"
#include "sdk/model/ir/control.hpp"

namespace byoc::onnx_import {
namespace {

using Value = Composition::Value;
using Values = Composition::Values;
using Integers = std::vector<std::int64_t>;
using Reals = std::vector<float>;

Result<void> check_length(Composition& c, const ir::Node& node, const char* attribute, std::size_t expected) {
  const std::size_t found = reals_of(node, attribute).size();
  if (found == expected) return {};
  return c.refuse(std::string("attribute ") + attribute + " has the wrong length", std::to_string(found),
                  std::to_string(expected));
}

// f32[rows, vectors]: exp(-gamma |x - v|^2), from products, which takes neither rows nor vectors apart into
// differences of all their columns: |x - v|^2 = |x|^2 - 2 x v + |v|^2. Both are counted from the vectors' centre, so
// that little cancels.
Value radial(Composition& c, Value x, const Reals& vectors, std::size_t count, float gamma) {
  const std::size_t columns = vectors.size() / count;
  std::vector<double> sums(columns);
  for (std::size_t i = 0; i < vectors.size(); ++i) sums[i % columns] += static_cast<double>(vectors[i]);
  Reals centre, factors(vectors.size()), squares(count);  // factors: [columns, vectors]
  for (const double sum : sums) centre.push_back(static_cast<float>(sum / static_cast<double>(count)));
  for (std::size_t v = 0; v < count; ++v) {
    double square = 0;
    for (std::size_t k = 0; k < columns; ++k) {
      const double d = static_cast<double>(vectors[v * columns + k]) - static_cast<double>(centre[k]);
      square += d * d;
      factors[k * count + v] = static_cast<float>(2 * static_cast<double>(gamma) * d);
    }
    squares[v] = static_cast<float>(-static_cast<double>(gamma) * square);
  }
  const Value from_centre = c.op("Sub", {x, c.reals(centre)});
  const Value own = c.op("Mul", {c.op("ReduceSumSquare", {from_centre, c.integers({1})}), c.real(gamma)});
  const Value table =
      c.op("Reshape", {c.reals(factors), c.integers({static_cast<std::int64_t>(columns), std::ssize(squares)})});
  const Value both = c.op("Add", {c.op("MatMul", {from_centre, table}), c.reals(squares)});
  return c.op("Exp", {c.op("Sub", {both, own})});
}

// f32[rows, vectors]: how like each row is to each vector, an attribute that lists `vectors` of them.
Result<Value> kernel(Composition& c, const ir::Node& node, const char* attribute, std::size_t vectors,
                     const std::string& type) {
  Reals parameters = reals_of(node, "kernel_params");  // gamma, coef0, degree
  if (parameters.empty()) parameters = {0, 0, 0};
  if (parameters.size() != 3)
    return c.refuse("attribute kernel_params has the wrong length", std::to_string(parameters.size()), "3");
  const auto m = matrix_of(c, reals_of(node, attribute), attribute, vectors);
  if (!m) return failure;
  const Reals elements = reals_of(node, attribute);
  const Value x = as_rows(c, static_cast<std::int64_t>(elements.size() / vectors));
  if (type == "RBF") return radial(c, x, elements, vectors, parameters[0]);
  if (type != "LINEAR" && type != "POLY" && type != "SIGMOID")
    return c.refuse("kernel_type is unknown", type, "LINEAR, POLY, RBF or SIGMOID");
  const Value product = c.op("MatMul", {x, transposed(c, *m)});
  if (type == "LINEAR") return product;
  const Value sum = c.op("Add", {c.op("Mul", {product, c.real(parameters[0])}), c.real(parameters[1])});
  return type == "POLY" ? c.op("Pow", {sum, c.real(parameters[2])}) : c.op("Tanh", {sum});
}

// A classifier by support vectors. With two classes, or for each pair (i, j) with i < j of several, the first wins the
// vote where the score is above 0.
class Classifier {
 public:
  Classifier(Normaliser& e, const ir::Node& node) : e_(e), c_(e, node), node_(node) {}

  Result<void> expand() {
    const auto labels = class_labels(c_, node_, "classlabels_ints");
    if (!labels) return failure;
    classes_ = labels->count;
    pairs_ = classes_ * (classes_ - 1) / 2;
    const auto scores = pair_scores();
    if (!scores) return failure;
    give_label(c_, *labels, largest(c_, votes(*scores)));
    const auto y = outcome(*scores);
    if (!y) return failure;
    c_.give(1, *y);
    return {};
  }

 private:
  [[nodiscard]] static std::int64_t integer(std::size_t v) { return static_cast<std::int64_t>(v); }

  // f32[rows, pairs]. Each vector of a class has a coefficient for each other class: [classes - 1, vectors].
  Result<Value> pair_scores() {
    const Integers counts = node_.integers("vectors_per_class", {});
    if (classes_ < 2) return c_.refuse("has too few classes", std::to_string(classes_), "2 or more");
    if (counts.size() != classes_)
      return c_.refuse("attribute vectors_per_class has the wrong length", std::to_string(counts.size()),
                       std::to_string(classes_) + ", for without support vectors this is a LinearClassifier");
    std::size_t vectors = 0;
    const std::int64_t most = std::ssize(reals_of(node_, "support_vectors"));
    for (const std::int64_t count : counts) {
      // A plane between two classes has vectors on both sides. The upper bound is the attribute's.
      if (count < 1 || count > most)
        return c_.refuse("number of support vectors of a class is out of range", std::to_string(count),
                         "1 up to all of support_vectors");
      vectors += static_cast<std::size_t>(count);
    }
    const std::size_t needed = (classes_ - 1) * vectors;
    // More coefficients than that count for nothing.
    if (reals_of(node_, "coefficients").size() < needed && !check_length(c_, node_, "coefficients", needed))
      return failure;
    if (!check_length(c_, node_, "rho", pairs_)) return failure;
    const auto k = kernel(c_, node_, "support_vectors", vectors, node_.text("kernel_type", "LINEAR"));
    if (!k) return failure;
    const Reals coefficients = reals_of(node_, "coefficients");
    Values parts;  // of each class [rows, classes - 1]: what its vectors say against each other class
    std::size_t first = 0;
    for (const std::int64_t count : counts) {
      const std::size_t end = first + static_cast<std::size_t>(count);
      Reals own;  // [count, classes - 1]
      for (std::size_t v = first; v < end; ++v)
        for (std::size_t other = 0; other + 1 < classes_; ++other) own.push_back(coefficients[other * vectors + v]);
      const Value of_class =
          c_.op("Slice", {*k, c_.integers({integer(first)}), c_.integers({integer(end)}), c_.integers({1})});
      parts.push_back(
          c_.op("MatMul", {of_class, c_.op("Reshape", {c_.reals(own), c_.integers({count, integer(classes_ - 1)})})}));
      first = end;
    }
    const Value all = c_.op("Concat", parts, {{"axis", std::int64_t{1}}});
    Integers of_first, of_second;  // pair (i, j): j is the other class j - 1 of i, i the other class i of j
    for (std::size_t i = 0; i < classes_; ++i)
      for (std::size_t j = i + 1; j < classes_; ++j) {
        of_first.push_back(integer(i * (classes_ - 1) + j - 1));
        of_second.push_back(integer(j * (classes_ - 1) + i));
      }
    const Value sum = c_.op("Add", {column(all, of_first), column(all, of_second)});
    return c_.op("Add", {sum, c_.reals(reals_of(node_, "rho"))});
  }

  Value column(Value matrix, const Integers& which) {
    return c_.op("Gather", {matrix, c_.integers(which)}, {{"axis", std::int64_t{1}}});
  }

  // f32[rows, classes, classes] of f32[rows, pairs]: at [i][j] what `first` has of pair (i, j), or `second` of (j, i);
  // 0 on the diagonal.
  Value square(Value first, Value second) {
    const Value zero = c_.op("Mul", {column(first, {0}), c_.real(0)});
    Integers places(classes_ * classes_, 2 * integer(pairs_));
    std::int64_t pair = 0;
    for (std::size_t i = 0; i < classes_; ++i)
      for (std::size_t j = i + 1; j < classes_; ++j, ++pair) {
        places[i * classes_ + j] = pair;
        places[j * classes_ + i] = integer(pairs_) + pair;
      }
    const Value all = c_.op("Concat", {first, second, zero}, {{"axis", std::int64_t{1}}});
    return c_.op("Reshape", {column(all, places), c_.integers({-1, integer(classes_), integer(classes_)})});
  }

  // The rest to 1.
  Value rest(Value v) { return c_.op("Sub", {c_.real(1), v}); }

  // f32[rows, classes]: of its pairs each class wins so many.
  Value votes(Value scores) {
    const Value first = c_.cast(c_.op("Greater", {scores, c_.real(0)}), DType::f32);
    return c_.op("ReduceSum", {square(first, rest(first)), c_.integers({2})}, {{"keepdims", std::int64_t{0}}});
  }

  Result<Value> outcome(Value scores) {
    const std::string transform = post_transform_of(node_);
    if (!reals_of(node_, "prob_a").empty() || !reals_of(node_, "prob_b").empty()) {
      const auto p = probabilities(scores);
      return p ? post_transformed(c_, transform, *p) : p;
    }
    if (classes_ > 2) return post_transformed(c_, transform, scores);
    // One score s of two classes becomes -s and s, or 1 - s and s, depending on the transform.
    const bool is_turned = transform == "NONE" || transform == "LOGISTIC";
    if (!is_turned && transform != "SOFTMAX" && transform != "SOFTMAX_ZERO")
      return c_.refuse("post_transform of the score of two classes is not supported", transform,
                       "NONE, LOGISTIC, SOFTMAX or SOFTMAX_ZERO");
    const Value other = is_turned ? c_.op("Neg", {scores}) : rest(scores);
    const Value both = c_.op("Concat", {other, scores}, {{"axis", std::int64_t{1}}});
    return is_turned ? post_transformed(c_, transform, both) : both;
  }

  // f32[rows, classes] out of the pairs' probabilities: the second method of Wu, Lin and Weng, "Probability Estimates
  // for Multi-class Classification by Pairwise Coupling", JMLR 5 (2004), as libsvm computes it.
  Result<Value> probabilities(Value scores) {
    if (!check_length(c_, node_, "prob_a", pairs_) || !check_length(c_, node_, "prob_b", pairs_)) return failure;
    constexpr float kLeast = 1e-7F;
    constexpr std::int64_t kMostRounds = 100;
    const Value line = c_.op(
        "Add", {c_.op("Mul", {scores, c_.reals(reals_of(node_, "prob_a"))}), c_.reals(reals_of(node_, "prob_b"))});
    // The probability of the first class of each pair.
    const Value r = c_.op("Clip", {rest(c_.op("Sigmoid", {line})), c_.real(kLeast), c_.real(1 - kLeast)});
    const Value of_second = rest(r), of_others = square(of_second, r);
    const Value on_diagonal = c_.op("ReduceSum", {c_.op("Mul", {of_others, of_others}), c_.integers({2})});
    const Value q =
        c_.op("Sub", {c_.op("Mul", {on_diagonal, unit_matrix()}), c_.op("Mul", {square(r, of_second), of_others})});
    const auto n = static_cast<float>(classes_);
    const Value start = c_.op("Add", {c_.op("Mul", {on_diagonal, c_.real(0)}), c_.real(1 / n)});
    return c_.op("Loop", {c_.integer(kMostRounds), ir::kNoValue, c_.op("Squeeze", {start, c_.integers({2})}), q},
                 {{"captures", std::int64_t{1}}, {"body", round()}});
  }

  Value unit_matrix() {
    Reals elements(classes_ * classes_);
    for (std::size_t i = 0; i < classes_; ++i) elements[i * classes_ + i] = 1;
    return c_.op("Reshape", {c_.reals(elements), c_.integers({integer(classes_), integer(classes_)})});
  }

  // (iteration, condition, p f32[rows, classes], q f32[rows, classes, classes]) -> whether a row goes on, p: minimises
  // p q p' by one class after the other; rows that are near enough stay.
  std::shared_ptr<ir::Graph> round() {
    auto body = e_.body("coupling", 4);
    Normaliser target(*body, e_.diags);
    Composition c(target, node_);
    const Value q = body->inputs[3];
    Value p = body->inputs[2];
    const Value before = p;
    Value qp = c.op("Squeeze", {c.op("MatMul", {q, c.op("Unsqueeze", {p, c.integers({2})})}), c.integers({2})});
    Value pqp = c.op("ReduceSum", {c.op("Mul", {p, qp}), c.integers({1})});
    const Value worst = c.op("ReduceMax", {c.op("Abs", {c.op("Sub", {qp, pqp})}), c.integers({1})});
    const Value far = c.op("GreaterOrEqual", {worst, c.real(0.005F / static_cast<float>(classes_))});
    const std::map<std::string, ir::Attribute, std::less<>> along{{"axis", std::int64_t{1}}};
    for (std::size_t k = 0; k < classes_; ++k) {
      const Value at = c.integers({integer(k)});
      const Value row = c.op("Gather", {q, c.integer(integer(k))}, along);
      const Value diagonal = c.op("Gather", {row, at}, along), own = c.op("Gather", {qp, at}, along);
      const Value step = c.op("Div", {c.op("Sub", {pqp, own}), diagonal});
      const Value scale = c.op("Add", {step, c.real(1)});
      const auto scaled = [&](Value v) { return c.op("Div", {v, scale}); };
      const Value gain = c.op("Add", {c.op("Mul", {step, diagonal}), c.op("Mul", {own, c.real(2)})});
      pqp = scaled(scaled(c.op("Add", {pqp, c.op("Mul", {step, gain})})));
      qp = scaled(c.op("Add", {qp, c.op("Mul", {step, row})}));
      Reals unit(classes_);
      unit[k] = 1;
      p = scaled(c.op("Add", {p, c.op("Mul", {step, c.reals(unit)})}));
    }
    const Value rows_left = c.op("ReduceSum", {c.cast(far, DType::f32)}, {{"keepdims", std::int64_t{0}}});
    body->outputs = {c.op("Greater", {rows_left, c.real(0)}), c.op("Where", {far, p, before})};
    return body;
  }

  Normaliser& e_;
  Composition c_;
  const ir::Node& node_;
  std::size_t classes_ = 0, pairs_ = 0;
};

}  // namespace

// The sum over support vectors of coefficient * kernel(x, vector), plus rho; without vectors the coefficients are one.
Result<void> normalise_svm_regressor(Normaliser& e, ir::Node node) {
  Composition c(e, node);
  const Reals coefficients = reals_of(node, "coefficients");
  const std::int64_t vectors = node.integer("n_supports", 0);
  if (vectors < 0 || (vectors != 0 && std::ssize(coefficients) != vectors) || coefficients.empty())
    return c.refuse("attribute coefficients has the wrong length", std::to_string(coefficients.size()),
                    "n_supports, " + std::to_string(vectors));
  if (!check_length(c, node, "rho", 1)) return failure;
  const auto k = vectors == 0 ? kernel(c, node, "coefficients", 1, "LINEAR")
                              : kernel(c, node, "support_vectors", static_cast<std::size_t>(vectors),
                                       node.text("kernel_type", "LINEAR"));
  if (!k) return failure;
  Value y = *k;
  if (vectors != 0) y = c.op("MatMul", {y, transposed(c, c.op("Unsqueeze", {c.reals(coefficients), c.integers({0})}))});
  y = c.op("Add", {y, c.reals(reals_of(node, "rho"))});
  if (node.integer("one_class", 0) != 0) y = c.op("Where", {c.op("Greater", {y, c.real(0)}), c.real(1), c.real(-1)});
  const auto out = post_transformed(c, post_transform_of(node), y);
  if (!out) return failure;
  c.give(0, *out);
  return {};
}

// -> the label of each row; scores: of the pairs, -s and s of two classes, or with prob_a and prob_b the probabilities
// of all classes
Result<void> normalise_svm_classifier(Normaliser& e, ir::Node node) { return Classifier(e, node).expand(); }

}  // namespace byoc::onnx_import
