// com.microsoft's DecoderMaskedMultiHeadAttention: one query for each sequence, with a cache that its key and value go
// into, as GroupQueryAttention; or with keys and values of another sequence, as MultiHeadAttention.
#include "sdk/model/import/onnx/composition.hpp"

namespace byoc::onnx_import {
namespace {

class DecoderAttention {
  using Value = Composition::Value;
  using Values = Composition::Values;
  enum Input : std::size_t {
    kQuery,
    kKey,
    kValue,
    kMask,  // i32[batch, keys]
    kScoreBias,
    kPastKey,
    kPastValue,
    kPastLength,  // i32[1]
    kBeams,
    kIndirection,
    kBias
  };

 public:
  DecoderAttention(Normaliser& e, const ir::Node& node) : e_(e), c_(e, node), node_(node) {}

  Result<void> expand() {
    if (!check()) return failure;
    return c_.has(kPastKey) ? with_cache() : across();
  }

 private:
  Result<void> check() {
    if (c_.has(kIndirection)) return c_.refuse("beams are not supported", "cache_indirection", "none");
    if (node_.integer("output_qk", 0) != 0) return c_.refuse("output_qk is not supported", "1", "0");
    if (c_.has(kPastKey) != c_.has(kPastValue)) return c_.refuse("past_key and past_value belong together");
    if (c_.has(kPastKey) && (node_.integer("past_present_share_buffer", 0) == 0 || !c_.has(kPastLength)))
      return c_.refuse("a cache needs past_present_share_buffer and past_sequence_length");
    if (!c_.has(kPastKey) && (!c_.has(kKey) || !c_.has(kValue) || c_.has(kScoreBias)))
      return c_.refuse("without a cache there are key and value, and no attention_bias");
    if (const auto length = c_.known_dim(c_.in(kQuery), 1); length && *length != 1)
      return c_.refuse("there is more than one query", std::to_string(*length), "1");
    return {};
  }

  // The node as another operator of com.microsoft.
  ir::Node like(const char* op, Values inputs) {
    ir::Node out = node_;
    out.op = op;
    for (const char* key : {"output_qk", "past_present_share_buffer"}) out.attributes.erase(key);
    while (inputs.back() == ir::kNoValue) inputs.pop_back();
    out.inputs = std::move(inputs);
    return out;
  }

  // The biases of query, key and value.
  Values biases() {
    return c_.op("Split", {c_.in(kBias)}, {{"axis", std::int64_t{0}}, {"num_outputs", std::int64_t{3}}}, 3);
  }

  Result<void> across() {
    const Value query = c_.has(kBias) ? c_.op("Add", {c_.in(kQuery), biases()[0]}) : c_.in(kQuery);
    return normalise_multi_head_attention(
        e_, like("MultiHeadAttention", {query, c_.in(kKey), c_.in(kValue), ir::kNoValue, c_.in(kMask)}));
  }

  Result<void> with_cache() {
    Values qkv{c_.in(kQuery), c_.in(kKey), c_.in(kValue)};
    if (!c_.has(kKey))
      qkv = c_.op("Split", {c_.in(kQuery)}, {{"axis", std::int64_t{-1}}, {"num_outputs", std::int64_t{3}}}, 3);
    if (c_.has(kBias)) {
      const Values added = biases();
      for (std::size_t i = 0; i < 3; ++i) qkv[i] = c_.op("Add", {qkv[i], added[i]});
    }
    const Value before = c_.op("Reshape", {c_.cast(c_.in(kPastLength), DType::i64), c_.integers({1})});
    const Value last = c_.op("Expand", {before, c_.dim(c_.in(kQuery), 0)});
    const Value total = c_.op("Add", {before, c_.integers({1})});
    ir::Node whole = like("GroupQueryAttention", {qkv[0], qkv[1], qkv[2], c_.in(kPastKey), c_.in(kPastValue), last,
                                                  total, ir::kNoValue, ir::kNoValue, ir::kNoValue, score_bias()});
    whole.attributes.erase("mask_filter_value");
    whole.attributes["kv_num_heads"] = node_.integer("num_heads", 0);
    return normalise_group_query_attention(e_, std::move(whole));
  }

  // The addend to the scores of all keys that the cache has room for: 0 behind the last one.
  Value score_bias() {
    Value bias = c_.in(kScoreBias);
    if (c_.has(kMask)) {
      const Value valid = c_.op("Unsqueeze", {c_.cast(c_.in(kMask), DType::boolean), c_.integers({1, 2})});
      const Value none = c_.real_like(node_.real("mask_filter_value", -10000), c_.in(kQuery));
      const Value masked = c_.op("Where", {valid, c_.real_like(0, c_.in(kQuery)), none});
      bias = bias == ir::kNoValue ? masked : c_.op("Add", {bias, masked});
    }
    if (bias == ir::kNoValue) return bias;
    const Value missing = c_.op("Sub", {c_.dim(c_.in(kPastKey), 2), c_.dim(bias, -1)});
    return c_.op("Pad", {bias, c_.join({c_.integers({0}), missing}), ir::kNoValue, c_.integers({-1})});
  }

  Normaliser& e_;
  Composition c_;
  const ir::Node& node_;
};

}  // namespace

Result<void> normalise_decoder_attention(Normaliser& e, ir::Node node) { return DecoderAttention(e, node).expand(); }

}  // namespace byoc::onnx_import
