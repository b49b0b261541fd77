#include "sdk/program/bytecode/slices.hpp"

#include <cstring>

#include "sdk/model/evaluate/call.hpp"
#include "sdk/model/evaluate/ranks.hpp"
#include "sdk/model/evaluate/value.hpp"

namespace byoc::bytecode {
namespace {

using evaluate::Tensor;

// Elements of what lies before an axis and behind it.
struct Extent {
  std::uint64_t outer = 1;
  std::uint64_t inner = 1;
};

std::optional<Extent> extent(const ir::TensorType& type, std::size_t axis, bool skip) {
  Extent e;
  for (std::size_t d = 0; d < type.dims->size(); ++d) {
    if (skip && d == axis) continue;
    std::uint64_t& side = d < axis ? e.outer : e.inner;
    if (__builtin_mul_overflow(side, static_cast<std::uint64_t>((*type.dims)[d]), &side)) return std::nullopt;
  }
  return e;
}

// Strings, or elements that begin at a byte.
bool is_divisible(const ir::TensorType& type) {
  return type.is_shaped() && (type.dtype == DType::string || bit_width(type.dtype) >= 8);
}

// `count` elements of what they are taken from, in pieces one behind the other.
class Pieces {
 public:
  Pieces(DType dtype, std::uint64_t count) : element_(bit_width(dtype) / 8) {
    if (dtype == DType::string)
      texts_.reserve(count);
    else
      bytes_.reserve(count * element_);
  }
  void add(const Tensor& from, std::uint64_t first, std::uint64_t count) {
    const auto piece = [&](const auto& all, std::uint64_t size) {
      const auto at = all.begin() + static_cast<std::ptrdiff_t>(first * size);
      return std::pair(at, at + static_cast<std::ptrdiff_t>(count * size));
    };
    if (evaluate::is_text(from)) {
      const auto [begin, end] = piece(*from.texts, 1);
      texts_.insert(texts_.end(), begin, end);
    } else {
      const auto [begin, end] = piece(from.bytes.bytes(), element_);
      bytes_.insert(bytes_.end(), begin, end);
    }
  }
  Tensor finish(ir::TensorType type) && {
    if (type.dtype == DType::string) return evaluate::tensor_of(*type.dims, std::move(texts_));
    return {std::move(type), Blob::own(std::move(bytes_))};
  }

 private:
  std::uint64_t element_;
  std::vector<std::byte> bytes_;
  std::vector<std::string> texts_;
};

}  // namespace

std::optional<std::size_t> axis_of(std::int64_t axis, std::size_t rank) {
  const auto n = static_cast<std::int64_t>(rank);
  if (axis < -n || axis >= n) return std::nullopt;
  return static_cast<std::size_t>(axis < 0 ? axis + n : axis);
}

std::optional<Tensor> slice(const Tensor& from, std::int64_t axis, std::int64_t index) {
  if (!is_divisible(from.type)) return std::nullopt;
  const auto at = axis_of(axis, from.type.dims->size());
  if (!at || index < 0 || index >= (*from.type.dims)[*at]) return std::nullopt;
  const auto e = extent(from.type, *at, true);
  if (!e) return std::nullopt;
  const auto length = static_cast<std::uint64_t>((*from.type.dims)[*at]);
  Pieces pieces(from.type.dtype, e->outer * e->inner);
  for (std::uint64_t o = 0; o < e->outer && e->inner != 0; ++o)
    pieces.add(from, (o * length + static_cast<std::uint64_t>(index)) * e->inner, e->inner);
  ir::TensorType type = from.type;
  type.dims->erase(type.dims->begin() + static_cast<std::ptrdiff_t>(*at));
  if (type.quantisation && type.quantisation->per_axis()) type.quantisation.reset();
  return std::move(pieces).finish(std::move(type));
}

std::optional<Tensor> stack(std::span<const Tensor> slices, std::int64_t axis, const ir::TensorType* like) {
  const ir::TensorType* one = slices.empty() ? like : &slices[0].type;
  if (one == nullptr || !is_divisible(*one)) return std::nullopt;
  const auto at = axis_of(axis, one->dims->size() + 1);
  for (const Tensor& t : slices)
    if (!t.type.is_tensor() || t.type.dims != one->dims || t.type.dtype != one->dtype) return std::nullopt;
  if (!at) return std::nullopt;
  const auto e = extent(*one, *at, false);
  const std::uint64_t element = one->dtype == DType::string ? sizeof(std::string) : bit_width(one->dtype) / 8;
  std::uint64_t size = 0;
  if (!e || __builtin_mul_overflow(e->outer * e->inner, slices.size() * element, &size) ||
      size > evaluate::kLargestResult)
    return std::nullopt;
  Pieces pieces(one->dtype, size / element);
  for (std::uint64_t o = 0; o < e->outer && size != 0; ++o)
    for (const Tensor& t : slices) pieces.add(t, o * e->inner, e->inner);
  ir::TensorType type = *one;
  type.dims->insert(type.dims->begin() + static_cast<std::ptrdiff_t>(*at), static_cast<std::int64_t>(slices.size()));
  return std::move(pieces).finish(std::move(type));
}

}  // namespace byoc::bytecode
