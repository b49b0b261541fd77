// Elements of constant values as numbers.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "byoc/codegen.hpp"

namespace byoc::c {

// The elements of a constant whose dtype is T's, where they are: the bytes of a model need not be aligned.
template <class T>
class ConstantElements {
 public:
  explicit ConstantElements(const codegen::Value& value) : bytes_(value.data) {}

  [[nodiscard]] std::size_t size() const { return bytes_.size() / sizeof(T); }
  T operator[](std::size_t i) const {
    T out;
    std::memcpy(&out, bytes_.data() + i * sizeof(T), sizeof(T));
    return out;
  }

 private:
  std::span<const std::byte> bytes_;
};

// Elements of a new constant, in bytes that the host takes over without a copy (Emitter::constant_owned).
template <class T>
class ElementBuffer {
 public:
  // Zeros.
  explicit ElementBuffer(std::size_t elements) : bytes_(elements * sizeof(T)) {}

  void set(std::size_t i, T x) { std::memcpy(bytes_.data() + i * sizeof(T), &x, sizeof(T)); }
  [[nodiscard]] std::vector<std::byte> take() && { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

// A copy of the elements of a constant whose dtype is T's.
template <class T>
[[nodiscard]] std::vector<T> constant_elements(const codegen::Value& value) {
  std::vector<T> out(value.data.size() / sizeof(T));
  if (!out.empty()) std::memcpy(out.data(), value.data.data(), out.size() * sizeof(T));
  return out;
}

}  // namespace byoc::c
