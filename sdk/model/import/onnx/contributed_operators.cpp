// ONNX Runtime's own layers of real numbers, in the table of operators.
#include "sdk/model/import/onnx/operators.hpp"

namespace byoc::onnx_import {
namespace {

using Kind = AttributeKind;

AttributeRule required(const char* name) { return {name, Kind::integer, 1, kEveryVersion, true}; }

void add_products(std::vector<OperatorRule>& rules) {
  rules.push_back(
      {kContributed, "MatMulIntegerToFloat", 1, kEveryVersion, 4, 7, 1, {}, normalise_matmul_integer_to_float});
  rules.push_back(
      {kContributed, "DynamicQuantizeMatMul", 1, kEveryVersion, 3, 5, 1, {}, normalise_dynamic_quantize_matmul});
  rules.push_back({kContributed, "MatMulInteger16", 1, kEveryVersion, 2, 2, 1, {}, normalise_matmul_integer16});
  // accuracy_level allows less exact arithmetic; nothing has to use that.
  rules.push_back({kContributed,
                   "MatMulNBits",
                   1,
                   kEveryVersion,
                   3,
                   6,
                   1,
                   {required("K"),
                    required("N"),
                    {"accuracy_level", Kind::integer},
                    {"bits", Kind::integer},
                    required("block_size")},
                   normalise_matmul_nbits});
  // training_mode says what the kernel keeps for a later step.
  rules.push_back({kContributed,
                   "MatMulBnb4",
                   1,
                   kEveryVersion,
                   3,
                   4,
                   1,
                   {required("K"),
                    required("N"),
                    required("block_size"),
                    required("quant_type"),
                    {"training_mode", Kind::integer},
                    {"transB", Kind::integer}},
                   normalise_matmul_bnb4});
}

void add_transformers(std::vector<OperatorRule>& rules) {
  const AttributeRule scale{"scale", Kind::real}, causal{"unidirectional", Kind::integer},
      filter{"mask_filter_value", Kind::real}, epsilon{"epsilon", Kind::real};
  rules.push_back({kContributed,
                   "Attention",
                   1,
                   kEveryVersion,
                   2,
                   7,
                   2,
                   {{"do_rotary", Kind::integer},
                    filter,
                    required("num_heads"),
                    {"past_present_share_buffer", Kind::integer},
                    {"qkv_hidden_sizes", Kind::integers},
                    {"rotary_embedding_dim", Kind::integer},
                    scale,
                    causal},
                   normalise_packed_attention});
  rules.push_back({kContributed,
                   "QAttention",
                   1,
                   kEveryVersion,
                   5,
                   9,
                   2,
                   {{"do_rotary", Kind::integer},
                    filter,
                    required("num_heads"),
                    {"past_present_share_buffer", Kind::integer},
                    scale,
                    causal},
                   normalise_quantised_attention});
  rules.push_back({kContributed,
                   "NGramRepeatBlock",
                   1,
                   kEveryVersion,
                   2,
                   2,
                   1,
                   {required("ngram_size")},
                   normalise_ngram_repeat_block});
  rules.push_back({kContributed,
                   "MultiHeadAttention",
                   1,
                   kEveryVersion,
                   1,
                   10,
                   3,
                   {filter, required("num_heads"), scale, causal},
                   normalise_multi_head_attention});
  rules.push_back({kContributed,
                   "GroupQueryAttention",
                   1,
                   kEveryVersion,
                   7,
                   14,
                   3,
                   {{"do_rotary", Kind::integer},
                    {"k_quant_type", Kind::text},
                    {"kv_cache_bit_width", Kind::integer},
                    required("kv_num_heads"),
                    {"local_window_size", Kind::integer},
                    required("num_heads"),
                    {"rotary_interleaved", Kind::integer},
                    scale,
                    {"smooth_softmax", Kind::integer},
                    {"softcap", Kind::real},
                    {"v_quant_type", Kind::text}},
                   normalise_group_query_attention,
                   {1, 2, 3, 4}});
  const std::vector<AttributeRule> experts{{"activation_alpha", Kind::real},
                                           {"activation_beta", Kind::real},
                                           {"activation_type", Kind::text},
                                           {"k", Kind::integer},
                                           {"normalize_routing_weights", Kind::integer},
                                           {"swiglu_fusion", Kind::integer},
                                           {"swiglu_limit", Kind::real},
                                           {"use_sparse_mixer", Kind::integer}};
  rules.push_back({kContributed, "MoE", 1, kEveryVersion, 5, 8, 1, experts, normalise_moe, {3}});
  std::vector<AttributeRule> quantised = experts;
  quantised.push_back({"block_size", Kind::integer});
  quantised.push_back({"expert_weight_bits", Kind::integer});
  quantised.push_back({"quant_type", Kind::text});
  rules.push_back({kContributed, "QMoE", 1, kEveryVersion, 7, 15, 1, quantised, normalise_moe, {4}});
  rules.push_back({kContributed,
                   "RotaryEmbedding",
                   1,
                   kEveryVersion,
                   4,
                   4,
                   1,
                   {{"interleaved", Kind::integer},
                    {"is_packed_batching", Kind::integer},
                    {"num_heads", Kind::integer},
                    {"rotary_embedding_dim", Kind::integer},
                    scale},
                   normalise_contributed_rotary_embedding});
  rules.push_back({kContributed,
                   "EmbedLayerNormalization",
                   1,
                   kEveryVersion,
                   7,
                   9,
                   3,
                   {epsilon, {"mask_index_type", Kind::integer}},
                   normalise_embed_layer_normalization,
                   {1, 4}});
  rules.push_back({kContributed,
                   "QEmbedLayerNormalization",
                   1,
                   kEveryVersion,
                   18,
                   18,
                   2,
                   {epsilon},
                   normalise_embed_layer_normalization,
                   {1, 4, 7, 10, 15}});
  rules.push_back({kContributed,
                   "SkipSimplifiedLayerNormalization",
                   1,
                   kEveryVersion,
                   3,
                   4,
                   4,
                   {epsilon},
                   normalise_simplified_layer_normalization});
}

// These operators differ from ONNX's in little more than their names.
void add_plain(std::vector<OperatorRule>& rules) {
  rules.push_back({kContributed, "Trilu", 1, kEveryVersion, 1, 2, 1, {{"upper", Kind::integer}}, normalise_as_onnx});
  rules.push_back({kContributed, "Range", 1, kEveryVersion, 2, 3, 1, {}, normalise_contributed_range});
  rules.push_back({kContributed, "ExpandDims", 1, kEveryVersion, 2, 2, 1, {}, normalise_expand_dims});
  rules.push_back({kContributed, "Inverse", 1, kEveryVersion, 1, 1, 1, {}, normalise_as_byoc});
  rules.push_back({kContributed, "CDist", 1, kEveryVersion, 2, 2, 1, {{"metric", Kind::text}}, normalise_cdist});
  rules.push_back({kContributed,
                   "BiasSoftmax",
                   1,
                   kEveryVersion,
                   2,
                   2,
                   1,
                   {{"axis", Kind::integer}, required("is_inner_broadcast")},
                   normalise_bias_softmax});
  rules.push_back({kContributed,
                   "DynamicQuantizeLSTM",
                   1,
                   kEveryVersion,
                   11,
                   12,
                   3,
                   {{"activation_alpha", Kind::reals},
                    {"activation_beta", Kind::reals},
                    {"activations", Kind::texts},
                    {"clip", Kind::real},
                    {"direction", Kind::text},
                    {"hidden_size", Kind::integer},
                    {"input_forget", Kind::integer}},
                   normalise_dynamic_quantize_lstm,
                   {3, 4, 5, 6, 7, 9},
                   true});
}

// Attention whose keys and values go into a cache.
void add_cached_attention(std::vector<OperatorRule>& rules) {
  const AttributeRule scale{"scale", Kind::real};
  rules.push_back({kContributed,
                   "DecoderMaskedMultiHeadAttention",
                   1,
                   kEveryVersion,
                   1,
                   11,
                   3,
                   {{"mask_filter_value", Kind::real},
                    required("num_heads"),
                    {"output_qk", Kind::integer},
                    {"past_present_share_buffer", Kind::integer},
                    scale},
                   normalise_decoder_attention});
  rules.push_back({kContributed,
                   "SparseAttention",
                   1,
                   kEveryVersion,
                   9,
                   11,
                   3,
                   {{"do_rotary", Kind::integer},
                    required("kv_num_heads"),
                    required("num_heads"),
                    {"rotary_interleaved", Kind::integer},
                    scale,
                    required("sparse_block_size")},
                   normalise_sparse_attention,
                   {1, 2}});
}

// Recurrences, pools and paths that composition spells out step by step.
void add_stepwise(std::vector<OperatorRule>& rules) {
  rules.push_back({kContributed,
                   "AttnLSTM",
                   1,
                   kEveryVersion,
                   12,
                   14,
                   3,
                   {{"activation_alpha", Kind::reals},
                    {"activation_beta", Kind::reals},
                    {"activations", Kind::texts},
                    {"clip", Kind::real},
                    {"direction", Kind::text},
                    required("hidden_size"),
                    {"input_forget", Kind::integer}},
                   normalise_attention_lstm,
                   {3, 4, 5, 6, 7},
                   true});
  rules.push_back({kContributed, "DynamicTimeWarping", 1, kEveryVersion, 1, 1, 1, {}, normalise_dynamic_time_warping});
  rules.push_back({kContributed,
                   "MaxpoolWithMask",
                   1,
                   kEveryVersion,
                   2,
                   2,
                   1,
                   {{"auto_pad", Kind::text},
                    {"kernel_shape", Kind::integers, 1, kEveryVersion, true},
                    {"pads", Kind::integers},
                    {"storage_order", Kind::integer},
                    {"strides", Kind::integers}},
                   normalise_max_pool_with_mask});
}

}  // namespace

void add_contributed_layers(std::vector<OperatorRule>& rules) {
  add_products(rules);
  add_cached_attention(rules);
  add_stepwise(rules);
  add_transformers(rules);
  add_plain(rules);
  rules.push_back(
      {kContributed, "QuickGelu", 1, kEveryVersion, 1, 1, 1, {{"alpha", Kind::real}}, normalise_quick_gelu});
  for (const std::string_view op : {"QuantizeLinear", "DequantizeLinear"})
    rules.push_back({kContributed,
                     op,
                     1,
                     kEveryVersion,
                     2,
                     3,
                     1,
                     {{"axis", Kind::integer}, {"block_size", Kind::integer}},
                     normalise_contributed_quantisation});
  rules.push_back({kContributed,
                   "GridSample",
                   1,
                   kEveryVersion,
                   2,
                   2,
                   1,
                   {{"align_corners", Kind::integer}, {"mode", Kind::text}, {"padding_mode", Kind::text}},
                   normalise_contributed_grid_sample});
  rules.push_back({kContributed,
                   "NhwcMaxPool",
                   1,
                   kEveryVersion,
                   1,
                   1,
                   1,
                   {{"auto_pad", Kind::text},
                    {"ceil_mode", Kind::integer},
                    {"dilations", Kind::integers},
                    {"kernel_shape", Kind::integers, 1, kEveryVersion, true},
                    {"pads", Kind::integers},
                    {"strides", Kind::integers}},
                   normalise_nhwc_max_pool});
  // ONNX Runtime keeps this one in ONNX's domain.
  rules.push_back({"",
                   "SimplifiedLayerNormalization",
                   1,
                   kLast,
                   2,
                   2,
                   2,
                   {{"axis", Kind::integer}, {"epsilon", Kind::real}, {"stash_type", Kind::integer}},
                   normalise_simplified_layer_normalization});
}

}  // namespace byoc::onnx_import
