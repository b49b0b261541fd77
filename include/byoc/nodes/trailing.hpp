// Operands that are of the last dims of another.
#pragma once

#include <cstddef>

#include "byoc/codegen.hpp"

namespace byoc::nodes {

// True if `v` has the dims of `x` from `axis` on, and none but dims of length 1 before them: an element of its own for
// each place in those dims, the same along all others.
[[nodiscard]] inline bool has_trailing_dims(const codegen::Value& v, const codegen::Value& x, std::size_t axis) {
  const std::size_t count = x.dims.size() - axis;
  if (v.dims.size() < count || v.dims.size() > x.dims.size()) return false;
  for (std::size_t i = 1; i <= v.dims.size(); ++i)
    if (v.dims[v.dims.size() - i] != (i <= count ? x.dims[x.dims.size() - i] : 1)) return false;
  return true;
}

}  // namespace byoc::nodes
