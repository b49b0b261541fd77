// The operators that others make up, in the table of operators: operators/ has a file for each.
#include "sdk/model/import/onnx/operators.hpp"

namespace byoc::onnx_import {
namespace {

using Kind = AttributeKind;

void add_attention(std::vector<OperatorRule>& rules) {
  const AttributeRule softmax{"softmax_precision", Kind::integer}, scale{"scale", Kind::real};
  const std::vector<AttributeRule> attributes{{"is_causal", Kind::integer},
                                              {"kv_num_heads", Kind::integer},
                                              {"q_num_heads", Kind::integer},
                                              {"qk_matmul_output_mode", Kind::integer},
                                              scale,
                                              {"softcap", Kind::real},
                                              softmax};
  rules.push_back({"", "Attention", 23, 23, 3, 6, 4, attributes, normalise_attention});
  rules.push_back({"", "Attention", 24, kLast, 3, 7, 4, attributes, normalise_attention});
  rules.push_back({"ai.onnx.preview",
                   "FlexAttention",
                   1,
                   1,
                   3,
                   3,
                   1,
                   {{"prob_mod", Kind::graph}, scale, {"score_mod", Kind::graph}, softmax},
                   normalise_flex_attention});
  rules.push_back({"",
                   "LinearAttention",
                   27,
                   kLast,
                   3,
                   6,
                   2,
                   {{"chunk_size", Kind::integer},
                    {"kv_num_heads", Kind::integer, 27, kLast, true},
                    {"q_num_heads", Kind::integer, 27, kLast, true},
                    scale,
                    {"update_rule", Kind::text}},
                   normalise_linear_attention});
}

// Linear models, and those of support vectors.
void add_linear_models(std::vector<OperatorRule>& rules) {
  constexpr std::string_view kDomain = "ai.onnx.ml";
  const AttributeRule coefficients{"coefficients", Kind::reals}, transform{"post_transform", Kind::text};
  rules.push_back({kDomain,
                   "LinearRegressor",
                   1,
                   kNewestMl,
                   1,
                   1,
                   1,
                   {coefficients, {"intercepts", Kind::reals}, transform, {"targets", Kind::integer}},
                   normalise_linear_regressor});
  rules.push_back({kDomain,
                   "LinearClassifier",
                   1,
                   kNewestMl,
                   1,
                   1,
                   2,
                   {{"classlabels_ints", Kind::integers},
                    {"classlabels_strings", Kind::texts},
                    coefficients,
                    {"intercepts", Kind::reals},
                    {"multi_class", Kind::integer},
                    transform},
                   normalise_linear_classifier});
  rules.back().first_output_optional = true;
  rules.push_back({kDomain,
                   "SVMRegressor",
                   1,
                   kNewestMl,
                   1,
                   1,
                   1,
                   {coefficients,
                    {"kernel_params", Kind::reals},
                    {"kernel_type", Kind::text},
                    {"n_supports", Kind::integer},
                    {"one_class", Kind::integer},
                    transform,
                    {"rho", Kind::reals},
                    {"support_vectors", Kind::reals}},
                   normalise_svm_regressor});
  rules.push_back({kDomain,
                   "SVMClassifier",
                   1,
                   kNewestMl,
                   1,
                   1,
                   2,
                   {{"classlabels_ints", Kind::integers},
                    {"classlabels_strings", Kind::texts},
                    coefficients,
                    {"kernel_params", Kind::reals},
                    {"kernel_type", Kind::text},
                    transform,
                    {"prob_a", Kind::reals},
                    {"prob_b", Kind::reals},
                    {"rho", Kind::reals},
                    {"support_vectors", Kind::reals},
                    {"vectors_per_class", Kind::integers}},
                   normalise_svm_classifier});
  rules.back().first_output_optional = true;
}

void add_feature_columns(std::vector<OperatorRule>& rules) {
  constexpr std::string_view kDomain = "ai.onnx.ml";
  rules.push_back(
      {kDomain, "Scaler", 1, kNewestMl, 1, 1, 1, {{"offset", Kind::reals}, {"scale", Kind::reals}}, normalise_scaler});
  rules.push_back({kDomain, "Normalizer", 1, kNewestMl, 1, 1, 1, {{"norm", Kind::text}}, normalise_normalizer});
  rules.push_back({kDomain,
                   "Imputer",
                   1,
                   kNewestMl,
                   1,
                   1,
                   1,
                   {{"imputed_value_floats", Kind::reals},
                    {"imputed_value_int64s", Kind::integers},
                    {"replaced_value_float", Kind::real},
                    {"replaced_value_int64", Kind::integer}},
                   normalise_imputer});
  rules.push_back({kDomain,
                   "OneHotEncoder",
                   1,
                   kNewestMl,
                   1,
                   1,
                   1,
                   {{"cats_int64s", Kind::integers}, {"cats_strings", Kind::texts}, {"zeros", Kind::integer}},
                   normalise_one_hot_encoder});
  rules.push_back({kDomain,
                   "FeatureVectorizer",
                   1,
                   kNewestMl,
                   1,
                   kAnyNumber,
                   1,
                   {{"inputdimensions", Kind::integers}},
                   normalise_feature_vectorizer});
}

// Other operators of ai.onnx.ml.
void add_machine_learning(std::vector<OperatorRule>& rules) {
  constexpr std::string_view kDomain = "ai.onnx.ml";
  const auto required = [](const char* name, Kind kind) { return AttributeRule{name, kind, 5, kNewestMl, true}; };
  rules.push_back({kDomain, "ArrayFeatureExtractor", 1, kNewestMl, 2, 2, 1, {}, normalise_array_feature_extractor});
  rules.push_back({kDomain,
                   "ZipMap",
                   1,
                   kNewestMl,
                   1,
                   1,
                   1,
                   {{"classlabels_int64s", Kind::integers}, {"classlabels_strings", Kind::texts}},
                   normalise_zip_map});
  rules.push_back({kDomain,
                   "TreeEnsemble",
                   5,
                   kNewestMl,
                   1,
                   1,
                   1,
                   {{"aggregate_function", Kind::integer},
                    required("leaf_targetids", Kind::integers),
                    required("leaf_weights", Kind::tensor),
                    {"membership_values", Kind::tensor},
                    {"n_targets", Kind::integer},
                    required("nodes_falseleafs", Kind::integers),
                    required("nodes_falsenodeids", Kind::integers),
                    required("nodes_featureids", Kind::integers),
                    {"nodes_hitrates", Kind::tensor},
                    {"nodes_missing_value_tracks_true", Kind::integers},
                    required("nodes_modes", Kind::tensor),
                    required("nodes_splits", Kind::tensor),
                    required("nodes_trueleafs", Kind::integers),
                    required("nodes_truenodeids", Kind::integers),
                    {"post_transform", Kind::integer},
                    required("tree_roots", Kind::integers)},
                   normalise_tree_ensemble});
  std::vector<AttributeRule> nodes{{"base_values", Kind::reals},
                                   {"base_values_as_tensor", Kind::tensor, 3},
                                   {"nodes_falsenodeids", Kind::integers},
                                   {"nodes_featureids", Kind::integers},
                                   {"nodes_hitrates", Kind::reals},
                                   {"nodes_hitrates_as_tensor", Kind::tensor, 3},
                                   {"nodes_missing_value_tracks_true", Kind::integers},
                                   {"nodes_modes", Kind::texts},
                                   {"nodes_nodeids", Kind::integers},
                                   {"nodes_treeids", Kind::integers},
                                   {"nodes_truenodeids", Kind::integers},
                                   {"nodes_values", Kind::reals},
                                   {"nodes_values_as_tensor", Kind::tensor, 3},
                                   {"post_transform", Kind::text}};
  std::vector<AttributeRule> regressor = nodes, classifier = nodes;
  for (const AttributeRule& a : std::initializer_list<AttributeRule>{{"aggregate_function", Kind::text},
                                                                     {"n_targets", Kind::integer},
                                                                     {"target_ids", Kind::integers},
                                                                     {"target_nodeids", Kind::integers},
                                                                     {"target_treeids", Kind::integers},
                                                                     {"target_weights", Kind::reals},
                                                                     {"target_weights_as_tensor", Kind::tensor, 3}})
    regressor.push_back(a);
  for (const AttributeRule& a : std::initializer_list<AttributeRule>{{"class_ids", Kind::integers},
                                                                     {"class_nodeids", Kind::integers},
                                                                     {"class_treeids", Kind::integers},
                                                                     {"class_weights", Kind::reals},
                                                                     {"class_weights_as_tensor", Kind::tensor, 3},
                                                                     {"classlabels_int64s", Kind::integers},
                                                                     {"classlabels_strings", Kind::texts}})
    classifier.push_back(a);
  rules.push_back({kDomain, "TreeEnsembleClassifier", 1, kNewestMl, 1, 1, 2, classifier, normalise_tree_model});
  rules.back().first_output_optional = true;
  rules.push_back({kDomain, "TreeEnsembleRegressor", 1, kNewestMl, 1, 1, 1, regressor, normalise_tree_model});
}

}  // namespace

void add_compositions(std::vector<OperatorRule>& rules) {
  add_attention(rules);
  add_machine_learning(rules);
  add_linear_models(rules);
  add_feature_columns(rules);
  rules.push_back({"", "CausalConvWithState", 27, kLast, 2, 4, 2, {{"activation", Kind::text}}, normalise_causal_conv});
  rules.push_back(
      {"",
       "RotaryEmbedding",
       23,
       kLast,
       3,
       4,
       1,
       {{"interleaved", Kind::integer}, {"num_heads", Kind::integer}, {"rotary_embedding_dim", Kind::integer}},
       normalise_rotary_embedding});
  rules.push_back({"", "SwiGLU", 28, kLast, 2, 2, 1, {{"alpha", Kind::real}}, normalise_swiglu});
  rules.push_back({"",
                   "TensorScatter",
                   24,
                   kLast,
                   2,
                   3,
                   1,
                   {{"axis", Kind::integer}, {"mode", Kind::text}},
                   normalise_tensor_scatter});
}

}  // namespace byoc::onnx_import
