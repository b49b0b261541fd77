// Operands of a node: which are given, what their shapes are, the elements of constants.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "byoc/codegen.hpp"

namespace byoc::nodes {

// The value of the node's input `index`, which belongs to the region; null where the node has none there.
[[nodiscard]] inline const codegen::Value* given_input(const codegen::Region& region, const codegen::Node& node,
                                                       std::size_t index) {
  if (index >= node.inputs.size() || node.inputs[index] == codegen::kNoValue) return nullptr;
  return &region.values[node.inputs[index]];
}

// "[2,3]"
[[nodiscard]] inline std::string shape_text(const std::vector<std::int64_t>& dims) {
  std::string out = "[";
  for (const std::int64_t dim : dims) {
    if (out.size() > 1) out += ',';
    out += std::to_string(dim);
  }
  out += ']';
  return out;
}
[[nodiscard]] inline std::string shape_text(const codegen::Value& v) { return shape_text(v.dims); }

// The strides of a row-major tensor: the elements between two neighbours along each dim.
[[nodiscard]] inline std::vector<std::int64_t> row_major_strides(const std::vector<std::int64_t>& dims) {
  std::vector<std::int64_t> out(dims.size(), 1);
  for (std::size_t i = dims.size(); i-- > 1;) out[i - 1] = out[i] * dims[i];
  return out;
}

// True if `a` broadcasts to the shape of `y`, as NumPy does it and without `y` growing.
[[nodiscard]] inline bool broadcasts_to(const codegen::Value& a, const codegen::Value& y) {
  if (a.dims.size() > y.dims.size()) return false;
  for (std::size_t i = 1; i <= a.dims.size(); ++i)
    if (a.dims[a.dims.size() - i] != 1 && a.dims[a.dims.size() - i] != y.dims[y.dims.size() - i]) return false;
  return true;
}

// A copy of the elements of a constant whose dtype is T's.
template <class T>
[[nodiscard]] std::vector<T> constant_elements(const codegen::Value& value) {
  std::vector<T> out(value.data.size() / sizeof(T));
  if (!out.empty()) std::memcpy(out.data(), value.data.data(), out.size() * sizeof(T));
  return out;
}

}  // namespace byoc::nodes
