// ONNX Runtime's GroupQueryAttention: causal attention whose keys and values go into a cache, of which each batch has
// filled a length of its own.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#include "sdk/model/import/onnx/operators/attention_parts.hpp"
#include "sdk/model/import/onnx/operators/expectation.hpp"
#include "sdk/model/import/onnx/operators/packed_codes.hpp"
#include "sdk/model/ir/onnx_types.hpp"

namespace byoc::onnx_import {
namespace {

class GroupQueryAttention {
  using Value = Composition::Value;
  using Values = Composition::Values;
  using Attributes = Composition::Attributes;
  using Integers = std::vector<std::int64_t>;
  enum Input : std::size_t {
    kQuery,
    kKey,
    kValue,
    kPastKey,
    kPastValue,
    kLastKeys,  // i32[batch]: the place of the last key that counts
    kTotal,     // i32[]: keys of the batch that has the most
    kCos,
    kSin,
    kPositions,
    kBias,
    kSink,
    kKeyScale,
    kValueScale
  };
  enum Output : std::size_t { kY, kPresentKey, kPresentValue };

 public:
  GroupQueryAttention(Normaliser& e, const ir::Node& node) : e_(e), node_(node), c_(e, node) {}

  Result<void> expand() {
    if (!check() || !split()) return failure;
    length_ = c_.dim(qkv_[0], 1);
    total_ = checked_total();
    filled_ = filled_before();
    if (node_.integer("do_rotary", 0) != 0 && !rotate()) return failure;
    const Value q = heads_of(qkv_[0], heads_);
    const Value keys = cached(kPastKey, kPresentKey, heads_of(qkv_[1], kv_heads_));
    const Value values = cached(kPastValue, kPresentValue, heads_of(qkv_[2], kv_heads_));
    return attend(q, keys, values);
  }

 private:
  Result<void> check() {
    heads_ = node_.integer("num_heads", 0), kv_heads_ = node_.integer("kv_num_heads", 0);
    if (heads_ < 1 || kv_heads_ < 1 || heads_ % kv_heads_ != 0)
      return c_.refuse("num_heads and kv_num_heads do not fit",
                       std::to_string(heads_) + " and " + std::to_string(kv_heads_),
                       "kv_num_heads a divisor of num_heads");
    if (c_.has(kPastKey) != c_.has(kPastValue)) return c_.refuse("past_key and past_value belong together");
    if (c_.has(kKey) != c_.has(kValue)) return c_.refuse("key and value belong together");
    if (!check_lengths()) return failure;
    if (!check_cache(kKeyScale, "k_quant_type") || !check_cache(kValueScale, "v_quant_type")) return failure;
    if (c_.has(kSink) && node_.real("softcap", 0) != 0)
      return c_.refuse("head_sink and softcap together are not supported",
                       "softcap " + std::to_string(node_.real("softcap", 0)), "0");
    return {};
  }

  // seqlens_k has a number for each batch, in one dim; older models state others of 1.
  Result<void> check_lengths() {
    const auto batch = c_.known_dim(c_.in(kQuery), 0);
    const auto rank = c_.rank(c_.in(kLastKeys));
    std::int64_t count = 1;
    bool fits = true;
    for (std::size_t d = 0; d < rank.value_or(0); ++d) {
      const auto dim = c_.known_dim(c_.in(kLastKeys), d);
      if (!dim) return {};
      if (*dim == 1) continue;
      fits = fits && count == 1;
      count = *dim;
    }
    if (!rank || !batch || (fits && count == *batch)) return {};
    return c_.refuse("seqlens_k has the wrong length", std::to_string(count), std::to_string(*batch) + " in one dim");
  }

  // The cache may hold integers of 8 bits, or two of 4 bits in a byte, with a scale for all or for each channel.
  Result<void> check_cache(Input scale, const char* attribute) {
    const std::string type = node_.text(attribute, "NONE");
    if (type != "NONE" && type != "PER_TENSOR" && type != "PER_CHANNEL")
      return c_.refuse(std::string(attribute) + " is unknown", type, "NONE, PER_TENSOR or PER_CHANNEL");
    if ((type != "NONE") != c_.has(scale))
      return c_.refuse(std::string(attribute) + " does not fit input " + std::to_string(scale), type,
                       c_.has(scale) ? "PER_TENSOR or PER_CHANNEL" : "NONE without a scale");
    const std::int64_t bits = node_.integer("kv_cache_bit_width", 0);
    if (type != "NONE" && bits != 8 && bits != 4)
      return c_.refuse("kv_cache_bit_width is not supported", std::to_string(bits), "4 or 8");
    if (type != "NONE" && c_.dtype(c_.in(kQuery)) == DType::f16)
      return c_.refuse("a quantised cache of this type is not supported", "f16", "f32");
    return {};
  }

  // query, key and value of [batch, length, heads * size]; the query may hold all three, side by side.
  Result<void> split() {
    qkv_ = {c_.in(kQuery), c_.in(kKey), c_.in(kValue)};
    if (c_.has(kKey)) return {};
    const auto hidden = c_.known_dim(c_.in(kQuery), 2);
    const std::int64_t parts = heads_ + 2 * kv_heads_;
    if (!hidden || *hidden % parts != 0)
      return c_.refuse("the packed query does not split into heads",
                       hidden ? std::to_string(*hidden) : "a shape that is not stated",
                       "a multiple of " + std::to_string(parts));
    const std::int64_t size = *hidden / parts;
    qkv_ = c_.op("Split", {c_.in(kQuery), c_.integers({heads_ * size, kv_heads_ * size, kv_heads_ * size})},
                 {{"axis", std::int64_t{-1}}}, 3);
    return {};
  }

  Value wide(Value v) { return c_.cast(v, DType::i64); }

  // The number of all keys, where it and the places of the last ones lie within what there is.
  Value checked_total() {
    const Value total = c_.op("Reshape", {wide(c_.in(kTotal)), c_.integers({1})});
    const Value last = c_.op("Reshape", {wide(c_.in(kLastKeys)), c_.integers({-1})});
    const Value room = c_.has(kPastKey) ? c_.op("Max", {total, c_.dim(c_.in(kPastKey), 2)}) : total;
    const Value inside = c_.op("And", {c_.op("GreaterOrEqual", {last, c_.integers({0})}), c_.op("Less", {last, room})});
    const Value holds = c_.op("And", {inside, c_.op("Greater", {total, c_.integers({0})})});
    return expected(e_, node_, total, holds, "seqlens_k or total_sequence_length is out of range");
  }

  // i64[batch]: how much of the cache is filled. With as many keys as there are queries it is a first prompt.
  Value filled_before() {
    const Value last = c_.op("Reshape", {wide(c_.in(kLastKeys)), c_.integers({-1})});
    const Value before = c_.op("Sub", {c_.op("Add", {last, c_.integers({1})}), length_});
    return c_.op("Where", {c_.op("Equal", {total_, length_}), c_.integers({0}), before});
  }

  // i64[batch, length]: where each query stands.
  Value places() { return c_.op("Add", {c_.op("Unsqueeze", {filled_, c_.integers({1})}), count_to(c_, length_)}); }

  Result<void> rotate() {
    if (!c_.has(kCos) || !c_.has(kSin)) return c_.refuse("do_rotary needs cos_cache and sin_cache");
    const Value positions = c_.has(kPositions) ? wide(c_.in(kPositions)) : places();
    for (const std::size_t i : {0, 1}) {
      ir::Node turn;
      turn.op = "RotaryEmbedding";
      turn.version = 23;
      turn.name = node_.name;
      turn.position = node_.position;
      turn.inputs = {qkv_[i], c_.in(kCos), c_.in(kSin), positions};
      turn.outputs = {e_.temporary()};
      // The angles say how much of a head is turned: all of it where they are half as long.
      turn.attributes = {{"num_heads", i == 0 ? heads_ : kv_heads_},
                         {"interleaved", node_.integer("rotary_interleaved", 0)}};
      if (const auto part = turned_part()) turn.attributes["rotary_embedding_dim"] = *part;
      qkv_[i] = turn.outputs[0];
      if (!normalise_rotary_embedding(e_, std::move(turn))) return failure;
    }
    return {};
  }

  // The number of elements of a head that are rotated, if it is known to be less than all.
  std::optional<std::int64_t> turned_part() {
    const auto half = c_.known_dim(c_.in(kCos), 1);
    auto size = c_.has(kPastKey) ? c_.known_dim(c_.in(kPastKey), 3) : std::nullopt;
    if (const auto hidden = c_.known_dim(c_.in(kQuery), 2); !size && hidden)
      size = *hidden / (c_.has(kKey) ? heads_ : heads_ + 2 * kv_heads_);
    if (!half || !size || 2 * *half == *size) return std::nullopt;
    return 2 * *half;
  }

  // [batch, length, heads * size] becomes [batch, heads, length, size].
  // A length of 0 leaves nothing to find the size from, which is known then.
  Value heads_of(Value x, std::int64_t heads) {
    const auto hidden = c_.known_dim(x, 2);
    const std::int64_t size = hidden && *hidden % heads == 0 ? *hidden / heads : -1;
    const Value apart = c_.op("Reshape", {x, c_.integers({0, 0, heads, size})});
    return c_.op("Transpose", {apart}, {{"perm", Integers{0, 2, 1, 3}}});
  }

  // Integers of the cache as real numbers, and back.
  Value channel_scales(Input scale, const char* attribute) {
    const Value v = c_.in(scale);
    if (node_.text(attribute, "NONE") != "PER_CHANNEL") return c_.op("Reshape", {v, c_.integers({1, 1, 1, 1})});
    return c_.op("Reshape", {v, c_.integers({1, kv_heads_, 1, -1})});
  }
  [[nodiscard]] bool packs() const { return node_.integer("kv_cache_bit_width", 0) == 4; }
  Value cast(Value v, DType dtype) { return c_.op("Cast", {v}, {{"to", ir::onnx_number(dtype)}}); }
  Value opened(Value cache, Value scales) {
    Value codes =
        packs() ? c_.op("Sub", {cast(unpacked_codes(c_, cache, 4), DType::f32), c_.real(8)}) : cast(cache, DType::f32);
    return c_.op("Mul", {codes, scales});
  }
  Value closed(Value x, Value scales) {
    const float low = packs() ? -8 : -128;
    Value codes = c_.op("Round", {c_.op("Div", {x, scales})});
    codes = c_.op("Clip", {codes, c_.real(low), c_.real(-low - 1)});
    if (!packs()) return cast(codes, DType::i8);
    const Value halves = cast(c_.op("Add", {codes, c_.real(8)}), DType::u8);
    const auto every_other = [&](std::int64_t first) {
      constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max();
      return c_.op("Slice", {halves, c_.integers({first}), c_.integers({kEnd}), c_.integers({-1}), c_.integers({2})});
    };
    const Value four = cast(c_.integer(4), DType::u8);
    const Value high = c_.op("BitShift", {every_other(1), four}, {{"direction", std::string("LEFT")}});
    return c_.op("BitwiseOr", {every_other(0), high});
  }

  // A cache of integers holds what new keys and values are rounded to.
  Value cached_codes(Input past, Output present, Value fresh) {
    const bool keys = past == kPastKey;
    const Value scales = channel_scales(keys ? kKeyScale : kValueScale, keys ? "k_quant_type" : "v_quant_type");
    const Value rounded = opened(closed(fresh, scales), scales);
    const Value all = joined(c_.has(past) ? opened(c_.in(past), scales) : ir::kNoValue, rounded);
    if (c_.wants(present)) c_.give(present, closed(all, scales));
    return all;
  }

  Value cached(Input past, Output present, Value fresh) {
    if (c_.has(past == kPastKey ? kKeyScale : kValueScale)) return cached_codes(past, present, fresh);
    const Value all = joined(c_.in(past), fresh);
    c_.give(present, all);
    return all;
  }

  // Appends new keys or values to those in the cache of each batch. The cache grows if it is shorter than all keys.
  Value joined(Value past, Value fresh) {
    Value all = fresh;
    if (past != ir::kNoValue) {
      const Value missing = c_.op("Max", {c_.op("Sub", {total_, c_.dim(past, 2)}), c_.integers({0})});
      const Value pads = c_.join({c_.integers({0}), missing});
      const Value cache = c_.op("Pad", {past, pads, ir::kNoValue, c_.integers({2})});
      // Keys that are shared with another layer are all in the cache: none is new.
      const Value places =
          c_.op("Add", {c_.op("Unsqueeze", {filled_, c_.integers({1})}), count_to(c_, c_.dim(fresh, 2))});
      const Value at = c_.op("Unsqueeze", {places, c_.integers({1, 3})});
      const Value indices = c_.op("Expand", {at, c_.op("Shape", {fresh})});
      all = c_.op("ScatterElements", {cache, indices, fresh}, {{"axis", std::int64_t{2}}});
    }
    return all;
  }

  // Adds a key that is 0 with a bias of its own. Every query may attend to it, and its value is 0.
  void add_sink(Value q, Value& keys, Value& values, Value& mask) {
    const auto padded = [&](Value x, std::int64_t axis, Value pads) {
      return c_.op("Pad", {x, pads, ir::kNoValue, c_.integers({axis})});
    };
    if (!c_.has(kBias)) {
      const Value none = c_.real_like(-std::numeric_limits<float>::infinity(), q);
      mask = c_.op("Where", {mask, c_.real_like(0, q), none});
    }
    const Value before = c_.join({c_.dim(keys, 2), c_.integers({0})});
    const Value one = c_.integers({0, 1});
    mask = padded(mask, 3, one), keys = padded(keys, 2, one), values = padded(values, 2, one);
    if (!c_.has(kSink)) return;
    const Value sink = c_.op("Reshape", {c_.op("CastLike", {c_.in(kSink), mask}), c_.integers({1, -1, 1, 1})});
    mask = c_.op("Add", {mask, padded(sink, 3, before)});
  }

  Result<void> attend(Value q, Value keys, Value values) {
    const Value row = c_.op("Unsqueeze", {places(), c_.integers({1, 3})});  // [batch, 1, length, 1]
    const Value column = count_to(c_, c_.dim(keys, 2));
    Value seen = c_.op("LessOrEqual", {column, row});
    // A window counts the keys that are seen, the query's own among them.
    if (const std::int64_t window = node_.integer("local_window_size", -1); window >= 0)
      seen = c_.op("And", {seen, c_.op("Greater", {column, c_.op("Sub", {row, c_.integers({window})})})});
    Value mask = seen;
    if (c_.has(kBias)) {
      const Value bias = c_.in(kBias);
      mask = c_.op("Where", {seen, bias, c_.real_like(-std::numeric_limits<float>::infinity(), bias)});
    }
    if (c_.has(kSink) || node_.integer("smooth_softmax", 0) > 0) add_sink(q, keys, values, mask);
    ir::Node plain;
    plain.op = "Attention";
    plain.version = 23;
    plain.name = node_.name;
    plain.position = node_.position;
    plain.inputs = {q, keys, values, mask};
    plain.outputs = {e_.temporary()};
    plain.attributes["softcap"] = node_.real("softcap", 0);
    // 0 stands for the default.
    if (const float scale = node_.real("scale", 0); scale != 0) plain.attributes["scale"] = scale;
    const Value y = plain.outputs[0];
    if (!normalise_attention(e_, std::move(plain))) return failure;
    c_.give(kY, "Reshape", {c_.op("Transpose", {y}, {{"perm", Integers{0, 2, 1, 3}}}), c_.integers({0, 0, -1})});
    return {};
  }

  Normaliser& e_;
  const ir::Node& node_;
  Composition c_;
  std::int64_t heads_ = 0, kv_heads_ = 0;
  Values qkv_;
  Value length_ = ir::kNoValue;  // i64[1]: of the query
  Value total_ = ir::kNoValue;   // i64[1]: of all keys
  Value filled_ = ir::kNoValue;  // i64[batch]
};

}  // namespace

Result<void> normalise_group_query_attention(Normaliser& e, ir::Node node) {
  return GroupQueryAttention(e, node).expand();
}

}  // namespace byoc::onnx_import
