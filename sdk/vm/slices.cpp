#include "sdk/vm/slices.hpp"

#include <cstring>

#include "sdk/evaluate/call.hpp"

namespace byoc::vm {
namespace {

using evaluate::Tensor;

// Bytes of what lies behind and before an axis.
struct Extent {
  std::uint64_t outer = 1;
  std::uint64_t inner = 1;
};

std::optional<Extent> extent(const ir::TensorType& type, std::size_t axis, bool skip) {
  Extent e;
  e.inner = bit_width(type.dtype) / 8;
  for (std::size_t d = 0; d < type.dims->size(); ++d) {
    if (skip && d == axis) continue;
    std::uint64_t& side = d < axis ? e.outer : e.inner;
    if (__builtin_mul_overflow(side, static_cast<std::uint64_t>((*type.dims)[d]), &side)) return std::nullopt;
  }
  return e;
}

bool is_plain(const ir::TensorType& type) { return type.is_static() && bit_width(type.dtype) >= 8; }

}  // namespace

std::optional<std::size_t> axis_of(std::int64_t axis, std::size_t rank) {
  const auto n = static_cast<std::int64_t>(rank);
  if (axis < -n || axis >= n) return std::nullopt;
  return static_cast<std::size_t>(axis < 0 ? axis + n : axis);
}

std::optional<Tensor> slice(const Tensor& from, std::int64_t axis, std::int64_t index) {
  if (!is_plain(from.type)) return std::nullopt;
  const auto at = axis_of(axis, from.type.dims->size());
  if (!at || index < 0 || index >= (*from.type.dims)[*at]) return std::nullopt;
  const auto e = extent(from.type, *at, true);
  if (!e) return std::nullopt;
  const auto length = static_cast<std::uint64_t>((*from.type.dims)[*at]);
  std::vector<std::byte> bytes(e->outer * e->inner);
  for (std::uint64_t o = 0; o < e->outer && e->inner != 0; ++o)
    std::memcpy(bytes.data() + o * e->inner,
                from.bytes.data() + (o * length + static_cast<std::uint64_t>(index)) * e->inner, e->inner);
  Tensor out{from.type, Blob::own(std::move(bytes))};
  out.type.dims->erase(out.type.dims->begin() + static_cast<std::ptrdiff_t>(*at));
  if (out.type.quantisation && out.type.quantisation->per_axis()) out.type.quantisation.reset();
  return out;
}

std::optional<Tensor> stack(std::span<const Tensor> slices, std::int64_t axis, const ir::TensorType* like) {
  const ir::TensorType* one = slices.empty() ? like : &slices[0].type;
  if (one == nullptr || !is_plain(*one)) return std::nullopt;
  const auto at = axis_of(axis, one->dims->size() + 1);
  for (const Tensor& t : slices)
    if (t.type.dims != one->dims || t.type.dtype != one->dtype) return std::nullopt;
  if (!at) return std::nullopt;
  const auto e = extent(*one, *at, false);
  std::uint64_t size = 0;
  if (!e || __builtin_mul_overflow(e->outer * e->inner, slices.size(), &size) || size > evaluate::kLargestResult)
    return std::nullopt;
  std::vector<std::byte> bytes(size);
  for (std::size_t s = 0; s < slices.size() && e->inner != 0; ++s)
    for (std::uint64_t o = 0; o < e->outer; ++o)
      std::memcpy(bytes.data() + (o * slices.size() + s) * e->inner, slices[s].bytes.data() + o * e->inner, e->inner);
  Tensor out{*one, Blob::own(std::move(bytes))};
  out.type.dims->insert(out.type.dims->begin() + static_cast<std::ptrdiff_t>(*at),
                        static_cast<std::int64_t>(slices.size()));
  return out;
}

}  // namespace byoc::vm
