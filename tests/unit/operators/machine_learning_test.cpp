// ai.onnx.ml: linear models, support vectors, and what is done to columns.
#include <cmath>
#include <limits>

#include "tests/unit/operators/layer.hpp"

namespace byoc::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Layer ml(const std::string& op, std::vector<std::string> outputs = {"y"}) {
  return Layer(op, std::move(outputs), "ai.onnx.ml");
}

float logistic(float x) { return 1 / (1 + std::exp(-x)); }

TEST(MachineLearning, linearRegressor) {
  const auto layer = [] { return std::move(ml("LinearRegressor").real({2, 2}, {1, 2, 3, 4})); };
  expect_near(layer().with_reals("coefficients", {1, 10}).results(), {21, 43});
  expect_near(layer()
                  .with_reals("coefficients", {1, 10, -1, 0})
                  .with_reals("intercepts", {100, 0.5F})
                  .with("targets", 2)
                  .results(),
              {121, -0.5F, 143, -2.5F});
  expect_near(layer().with_reals("coefficients", {0, 0.5F}).with_text("post_transform", "LOGISTIC").results(),
              {logistic(1), logistic(2)});
  // One row, of integers.
  expect_near(ml("LinearRegressor").whole(TensorProto::INT64, {2}, {3, 4}).with_reals("coefficients", {1, 2}).results(),
              {11});
  EXPECT_THAT(layer().with_reals("coefficients", {1, 2, 3}).with("targets", 2).errors(),
              HasSubstr("attribute coefficients has the wrong length (found 3, expected at least 4)"));
  EXPECT_THAT(layer().with_reals("coefficients", {1, 2}).with_reals("intercepts", {1, 2}).errors(),
              HasSubstr("attribute intercepts has the wrong length (found 2, expected 1)"));
  EXPECT_THAT(layer().with_reals("coefficients", {1, 2}).with("targets", 0).errors(),
              HasSubstr("targets is out of range (found 0, expected at least 1)"));
  EXPECT_THAT(layer().with_reals("coefficients", {1, 2}).with_text("post_transform", "CUBE").errors(),
              HasSubstr("post_transform is unknown (found CUBE"));
}

TEST(MachineLearning, linearClassifier) {
  const auto layer = [] { return std::move(ml("LinearClassifier", {"label", "scores"}).real({2, 1}, {1, -2})); };
  expect_near(layer()
                  .with_reals("coefficients", {1, 2, -3})
                  .with_reals("intercepts", {0, 0, 1})
                  .with_integers("classlabels_ints", {7, 8, 9})
                  .results(),
              {8, 9, 1, 2, -2, -2, -4, 7});
  // One row of scores speaks for the second of two classes.
  const auto two = [&] {
    return std::move(layer()
                         .with_reals("coefficients", {1})
                         .with_reals("intercepts", {0.25F})
                         .with_integers("classlabels_ints", {-1, 1}));
  };
  expect_near(two().results(), {1, -1, -0.25F, 1.25F, 2.75F, -1.75F});
  expect_near(two().with_text("post_transform", "LOGISTIC").results(),
              {1, -1, logistic(-1.25F), logistic(1.25F), logistic(1.75F), logistic(-1.75F)});
  EXPECT_THAT(layer()
                  .with_reals("coefficients", {1, -1})
                  .with_texts("classlabels_strings", {"cat", "dog"})
                  .with_integers("classlabels_ints", {})
                  .texts(),
              ElementsAre("cat", "dog"));
  EXPECT_THAT(two().with_texts("classlabels_strings", {"cat", "dog"}).errors(),
              HasSubstr("needs one list of class labels (found two"));
  EXPECT_THAT(layer().with_reals("coefficients", {1}).errors(),
              HasSubstr("needs one list of class labels (found none"));
}

TEST(MachineLearning, supportVectorRegressor) {
  const auto layer = [](const std::string& kernel) {
    return std::move(ml("SVMRegressor")
                         .real({1, 2}, {1, 2})
                         .with_text("kernel_type", kernel)
                         .with_reals("kernel_params", {0.5F, 1, 3})
                         .with_reals("support_vectors", {1, 0, 0, 2})
                         .with_reals("coefficients", {1, -2})
                         .with_reals("rho", {10})
                         .with("n_supports", 2));
  };
  expect_near(layer("LINEAR").results(), {10 + 1 - 2 * 4});
  expect_near(layer("POLY").results(), {10 + 1.5F * 1.5F * 1.5F - 2 * 27});
  expect_near(layer("RBF").results(), {10 + std::exp(-2.0F) - 2 * std::exp(-0.5F)});
  expect_near(layer("SIGMOID").results(), {10 + std::tanh(1.5F) - 2 * std::tanh(3.0F)});
  expect_near(layer("POLY").with("one_class", 1).results(), {-1});
  EXPECT_THAT(layer("CUBE").errors(), HasSubstr("kernel_type is unknown (found CUBE"));
  EXPECT_THAT(ml("SVMRegressor").real({1, 1}, {1}).with_reals("coefficients", {1, 2}).with("n_supports", 3).errors(),
              HasSubstr("attribute coefficients has the wrong length (found 2, expected n_supports, 3)"));
  // Without vectors the coefficients are a plane, whatever the kernel.
  const auto plane = [] {
    return std::move(ml("SVMRegressor").real({1, 2}, {1, 2}).with_reals("coefficients", {3, 4}));
  };
  expect_near(plane().with_text("kernel_type", "RBF").with_reals("rho", {5}).results(), {16});
  EXPECT_THAT(plane().errors(), HasSubstr("attribute rho has the wrong length (found 0, expected 1)"));
  EXPECT_THAT(plane().with_reals("rho", {5}).with_reals("kernel_params", {1}).errors(),
              HasSubstr("attribute kernel_params has the wrong length (found 1, expected 3)"));
}

// One vector a class.
Layer support_vector_classes(std::int64_t rows, const Reals& x) {
  return std::move(ml("SVMClassifier", {"label", "scores"})
                       .real({rows, 1}, x)
                       .with_reals("support_vectors", {1, 2, -1})
                       .with_integers("vectors_per_class", {1, 1, 1})
                       .with_reals("coefficients", {1, 2, 3, 4, 5, 6})
                       .with_reals("rho", {-20, 1, 0}));
}

TEST(MachineLearning, supportVectorClassifier) {
  const auto layer = [] {
    return std::move(support_vector_classes(1, {2}).with_integers("classlabels_ints", {7, 8, 9}));
  };
  // Classes 1, 0 and 1 win.
  expect_near(layer().results(), {8, 2 + 8 - 20, 8 - 6 + 1, 20 - 12});
  expect_near(layer().with_text("post_transform", "LOGISTIC").results(), {8, logistic(-10), logistic(3), logistic(8)});
  EXPECT_THAT(support_vector_classes(2, {2, -2}).with_texts("classlabels_strings", {"a", "b", "c"}).texts(),
              ElementsAre("b", "c"));
  EXPECT_THAT(layer().with_text("kernel_type", "CUBE").errors(), HasSubstr("kernel_type is unknown (found CUBE"));
  EXPECT_THAT(layer().with_reals("prob_a", {1}).errors(),
              HasSubstr("attribute prob_a has the wrong length (found 1, expected 3)"));
  const auto broken = [](std::int64_t classes, const std::vector<std::int64_t>& counts) {
    return ml("SVMClassifier", {"label", "scores"})
        .real({1, 1}, {2})
        .with_reals("support_vectors", {1, 2})
        .with_reals("coefficients", {1, 2})
        .with_integers("vectors_per_class", counts)
        .with_integers("classlabels_ints", std::vector<std::int64_t>(static_cast<std::size_t>(classes), 5))
        .errors();
  };
  EXPECT_THAT(broken(1, {2}), HasSubstr("has too few classes (found 1, expected 2 or more)"));
  EXPECT_THAT(broken(2, {}), HasSubstr("attribute vectors_per_class has the wrong length (found 0, expected 2, for "
                                       "without support vectors this is a LinearClassifier)"));
  EXPECT_THAT(broken(2, {0, 2}), HasSubstr("number of support vectors of a class is out of range (found 0"));
  EXPECT_THAT(broken(2, {2, 3}), HasSubstr("number of support vectors of a class is out of range (found 3"));
  // A model has coefficients for every column; surplus ones count for nothing.
  const auto linear = [](const Reals& coefficients) {
    return std::move(ml("LinearRegressor").real({1, 2}, {3, 4}).with_reals("coefficients", coefficients));
  };
  expect_near(linear({1, 2, 9}).results(), {11});
  EXPECT_THAT(linear({1}).errors(),
              HasSubstr("attribute coefficients has the wrong length (found 1, expected at least 2)"));
  EXPECT_THAT(broken(3, {1, 1, 1}), HasSubstr("attribute coefficients has the wrong length (found 2, expected 6)"));
  EXPECT_THAT(broken(2, {1, 1}), HasSubstr("attribute rho has the wrong length (found 0, expected 1)"));
}

TEST(MachineLearning, supportVectorClassifierOfTwo) {
  const auto layer = [] {
    return std::move(ml("SVMClassifier", {"label", "scores"})
                         .real({2, 2}, {1, 2, 0, 0})
                         .with_text("kernel_type", "RBF")
                         .with_reals("kernel_params", {0.5F, 0, 0})
                         .with_reals("support_vectors", {1, 0, 0, 2, 5, 5})
                         .with_integers("vectors_per_class", {1, 2})
                         .with_reals("coefficients", {1, -2, 4})
                         .with_reals("rho", {1})
                         .with_integers("classlabels_ints", {3, 4}));
  };
  const float s = 1 + std::exp(-2.0F) - 2 * std::exp(-0.5F) + 4 * std::exp(-12.5F);
  const float t = 1 + std::exp(-0.5F) - 2 * std::exp(-2.0F) + 4 * std::exp(-25.0F);
  const float first = 4, second = 3;  // s is below 0, t above
  expect_near(layer().results(), {first, second, -s, s, -t, t});
  expect_near(layer().with_text("post_transform", "SOFTMAX").results(), {first, second, 1 - s, s, 1 - t, t});
  expect_near(layer().with_text("post_transform", "LOGISTIC").results(),
              {first, second, logistic(-s), logistic(s), logistic(-t), logistic(t)});
  // What couples pairs stops when it is near enough.
  EXPECT_THAT(layer().with_reals("prob_a", {-1}).with_reals("prob_b", {0.25F}).results(),
              testing::Pointwise(testing::FloatNear(1e-3F), {first, second, logistic(s - 0.25F), logistic(0.25F - s),
                                                             logistic(t - 0.25F), logistic(0.25F - t)}));
  EXPECT_THAT(layer().with_text("post_transform", "PROBIT").errors(),
              HasSubstr("post_transform of the score of two classes is not supported (found PROBIT, expected NONE, "
                        "LOGISTIC, SOFTMAX or SOFTMAX_ZERO)"));
}

// Pairs that agree with probabilities give these, as near as the rounds go.
TEST(MachineLearning, supportVectorProbabilities) {
  const float p[3] = {0.2F, 0.7F, 0.1F};
  const auto odds = [&](int i, int j) { return std::log(p[j] / p[i]); };
  const auto layer = [&](std::int64_t rows, const Reals& x) {
    return support_vector_classes(rows, x)
        .with_integers("classlabels_ints", {0, 1, 2})
        .with_reals("prob_a", {0, 0, 0.5F})
        .with_reals("prob_b", {odds(0, 1), odds(0, 2), odds(1, 2)})
        .results();
  };
  const Reals zero = layer(1, {0}), two = layer(1, {2}), both = layer(2, {0, 2});
  EXPECT_THAT(Reals(zero.begin() + 1, zero.end()), testing::Pointwise(testing::FloatNear(5e-3F), {p[0], p[1], p[2]}));
  // A row's rounds end on their own.
  EXPECT_THAT(both, ElementsAre(zero[0], two[0], zero[1], zero[2], zero[3], two[1], two[2], two[3]));
}

TEST(MachineLearning, zipMap) {
  const auto layer = [] { return std::move(ml("ZipMap").real({2, 2}, {1, 2, 3, 4})); };
  EXPECT_THAT(layer().with_integers("classlabels_int64s", {5, 0}).results(), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(layer().with_texts("classlabels_strings", {"a"}).errors(),
              HasSubstr("its keys are not as many as its columns (found 1, expected 2)"));
  EXPECT_THAT(layer().errors(), HasSubstr("needs one list of class labels (found none, expected classlabels_int64s or "
                                          "classlabels_strings)"));
}

TEST(MachineLearning, categoryMapper) {
  const auto layer = [] {
    return std::move(ml("CategoryMapper").with_integers("cats_int64s", {4, 2}).with_texts("cats_strings", {"a", "b"}));
  };
  EXPECT_THAT(layer().words({3}, {"b", "", "a"}).with("default_int64", 9).results(), ElementsAre(2, 9, 4));
  EXPECT_THAT(layer().whole(TensorProto::INT64, {3}, {2, 0, 4}).texts(), ElementsAre("b", "_Unused", "a"));
  EXPECT_THAT(layer().real({1}, {2}).errors(), HasSubstr("needs its classes, and an input that is stated"));
}

TEST(MachineLearning, columns) {
  expect_near(ml("Scaler")
                  .whole(TensorProto::INT32, {2, 2}, {1, 2, 3, 4})
                  .with_reals("offset", {1, -1})
                  .with_reals("scale", {10, 0.5F})
                  .results(),
              {0, 1.5F, 20, 2.5F});
  EXPECT_THAT(ml("Scaler").real({1}, {1}).with_reals("offset", {1}).errors(),
              HasSubstr("attributes offset and scale must be there, and of one length"));
  const auto normalised = [](const char* norm) {
    return std::move(ml("Normalizer").real({3, 2}, {3, -4, 0, 0, 2, 1}).with_text("norm", norm));
  };
  expect_near(normalised("MAX").results(), {1, -4 / 3.0F, 0, 0, 1, 0.5F});
  expect_near(normalised("L1").results(), {3 / 7.0F, -4 / 7.0F, 0, 0, 2 / 3.0F, 1 / 3.0F});
  expect_near(normalised("L2").results(), {0.6F, -0.8F, 0, 0, 2 / std::sqrt(5.0F), 1 / std::sqrt(5.0F)});
  EXPECT_THAT(normalised("L3").errors(), HasSubstr("norm is unknown (found L3, expected MAX, L1 or L2)"));
  expect_near(ml("FeatureVectorizer")
                  .real({2, 1}, {1, 2})
                  .whole(TensorProto::INT64, {2, 2}, {3, 4, 5, 6})
                  .with_integers("inputdimensions", {1, 2})
                  .results(),
              {1, 3, 4, 2, 5, 6});
  // Missing columns are 0 and further ones are left out. A vector is one row. Dims behind the first are columns.
  expect_near(ml("FeatureVectorizer").real({2, 1}, {1, 2}).with_integers("inputdimensions", {2}).results(),
              {1, 0, 2, 0});
  expect_near(ml("FeatureVectorizer")
                  .real({3}, {1, 2, 3})
                  .real({1, 2, 2}, {4, 5, 6, 7})
                  .with_integers("inputdimensions", {2, 4})
                  .results(),
              {1, 2, 4, 5, 6, 7});
  EXPECT_THAT(ml("FeatureVectorizer").real({2, 1}, {1, 2}).with_integers("inputdimensions", {-1}).errors(),
              HasSubstr("inputdimensions is out of range (found -1"));
}

TEST(MachineLearning, imputer) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const auto layer = [] { return std::move(ml("Imputer").real({2, 2}, {kNan, 2, 3, kNan})); };
  expect_near(layer().with_reals("imputed_value_floats", {7, 8}).with_real("replaced_value_float", kNan).results(),
              {7, 2, 3, 8});
  expect_near(ml("Imputer")
                  .real({2}, {3, 4})
                  .with_reals("imputed_value_floats", {7})
                  .with_real("replaced_value_float", 3)
                  .results(),
              {7, 4});
  expect_near(ml("Imputer")
                  .whole(TensorProto::INT64, {3}, {0, 1, 0})
                  .with_integers("imputed_value_int64s", {5})
                  .with("replaced_value_int64", 0)
                  .results(),
              {5, 1, 5});
  EXPECT_THAT(layer().errors(), HasSubstr("needs one list of values to put in"));
}

TEST(MachineLearning, oneHotEncoder) {
  const auto layer = [](std::int64_t zeros) {
    return std::move(ml("OneHotEncoder")
                         .whole(TensorProto::INT64, {3}, {5, 9, 2})
                         .with_integers("cats_int64s", {2, 5})
                         .with("zeros", zeros));
  };
  EXPECT_THAT(layer(1).results(), ElementsAre(0, 1, 0, 0, 1, 0));
  EXPECT_THAT(ml("OneHotEncoder").real({2}, {5, 2}).with_integers("cats_int64s", {2, 5}).with("zeros", 0).results(),
              ElementsAre(0, 1, 1, 0));
  EXPECT_THAT(ml("OneHotEncoder").words({2}, {"b", "c"}).with_texts("cats_strings", {"a", "b"}).results(),
              ElementsAre(0, 1, 0, 0));
  EXPECT_THAT(ml("OneHotEncoder").real({1}, {5}).errors(),
              HasSubstr("needs one list of categories (expected cats_int64s or cats_strings)"));
  // 9 is no category.
  auto unknown = layer(0).model.import();
  ASSERT_TRUE(unknown.graph) << unknown.errors;
  Diagnostics diags;
  EXPECT_FALSE(evaluate::run(*unknown.graph, {}, diags));
  ASSERT_FALSE(diags.all().empty());
  EXPECT_THAT(to_string(diags.all()[0]), HasSubstr("(found [0], expected [1])"));
}

}  // namespace
}  // namespace byoc::test
