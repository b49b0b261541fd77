// Helpers for operators that move elements without looking at them.
#pragma once

#include <cstring>

#include "sdk/model/evaluate/call.hpp"

namespace byoc::evaluate {

// Operand 0's bytes, shared, under another shape of the same number of elements.
Outcome same_bytes(const Call& call, Dims dims);

// Moving a quantised element must not change what it means. TFLite moves the integers whatever the tensors say; for
// ONNX a quantisation that differs from the output's is an error.
Result<void> check_moved_quantisation(const Call& call, std::size_t input, std::size_t output = 0);

// Copies whole elements between tensors of one element type.
class Mover {
 public:
  // Error: 4-bit types, two of which share a byte.
  static Result<Mover> make(const Call& call, std::size_t input);

  void copy(const Tensor& from, std::int64_t source, Buffer& to, std::int64_t target, std::int64_t count = 1) const {
    if (count > 0)
      std::memcpy(to.bytes.data() + static_cast<std::size_t>(target) * size_,
                  from.bytes.data() + static_cast<std::size_t>(source) * size_,
                  static_cast<std::size_t>(count) * size_);
  }
  // Element `at` of the buffer becomes the element at `bytes`.
  void set(Buffer& to, std::int64_t at, const std::byte* bytes) const {
    std::memcpy(to.bytes.data() + static_cast<std::size_t>(at) * size_, bytes, size_);
  }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  explicit Mover(std::size_t size) : size_(size) {}
  std::size_t size_;
};

}  // namespace byoc::evaluate
