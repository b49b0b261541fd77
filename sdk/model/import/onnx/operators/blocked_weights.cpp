// com.microsoft's products with weights in blocks, each of which has a scale: MatMulNBits, whose codes are whole
// numbers with a zero point, and MatMulBnb4, whose codes name one of 16 real numbers.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#include <array>

#include "sdk/model/import/onnx/operators/expectation.hpp"
#include "sdk/model/import/onnx/operators/packed_codes.hpp"
#include "sdk/model/ir/packed_elements.hpp"

namespace byoc::onnx_import {
namespace {

using Value = Composition::Value;

constexpr std::int64_t kMost = std::int64_t{1} << 30;

std::string sizes_text(std::int64_t k, std::int64_t n, std::int64_t size) {
  return std::to_string(k) + ", " + std::to_string(n) + ", " + std::to_string(size);
}

bool are_sizes(std::int64_t k, std::int64_t n, std::int64_t size) {
  return k >= 1 && n >= 1 && k <= kMost && n <= kMost && size >= 16 && size <= kMost && (size & (size - 1)) == 0;
}

// A vector of all elements from the first on, of which `count` stay.
Value first_elements(Composition& c, Value vector, std::int64_t count) {
  return c.op("Slice", {vector, c.integers({0}), c.integers({count}), c.integers({0})});
}

void give_product(Composition& c, Value weights, bool transposed, std::size_t bias) {
  if (transposed) weights = c.op("Transpose", {weights}, {{"perm", std::vector<std::int64_t>{1, 0}}});
  if (!c.has(bias)) return c.give(0, "MatMul", {c.in(0), weights});
  c.give(0, "Add", {c.op("MatMul", {c.in(0), weights}), c.in(bias)});
}

// The weights [N, K] of MatMulNBits.
class BlockedWeights {
  enum Input : std::size_t { kA, kB, kScales, kZeros, kGroups, kBias };

 public:
  BlockedWeights(Normaliser& e, const ir::Node& node) : e_(e), node_(node), c_(e, node) {}

  Result<void> expand() {
    if (!read_sizes()) return failure;
    const Value scales = c_.op("Reshape", {c_.in(kScales), c_.integers({n_, blocks_})});
    const bool whole_zeros = !c_.has(kZeros) || c_.dtype(c_.in(kZeros)) == DType::u8;
    const bool plain = whole_zeros && !c_.has(kGroups);
    give_product(c_, plain ? dequantised(scales) : computed(scales), true, kBias);
    return {};
  }

 private:
  Result<void> read_sizes() {
    const std::int64_t bits = node_.integer("bits", 4);
    if (bits != 2 && bits != 4 && bits != 8)
      return c_.refuse("bits are not supported", std::to_string(bits), "2, 4 or 8");
    bits_ = static_cast<unsigned>(bits);
    k_ = node_.integer("K", 0), n_ = node_.integer("N", 0), size_ = node_.integer("block_size", 0);
    if (!are_sizes(k_, n_, size_))
      return c_.refuse("K, N or block_size is out of range", sizes_text(k_, n_, size_),
                       "a block size that is a power of two from 16 on");
    blocks_ = (k_ + size_ - 1) / size_;
    zero_bytes_ = (blocks_ * bits_ + 7) / 8;
    constant_ = e_.graph.is_constant(c_.in(kB)) && (!c_.has(kZeros) || e_.graph.is_constant(c_.in(kZeros)));
    if (!expect(kB, {DType::u8}, n_ * blocks_ * (size_ / 8) * bits, "the weights") ||
        !expect(kScales, {DType::f32, DType::f16, DType::bf16}, n_ * blocks_, "the scales"))
      return failure;
    if (!c_.has(kZeros)) return {};
    if (c_.dtype(c_.in(kZeros)) == DType::u8) return expect(kZeros, {DType::u8}, n_ * zero_bytes_, "the zero points");
    return expect(kZeros, {DType::f32, DType::f16, DType::bf16}, n_ * blocks_, "the zero points");
  }

  // Checks the type and the number of elements as far as they are stated.
  Result<void> expect(std::size_t input, std::initializer_list<DType> types, std::int64_t count,
                      const std::string& message) {
    const DType dtype = c_.dtype(c_.in(input));
    const auto rank = c_.rank(c_.in(input));
    bool fits = dtype == DType::undefined || std::find(types.begin(), types.end(), dtype) != types.end();
    std::optional<std::int64_t> found = 1;
    for (std::size_t d = 0; found && d < rank.value_or(0); ++d) {
      const auto dim = c_.known_dim(c_.in(input), d);
      found = dim && *dim <= kMost ? std::optional(*found * *dim) : std::nullopt;
      if (found && *found > kMost * 16) break;
    }
    fits = fits && (!rank || !found || *found == count);
    if (fits) return {};
    return c_.refuse(message + " do not fit K, N and block_size",
                     (found && rank ? std::to_string(*found) : "elements") + " of " + std::string(to_string(dtype)),
                     std::to_string(count) + " of " + std::string(to_string(*types.begin())));
  }

  // The codes of a constant keep their bits; others become bytes.
  Value codes(Value bytes, std::int64_t row_bytes) {
    if (constant_) return retyped_codes(e_, bytes, bits_, {n_, row_bytes * 8 / bits_});
    return unpacked_codes(c_, c_.op("Reshape", {bytes, c_.integers({n_, row_bytes})}), bits_);
  }

  Value columns(Value v, std::int64_t count, std::int64_t of) {
    return count == of ? v : c_.op("Slice", {v, c_.integers({0}), c_.integers({count}), c_.integers({1})});
  }

  Value weight_codes() { return codes(c_.in(kB), blocks_ * (size_ / 8) * bits_); }

  // The zero points [N, blocks] as codes; rows begin at a byte. Without the operand they are the middle of the codes.
  Value zero_codes() {
    if (c_.has(kZeros)) return columns(codes(c_.in(kZeros), zero_bytes_), blocks_, zero_bytes_ * 8 / bits_);
    const std::vector<unsigned> middle(static_cast<std::size_t>(n_ * blocks_), 1U << (bits_ - 1));
    const DType dtype = !constant_ || bits_ == 8 ? DType::u8 : bits_ == 4 ? DType::u4 : DType::u2;
    return e_.graph.add_constant({}, {dtype, std::vector<ir::Dim>{n_, blocks_}, std::nullopt},
                                 Blob::own(ir::pack(middle, bit_width(dtype))));
  }

  Value dequantised(Value scales) {
    const Value w = c_.op("DequantizeLinear", {weight_codes(), scales, zero_codes()},
                          {{"axis", std::int64_t{1}}, {"block_size", size_}});
    return columns(w, k_, blocks_ * size_);
  }

  // (code - zero point) * scale, where zero points are real or g_idx says the block of each column.
  Value computed(Value scales) {
    const Value zeros = c_.has(kZeros) && c_.dtype(c_.in(kZeros)) != DType::u8
                            ? c_.op("Reshape", {c_.in(kZeros), c_.integers({n_, blocks_})})
                            : zero_codes();
    Value w = columns(c_.op("CastLike", {weight_codes(), scales}), k_, blocks_ * size_);
    const Value groups =
        c_.has(kGroups) ? not_negative(e_, node_, first_elements(c_, c_.in(kGroups), k_), "g_idx") : ir::kNoValue;
    const auto of_columns = [&](Value v) {
      if (c_.has(kGroups)) return c_.op("Gather", {v, groups}, {{"axis", std::int64_t{1}}});
      const Value wide = c_.op("Expand", {c_.op("Unsqueeze", {v, c_.integers({2})}), c_.integers({1, 1, size_})});
      return columns(c_.op("Reshape", {wide, c_.integers({0, -1})}), k_, blocks_ * size_);
    };
    w = c_.op("Sub", {w, of_columns(c_.op("CastLike", {zeros, scales}))});
    return c_.op("Mul", {w, of_columns(scales)});
  }

  Normaliser& e_;
  const ir::Node& node_;
  Composition c_;
  unsigned bits_ = 0;
  std::int64_t k_ = 0, n_ = 0, size_ = 0, blocks_ = 0, zero_bytes_ = 0;
  bool constant_ = false;
};

// The numbers that codes stand for, as bitsandbytes defines them: FP4 has a sign, 2 bits of exponent and one of
// fraction, scaled so that the largest is 1; NF4 has quantiles of the normal distribution.
constexpr std::array<float, 16> kFp4{
    0,     5.208333333e-03F,  0.66666667F,  1,  0.33333333F,  0.5F,  0.16666667F,  0.25F,
    -0.0F, -5.208333333e-03F, -0.66666667F, -1, -0.33333333F, -0.5F, -0.16666667F, -0.25F};
constexpr std::array<float, 16> kNf4{-1,
                                     -0.6961928009986877F,
                                     -0.5250730514526367F,
                                     -0.39491748809814453F,
                                     -0.28444138169288635F,
                                     -0.18477343022823334F,
                                     -0.09105003625154495F,
                                     0,
                                     0.07958029955625534F,
                                     0.16093020141124725F,
                                     0.24611230194568634F,
                                     0.33791524171829224F,
                                     0.44070982933044434F,
                                     0.5626170039176941F,
                                     0.7229568362236023F,
                                     1};

}  // namespace

Result<void> normalise_matmul_nbits(Normaliser& e, ir::Node node) { return BlockedWeights(e, node).expand(); }

// A, codes of two to a byte, the largest magnitude of each block of all weights in a row.
Result<void> normalise_matmul_bnb4(Normaliser& e, ir::Node node) {
  Composition c(e, node);
  const std::int64_t k = node.integer("K", 0), n = node.integer("N", 0), size = node.integer("block_size", 0);
  if (!are_sizes(k, n, size) || k * n > kMost)
    return c.refuse("K, N or block_size is out of range", sizes_text(k, n, size),
                    "a block size that is a power of two from 16 on");
  const std::int64_t type = node.integer("quant_type", 0);
  if (type != 0 && type != 1) return c.refuse("quant_type is unknown", std::to_string(type), "0 (FP4) or 1 (NF4)");
  const auto& table = type == 0 ? kFp4 : kNf4;
  const std::int64_t count = k * n, blocks = (count + size - 1) / size;
  const Value bytes = c.op("Reshape", {c.in(1), c.integers({(count + 1) / 2})});
  const Value codes = first_elements(c, unpacked_codes(c, bytes, 4, CodeOrder::high_bits_first), count);
  const Value numbers = c.op("CastLike", {c.reals({table.begin(), table.end()}), c.in(2)});
  const Value real = c.op("Gather", {numbers, c.cast(codes, DType::i32)});
  const Value largest = c.op("Reshape", {c.in(2), c.integers({blocks, 1})});
  const Value wide = c.op("Reshape", {c.op("Expand", {largest, c.integers({1, size})}), c.integers({-1})});
  const Value weights = c.op("Mul", {real, first_elements(c, wide, count)});
  const bool transposed = node.integer("transB", 1) != 0;
  const std::vector<std::int64_t> dims = transposed ? std::vector{n, k} : std::vector{k, n};
  give_product(c, c.op("Reshape", {weights, c.integers(dims)}), transposed, 3);
  return {};
}

// data, indices, scales, zero points: rows of a table of codes, as real numbers.
Result<void> normalise_gather_block_quantized(Normaliser& e, ir::Node node) {
  Composition c(e, node);
  const std::int64_t bits = node.integer("bits", 4), size = node.integer("block_size", 128);
  if (bits != 2 && bits != 4 && bits != 8) return c.refuse("bits are not supported", std::to_string(bits), "2, 4 or 8");
  if (!are_sizes(1, 1, size))
    return c.refuse("block_size is out of range", std::to_string(size), "a power of two from 16 on");
  const auto rank = c.rank_of_input(0), index_rank = c.rank_of_input(1);
  const auto dtype_of_data = c.dtype_of_input(0);
  if (!rank || !index_rank || !dtype_of_data) return failure;
  const DType dtype = *dtype_of_data;
  const auto dims = static_cast<std::int64_t>(*rank);
  std::int64_t axes[] = {node.integer("gather_axis", 0), node.integer("quantize_axis", 1)};
  for (std::int64_t& axis : axes) {
    if (axis < -dims || axis >= dims)
      return c.refuse("gather_axis or quantize_axis is out of range", std::to_string(axis),
                      std::to_string(-dims) + " to " + std::to_string(dims - 1));
    if (axis < 0) axis += dims;
  }
  const auto [gathered, quantised] = axes;
  const bool bytes = dtype == DType::u8;
  if (bytes && (gathered != 0 || quantised != dims - 1))
    return c.refuse("codes in bytes are gathered along axis 0 and quantised along the last one",
                    std::to_string(gathered) + " and " + std::to_string(quantised),
                    "0 and " + std::to_string(dims - 1));
  const auto width = static_cast<unsigned>(bits);
  const auto rows = [&](Value v) { return c.op("Gather", {v, c.in(1)}, {{"axis", gathered}}); };
  const auto taken = [&](Value v) { return gathered == quantised ? v : rows(v); };
  Value codes = taken(c.in(0)), zeros = ir::kNoValue;
  const Value scales = taken(c.in(2));
  if (bytes) codes = unpacked_codes(c, codes, width);
  if (c.has(3)) {
    zeros = taken(c.in(3));
    if (bytes)
      zeros = c.op("Slice", {unpacked_codes(c, zeros, width), c.integers({0}), c.dim(scales, -1), c.integers({-1})});
  } else if (bytes) {
    zeros = c.cast(c.op("Expand", {c.integers({1 << (bits - 1)}), c.op("Shape", {scales})}), DType::u8);
  }
  const std::int64_t moved = quantised > gathered ? static_cast<std::int64_t>(*index_rank) - 1 : 0;
  const Value real = c.op("DequantizeLinear", {codes, scales, zeros},
                          {{"axis", gathered == quantised ? quantised : quantised + moved}, {"block_size", size}});
  c.give(0, gathered == quantised ? rows(real) : real);
  return {};
}

}  // namespace byoc::onnx_import
