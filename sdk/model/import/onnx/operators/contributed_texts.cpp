// com.microsoft's operators on words, and hashes:
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#include "sdk/model/import/onnx/operators/attention_parts.hpp"
#include "sdk/model/ir/onnx_types.hpp"

namespace byoc::onnx_import {
namespace {

using Value = Composition::Value;

// Arithmetic of u32 that wraps round.
class Hash {
 public:
  Hash(Composition& c, std::uint32_t seed) : c_(c), hash_(number(seed)) {}

  // Four bytes of the key.
  void add(Value block) {
    const Value mixed = times(rotated(times(block, 0xcc9e2d51U), 15), 0x1b873593U);
    hash_ = op("Add", times(rotated(op("BitwiseXor", hash_, mixed), 13), 5), number(0xe6546b64U));
  }

  // The hash of a key that had so many bytes.
  Value finish(std::uint32_t bytes) {
    Value h = op("BitwiseXor", hash_, number(bytes));
    h = times(op("BitwiseXor", h, shifted(h, 16, "RIGHT")), 0x85ebca6bU);
    h = times(op("BitwiseXor", h, shifted(h, 13, "RIGHT")), 0xc2b2ae35U);
    return op("BitwiseXor", h, shifted(h, 16, "RIGHT"));
  }

 private:
  Value op(const char* name, Value a, Value b) { return c_.op(name, {a, b}); }
  Value number(std::uint32_t n) { return c_.cast(c_.integer(std::int64_t{n}), DType::u32); }
  Value times(Value v, std::uint32_t factor) { return op("Mul", v, number(factor)); }
  Value shifted(Value v, std::uint32_t bits, const char* direction) {
    return c_.op("BitShift", {v, number(bits)}, {{"direction", std::string(direction)}});
  }
  Value rotated(Value v, std::uint32_t bits) {
    return op("BitwiseOr", shifted(v, bits, "LEFT"), shifted(v, 32 - bits, "RIGHT"));
  }

  Composition& c_;
  Value hash_;
};

Result<void> check_sizes(Composition& c, const ir::Node& node) {
  struct Size {
    const char* attribute;
    std::size_t input, dim;
  };
  enum Input : std::size_t { kSequence, kFilters, kBias, kChars };
  for (const Size& s : {Size{"embedding_size", kFilters, 0}, Size{"conv_window_size", kFilters, 2},
                        Size{"char_embedding_size", kChars, 1}}) {
    const std::int64_t stated = node.integer(s.attribute, -1);
    const auto found = c.known_dim(c.in(s.input), s.dim);
    if (stated != -1 && found && stated != *found)
      return c.refuse("attribute " + std::string(s.attribute) + " does not fit input " + std::to_string(s.input),
                      std::to_string(stated), std::to_string(*found));
  }
  const auto chars = c.known_dim(c.in(kChars), 1), width = c.known_dim(c.in(kFilters), 3);
  if (chars && width && *chars != *width)
    return c.refuse("filters and embeddings of characters have other lengths", std::to_string(*width),
                    std::to_string(*chars));
  if (const auto rank = c.rank(c.in(kBias)); rank && *rank != 1)
    return c.refuse("the bias has the wrong rank", std::to_string(*rank), "1");
  const auto rank = c.rank(c.in(kSequence));
  const auto word = rank && *rank > 0 ? c.known_dim(c.in(kSequence), *rank - 1) : std::nullopt;
  const auto window = c.known_dim(c.in(kFilters), 2);
  if (word && window && *window > *word)
    return c.refuse("the window is longer than a word", std::to_string(*window), "at most " + std::to_string(*word));
  return {};
}

}  // namespace

// MurmurHash3_x86_32 of each element: of its bytes, or of a string's.
Result<void> normalise_murmur_hash(Normaliser& e, ir::Node node) {
  Composition c(e, node);
  const DType dtype = c.dtype(c.in(0));
  if (dtype == DType::string) return normalise_as_byoc(e, std::move(node));
  Hash hash(c, static_cast<std::uint32_t>(node.integer("seed", 0)));
  if (dtype == DType::i32 || dtype == DType::u32 || dtype == DType::f32) {
    hash.add(c.op("BitCast", {c.in(0)}, {{"to", ir::onnx_number(DType::u32)}}));
  } else if (dtype == DType::i64 || dtype == DType::u64 || dtype == DType::f64) {
    const auto wide = [&](std::int64_t n) { return c.cast(c.integer(n), DType::u64); };
    const Value bits = c.op("BitCast", {c.in(0)}, {{"to", ir::onnx_number(DType::u64)}});
    const Composition::Attributes half{{"to", ir::onnx_number(DType::u32)}};
    hash.add(c.op("Cast", {c.op("BitwiseAnd", {bits, wide(0xffffffff)})}, half));
    hash.add(c.op("Cast", {c.op("BitShift", {bits, wide(32)}, {{"direction", std::string("RIGHT")}})}, half));
  } else {
    return c.refuse("the element type of the input is not supported", std::string(to_string(dtype)),
                    "i32, u32, i64, u64, f32, f64 or string, stated");
  }
  const Value y = hash.finish(bit_width(dtype) / 8);
  if (node.integer("positive", 1) != 0)
    c.give(0, y);
  else
    c.give(0, "BitCast", {y}, {{"to", ir::onnx_number(DType::i32)}});
  return {};
}

// The unique elements in the order in which they appear, where each element is among them, and how often each appears.
Result<void> normalise_contributed_unique(Normaliser& e, ir::Node node) {
  node.outputs.resize(3, ir::kNoValue);
  node.domain.clear();
  node.version = 11;
  node.attributes["sorted"] = std::int64_t{0};
  node.outputs = {node.outputs[0], ir::kNoValue, node.outputs[1], node.outputs[2]};
  while (node.outputs.back() == ir::kNoValue) node.outputs.pop_back();
  e.emit(std::move(node));
  return {};
}

// words [..., length], filters [filters, 1, window, size], bias, embeddings of characters: of each word the largest
// that a filter gives, through tanh. Characters that are 0 or unknown fill words up: windows of nothing else do not
// count, and a word without characters is 0.
Result<void> normalise_word_conv_embedding(Normaliser& e, ir::Node node) {
  Composition c(e, node);
  if (!check_sizes(c, node)) return failure;
  const Composition::Attributes flat{{"keepdims", std::int64_t{0}}}, kept{{"keepdims", std::int64_t{1}}};
  const auto widen = [&](Value v, std::int64_t axis) { return c.op("Unsqueeze", {v, c.integers({axis})}); };
  const Value words = c.cast(c.op("Reshape", {c.in(0), c.join({c.integers({-1}), c.dim(c.in(0), -1)})}), DType::i64);
  const Value valid =
      c.op("And", {c.op("Greater", {words, c.integer(0)}), c.op("Less", {words, c.dims(c.in(3), 0, 1)})});
  const Value rows = c.op("Gather", {c.in(3), c.op("Where", {valid, words, c.integer(0)})});
  const Value chars = c.op("Mul", {rows, c.op("CastLike", {widen(valid, -1), rows})});
  const Value sums = c.op("Conv", {widen(chars, 1), c.in(1), c.in(2)});
  const Value activated = c.op("Tanh", {c.op("Squeeze", {sums, c.integers({3})})});  // [words, filters, windows]
  const Value window = c.dims(c.in(1), 2, 3);
  const Value length = c.op("ReduceSum", {c.cast(valid, DType::i64), c.integers({1})}, kept);
  const Value last = c.op("Sub", {c.op("Max", {length, window}), window});
  const Value seen = c.op("LessOrEqual", {count_to(c, c.dims(activated, 2, 3)), last});
  const Value least = c.real_like(-2, activated);  // less than any tanh
  const Value most = c.op("ReduceMax", {c.op("Where", {widen(seen, 1), activated, least}), c.integers({2})}, flat);
  const Value y = c.op("Where", {c.op("Greater", {length, c.integer(0)}), most, c.real_like(0, most)});
  const Value outer = c.op("Shape", {c.in(0)}, {{"end", std::int64_t{-1}}});
  c.give(0, "Reshape", {y, c.join({outer, c.integers({-1})})});
  return {};
}

// An operator for tests: its output is its input.
Result<void> normalise_sample(Normaliser& e, ir::Node node) {
  Composition c(e, node);
  c.give(0, c.in(0));
  return {};
}

}  // namespace byoc::onnx_import
