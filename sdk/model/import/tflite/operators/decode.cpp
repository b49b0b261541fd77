// DECODE: constants that are stored compressed. They are unpacked here, so that everything behind sees constants.
#include <algorithm>
#include <cstring>
#include <iterator>
#include <span>

#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {
namespace {

using Bytes = std::span<const std::byte>;

constexpr std::size_t kHeader = 16;  // of the second operand, in front of its table
enum : std::size_t { kMethod, kVersion, kMethodVersion = 4, kMethodFlags, kTableStride };
enum : unsigned { kLookUp, kHuffman, kPruned };

unsigned byte_at(Bytes bytes, std::size_t i) { return std::to_integer<unsigned>(bytes[i]); }

// Bits of bytes, the highest first.
class Bits {
 public:
  explicit Bits(Bytes bytes) : bytes_(bytes) {}
  // Bits behind the end are zeros.
  [[nodiscard]] std::uint32_t next(unsigned count) {
    std::uint32_t out = 0;
    for (; count != 0; --count, ++at_)
      out = out << 1 | (at_ / 8 < bytes_.size() ? byte_at(bytes_, at_ / 8) >> (7 - at_ % 8) & 1 : 0);
    return out;
  }
  void put_back(unsigned count) { at_ -= count; }
  [[nodiscard]] bool has(std::uint64_t count) const { return count <= 8 * static_cast<std::uint64_t>(bytes_.size()); }
  [[nodiscard]] bool is_beyond_end() const { return !has(at_); }

 private:
  Bytes bytes_;
  std::uint64_t at_ = 0;
};

// One tensor while it is decoded: the packed data and the result.
struct Decoding {
  OperatorImport& op;
  ir::ValueId packed, result;
  Bytes data = {}, header = {}, table = {};
  std::size_t count = 0, width = 0;  // elements of the result, and bytes of each
  std::size_t channels = 1, per_channel = 0;
  bool is_last = false;  // channels are the last dim, not the first
  std::vector<std::byte> bytes = {};

  [[nodiscard]] std::size_t channel_of(std::size_t i) const { return is_last ? i % channels : i / per_channel; }
  // Copies an element of the table. False: there is none.
  bool take(std::size_t i, std::size_t from) {
    if (from >= table.size() / width) return false;
    std::memcpy(bytes.data() + i * width, table.data() + from * width, width);
    return true;
  }
  Failure too_short(std::string_view what) {
    return op.refuse(std::string(what) + " of " + op.describe(packed) + " is too short",
                     std::to_string((what == "the table" ? table : data).size()) + " bytes");
  }
};

Result<void> look_up(Decoding& d) {
  const unsigned width = byte_at(d.header, kMethodFlags) & 7;
  const std::size_t stride = byte_at(d.header, kTableStride);
  if (width == 0) return d.op.refuse("unsupported width of indices in " + d.op.describe(d.packed), "0", "1 to 7");
  Bits indices(d.data);
  if (!indices.has(std::uint64_t{width} * d.count)) return d.too_short("the list");
  d.bytes.resize(d.count * d.width);
  for (std::size_t i = 0; i < d.count; ++i)
    if (!d.take(i, d.channel_of(i) * stride + indices.next(width))) return d.too_short("the table");
  return {};
}

// A bit for each element: the next of the table, or the zero point.
Result<void> prune(Decoding& d) {
  const ir::TensorType& type = d.op.type(d.result);
  Bits kept(d.data);
  if (!kept.has(d.count)) return d.too_short("the list");
  if (type.quantisation && type.dtype != DType::i8)
    for (const std::int64_t zero : type.quantisation->zero_points)
      if (zero != 0)
        return d.op.refuse("unsupported zero point of " + d.op.describe(d.result), std::to_string(zero), "0");
  d.bytes.resize(d.count * d.width);
  std::size_t next = 0;
  for (std::size_t i = 0; i < d.count; ++i) {
    if (kept.next(1) != 0) {
      if (!d.take(i, next++)) return d.too_short("the table");
    } else if (type.quantisation && type.dtype == DType::i8) {
      d.bytes[i] = static_cast<std::byte>(type.quantisation->zero_points[d.channel_of(i)]);
    }
  }
  return {};
}

// The table is a tree of tables. An entry of 16 or 32 bits: the highest says that it is a symbol, the next four count
// bits (of a symbol those that it takes; else, less one, those that name an entry of the next table), the rest is the
// symbol, or how far on the next table begins.
Result<void> huffman(Decoding& d) {
  const unsigned flags = byte_at(d.header, kMethodFlags), wide = flags & 1, first_bits = (flags >> 4) + 1;
  if (d.op.type(d.result).dtype != DType::i8 && (wide == 0 || d.op.type(d.result).dtype != DType::i16))
    return d.op.refuse("unsupported element type of " + d.op.describe(d.result),
                       std::string(to_string(d.op.type(d.result).dtype)), wide != 0 ? "i8 or i16" : "i8");
  const std::size_t entry_bytes = wide != 0 ? 4 : 2, entries = d.table.size() / entry_bytes;
  const unsigned count_shift = wide != 0 ? 27 : 11;
  Bits codes(d.data);
  if (!codes.has(d.count)) return d.too_short("the list");
  d.bytes.resize(d.count * d.width);
  for (std::size_t i = 0; i < d.count; ++i) {
    unsigned used = first_bits;
    for (std::size_t at = codes.next(used);;) {
      if (at >= entries) return d.too_short("the table");
      std::uint32_t entry = 0;
      std::memcpy(&entry, d.table.data() + at * entry_bytes, entry_bytes);
      const unsigned bits = entry >> count_shift & 15;
      if (entry >> (8 * entry_bytes - 1) != 0) {
        std::memcpy(d.bytes.data() + i * d.width, &entry, d.width);
        if (used > bits) codes.put_back(used - bits);
        break;
      }
      used = bits + 1;
      at += (entry & ((1U << count_shift) - 1)) + codes.next(used);
      if (codes.is_beyond_end()) return d.too_short("the list");
    }
    if (codes.is_beyond_end()) return d.too_short("the list");
  }
  return {};
}

Result<void> find_channels(Decoding& d) {
  const ir::TensorType& type = d.op.type(d.result);
  if (type.quantisation) {
    d.channels = type.quantisation->scales.size();
    const std::int64_t axis = type.quantisation->axis, last = static_cast<std::int64_t>(type.dims->size()) - 1;
    d.is_last = d.channels > 1 && axis == last;
    if (d.channels > 1 && !d.is_last && axis != 0)
      return d.op.refuse("unsupported axis of the quantisation of " + d.op.describe(d.result), std::to_string(axis),
                         "0 or " + std::to_string(last));
  }
  d.per_channel = std::max<std::size_t>(d.count / d.channels, 1);
  return {};
}

Result<void> decode(OperatorImport& op, std::size_t i) {
  const ir::ValueId packed = op.input(2 * i), header = op.input(2 * i + 1), result = op.output(i);
  for (const ir::ValueId v : {packed, header})
    if (v == ir::kNoValue || !op.value(v).constant)
      return op.refuse("what is decoded must be constant",
                       v == ir::kNoValue ? "an input that is not given" : op.describe(v), "a constant");
  if (!op.expect_dtype(result, {DType::f32, DType::i8, DType::i16, DType::i32, DType::i64, DType::boolean}))
    return failure;
  const Blob &data = op.value(packed).constant->bytes, &described = op.value(header).constant->bytes;
  Decoding d{.op = op, .packed = packed, .result = result};
  d.data = {data.data(), data.size()};
  if (described.size() < kHeader)
    return op.refuse("the header in " + op.describe(header) + " is too short",
                     std::to_string(described.size()) + " bytes", std::to_string(kHeader));
  d.header = {described.data(), kHeader};
  d.table = {described.data() + kHeader, described.size() - kHeader};
  d.count = op.type(result).elements();
  d.width = bit_width(op.type(result).dtype) / 8;
  if (!find_channels(d)) return failure;
  for (const std::size_t at : {std::size_t{kVersion}, std::size_t{kMethodVersion}})
    if (byte_at(d.header, at) != 1)
      return op.refuse("unsupported version of the packing of " + op.describe(packed),
                       std::to_string(byte_at(d.header, at)), "1");
  Result<void> (*const methods[])(Decoding&) = {look_up, huffman, prune};
  const unsigned method = byte_at(d.header, kMethod);
  if (method >= std::size(methods))
    return op.refuse("unsupported packing of " + op.describe(packed), "number " + std::to_string(method),
                     "0 (look-up), 1 (Huffman) or 2 (pruning)");
  if (!methods[method](d)) return failure;
  return op.give_constant(result, Blob::own(std::move(d.bytes)));
}

}  // namespace

// Pairs of data and header -> tensors.
Result<void> import_decode(OperatorImport& op) {
  if (op.input_count() != 2 * op.output_count())
    return op.refuse("wrong number of inputs", std::to_string(op.input_count()), std::to_string(2 * op.output_count()));
  for (std::size_t i = 0; i < op.output_count(); ++i)
    if (!decode(op, i)) return failure;
  return {};
}

}  // namespace byoc::tflite
