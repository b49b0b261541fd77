// com.microsoft's SparseAttention: GroupQueryAttention whose queries see some blocks of the keys.
#include <cmath>

#include "sdk/model/import/onnx/operators/attention_parts.hpp"

namespace byoc::onnx_import {
namespace {

class SparseAttention {
  using Value = Composition::Value;
  using Integers = std::vector<std::int64_t>;
  enum Input : std::size_t {
    kQuery,
    kKey,
    kValue,
    kPastKey,
    kPastValue,
    kRows,     // i32[layouts, rows + 1]: where the blocks of each row begin in
    kColumns,  // i32[layouts, blocks]
    kTotal,
    kLengths,
    kCos,
    kSin
  };

 public:
  SparseAttention(Normaliser& e, const ir::Node& node) : e_(e), c_(e, node), node_(node) {}

  Result<void> expand() {
    heads_ = node_.integer("num_heads", 0), block_ = node_.integer("sparse_block_size", 0);
    const auto layouts = c_.known_dim(c_.in(kRows), 0);
    if (heads_ < 1 || block_ < 1 || !layouts || *layouts < 1 || heads_ % *layouts != 0)
      return c_.refuse("num_heads, sparse_block_size and block_row_indices do not fit each other",
                       std::to_string(heads_) + ", " + std::to_string(block_) + " and " +
                           (layouts ? std::to_string(*layouts) + " layouts" : "a shape that is not stated"),
                       "num_heads a multiple of the layouts");
    rows_ = c_.op("Sub", {c_.dim(c_.in(kRows), 1), c_.integers({1})});
    const Value lengths = c_.cast(c_.in(kLengths), DType::i64);
    const Value seen = c_.op("Tile", {seen_keys(lengths), c_.integers({1, heads_ / *layouts, 1, 1})});
    ir::Node whole = node_;
    whole.op = "GroupQueryAttention";
    whole.attributes.erase("sparse_block_size");
    const Value bias = c_.op("Where", {seen, c_.real_like(0, c_.in(kQuery)), c_.real_like(-INFINITY, c_.in(kQuery))});
    whole.inputs = {c_.in(kQuery),
                    c_.in(kKey),
                    c_.in(kValue),
                    c_.in(kPastKey),
                    c_.in(kPastValue),
                    c_.op("Sub", {lengths, c_.integers({1})}),
                    c_.in(kTotal),
                    c_.in(kCos),
                    c_.in(kSin),
                    ir::kNoValue,
                    bias};
    return normalise_group_query_attention(e_, std::move(whole));
  }

 private:
  Value wide(Value v, Integers axes) { return c_.op("Unsqueeze", {v, c_.integers(axes)}); }

  // bool[layouts, rows, rows]: which blocks of keys each block of queries sees.
  Value blocks() {
    const Value starts = c_.cast(c_.in(kRows), DType::i64), columns = c_.cast(c_.in(kColumns), DType::i64);
    const auto part = [&](Value first, Value end) {
      return wide(c_.op("Slice", {starts, first, end, c_.integers({1})}), {1});
    };
    const Value place = wide(count_to(c_, c_.dim(columns, 1)), {1});  // [blocks, 1]
    const Value begin = part(c_.integers({0}), rows_), end = part(c_.integers({1}), c_.integers({INT64_MAX}));
    const Value in_row = c_.op("And", {c_.op("GreaterOrEqual", {place, begin}), c_.op("Less", {place, end})});
    const Value in_column = c_.op("Equal", {wide(columns, {2}), count_to(c_, rows_)});
    const Value by_row = c_.op("Transpose", {c_.cast(in_row, DType::f32)}, {{"perm", Integers{0, 2, 1}}});
    return c_.op("Greater", {c_.op("MatMul", {by_row, c_.cast(in_column, DType::f32)}), c_.real(0)});
  }

  Value block_of(Value places) {
    const Value block = c_.op("Div", {places, c_.integers({block_})});
    return c_.op("Max", {c_.op("Min", {block, c_.op("Sub", {rows_, c_.integers({1})})}), c_.integers({0})});
  }

  // bool[batch, layouts, length, keys]. A query stands behind the keys that were there, of which a prompt has none.
  Value seen_keys(Value lengths) {
    const Value length = c_.dim(c_.in(kQuery), 1);
    const Value total = c_.op("Reshape", {c_.cast(c_.in(kTotal), DType::i64), c_.integers({1})});
    const Value filled =
        c_.op("Where", {c_.op("Equal", {total, length}), c_.integers({0}), c_.op("Sub", {lengths, length})});
    const Value queries = block_of(c_.op("Add", {wide(filled, {1}), count_to(c_, length)}));
    const Value keys = block_of(count_to(c_, c_.dim(c_.in(kPastKey), 2)));
    const Value rows = c_.op("Gather", {blocks(), queries}, {{"axis", std::int64_t{1}}});
    const Value seen = c_.op("Gather", {rows, keys}, {{"axis", std::int64_t{3}}});
    return c_.op("Transpose", {seen}, {{"perm", Integers{1, 0, 2, 3}}});
  }

  Normaliser& e_;
  Composition c_;
  const ir::Node& node_;
  std::int64_t heads_ = 0, block_ = 0;
  Value rows_ = ir::kNoValue;  // i64[1]: of blocks
};

}  // namespace

Result<void> normalise_sparse_attention(Normaliser& e, ir::Node node) { return SparseAttention(e, node).expand(); }

}  // namespace byoc::onnx_import
