// Attention (23, 24): softmax(Q * K^T * scale + bias) * V for each head, with what comes before and behind.
#include <cmath>

#include "sdk/model/import/onnx/operators/attention_parts.hpp"
#include "sdk/model/import/onnx/operators/expectation.hpp"

namespace byoc::onnx_import {
namespace {

class Attention {
  using Value = Composition::Value;
  using Integers = std::vector<std::int64_t>;
  enum Input : std::size_t { kQ, kK, kV, kMask, kPastKey, kPastValue, kValidLengths };
  enum Output : std::size_t { kY, kPresentKey, kPresentValue, kScores };
  // The stage of the computation that the output of scores shows.
  enum Mode : std::int64_t { kProducts, kCapped, kBiased, kProbabilities };

 public:
  Attention(Normaliser& e, const ir::Node& node) : e_(e), c_(e, node), node_(node) {}

  Result<void> expand() {
    if (!check()) return failure;
    const Value q = heads(c_.in(kQ), q_heads_);
    keys_ = with_past(kPastKey, kPresentKey, heads(c_.in(kK), kv_heads_));
    values_ = with_past(kPastValue, kPresentValue, heads(c_.in(kV), kv_heads_));
    if (c_.has(kValidLengths)) lengths_ = valid_lengths();
    const Value scores = scores_of(q);
    const Value probabilities = softmax(q, scores);
    give_result(grouped_product(c_, probabilities, values_));
    return {};
  }

 private:
  Result<void> check() {
    q_heads_ = node_.integer("q_num_heads", 0);
    kv_heads_ = node_.integer("kv_num_heads", 0);
    const auto rank = c_.rank_of_input(kQ);
    if (!rank) return failure;
    if (*rank != 3 && *rank != 4) return c_.refuse("Q has the wrong rank", std::to_string(*rank), "3 or 4");
    flat_ = *rank == 3;
    if (flat_ && (q_heads_ < 1 || kv_heads_ < 1))
      return c_.refuse("operands of 3 dims need q_num_heads and kv_num_heads",
                       std::to_string(q_heads_) + " and " + std::to_string(kv_heads_), "at least 1");
    if (flat_ && q_heads_ % kv_heads_ != 0)
      return c_.refuse("kv_num_heads does not divide q_num_heads", std::to_string(kv_heads_),
                       "a divisor of " + std::to_string(q_heads_));
    if (c_.has(kPastKey) != c_.has(kPastValue)) return c_.refuse("past_key and past_value belong together");
    if (c_.has(kPastKey) && c_.has(kValidLengths)) return c_.refuse("nonpad_kv_seqlen and past_key exclude each other");
    mode_ = node_.integer("qk_matmul_output_mode", kProducts);
    if (mode_ < kProducts || mode_ > kProbabilities)
      return c_.refuse("qk_matmul_output_mode is out of range", std::to_string(mode_), "0 to 3");
    softcap_ = node_.real("softcap", 0);
    if (!(softcap_ >= 0) || std::isinf(softcap_))
      return c_.refuse("softcap is out of range", std::to_string(softcap_), "0 (none) or more");
    if (c_.has(kMask) && !c_.dtype_of_input(kMask)) return failure;
    return {};
  }

  // [batch, length, heads * size] becomes [batch, heads, length, size].
  Value heads(Value x, std::int64_t count) {
    if (!flat_) return x;
    const Value split = c_.op("Reshape", {x, c_.integers({0, 0, count, -1})});
    return c_.op("Transpose", {split}, {{"perm", Integers{0, 2, 1, 3}}});
  }

  Value with_past(Input past, Output present, Value x) {
    if (c_.has(past)) x = c_.op("Concat", {c_.in(past), x}, {{"axis", std::int64_t{2}}});
    c_.give(present, x);
    return x;
  }

  Value scores_of(Value q) {
    Value scores = scaled_products(c_, q, keys_, node_.find<float>("scale"));
    show(kProducts, scores);
    if (softcap_ > 0) {
      const Value cap = c_.real_like(softcap_, q);
      scores = c_.op("Mul", {c_.op("Tanh", {c_.op("Div", {scores, cap})}), cap});
    }
    show(kCapped, scores);
    for (const Value b : {mask(q), causal_bias(q), padding_bias(q)})
      if (b != ir::kNoValue) bias_ = bias_ == ir::kNoValue ? b : c_.op("Add", {bias_, b});
    if (bias_ != ir::kNoValue) scores = c_.op("Add", {scores, bias_});
    show(kBiased, scores);
    return scores;
  }

  Value valid_lengths() {
    const Value n = c_.in(kValidLengths);
    const Value inside =
        c_.op("And", {c_.op("GreaterOrEqual", {n, c_.integer(0)}), c_.op("LessOrEqual", {n, c_.dims(keys_, 2, 3)})});
    return expected(e_, node_, n, inside, "nonpad_kv_seqlen is out of range");
  }

  void show(Mode mode, Value v) {
    if (mode_ == mode) c_.give(kScores, v);
  }

  // 0 where `kept` is true, minus infinity elsewhere.
  Value bias_of(Value kept, Value q) { return c_.op("Where", {kept, c_.real_like(0, q), c_.real_like(-INFINITY, q)}); }

  // A mask may be shorter than the keys; what it says nothing of is left out.
  Value mask(Value q) {
    if (!c_.has(kMask)) return ir::kNoValue;
    const Value given = c_.in(kMask);
    const Value bias = c_.dtype(given) == DType::boolean ? bias_of(given, q) : c_.op("CastLike", {given, q});
    if (node_.version < 24) return bias;
    const Value missing = c_.op("Sub", {c_.dims(keys_, 2, 3), c_.op("Shape", {given}, {{"start", std::int64_t{-1}}})});
    return c_.op("Pad", {bias, c_.join({c_.integers({0}), missing}), c_.real_like(-INFINITY, q), c_.integers({-1})});
  }

  // A row sees the keys up to its own place: behind the past, or at the end of those that are valid.
  Value causal_bias(Value q) {
    if (node_.integer("is_causal", 0) == 0) return ir::kNoValue;
    Value row = c_.op("Unsqueeze", {count_to(c_, c_.dims(q, 2, 3)), c_.integers({1})});  // [length, 1]
    if (c_.has(kPastKey)) row = c_.op("Add", {row, c_.dims(c_.in(kPastKey), 2, 3)});
    if (c_.has(kValidLengths)) {
      const Value before = c_.op("Sub", {lengths_, c_.dims(q, 2, 3)});
      row = c_.op("Add", {row, c_.op("Unsqueeze", {before, c_.integers({1, 2, 3})})});
    }
    return bias_of(c_.op("GreaterOrEqual", {row, count_to(c_, c_.dims(keys_, 2, 3))}), q);
  }

  Value padding_bias(Value q) {
    if (!c_.has(kValidLengths)) return ir::kNoValue;
    const Value lengths = c_.op("Unsqueeze", {lengths_, c_.integers({1, 2, 3})});
    return bias_of(c_.op("Less", {count_to(c_, c_.dims(keys_, 2, 3)), lengths}), q);
  }

  // A row that sees nothing has no probabilities: zeros.
  Value softmax(Value q, Value scores) {
    const std::int64_t precision = node_.integer("softmax_precision", 0);
    if (precision != 0) scores = c_.op("Cast", {scores}, {{"to", precision}});
    Value p = c_.op("Softmax", {scores}, {{"axis", std::int64_t{-1}}});
    if (precision != 0) p = c_.op("CastLike", {p, q});
    if (bias_ != ir::kNoValue) {
      const Value most = c_.op("ReduceMax", {bias_, c_.integers({-1})}, {{"keepdims", std::int64_t{1}}});
      p = c_.op("Where", {c_.op("Equal", {most, c_.real_like(-INFINITY, q)}), c_.real_like(0, q), p});
    }
    show(kProbabilities, p);
    return p;
  }

  void give_result(Value y) {
    if (!flat_) return c_.give(kY, y);
    const Value turned = c_.op("Transpose", {y}, {{"perm", Integers{0, 2, 1, 3}}});
    c_.give(kY, "Reshape", {turned, c_.integers({0, 0, -1})});
  }

  Normaliser& e_;
  Composition c_;
  const ir::Node& node_;
  std::int64_t q_heads_ = 0, kv_heads_ = 0, mode_ = 0;
  bool flat_ = false;  // operands have 3 dims
  float softcap_ = 0;
  Value keys_ = ir::kNoValue, values_ = ir::kNoValue, bias_ = ir::kNoValue, lengths_ = ir::kNoValue;
};

}  // namespace

Result<void> normalise_attention(Normaliser& e, ir::Node node) { return Attention(e, node).expand(); }

}  // namespace byoc::onnx_import
