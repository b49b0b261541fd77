// The layers of neural networks in the table of operators: convolutions, pools, normalisation, recurrent layers, and
// what belongs to training and signals.
#include "sdk/model/import/onnx/operators.hpp"

namespace byoc::onnx_import {
namespace {

using Kind = AttributeKind;

std::vector<AttributeRule> recurrent_attributes(AttributeRule more) {
  return {{"activation_alpha", Kind::reals}, {"activation_beta", Kind::reals},
          {"activations", Kind::texts},      {"clip", Kind::real},
          {"direction", Kind::text},         {"hidden_size", Kind::integer},
          {"layout", Kind::integer, 14},     more};
}

void add_convolutions(std::vector<OperatorRule>& rules) {
  rules.push_back({"",
                   "ConvTranspose",
                   1,
                   kLast,
                   2,
                   3,
                   1,
                   {{"auto_pad", Kind::text},
                    {"dilations", Kind::integers},
                    {"group", Kind::integer},
                    {"kernel_shape", Kind::integers},
                    {"output_padding", Kind::integers},
                    {"output_shape", Kind::integers},
                    {"pads", Kind::integers},
                    {"strides", Kind::integers}}});
  rules.push_back({"",
                   "ConvInteger",
                   10,
                   kLast,
                   2,
                   4,
                   1,
                   {{"auto_pad", Kind::text},
                    {"dilations", Kind::integers},
                    {"group", Kind::integer},
                    {"kernel_shape", Kind::integers},
                    {"pads", Kind::integers},
                    {"strides", Kind::integers}}});
  rules.push_back({"",
                   "DeformConv",
                   19,
                   kLast,
                   3,
                   5,
                   1,
                   {{"dilations", Kind::integers},
                    {"group", Kind::integer},
                    {"kernel_shape", Kind::integers},
                    {"offset_group", Kind::integer},
                    {"pads", Kind::integers},
                    {"strides", Kind::integers}}});
  rules.push_back({"", "MatMulInteger", 10, kLast, 2, 4, 1, {}});
  rules.push_back({"", "DynamicQuantizeLinear", 11, kLast, 1, 1, 3, {}});
  rules.push_back({"",
                   "LpPool",
                   7,
                   kLast,
                   1,
                   1,
                   1,
                   {{"auto_pad", Kind::text},
                    {"ceil_mode", Kind::integer, 18},
                    {"dilations", Kind::integers, 18},
                    {"kernel_shape", Kind::integers, 1, kLast, true},
                    {"p", Kind::integer},
                    {"pads", Kind::integers},
                    {"strides", Kind::integers}}});
  rules.push_back({"", "GlobalLpPool", 7, kLast, 1, 1, 1, {{"p", Kind::integer}}});
}

void add_normalisations(std::vector<OperatorRule>& rules) {
  rules.push_back({"", "InstanceNormalization", 6, kLast, 3, 3, 1, {{"epsilon", Kind::real}}});
  // ONNX has it from opset 17 on; ONNX Runtime's optimiser writes it into older models too.
  rules.push_back({"",
                   "LayerNormalization",
                   7,
                   kLast,
                   2,
                   3,
                   3,
                   {{"axis", Kind::integer}, {"epsilon", Kind::real}, {"stash_type", Kind::integer}},
                   normalise_layer_normalization});
  rules.push_back({"",
                   "RMSNormalization",
                   23,
                   kLast,
                   2,
                   2,
                   1,
                   {{"axis", Kind::integer}, {"epsilon", Kind::real}, {"stash_type", Kind::integer}}});
  rules.push_back(
      {"",
       "GroupNormalization",
       18,
       kLast,
       3,
       3,
       1,
       {{"epsilon", Kind::real}, {"num_groups", Kind::integer, 18, kLast, true}, {"stash_type", Kind::integer, 21}}});
  rules.push_back(
      {"",
       "LRN",
       7,
       kLast,
       1,
       1,
       1,
       {{"alpha", Kind::real}, {"beta", Kind::real}, {"bias", Kind::real}, {"size", Kind::integer, 1, kLast, true}}});
  rules.push_back({"",
                   "MeanVarianceNormalization",
                   1,
                   8,
                   1,
                   1,
                   1,
                   {{"across_channels", Kind::integer}, {"normalize_variance", Kind::integer}},
                   normalise_old_mean_variance});
  rules.push_back({"", "MeanVarianceNormalization", 9, kLast, 1, 1, 1, {{"axes", Kind::integers}}});
  rules.push_back({"", "LpNormalization", 7, kLast, 1, 1, 1, {{"axis", Kind::integer}, {"p", Kind::integer}}});
}

void add_recurrent(std::vector<OperatorRule>& rules) {
  rules.push_back({"", "RNN", 7, kLast, 3, 6, 2, recurrent_attributes({"output_sequence", Kind::integer, 1, 6})});
  rules.push_back({"", "GRU", 7, kLast, 3, 6, 2, recurrent_attributes({"linear_before_reset", Kind::integer})});
  rules.push_back({"", "LSTM", 7, kLast, 3, 8, 3, recurrent_attributes({"input_forget", Kind::integer})});
  for (OperatorRule& rule : rules)
    if (rule.op == "RNN" || rule.op == "GRU" || rule.op == "LSTM") rule.first_output_optional = true;
}

void add_training(std::vector<OperatorRule>& rules) {
  const std::vector<AttributeRule> loss = {{"ignore_index", Kind::integer}, {"reduction", Kind::text}};
  rules.push_back({"", "NegativeLogLikelihoodLoss", 12, kLast, 2, 3, 1, loss});
  rules.push_back({"", "SoftmaxCrossEntropyLoss", 12, kLast, 2, 3, 2, loss});
  constexpr std::string_view kDomain = "ai.onnx.preview.training";
  rules.push_back({kDomain,
                   "Adagrad",
                   1,
                   1,
                   5,
                   kAnyNumber,
                   kAnyNumber,
                   {{"decay_factor", Kind::real}, {"epsilon", Kind::real}, {"norm_coefficient", Kind::real}}});
  rules.push_back({kDomain,
                   "Adam",
                   1,
                   1,
                   6,
                   kAnyNumber,
                   kAnyNumber,
                   {{"alpha", Kind::real},
                    {"beta", Kind::real},
                    {"epsilon", Kind::real},
                    {"norm_coefficient", Kind::real},
                    {"norm_coefficient_post", Kind::real}}});
  rules.push_back({kDomain,
                   "Momentum",
                   1,
                   1,
                   5,
                   kAnyNumber,
                   kAnyNumber,
                   {{"alpha", Kind::real, 1, 1, true},
                    {"beta", Kind::real, 1, 1, true},
                    {"mode", Kind::text, 1, 1, true},
                    {"norm_coefficient", Kind::real, 1, 1, true}}});
}

void add_signals(std::vector<OperatorRule>& rules) {
  rules.push_back({"",
                   "DFT",
                   17,
                   19,
                   1,
                   2,
                   1,
                   {{"axis", Kind::integer}, {"inverse", Kind::integer}, {"onesided", Kind::integer}},
                   normalise_dft});
  rules.push_back({"", "DFT", 20, kLast, 1, 3, 1, {{"inverse", Kind::integer}, {"onesided", Kind::integer}}});
  rules.push_back({"", "STFT", 17, kLast, 2, 4, 1, {{"onesided", Kind::integer}}});
}

// Fused operators that ONNX Runtime's optimiser writes into models.
void add_fused(std::vector<OperatorRule>& rules) {
  const AttributeRule activation{"activation", Kind::text}, parameters{"activation_params", Kind::reals};
  rules.push_back({kContributed,
                   "FusedConv",
                   1,
                   kEveryVersion,
                   2,
                   4,
                   1,
                   {{"auto_pad", Kind::text},
                    {"dilations", Kind::integers},
                    {"group", Kind::integer},
                    {"kernel_shape", Kind::integers},
                    {"pads", Kind::integers},
                    {"strides", Kind::integers},
                    activation,
                    parameters},
                   normalise_fused_conv});
  rules.push_back({kContributed,
                   "FusedGemm",
                   1,
                   kEveryVersion,
                   2,
                   3,
                   1,
                   {{"alpha", Kind::real},
                    {"beta", Kind::real},
                    {"transA", Kind::integer},
                    {"transB", Kind::integer},
                    {"activation_alpha", Kind::real},
                    {"activation_beta", Kind::real},
                    {"activation_gamma", Kind::real},
                    activation,
                    parameters},
                   normalise_fused_gemm});
  for (const std::string_view op : {"FusedMatMul", "TransposeMatMul"})
    rules.push_back({kContributed,
                     op,
                     1,
                     kEveryVersion,
                     2,
                     2,
                     1,
                     {{"alpha", Kind::real},
                      {"transA", Kind::integer},
                      {"transB", Kind::integer},
                      {"transBatchA", Kind::integer},
                      {"transBatchB", Kind::integer}},
                     normalise_fused_matmul});
  rules.push_back({kContributed,
                   "SkipLayerNormalization",
                   1,
                   kEveryVersion,
                   3,
                   5,
                   4,
                   {{"epsilon", Kind::real}},
                   normalise_skip_layer_normalization});
  rules.push_back({kContributed, "Gelu", 1, kEveryVersion, 1, 1, 1, {}, normalise_gelu});
  rules.push_back({kContributed, "BiasGelu", 1, kEveryVersion, 2, 2, 1, {}, normalise_gelu});
  rules.push_back({kContributed, "FastGelu", 1, kEveryVersion, 1, 2, 1, {}, normalise_gelu});
}

}  // namespace

void add_layers(std::vector<OperatorRule>& rules) {
  add_convolutions(rules);
  add_normalisations(rules);
  add_recurrent(rules);
  add_training(rules);
  add_signals(rules);
  add_fused(rules);
}

}  // namespace byoc::onnx_import
