// Elements of any type in kernels that read and write them by index: byoc_small.h.
#pragma once

#include <string>

#include "backends/c/emitter.hpp"
#include "byoc/small_floats.hpp"

namespace byoc::c {

// Rounding of numbers that a small float cannot represent.
struct SmallRounding {
  bool saturate = true;
  ScaleRounding scale = ScaleRounding::up;  // of f8e8m0
};

// The type that an element is computed in: "float" of small floats, "int8_t" and "uint8_t" of small integers.
[[nodiscard]] std::string element_work(DType);

// Defines for a kernel: <prefix> the storage type, <prefix>_WORK, <prefix>_GET(p, i) and <prefix>_PUT(p, i, v). Results
// are put in their order, with `count` their number and `pending` a uint32_t of the kernel's.
void define_indexed(Kernel&, const std::string& prefix, DType, SmallRounding = {});

// The suffix that tells apart symbols of kernels with different rounding to `to`.
[[nodiscard]] std::string rounding_suffix(DType to, SmallRounding);

// The attributes saturate and round_mode, as far as they are about `to`.
[[nodiscard]] SmallRounding rounding_of(const codegen::Node&, DType to);

}  // namespace byoc::c
