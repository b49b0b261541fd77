#include "sdk/codegen/codegen/constant_updates.hpp"

#include <optional>

namespace byoc::plugin {
namespace {

// Elements, or nothing where a dim is open or there are more than could be stored.
std::optional<std::uint64_t> count_elements(const std::vector<std::int64_t>& dims) {
  std::uint64_t n = 1;
  for (const std::int64_t d : dims)
    if (d < 0 || __builtin_mul_overflow(n, static_cast<std::uint64_t>(d), &n) || n > (std::uint64_t{1} << 56))
      return std::nullopt;
  return n;
}

}  // namespace

void TakenUpdates::replace(const codegen::Region& region, codegen::ValueId id, const codegen::Value& type,
                           std::vector<std::byte> bytes) {
  if (call_.value(region, id) == ir::kNoValue) return;
  const std::string what = "'" + region.values[id].name + "'";
  if (!region.values[id].is_constant)
    return call_.error("replaces " + what + " of region '" + region.name + "', which is no constant");
  const auto elements = count_elements(type.dims);
  const unsigned width = bit_width(type.dtype);
  if (!elements || width == 0) return call_.error("replaces constant " + what + " with one of no known type and shape");
  const std::uint64_t size = (*elements * width + 7) / 8;
  if (size != bytes.size())
    return call_.error("replaces constant " + what + " with one of another size than its type has",
                       std::to_string(bytes.size()) + " bytes", std::to_string(size) + " bytes");
  const Quantisation& q = type.quantisation;
  const bool per_axis = q.axis >= 0 && static_cast<std::size_t>(q.axis) < type.dims.size();
  const std::size_t scales = per_axis ? static_cast<std::size_t>(type.dims[static_cast<std::size_t>(q.axis)]) : 1;
  if (type.quantised() && (q.scales.size() != scales || q.zero_points.size() != scales || (q.axis >= 0 && !per_axis)))
    return call_.error("replaces constant " + what + " with one whose quantisation does not fit it",
                       std::to_string(q.scales.size()) + " scales and " + std::to_string(q.zero_points.size()) +
                           " zero points on axis " + std::to_string(q.axis),
                       per_axis || q.axis < 0 ? std::to_string(scales) + " of each" : "an axis of its shape");
  all[{call_.index(region), id}] = {type, Blob::own(std::move(bytes))};
}

void TakenUpdates::apply(std::vector<codegen::Region>& regions) const {
  for (const auto& [at, r] : all) {
    codegen::Value& v = regions[at.first].values[at.second];
    v.dtype = r.type.dtype;
    v.dims = r.type.dims;
    v.quantisation = r.type.quantisation;
    v.data = r.bytes.bytes();
  }
}

}  // namespace byoc::plugin
