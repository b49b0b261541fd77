// ONNX Runtime's own operators that gather, move and resize data, in the table of operators.
#include "sdk/model/import/onnx/operators.hpp"

namespace byoc::onnx_import {
namespace {

using Kind = AttributeKind;

// Strings, and lists whose length a run tells.
void add_texts(std::vector<OperatorRule>& rules) {
  rules.push_back({kContributed,
                   "BifurcationDetector",
                   1,
                   kEveryVersion,
                   3,
                   4,
                   2,
                   {{"max_ngram_size", Kind::integer}, {"min_ngram_size", Kind::integer}},
                   normalise_as_byoc});
  rules.push_back({kContributed,
                   "MurmurHash3",
                   1,
                   kEveryVersion,
                   1,
                   1,
                   1,
                   {{"positive", Kind::integer}, {"seed", Kind::integer}},
                   normalise_murmur_hash});
  rules.push_back({kContributed,
                   "Tokenizer",
                   1,
                   kEveryVersion,
                   1,
                   1,
                   1,
                   {{"mark", Kind::integer, 1, kEveryVersion, true},
                    {"mincharnum", Kind::integer, 1, kEveryVersion, true},
                    {"pad_value", Kind::text, 1, kEveryVersion, true},
                    {"separators", Kind::texts},
                    {"tokenexp", Kind::text}},
                   normalise_as_byoc});
  rules.push_back({kContributed, "Unique", 1, kEveryVersion, 1, 1, 3, {}, normalise_contributed_unique});
}

void add_images(std::vector<OperatorRule>& rules) {
  rules.push_back({kContributed,
                   "ConvTransposeWithDynamicPads",
                   1,
                   kEveryVersion,
                   2,
                   4,
                   1,
                   {{"auto_pad", Kind::text},
                    {"dilations", Kind::integers},
                    {"group", Kind::integer},
                    {"kernel_shape", Kind::integers},
                    {"output_padding", Kind::integers},
                    {"strides", Kind::integers}},
                   normalise_conv_transpose_dynamic_pads});
  rules.push_back({kContributed,
                   "CropAndResize",
                   1,
                   kEveryVersion,
                   4,
                   4,
                   1,
                   {{"extrapolation_value", Kind::real}, {"mode", Kind::text}},
                   normalise_crop_and_resize});
  const AttributeRule size{"signal_ndim", Kind::integer, 1, kEveryVersion, true},
      normalised{"normalized", Kind::integer}, half{"onesided", Kind::integer};
  for (const std::string_view op : {"Irfft", "Rfft"})
    rules.push_back({kContributed, op, 1, kEveryVersion, 1, 1, 1, {normalised, half, size}, normalise_real_dft});
  const AttributeRule channels{"channels_last", Kind::integer}, groups{"groups", Kind::integer, 1, kEveryVersion, true};
  const std::vector<AttributeRule> norm{{"activation", Kind::integer}, channels, {"epsilon", Kind::real}, groups};
  rules.push_back({kContributed, "GroupNorm", 1, kEveryVersion, 3, 3, 1, norm, normalise_group_norm});
  rules.push_back({kContributed, "SkipGroupNorm", 1, kEveryVersion, 4, 5, 2, norm, normalise_group_norm});
}

}  // namespace

void add_contributed_data(std::vector<OperatorRule>& rules) {
  rules.push_back({kContributed,
                   "GatherBlockQuantized",
                   1,
                   kEveryVersion,
                   3,
                   4,
                   1,
                   {{"bits", Kind::integer},
                    {"block_size", Kind::integer},
                    {"gather_axis", Kind::integer},
                    {"quantize_axis", Kind::integer}},
                   normalise_gather_block_quantized});
  rules.push_back({kContributed, "GatherND", 1, kEveryVersion, 2, 2, 1, {}, normalise_gather_nd});
  rules.push_back({kContributed, "Pad", 1, kEveryVersion, 2, 3, 1, {{"mode", Kind::text}}, normalise_contributed_pad});
  rules.push_back({kContributed,
                   "CausalConvWithState",
                   1,
                   kEveryVersion,
                   2,
                   4,
                   2,
                   {{"activation", Kind::text}, {"ndim", Kind::integer}},
                   normalise_contributed_causal_conv});
  rules.push_back({kContributed,
                   "LinearAttention",
                   1,
                   kEveryVersion,
                   3,
                   6,
                   2,
                   {{"chunk_size", Kind::integer},
                    {"kv_num_heads", Kind::integer, 1, kEveryVersion, true},
                    {"q_num_heads", Kind::integer, 1, kEveryVersion, true},
                    {"scale", Kind::real},
                    {"update_rule", Kind::text}},
                   normalise_linear_attention});
  rules.push_back({kContributed,
                   "UnfoldTensor",
                   1,
                   kEveryVersion,
                   1,
                   1,
                   1,
                   {{"dim", Kind::integer}, {"size", Kind::integer, 1, kEveryVersion, true}, {"step", Kind::integer}},
                   normalise_unfold_tensor});
  rules.push_back(
      {kContributed,
       "WordConvEmbedding",
       1,
       kEveryVersion,
       4,
       4,
       1,
       {{"char_embedding_size", Kind::integer}, {"conv_window_size", Kind::integer}, {"embedding_size", Kind::integer}},
       normalise_word_conv_embedding});
  rules.push_back({kContributed, "SampleOp", 1, kEveryVersion, 1, 1, 1, {}, normalise_sample});
  add_texts(rules);
  add_images(rules);
}

}  // namespace byoc::onnx_import
