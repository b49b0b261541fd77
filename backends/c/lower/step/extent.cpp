#include "backends/c/lower/step/extent.hpp"

#include <algorithm>

namespace byoc::c {

std::string Extent::text() const {
  std::string out;
  for (const std::string& a : atoms_) out += (out.empty() ? "" : " * ") + a;
  if (out.empty()) return std::to_string(number_);
  return number_ == 1 ? out
                      : out + " * " + (number_ < 0 ? "(" + std::to_string(number_) + ")" : std::to_string(number_));
}

Extent& Extent::operator*=(const Extent& other) {
  number_ *= other.number_;
  atoms_.insert(atoms_.end(), other.atoms_.begin(), other.atoms_.end());
  if (number_ == 0) atoms_.clear();
  std::sort(atoms_.begin(), atoms_.end());
  return *this;
}

Extent operator+(const Extent& a, const Extent& b) {
  if (a.is_known() && b.is_known()) return a.known() + b.known();
  if (a == Extent(0)) return b;
  if (b == Extent(0)) return a;
  return Extent::expression("(" + a.text() + " + " + b.text() + ")");
}

bool is_open(const codegen::Value& value) {
  return std::any_of(value.dims.begin(), value.dims.end(), [](std::int64_t d) { return d < 0; });
}

Extent extent(std::int64_t dim) {
  return dim >= 0 ? Extent(dim) : Extent::expression("dims[" + std::to_string(-1 - dim) + "]");
}

Extents extents(std::span<const std::int64_t> dims) {
  Extents out;
  for (const std::int64_t d : dims) out.push_back(extent(d));
  return out;
}

Extents extents(const codegen::Value& value) { return extents(std::span(value.dims)); }

Extents filled_in_front(Extents list, std::size_t count, const Extent& with) {
  list.insert(list.begin(), count - list.size(), with);
  return list;
}

Extent elements(const codegen::Value& value) {
  Extent out(1);
  for (const std::int64_t d : value.dims) out *= extent(d);
  return out;
}

}  // namespace byoc::c
