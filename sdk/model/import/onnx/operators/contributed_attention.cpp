// ONNX Runtime's layers of transformers, as ONNX's Attention and RotaryEmbedding, which are compositions themselves.
#include "sdk/model/import/onnx/operators/attention_parts.hpp"
#include "sdk/model/import/onnx/operators/expectation.hpp"
#include "sdk/model/ir/onnx_types.hpp"
#include "sdk/model/shapes/inference.hpp"

namespace byoc::onnx_import {
namespace {

using Value = Composition::Value;
using Values = Composition::Values;

Result<std::int64_t> heads_of(Composition& c, const ir::Node& node) {
  const std::int64_t heads = node.integer("num_heads", 0);
  if (heads >= 1) return heads;
  return c.refuse("num_heads is out of range", std::to_string(heads), "at least 1");
}

// Attention (23) over q, k, v of 3 dims.
Result<void> attend(Normaliser& e, const ir::Node& node, std::int64_t heads, Values inputs, Values outputs) {
  ir::Node plain;
  plain.op = "Attention";
  plain.version = 23;
  plain.name = node.name;
  plain.position = node.position;
  while (!inputs.empty() && inputs.back() == ir::kNoValue) inputs.pop_back();
  plain.inputs = std::move(inputs);
  plain.outputs = std::move(outputs);
  plain.attributes = {
      {"q_num_heads", heads}, {"kv_num_heads", heads}, {"is_causal", node.integer("unidirectional", 0)}};
  // 0 stands for the default of both.
  if (const float scale = node.real("scale", 0); scale != 0) plain.attributes["scale"] = scale;
  return normalise_attention(e, std::move(plain));
}

// Whether the first dims of both are one symbol.
bool has_dim_of(Normaliser& e, Value a, Value b) {
  const auto first = [&](Value v) {
    const auto& dims = e.types.of(v).dims;
    return dims && !dims->empty() ? (*dims)[0] : shapes::kUnknown;
  };
  return first(a) != shapes::kUnknown && first(a) == first(b);
}

// Where the keys of each sequence end and begin, of a mask of which only a run tells whether it has both.
std::pair<Value, Value> ends_and_begins(Normaliser& e, Composition& c, const ir::Node& node, std::size_t mask) {
  const Value all = c.in(mask), batch = c.dim(c.in(0), 0), zero = c.integers({0});
  const Value count = c.op("Shape", {all});
  const Value fits = c.op("Or", {c.op("Equal", {count, batch}), c.op("Equal", {count, c.op("Add", {batch, batch})})});
  const Value checked = expected(e, node, all, fits, "the mask has the wrong length");
  const Value none = c.op("Expand", {c.op("CastLike", {zero, all}), batch});
  const Value behind = c.op("Slice", {checked, batch, c.integers({INT64_MAX}), zero});
  const Value begins = c.op("Concat", {behind, none}, {{"axis", std::int64_t{0}}});
  return {c.op("Slice", {checked, zero, batch, zero}), c.op("Slice", {begins, zero, batch, zero})};
}

// True where a key counts, of as many dims as scores have. A mask has a number for each key, or for each query and key,
// which is not 0 where the key counts; or one for each sequence: how many keys count, and behind all these numbers, in
// a mask that is twice as long, where they begin.
Result<Value> valid_keys(Normaliser& e, Composition& c, const ir::Node& node, std::size_t mask, Value length) {
  const auto rank = c.rank(c.in(mask));
  if (rank == 2 || rank == 3) {
    const Value valid = c.cast(c.in(mask), DType::boolean);
    return c.op("Unsqueeze", {valid, rank == 2 ? c.integers({1, 2}) : c.integers({1})});
  }
  if (rank != 1)
    return c.refuse("the mask is not supported", rank ? std::to_string(*rank) + " dims" : "a shape that is not stated",
                    "[batch], [batch, keys] or [batch, queries, keys]");
  const auto limit_count = c.known_dim(c.in(mask), 0), batch = c.known_dim(c.in(0), 0);
  const bool known = limit_count && batch, begins = known && *limit_count != *batch;
  if (begins && *limit_count != 2 * *batch)
    return c.refuse("the mask has the wrong length", std::to_string(*limit_count),
                    std::to_string(*batch) + " or " + std::to_string(2 * *batch));
  const auto wide = [&](Value v) { return c.op("Unsqueeze", {c.cast(v, DType::i64), c.integers({1, 2, 3})}); };
  const auto ends = [&](Value v) { return wide(not_negative(e, node, v, "mask_index")); };
  const Value position = count_to(c, length);
  if (!known && !has_dim_of(e, c.in(mask), c.in(0))) {
    const auto [last, first] = ends_and_begins(e, c, node, mask);
    return c.op("And", {c.op("Less", {position, ends(last)}), c.op("GreaterOrEqual", {position, wide(first)})});
  }
  if (!begins) return c.op("Less", {position, ends(c.in(mask))});
  const Values halves = c.op("Split", {c.in(mask)}, {{"axis", std::int64_t{0}}, {"num_outputs", std::int64_t{2}}}, 2);
  return c.op("And", {c.op("Less", {position, ends(halves[0])}), c.op("GreaterOrEqual", {position, wide(halves[1])})});
}

// The addend of the scores: attention_bias, and mask_filter_value where a key does not count. `length`: number of keys,
// i64[1].
template <class F>
Result<Value> bias_of(Normaliser& e, Composition& c, const ir::Node& node, std::size_t mask, std::size_t bias,
                      F&& length) {
  if (!c.has(mask)) return c.in(bias);
  const auto valid = valid_keys(e, c, node, mask, c.rank(c.in(mask)) == 1 ? length() : ir::kNoValue);
  if (!valid) return failure;
  const Value out = c.op("Where", {*valid, c.real(0), c.real(node.real("mask_filter_value", -10000))});
  return c.has(bias) ? c.op("Add", {c.op("CastLike", {out, c.in(bias)}), c.in(bias)}) : out;
}

// Inputs of the node that packed attention reads.
struct PackedInputs {
  std::size_t mask, bias, past;
};

// Attention over what one product made of queries, keys and values, side by side. The past, and what becomes of it,
// are keys and values [2, batch, heads, length, size].
Result<void> attend_packed(Normaliser& e, Composition& c, const ir::Node& node, Value all, PackedInputs from) {
  if (node.integer("do_rotary", 0) != 0) return c.refuse("do_rotary is not supported", "1", "0");
  if (node.integer("past_present_share_buffer", 0) != 0)
    return c.refuse("past_present_share_buffer is not supported", "1", "0");
  const auto heads = heads_of(c, node);
  const auto masked = bias_of(e, c, node, from.mask, from.bias, [&] {
    const Value length = c.dim(c.in(0), 1);
    return c.has(from.past) ? c.op("Add", {length, c.dim(c.in(from.past), 3)}) : length;
  });
  if (!heads || !masked) return failure;
  const std::vector<std::int64_t> sizes = node.integers("qkv_hidden_sizes", {});
  if (!sizes.empty() && sizes.size() != 3)
    return c.refuse("qkv_hidden_sizes has the wrong length", std::to_string(sizes.size()), "3");
  const auto width = c.known_dim(c.in(1), 1);
  if (sizes.empty() && width && *width % 3 != 0)
    return c.refuse("the weights are not those of queries, keys and values of one size", std::to_string(*width),
                    "a multiple of 3 columns");
  Values split{all};
  if (!sizes.empty()) split.push_back(c.integers(sizes));
  const Values qkv = c.op("Split", split, {{"axis", std::int64_t{-1}}}, 3);
  Values inputs{qkv[0], qkv[1], qkv[2], *masked}, outputs{node.outputs[0]};
  if (c.has(from.past))
    for (const Value part :
         c.op("Split", {c.in(from.past)}, {{"axis", std::int64_t{0}}, {"num_outputs", std::int64_t{2}}}, 2))
      inputs.push_back(c.op("Squeeze", {part, c.integers({0})}));
  if (c.wants(1)) outputs.insert(outputs.end(), {e.temporary(), e.temporary()});
  if (!attend(e, node, *heads, inputs, outputs)) return failure;
  if (c.wants(1)) {
    const auto one = [&](Value v) { return c.op("Unsqueeze", {v, c.integers({0})}); };
    c.give(1, "Concat", {one(outputs[1]), one(outputs[2])}, {{"axis", std::int64_t{0}}});
  }
  return {};
}

// Values [batch, length, heads, n, size] as n of [batch, length, heads * size].
Values unpacked(Composition& c, Value packed, std::size_t n) {
  Values parts = c.op("Split", {packed}, {{"axis", std::int64_t{3}}, {"num_outputs", static_cast<std::int64_t>(n)}}, n);
  for (Value& part : parts) part = c.op("Reshape", {part, c.integers({0, 0, -1})});
  return parts;
}

// The query, key and value of MultiHeadAttention, each of [batch, length, heads * size]: as they are, all packed in the
// query, key and value packed in the key, or keys and values of another sequence with heads before their length.
Result<Values> queries_keys_values(Composition& c) {
  for (std::size_t i = 0; i < 3; ++i)
    if (c.has(i) && !c.rank_of_input(i)) return failure;
  const auto rank = [&](std::size_t i) { return *c.rank(c.in(i)); };
  const auto refuse = [&](std::size_t i, const char* expected) {
    return c.refuse("query, key and value have the wrong rank",
                    std::to_string(rank(i)) + " of input " + std::to_string(i), expected);
  };
  if (!c.has(1)) {
    if (rank(0) != 5) return refuse(0, "5 where there is no key");
    return unpacked(c, c.in(0), 3);
  }
  if (rank(0) != 3) return refuse(0, "3");
  if (!c.has(2)) {
    if (rank(1) != 5) return refuse(1, "5 where there is no value");
    const Values kv = unpacked(c, c.in(1), 2);
    return Values{c.in(0), kv[0], kv[1]};
  }
  Values qkv{c.in(0), c.in(1), c.in(2)};
  for (const std::size_t i : {1, 2}) {
    if (rank(i) == 4) {
      const Value turned = c.op("Transpose", {qkv[i]}, {{"perm", std::vector<std::int64_t>{0, 2, 1, 3}}});
      qkv[i] = c.op("Reshape", {turned, c.integers({0, 0, -1})});
    } else if (rank(i) != 3) {
      return refuse(i, "3 or 4");
    }
  }
  return qkv;
}

}  // namespace

// input [batch, length, in], weights [in, q + k + v], bias, mask, past, attention_bias, past length.
Result<void> normalise_packed_attention(Normaliser& e, ir::Node node) {
  Composition c(e, node);
  Value all = c.op("MatMul", {c.in(0), c.in(1)});
  if (c.has(2)) all = c.op("Add", {all, c.in(2)});
  return attend_packed(e, c, node, all, {3, 5, 4});
}

// Attention with 8-bit input and weights: input, weights, bias, both scales, mask, both zero points, past. The product
// is of integers; everything behind it is of real numbers.
Result<void> normalise_quantised_attention(Normaliser& e, ir::Node node) {
  enum : std::size_t {
    kInput,
    kWeights,
    kBias,
    kInputScale,
    kWeightScale,
    kMask,
    kInputZero,
    kWeightZero,
    kPast,
    kNone
  };
  Composition c(e, node);
  const Value sums = c.op("MatMulInteger", {c.in(kInput), c.in(kWeights), c.in(kInputZero), c.in(kWeightZero)});
  const Value scale = c.op("Mul", {c.in(kInputScale), c.in(kWeightScale)});
  const Value real = c.op("Mul", {c.cast(sums, DType::f32), scale});
  return attend_packed(e, c, node, c.op("Add", {real, c.in(kBias)}), {kMask, kNone, kPast});
}

// query, key, value, bias of all three, key_padding_mask, attention_bias, past_key, past_value.
Result<void> normalise_multi_head_attention(Normaliser& e, ir::Node node) {
  Composition c(e, node);
  const auto heads = heads_of(c, node);
  if (!heads) return failure;
  const auto apart = queries_keys_values(c);
  if (!apart) return failure;
  Values qkv = *apart;
  for (std::size_t i = 8; i < node.inputs.size(); ++i)
    if (c.has(i)) return c.refuse("input " + std::to_string(i) + " is not supported");
  const auto mask = bias_of(e, c, node, 4, 5, [&] {
    const Value length = c.dim(qkv[1], 1);
    return c.has(6) ? c.op("Add", {length, c.dim(c.in(6), 2)}) : length;
  });
  if (!mask) return failure;
  if (c.has(3)) {
    // The biases are as long as what they are added to; the value's may be of another length.
    const Value length = c.dim(c.in(0), -1);
    const Value lengths = c.join({length, length, c.dim(c.in(2), -1)});
    const Values biases = c.op("Split", {c.in(3), lengths}, {{"axis", std::int64_t{0}}}, 3);
    for (std::size_t i = 0; i < 3; ++i) qkv[i] = c.op("Add", {qkv[i], biases[i]});
  }
  return attend(e, node, *heads, {qkv[0], qkv[1], qkv[2], *mask, c.in(6), c.in(7)}, node.outputs);
}

// input, positions, cos, sin; ONNX's has the positions last.
Result<void> normalise_contributed_rotary_embedding(Normaliser& e, ir::Node node) {
  Composition c(e, node);
  // Batches packed into one have a position for each element, which is all that counts here.
  if (node.real("scale", 1) != 1) return c.refuse("scale is not supported", std::to_string(node.real("scale", 1)), "1");
  const auto x_rank = c.rank_of_input(0);
  if (!x_rank) return failure;
  const auto rank = c.rank(c.in(1));
  if (rank != 1 && rank != 2)
    return c.refuse("position_ids are not supported",
                    rank ? std::to_string(*rank) + " dims" : "a shape that is not stated", "[1] or [batch, length]");
  Value positions = c.in(1);
  if (rank == 1) {  // the first one's
    const Value length = c.dim(c.in(0), *x_rank == 4 ? 2 : 1);
    positions = c.op("Expand", {c.op("Add", {count_to(c, length), positions}), c.join({c.dim(c.in(0), 0), length})});
  }
  std::int64_t heads = node.integer("num_heads", 0);
  if (heads == 0 && *x_rank == 3) {
    const auto hidden = c.known_dim(c.in(0), 2), half = c.known_dim(c.in(2), 1);
    if (!hidden || !half || *half == 0 || *hidden % (2 * *half) != 0)
      return c.refuse("the number of heads does not follow from the operands", {}, "num_heads, or a value_info");
    heads = *hidden / (2 * *half);
  }
  node.domain.clear();
  node.version = 23;
  node.inputs = {c.in(0), c.in(2), c.in(3), positions};
  for (const char* key : {"is_packed_batching", "scale"}) node.attributes.erase(key);
  node.attributes["num_heads"] = heads;
  return normalise_rotary_embedding(e, std::move(node));
}

// words, segments, tables of words, positions and segments, gamma, beta, mask, positions -> y, valid words, the sum.
// QEmbedLayerNormalization has tables, gamma and beta of 8 bits, and their scales and zero points in place of
// positions.
Result<void> normalise_embed_layer_normalization(Normaliser& e, ir::Node node) {
  enum : std::size_t { kWords, kSegments, kWord, kPosition, kSegment, kGamma, kBeta, kMask, kPositions };
  constexpr std::size_t kScales = 8, kZeros = 13, kTables = 2;
  Composition c(e, node);
  const bool quantised = node.op.starts_with("Q");
  if (c.has(kSegments) != c.has(kSegment)) return c.refuse("segment_ids and segment_embedding belong together");
  const auto real = [&](Value codes, std::size_t input) {
    if (!quantised) return codes;
    const std::size_t which = input - kTables;
    return c.op("DequantizeLinear", {codes, c.in(kScales + which), c.in(kZeros + which)});
  };
  const auto rows = [&](std::size_t table, Value ids) { return real(c.op("Gather", {c.in(table), ids}), table); };
  Value sum = rows(kWord, c.in(kWords));
  const auto first = [&] {
    return c.op("Slice", {c.in(kPosition), c.integers({0}), c.dim(c.in(kWords), 1), c.integers({0})});
  };
  const bool placed = !quantised && c.has(kPositions);
  sum = c.op("Add", {sum, placed ? rows(kPosition, c.in(kPositions)) : real(first(), kPosition)});
  if (c.has(kSegments)) sum = c.op("Add", {sum, rows(kSegment, c.in(kSegments))});
  c.give(2, sum);
  if (c.wants(1) && c.has(kMask))
    c.give(1, "ReduceSum", {c.in(kMask), c.integers({1})}, {{"keepdims", std::int64_t{0}}});
  else if (c.wants(1))
    c.give(1, "Cast", {c.op("Expand", {c.integers({0}), c.dim(c.in(kWords), 0)})},
           {{"to", ir::onnx_number(DType::i32)}});
  c.give(0, "LayerNormalization", {sum, real(c.in(kGamma), kGamma), real(c.in(kBeta), kBeta)},
         {{"axis", std::int64_t{-1}}, {"epsilon", node.real("epsilon", 1e-12F)}});
  return {};
}

}  // namespace byoc::onnx_import
