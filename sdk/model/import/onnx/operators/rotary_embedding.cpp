// RotaryEmbedding (23): pairs of each head's elements are turned by the angles of their position.
#include "sdk/model/import/onnx/operators/expectation.hpp"

namespace byoc::onnx_import {
namespace {

class RotaryEmbedding {
  using Value = Composition::Value;
  enum Input : std::size_t { kX, kCos, kSin, kPositions };
  struct Halves {
    Value first, second;
  };

 public:
  RotaryEmbedding(Normaliser& e, const ir::Node& node) : e_(e), c_(e, node), node_(node) {}

  Result<void> expand() {
    const std::int64_t heads = node_.integer("num_heads", 0);
    const auto rank = c_.rank_of_input(kX);
    if (!rank) return failure;
    if (*rank != 3 && *rank != 4) return c_.refuse("the input has the wrong rank", std::to_string(*rank), "3 or 4");
    const bool flat = *rank == 3;
    if (flat && heads < 1) return c_.refuse("an input of 3 dims needs num_heads", std::to_string(heads), "at least 1");
    turned_ = node_.integer("rotary_embedding_dim", 0);
    if (turned_ < 0 || turned_ % 2 != 0)
      return c_.refuse("rotary_embedding_dim is out of range", std::to_string(turned_), "an even number");
    // [batch, length, heads, size] where heads are flat, else [batch, heads, length, size].
    const Value x = flat ? c_.op("Reshape", {c_.in(kX), c_.integers({0, 0, heads, -1})}) : c_.in(kX);
    const Value heads_at = c_.integers({flat ? 2 : 1});
    if (c_.has(kPositions)) positions_ = not_negative(e_, node_, c_.in(kPositions), "position_ids");
    const Value y = turn(x, angles(kCos, heads_at), angles(kSin, heads_at));
    if (flat)
      c_.give(0, "Reshape", {y, c_.op("Shape", {c_.in(kX)})});
    else
      c_.give(0, y);
    return {};
  }

 private:
  // [batch, length, half a size], with a dim of 1 for the heads.
  Value angles(Input which, Value heads_at) {
    Value v = c_.in(which);
    if (c_.has(kPositions)) v = c_.op("Gather", {v, positions_});
    return c_.op("Unsqueeze", {v, heads_at});
  }

  Value part(Value x, std::int64_t first, std::int64_t end, std::int64_t step = 1) {
    return c_.op("Slice", {x, c_.integers({first}), c_.integers({end}), c_.integers({-1}), c_.integers({step})});
  }

  Halves split(Value x) {
    if (node_.integer("interleaved", 0) != 0) return {part(x, 0, kEnd, 2), part(x, 1, kEnd, 2)};
    const auto halves = c_.op("Split", {x}, {{"axis", std::int64_t{-1}}}, 2);
    return {halves[0], halves[1]};
  }

  Value joined(Value x, Halves y) {
    if (node_.integer("interleaved", 0) == 0) return c_.op("Concat", {y.first, y.second}, kAlongLast);
    const Value last = c_.integers({-1});
    const Value pairs =
        c_.op("Concat", {c_.op("Unsqueeze", {y.first, last}), c_.op("Unsqueeze", {y.second, last})}, kAlongLast);
    return c_.op("Reshape", {pairs, c_.op("Shape", {x})});
  }

  Value turn(Value whole, Value cos, Value sin) {
    const Value x = turned_ == 0 ? whole : part(whole, 0, turned_);
    const Halves in = split(x);
    const auto product = [&](Value a, Value b) { return c_.op("Mul", {a, b}); };
    const Halves out{c_.op("Sub", {product(cos, in.first), product(sin, in.second)}),
                     c_.op("Add", {product(sin, in.first), product(cos, in.second)})};
    const Value y = joined(x, out);
    return turned_ == 0 ? y : c_.op("Concat", {y, part(whole, turned_, kEnd)}, kAlongLast);
  }

  static constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max();
  const Composition::Attributes kAlongLast{{"axis", std::int64_t{-1}}};
  Normaliser& e_;
  Composition c_;
  const ir::Node& node_;
  Value positions_ = ir::kNoValue;
  std::int64_t turned_ = 0;  // how many elements of a head; 0: all
};

}  // namespace

Result<void> normalise_rotary_embedding(Normaliser& e, ir::Node node) { return RotaryEmbedding(e, node).expand(); }

}  // namespace byoc::onnx_import
