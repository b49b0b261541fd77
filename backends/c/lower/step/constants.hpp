// Elements of constant values as numbers.
#pragma once

#include <cstring>
#include <vector>

#include "byoc/codegen.hpp"

namespace byoc::c {

// A copy of the elements of a constant whose dtype is T's.
template <class T>
[[nodiscard]] std::vector<T> constant_elements(const codegen::Value& value) {
  std::vector<T> out(value.data.size() / sizeof(T));
  if (!out.empty()) std::memcpy(out.data(), value.data.data(), out.size() * sizeof(T));
  return out;
}

}  // namespace byoc::c
