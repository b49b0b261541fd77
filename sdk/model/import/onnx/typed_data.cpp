#include "sdk/model/import/onnx/typed_data.hpp"

#include <cstring>
#include <limits>

#include "sdk/model/import/onnx/wire.hpp"

namespace byoc::onnx_import {
namespace {

constexpr std::uint32_t kFloatData = 4, kInt32Data = 5, kInt64Data = 7, kDoubleData = 10, kUint64Data = 11;

struct Range {
  std::int64_t low;
  std::int64_t high;
};

template <class T>
constexpr Range range() {
  return {std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
}

// The range of one element of int32_data: the bits of floats, and a byte for a smaller type, signed or unsigned.
Range int32_range(DType t) {
  const ElementRow& row = element_row(t);
  if (row.bits < 8) return {row.kind == ElementKind::whole ? -128 : 0, 255};
  if (row.kind == ElementKind::truth) return {0, 1};
  if (row.bits == 8) return row.kind == ElementKind::whole ? range<std::int8_t>() : range<std::uint8_t>();
  if (row.bits == 16) return row.kind == ElementKind::whole ? range<std::int16_t>() : range<std::uint16_t>();
  return range<std::int32_t>();
}

class Decoder {
 public:
  Decoder(DType dtype, std::uint64_t limit, TypedData& out)
      : field_(typed_data_field(dtype)),
        width_(std::max(bit_width(dtype), 8u) / 8),
        limit_(limit),
        range_(int32_range(dtype)),
        out_(out) {}

  bool element(std::uint64_t v) {
    const auto s = static_cast<std::int64_t>(v);
    if (field_ == kInt32Data && (s < range_.low || s > range_.high))
      return fail("value " + std::to_string(s) + " is out of range of its type");
    if (field_ == kUint64Data && width_ == 4 && v > std::numeric_limits<std::uint32_t>::max())
      return fail("value " + std::to_string(v) + " is out of range of its type");
    return append(&v, width_);
  }

  bool append(const void* bytes, std::size_t n) {
    if (out_.decoded.size() + n > limit_) return fail("has more data than its shape");
    const std::size_t at = out_.decoded.size();
    out_.decoded.resize(at + n);
    std::memcpy(out_.decoded.data() + at, bytes, n);
    return true;
  }

  bool packed_varints(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const auto v = WireReader::varint(bytes);
      if (!v) return fail("packed data is damaged");
      if (!element(*v)) return false;
    }
    return true;
  }

  bool fail(std::string problem) {
    out_.problem = std::move(problem);
    return false;
  }

 private:
  std::uint32_t field_;
  std::size_t width_;
  std::uint64_t limit_;
  Range range_;
  TypedData& out_;
};

}  // namespace

std::uint32_t typed_data_field(DType t) {
  switch (t) {
    case DType::f32: return kFloatData;
    case DType::f64: return kDoubleData;
    case DType::i64: return kInt64Data;
    case DType::u32:
    case DType::u64: return kUint64Data;
    default: return kInt32Data;
  }
}

TypedData read_typed_data(std::span<const std::byte> tensor_message, DType dtype, std::uint64_t limit) {
  TypedData out;
  const std::uint32_t wanted = typed_data_field(dtype);
  const bool fixed = wanted == kFloatData || wanted == kDoubleData;
  Decoder decoder(dtype, limit, out);
  WireReader reader(tensor_message);
  std::span<const std::byte> only;  // the single packed field of fixed-width elements seen so far
  while (const auto field = reader.next()) {
    if (field->number != wanted) continue;
    const bool first = !out.present;
    out.present = true;
    if (fixed) {
      if (first && field->type == WireType::bytes) {
        only = field->payload;
        continue;
      }
      if (!only.empty() && !decoder.append(only.data(), only.size())) return out;
      only = {};
      if (!decoder.append(field->payload.data(), field->payload.size())) return out;
    } else if (field->type == WireType::bytes) {
      if (!decoder.packed_varints(field->payload)) return out;
    } else if (field->type == WireType::varint) {
      if (!decoder.element(field->value)) return out;
    } else {
      decoder.fail("typed data has the wrong wire type");
      return out;
    }
  }
  out.in_place = only;
  return out;
}

}  // namespace byoc::onnx_import
