// The ONNX operators that are imported: an explicit table, and the functions that bring a node of any accepted opset
// to the form of docs/graph-language.md.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sdk/base/support/diagnostics.hpp"
#include "sdk/model/import/onnx/value_types.hpp"
#include "sdk/model/ir/graph.hpp"

namespace byoc::onnx_import {

inline constexpr std::int64_t kOldestOpset = 1;  // of the operators that have not changed since; most begin at 7
inline constexpr std::int64_t kNewestOpset = 28;
// A rule ends with the opset up to which the operator's definition was read: here, with all of them. From 22 on most
// operators changed by element types alone, which shape rules and codegens look at.
inline constexpr std::int64_t kLast = kNewestOpset;
inline constexpr std::int64_t kNewestMl = 5;  // of ai.onnx.ml
// ONNX Runtime's own operators. Models do not say which version of them they use.
inline constexpr std::string_view kContributed = "com.microsoft";
inline constexpr std::int64_t kEveryVersion = std::numeric_limits<std::int64_t>::max();
inline constexpr std::size_t kAnyNumber = std::numeric_limits<std::size_t>::max();

enum class AttributeKind { integer, real, text, integers, reals, texts, tensor, sparse_tensor, graph, type };

struct AttributeRule {
  std::string_view name;
  AttributeKind kind;
  std::int64_t since = 1;  // opsets of the operator's domain in which it has the attribute, both ends included
  std::int64_t until = kEveryVersion;
  bool required = false;
};

// The graph that normalised nodes are added to, and helpers that the functions below need to make them.
class Normaliser {
 public:
  Normaliser(ir::Graph& target, Diagnostics& diagnostics) : graph(target), diags(diagnostics), types(target) {}

  // Begins with another node of the model: the other operators that are emitted from now on are parts of it.
  void begin(const ir::Node& node) { whole_ = node.full_name(); }
  void emit(ir::Node node) {
    if (node.part_of.empty() && node.full_name() != whole_) node.part_of = whole_;
    graph.add_node(std::move(node));
  }
  // A value that has no counterpart in the model.
  ir::ValueId temporary();
  // An empty graph for the body of a Loop, a Scan or an If that is made for this one, with so many inputs.
  [[nodiscard]] std::shared_ptr<ir::Graph> body(std::string name, std::size_t inputs = 0) const;
  ir::ValueId integers(const std::vector<std::int64_t>& elements);  // i64[n]
  ir::ValueId scalar(float value);                                  // f32[]
  ir::ValueId reals(const std::vector<float>& elements);            // f32[n]
  // Elements of an f32 constant; nullopt for anything else.
  [[nodiscard]] std::optional<std::vector<float>> constant_reals(ir::ValueId v) const;
  // Emits `op` of domain "" that takes `like`'s name and position.
  ir::ValueId apply(const ir::Node& like, std::string_view op, std::int64_t version, std::vector<ir::ValueId> inputs,
                    std::map<std::string, ir::Attribute, std::less<>> attributes = {});
  Failure refuse(const ir::Node& node, std::string message, std::string found = {}, std::string expected = {});

  ir::Graph& graph;
  Diagnostics& diags;
  ValueTypes types;  // of the graph's values

 private:
  std::string whole_ = {};  // the operator of the model
};

// Brings `node` into the graph language and emits what it becomes. Inputs that are constants are known by then.
using Normalise = Result<void> (*)(Normaliser&, ir::Node node);

struct OperatorRule {
  std::string_view domain;
  std::string_view op;
  std::int64_t since;  // first opset of the domain with this form of the operator
  std::int64_t until;  // last
  std::size_t min_inputs;
  std::size_t max_inputs;
  std::size_t max_outputs;  // outputs that nobody reads do not count
  std::vector<AttributeRule> attributes;
  Normalise normalise = nullptr;            // null: the node is emitted as it is
  std::vector<std::size_t> may_be_empty{};  // inputs below min_inputs that may be left empty
  bool first_output_optional = false;       // the first output may be left out where there is another one
};

// All rules, those of one operator together and in the order of their opsets.
[[nodiscard]] std::span<const OperatorRule> operator_rules();

// Parts of the table in files of their own.
void add_layers(std::vector<OperatorRule>&);
void add_control(std::vector<OperatorRule>&);
void add_contributed_layers(std::vector<OperatorRule>&);
void add_contributed_data(std::vector<OperatorRule>&);
void add_old(std::vector<OperatorRule>&);
void add_compositions(std::vector<OperatorRule>&);
void add_held(std::vector<OperatorRule>&);
void add_strings(std::vector<OperatorRule>&);

// sdk/model/import/onnx/operators/, one file per family.
Result<void> normalise_array_feature_extractor(Normaliser&, ir::Node);
Result<void> normalise_as_byoc(Normaliser&, ir::Node);  // as the operator of domain byoc that has this name
Result<void> normalise_as_onnx(Normaliser&, ir::Node);  // as the operator of ONNX that has this name
Result<void> normalise_attention(Normaliser&, ir::Node);
Result<void> normalise_attention_lstm(Normaliser&, ir::Node);
Result<void> normalise_batch_normalization(Normaliser&, ir::Node);
Result<void> normalise_bias_softmax(Normaliser&, ir::Node);
Result<void> normalise_broadcast(Normaliser&, ir::Node);
Result<void> normalise_causal_conv(Normaliser&, ir::Node);
Result<void> normalise_cdist(Normaliser&, ir::Node);
Result<void> normalise_clip(Normaliser&, ir::Node);
Result<void> normalise_contributed_causal_conv(Normaliser&, ir::Node);
Result<void> normalise_contributed_grid_sample(Normaliser&, ir::Node);
Result<void> normalise_contributed_pad(Normaliser&, ir::Node);
Result<void> normalise_contributed_quantisation(Normaliser&, ir::Node);
Result<void> normalise_contributed_range(Normaliser&, ir::Node);
Result<void> normalise_contributed_rotary_embedding(Normaliser&, ir::Node);
Result<void> normalise_constant(Normaliser&, ir::Node);
Result<void> normalise_contributed_unique(Normaliser&, ir::Node);
Result<void> normalise_conv_transpose_dynamic_pads(Normaliser&, ir::Node);
Result<void> normalise_crop(Normaliser&, ir::Node);
Result<void> normalise_crop_and_resize(Normaliser&, ir::Node);
Result<void> normalise_decoder_attention(Normaliser&, ir::Node);
Result<void> normalise_dft(Normaliser&, ir::Node);
Result<void> normalise_dropout(Normaliser&, ir::Node);
Result<void> normalise_dynamic_quantize_lstm(Normaliser&, ir::Node);
Result<void> normalise_dynamic_quantize_matmul(Normaliser&, ir::Node);
Result<void> normalise_dynamic_slice(Normaliser&, ir::Node);
Result<void> normalise_dynamic_time_warping(Normaliser&, ir::Node);
Result<void> normalise_embed_layer_normalization(Normaliser&, ir::Node);
Result<void> normalise_expand_dims(Normaliser&, ir::Node);
Result<void> normalise_feature_vectorizer(Normaliser&, ir::Node);
Result<void> normalise_flex_attention(Normaliser&, ir::Node);
Result<void> normalise_grid_sample(Normaliser&, ir::Node);
Result<void> normalise_float_predicate(Normaliser&, ir::Node);
Result<void> normalise_fused_conv(Normaliser&, ir::Node);
Result<void> normalise_fused_gemm(Normaliser&, ir::Node);
Result<void> normalise_fused_matmul(Normaliser&, ir::Node);
Result<void> normalise_gelu(Normaliser&, ir::Node);
Result<void> normalise_group_norm(Normaliser&, ir::Node);
Result<void> normalise_image_scaler(Normaliser&, ir::Node);
Result<void> normalise_imputer(Normaliser&, ir::Node);
Result<void> normalise_linear_classifier(Normaliser&, ir::Node);
Result<void> normalise_linear_regressor(Normaliser&, ir::Node);
Result<void> normalise_moe(Normaliser&, ir::Node);
Result<void> normalise_murmur_hash(Normaliser&, ir::Node);
Result<void> normalise_normalizer(Normaliser&, ir::Node);
Result<void> normalise_old_function(Normaliser&, ir::Node);
Result<void> normalise_old_mean_variance(Normaliser&, ir::Node);
Result<void> normalise_one_hot_encoder(Normaliser&, ir::Node);
Result<void> normalise_qlinear_reduce_mean(Normaliser&, ir::Node);
Result<void> normalise_qlinear_where(Normaliser&, ir::Node);
Result<void> normalise_real_dft(Normaliser&, ir::Node);
Result<void> normalise_sample(Normaliser&, ir::Node);
Result<void> normalise_scaler(Normaliser&, ir::Node);
Result<void> normalise_sequence_map(Normaliser&, ir::Node);
Result<void> normalise_skip_layer_normalization(Normaliser&, ir::Node);
Result<void> normalise_gather_block_quantized(Normaliser&, ir::Node);
Result<void> normalise_gather_nd(Normaliser&, ir::Node);
Result<void> normalise_gemm(Normaliser&, ir::Node);
Result<void> normalise_group_query_attention(Normaliser&, ir::Node);
Result<void> normalise_label_encoder(Normaliser&, ir::Node);
Result<void> normalise_layer_normalization(Normaliser&, ir::Node);
Result<void> normalise_linear_attention(Normaliser&, ir::Node);
Result<void> normalise_matmul_integer16(Normaliser&, ir::Node);
Result<void> normalise_matmul_integer_to_float(Normaliser&, ir::Node);
Result<void> normalise_matmul_bnb4(Normaliser&, ir::Node);
Result<void> normalise_matmul_nbits(Normaliser&, ir::Node);
Result<void> normalise_max_pool(Normaliser&, ir::Node);
Result<void> normalise_max_pool_with_mask(Normaliser&, ir::Node);
Result<void> normalise_multi_head_attention(Normaliser&, ir::Node);
Result<void> normalise_nhwc_max_pool(Normaliser&, ir::Node);
Result<void> normalise_packed_attention(Normaliser&, ir::Node);
Result<void> normalise_quantised_attention(Normaliser&, ir::Node);
Result<void> normalise_ngram_repeat_block(Normaliser&, ir::Node);
Result<void> normalise_pad(Normaliser&, ir::Node);
Result<void> normalise_prelu(Normaliser&, ir::Node);
Result<void> normalise_qgemm(Normaliser&, ir::Node);
Result<void> normalise_qlinear_binary(Normaliser&, ir::Node);
Result<void> normalise_qlinear_concat(Normaliser&, ir::Node);
Result<void> normalise_qlinear_matmul(Normaliser&, ir::Node);
Result<void> normalise_qlinear_unary(Normaliser&, ir::Node);
Result<void> normalise_quantize_linear(Normaliser&, ir::Node);
Result<void> normalise_dequantize_linear(Normaliser&, ir::Node);
Result<void> normalise_axes(Normaliser&, ir::Node);  // attribute `axes` becomes input 1: Squeeze, Unsqueeze, reductions
Result<void> normalise_quick_gelu(Normaliser&, ir::Node);
Result<void> normalise_resize(Normaliser&, ir::Node);
Result<void> normalise_roi_align(Normaliser&, ir::Node);
Result<void> normalise_rotary_embedding(Normaliser&, ir::Node);
Result<void> normalise_scatter(Normaliser&, ir::Node);
Result<void> normalise_simplified_layer_normalization(Normaliser&, ir::Node);
Result<void> normalise_slice(Normaliser&, ir::Node);
Result<void> normalise_softmax(Normaliser&, ir::Node);
Result<void> normalise_sparse_attention(Normaliser&, ir::Node);
Result<void> normalise_split(Normaliser&, ir::Node);
Result<void> normalise_sum(Normaliser&, ir::Node);
Result<void> normalise_svm_classifier(Normaliser&, ir::Node);
Result<void> normalise_svm_regressor(Normaliser&, ir::Node);
Result<void> normalise_swiglu(Normaliser&, ir::Node);
Result<void> normalise_tensor_scatter(Normaliser&, ir::Node);
Result<void> normalise_top_k(Normaliser&, ir::Node);
Result<void> normalise_tree_ensemble(Normaliser&, ir::Node);
Result<void> normalise_tree_model(Normaliser&, ir::Node);
Result<void> normalise_unfold_tensor(Normaliser&, ir::Node);
Result<void> normalise_upsample(Normaliser&, ir::Node);
Result<void> normalise_word_conv_embedding(Normaliser&, ir::Node);
Result<void> normalise_zip_map(Normaliser&, ir::Node);

}  // namespace byoc::onnx_import
